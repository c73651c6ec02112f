// cuDNN against the builds of frameworks, CUDA, container images and its own documented defects.
#include <algorithm>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/checks.hpp"
#include "stack/conflicts.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

/// In the words in which it was specified.
Part cudnn_part(const Known& cudnn) {
    return {PartKind::cudnn, "", "cuDNN " + cudnn.words};
}

/// Of the builds that `is_meant` picks, those that the stack's cuDNN does not serve in a way that
/// `is_conflict` picks. `describe` adds what the conflict means.
Judgement judge_cudnn_of_builds(
    const Stack& stack,
    const Matrix& matrix,
    ConflictKind kind,
    bool (*is_meant)(const FrameworkBuild&),
    bool (*is_conflict)(CudnnMatch),
    const std::function<void(Conflict&, const FrameworkBuild&)>& describe) {
    if (!stack.cudnn)
        return undecided("no cuDNN version was specified");
    const auto judge = [&](const FrameworkBuild& build, const Framework& framework) {
        if (!build.cudnn)
            return undecided("the data do not show it");
        const std::string name = words_of(framework);
        const CudnnMatch match = cudnn_match(*stack.cudnn, *build.cudnn, build.framework);
        if (!is_conflict(match)) {
            if (match == CudnnMatch::too_new)
                return fits(name + " was not built for a later cuDNN");
            if (match == CudnnMatch::too_old)
                return fits(name + " was not built for an earlier cuDNN");
            return fits(name + " has compatible libraries");
        }
        Conflict conflict{
            .kind = kind,
            .parts = {{PartKind::framework, framework.name, name}, cudnn_part(*stack.cudnn)},
            .evidence =
                {{"cuDNN", stack.cudnn->text, stack.cudnn->source},
                 evidence_of(build, "cuDNN " + build.cudnn->text)},
            .symptoms = {name + ", libraries: " + build.libraries},
        };
        describe(conflict, build);
        return in_conflict(std::move(conflict));
    };
    return judge_frameworks(stack, matrix, is_meant, judge);
}

/// Of each GPU; where none was specified one unknown capability, which means any GPU.
std::vector<std::optional<Version>> capabilities(const Stack& stack) {
    if (stack.gpus.empty())
        return {std::nullopt};
    return mapped(stack.gpus, [](const Gpu& gpu) {
        std::optional<Version> capability;
        if (gpu.capability)
            capability = *gpu.capability;
        return capability;
    });
}

/// A warning: whether the conditions of a defect occur is not known from
/// versions.
Conflict defective(const Stack& stack, const std::vector<RnnDefect>& defects, ConflictKind kind) {
    Conflict conflict{
        .kind = kind,
        .parts = {{PartKind::cudnn, "", ""}},
        .severity = Severity::warning,
        .why = "cuDNN " + stack.cudnn->words +
               " has a documented defect: " + join(mapped(defects, &RnnDefect::symptom), "; "),
        .evidence = {{"cuDNN", stack.cudnn->text, stack.cudnn->source}},
    };
    for (const RnnDefect& defect : defects) {
        const std::string until = if_any(", fixed in ", defect.fixed);
        const std::string note = if_any("; ", defect.note);
        conflict.evidence.push_back(
            {defect.id, "since " + defect.first.text + until + note, defect.source.url});
        if (defect.provenance >= Provenance::inferred)
            conflict.confidence = Confidence::possible;
    }
    return conflict;
}

/// Defects that are documented for the stack's cuDNN and that this kind of conflict reports.
Judgement documented_defects(const Stack& stack, const Matrix& matrix, ConflictKind kind) {
    if (!stack.cudnn)
        return undecided("the library directories could not be searched");
    const Known& cudnn = *stack.cudnn;
    const std::string_view cause = rnncheck::name_of(kind);
    const std::string what = "cuDNN " + cudnn.words;
    const auto defects = defects_of(stack, cudnn, cause, stack.os.value_or("linux"), matrix);
    const Coverage coverage = matrix.cudnn_build(cudnn, 0).coverage;
    if (depends_on_patch(cudnn, defects))
        return undecided("the patch version of " + what + " is unknown");
    if (!defects.empty())
        return in_conflict(defective(stack, defects, kind));
    if (!stack.os && !defects_of(stack, cudnn, cause, "windows", matrix).empty())
        return undecided(what + " has a documented defect on Windows, and os= was not specified");
    if (coverage == Coverage::newer_than_data || coverage == Coverage::older_than_data)
        return undecided(outside_data(what, coverage, matrix), MissingInput::data);
    return fits(what + " has no such documented defect");
}

}  // namespace

std::vector<RnnDefect> defects_of(
    const Stack& stack,
    const Version& cudnn,
    std::string_view kind,
    std::string_view system,
    const Matrix& matrix) {
    std::vector<RnnDefect> defects;
    for (const auto& capability : capabilities(stack))
        for (RnnDefect& defect : matrix.rnn_defects(cudnn, capability, system))
            if (defect.cause == kind && !find_by(defects, &RnnDefect::id, defect.id))
                defects.push_back(std::move(defect));
    return defects;
}

/// Each defect has to be fixed in some build. The newest one is taken for each, so
/// that the last of them has all fixes.
const CudnnBuild* cudnn_without(
    const std::vector<RnnDefect>& defects, const Stack& stack, const Matrix& matrix) {
    const CudnnBuild* found = nullptr;
    for (const auto& capability : capabilities(stack))
        for (const RnnDefect& defect : defects) {
            found = nullptr;
            if (defect.fixed)
                found = fixed_cudnn(defect, capability, stack, matrix);
            if (!found)
                return nullptr;
        }
    return found;
}

/// "9.10" may be 9.10.0, which has a defect, or 9.10.2, which has not.
bool depends_on_patch(const Version& cudnn, const std::vector<RnnDefect>& defects) {
    if (parts_written(cudnn) > 2)
        return false;
    return parts_written(cudnn) < 2 || std::ranges::any_of(defects, [&](const RnnDefect& defect) {
               return defect.fixed && agree(*defect.fixed, cudnn);
           });
}

/// A version of cuDNN with a defect in recurrent networks that NVIDIA or a framework has
/// documented.
Judgement cudnn_bug(const Stack& stack, const Matrix& matrix) {
    return documented_defects(stack, matrix, ConflictKind::cudnn_bug);
}

/// A version of cuDNN that corrupts padded sequences at random.
Judgement cudnn_masked_rnn_bug(const Stack& stack, const Matrix& matrix) {
    std::optional<bool> masked;
    if (stack.network)
        masked = stack.network->masked;
    if (masked == false)
        return not_applicable("its sequences are not masked");
    Judgement judgement = documented_defects(stack, matrix, ConflictKind::cudnn_masked_rnn_bug);
    for (Conflict& conflict : judgement.conflicts)
        if (masked)
            conflict.severity = Severity::error;  // what is affected is in use
    return judgement;
}

/// A version of cuDNN with a defect for sequences of different lengths.
Judgement cudnn_varlen_rnn_bug(const Stack& stack, const Matrix& matrix) {
    return documented_defects(stack, matrix, ConflictKind::cudnn_varlen_rnn_bug);
}

/// Whether the version was built for this CUDA major version at all: cuDNN 9.10
/// is published for CUDA 11 and 12, not for 13.
Judgement cudnn_built_for_other_cuda(const Stack& stack, const Matrix& matrix) {
    const Version* cuda = version_in(stack.cuda);
    // Otherwise the one that the specified cuDNN is built for (9.10.2+cu12).
    if (!cuda && stack.cudnn_cuda)
        cuda = &*stack.cudnn_cuda;
    if (!stack.cudnn || !cuda)
        return undecided("cudnn= and cuda= were not both specified");
    const auto exists = cudnn_for_cuda(*stack.cudnn, cuda->major(), matrix);
    if (exists.fit == Fit::works)
        return fits(exists.why);
    if (exists.fit == Fit::unknown)
        return undecided(exists.why, MissingInput::data);
    return in_conflict({
        .kind = ConflictKind::cudnn_built_for_other_cuda,
        .parts =
            {cudnn_part(*stack.cudnn),
             {PartKind::cuda, "", "CUDA " + std::to_string(cuda->major())}},
        .why = exists.why,
        .evidence = exists.evidence,
    });
}

/// cuDNN is of a later major version than the framework was built for, which
/// opens it by a soname with its own major.
Judgement cudnn_newer_than_framework_supports(const Stack& stack, const Matrix& matrix) {
    const auto is_newer = [](CudnnMatch match) { return match == CudnnMatch::too_new; };
    const auto describe = [&](Conflict& conflict, const FrameworkBuild& build) {
        conflict.why = conflict.parts.front().text + " was built for cuDNN " +
                       std::to_string(build.cudnn->major()) + " and cannot use cuDNN " +
                       stack.cudnn->words;
    };
    return judge_cudnn_of_builds(
        stack,
        matrix,
        ConflictKind::cudnn_newer_than_framework_supports,
        takes_system_libraries,
        is_newer,
        describe);
}

/// cuDNN is older than the one that the framework was built with: functions
/// that the framework calls may be missing in it.
Judgement cudnn_runtime_older_than_built(const Stack& stack, const Matrix& matrix) {
    const auto is_older = [](CudnnMatch match) { return match == CudnnMatch::too_old; };
    const auto describe = [&](Conflict& conflict, const FrameworkBuild& build) {
        conflict.why = "cuDNN " + stack.cudnn->words + " is older than the " + build.cudnn->text +
                       " that " + conflict.parts.front().text + " was built with";
    };
    return judge_cudnn_of_builds(
        stack,
        matrix,
        ConflictKind::cudnn_runtime_older_than_built,
        takes_system_libraries,
        is_older,
        describe);
}

/// The system's cuDNN in the way of the one that the framework bundles. One of another major
/// version has other file names.
Judgement cudnn_shadowed(const Stack& stack, const Matrix& matrix) {
    const auto is_unsuited = [](CudnnMatch match) { return match != CudnnMatch::compatible; };
    const auto describe = [&](Conflict& conflict, const FrameworkBuild& build) {
        const std::string cudnn = "cuDNN " + stack.cudnn->words;
        const std::string bundles =
            conflict.parts.front().text + " bundles cuDNN " + build.cudnn->text + "; ";
        if (stack.cudnn->major() == build.cudnn->major()) {
            conflict.severity = Severity::warning;
            conflict.confidence = Confidence::likely;
            conflict.why = bundles + "if " + cudnn +
                           " is found first, through LD_LIBRARY_PATH or in a system directory, it "
                           "is rejected or fails";
            return;
        }
        conflict.severity = Severity::note;
        conflict.confidence = Confidence::possible;
        conflict.why = bundles + cudnn +
                       " has different file names, so it affects only programs that load "
                       "libcudnn.so without a version";
    };
    return judge_cudnn_of_builds(
        stack, matrix, ConflictKind::cudnn_shadowed, bundles_libraries, is_unsuited, describe);
}

/// A container image without cuDNN: base, runtime and devel images of CUDA contain none.
Judgement cudnn_not_installed(const Stack& stack, const Matrix& matrix) {
    const std::string& image = stack.image;
    if (image.empty())
        return undecided("no container image was specified");
    if (stack.cudnn)
        return fits(image + " contains cuDNN");
    std::optional<TaggedImage> tagged;
    if (!image_named(image, matrix))
        tagged = image_by_tag(image);
    if (!tagged || !tagged->has_cudnn)
        return undecided("whether " + image + " contains cuDNN is unknown");
    if (*tagged->has_cudnn)
        return fits(image + " contains cuDNN");
    bool takes_it = false, all_have_own = !stack.frameworks.empty();
    for (const Framework& framework : stack.frameworks)
        for (const FrameworkBuild& build : builds_of(stack, framework, matrix).with_cuda) {
            const bool needs_it = takes_system_libraries(build) && !build.without_cudnn;
            takes_it |= needs_it && (is_default(build) || framework.build);
            all_have_own &= !needs_it;
        }
    if (all_have_own)
        return fits("the specified frameworks take no cuDNN from the system");
    Conflict conflict{
        .kind = ConflictKind::cudnn_not_installed,
        .parts = {{PartKind::cudnn, "", "cuDNN"}, {PartKind::image, "", image}},
        .severity = Severity::warning,
        .why = image + " contains no cuDNN: programs that take it from the system find none",
        .evidence =
            {{"image", image, "runtimes"},
             {"images with cuDNN",
              "have cudnn in their tag",
              "https://hub.docker.com/r/nvidia/cuda"}},
    };
    if (takes_it)
        conflict.severity = Severity::error;
    return in_conflict(std::move(conflict));
}

}  // namespace rnncheck::stack
