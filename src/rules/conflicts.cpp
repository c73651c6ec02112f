#include "rules/conflicts.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/repairs.hpp"
#include "stack/given.hpp"

namespace rnncheck::rules {

namespace {

using stack::Conflict;
using stack::ConflictKind;
using stack::PartKind;
using stack::Stack;

/// The framework that the conflict is about.
const stack::Framework& framework_of(
    const Stack& stack, const Conflict& conflict, std::size_t part = 0) {
    return *find_by(stack.frameworks, &stack::Framework::name, conflict.parts.at(part).id);
}

/// Builds of the framework's version that run with everything else in the stack, as commands; the
/// newest CUDA first.
std::vector<Remedy> builds_that_run(
    const Stack& stack, const stack::Framework& framework, const Matrix& matrix) {
    auto builds = planned_builds(framework, stack.os, stack, matrix);
    std::ranges::stable_sort(
        builds, std::greater(), [](const PlannedBuild& build) { return *build.cuda; });
    std::vector<Remedy> remedies;
    for (const PlannedBuild& build : builds)
        if (build.os == stack.os.value_or("linux") && build.fit == Fit::works)
            remedies.push_back({
                .action = Action::install_package,
                .text = "Install its build for CUDA " + build.cuda->text + " (" + build.build + ")",
                .commands = {build.install + in_place_of_installed},
                .link = build.sources.front(),
                .changes = stack::changes_to(build, *framework.version, stack),
            });
    return remedies;
}

/// Instead of a CPU-only build: one with CUDA of the same version; on Arm,
/// where PyPI often has none, NVIDIA's image; else what the tables show of the
/// system.
std::vector<Remedy> with_cuda_instead(
    const Stack& stack, const Conflict& conflict, const Matrix& matrix) {
    const stack::Framework& framework = framework_of(stack, conflict);
    if (auto remedies = builds_that_run(stack, framework, matrix); !remedies.empty())
        return remedies;
    const auto gpu = stack::capability_of(stack);
    if (gpu && stack::on_arm(stack, matrix))
        if (auto images =
                image_instead(false, framework.name, *gpu, stack::driver_of(stack), matrix, true);
            !images.empty())
            return images;
    const auto builds = matrix.framework_builds(framework.name);
    // No version of the framework was published with CUDA for this system, as
    // JAX for Windows.
    const auto never_on = [&](const std::string& os) {
        return stack.os == os && std::ranges::none_of(builds, [&](const FrameworkBuild& other) {
                   return other.os == os && other.cuda;
               });
    };
    const char* place = "cpu_only_build/none_known";
    if (never_on("windows"))
        place = "cpu_only_build/windows";
    if (never_on("macos"))
        place = "cpu_only_build/macos";
    return {remedy(place, {plan_of_version(framework), conflict.builds.front().source.url})};
}

/// Some version of TensorFlow for Linux may run on the GPUs.
/// Some version of TensorFlow for Linux may run on the GPUs: since 2.11 it uses
/// CUDA on Windows only through WSL 2, where the packages for Linux are
/// installed.
bool wsl_may_help(const Stack& stack, const Matrix& matrix) {
    const auto may_run = [&](const FrameworkBuild& build, const stack::Gpu& gpu) {
        return !gpu.capability ||
               stack::build_and_cudnn_on_gpu(build, *gpu.capability, {}, matrix).fit !=
                   Fit::does_not_work;
    };
    return std::ranges::any_of(
        matrix.framework_builds("tensorflow"), [&](const FrameworkBuild& build) {
            return build.os == "linux" && build.cuda && !stack::is_of_conda(build) &&
                   std::ranges::all_of(
                       stack.gpus, [&](const stack::Gpu& gpu) { return may_run(build, gpu); });
        });
}

/// In an environment with a Python that the other frameworks have a package for, too; nothing where
/// there is none, it has no code for the GPU or the driver is too old.
std::vector<Remedy> last_for_windows(
    Stack stack, stack::Framework framework, const Matrix& matrix) {
    stack.python.reset();
    // TensorFlow 2.10 is the last version whose packages for Windows use CUDA:
    // https://www.tensorflow.org/install/pip#windows-native
    framework.version = make_version({2, 10});
    const auto builds = builds_that_run(stack, framework, matrix);
    if (builds.empty())
        return {};
    Remedy way = remedy("tf_no_native_windows_gpu/last_version");
    // The versions of Python that 2.10 has packages for, the newest first.
    for (const char* python : {"3.10", "3.9", "3.8", "3.7"}) {
        way.changes = builds.front().changes;
        way.changes.push_back({"python", python});
        const Stack changed = stack::with_changes(stack, way.changes, matrix);
        const auto kind = ConflictKind::python_not_supported;
        if (stack::judgement(kind, changed, matrix).outcome != Outcome::fault)
            return {way};
    }
    return {};
}

/// Those that run on the GPU, where it is known: no version for Windows has code for today's.
std::vector<Remedy> windows_alternatives(
    const Stack& stack, const Conflict& conflict, const Matrix& matrix) {
    std::vector<Remedy> ways;
    if (const stack::Gpu* gpu = stack::gpu_of(stack))
        ways = image_instead(true, "tensorflow", *gpu->capability, {}, matrix);
    if (wsl_may_help(stack, matrix))
        ways.push_back(remedy("tf_no_native_windows_gpu"));
    append(ways, last_for_windows(stack, framework_of(stack, conflict), matrix));
    return ways;
}

/// Since 2.16 `import keras` beside TensorFlow is Keras 3, and Keras 2 goes on as a package of its
/// own. https://github.com/tensorflow/tensorflow/releases/tag/v2.16.1
std::vector<Remedy> keras_remedies(const Stack& stack, const Conflict& conflict) {
    const stack::Framework &keras = framework_of(stack, conflict),
                           &backend = framework_of(stack, conflict, 1);
    std::vector<Remedy> remedies;
    if (backend.name == "tensorflow" && keras.version->major() == 2 &&
        *backend.version >= make_version({2, 16}))
        remedies = {
            remedy("keras_backend_not_supported/keras_2", {shortened(*backend.version, 2).text})};
    remedies.push_back(remedy("keras_backend_not_supported/versions", {backend.name}));
    return remedies;
}

/// For the CUDA of a cuDNN that suits the whole stack; no command where its wheels do not exist. A
/// framework takes no cuDNN of another major version.
std::vector<Remedy> cudnn_without_defects(
    const Stack& stack, const Conflict& conflict, const Matrix& matrix) {
    const std::string_view cause = rnncheck::name_of(conflict.kind);
    const auto defects =
        stack::defects_of(stack, *stack.cudnn, cause, stack.os.value_or("linux"), matrix);
    const CudnnBuild* fixed = stack::cudnn_without(defects, stack, matrix);
    int cuda = 0;
    if (fixed)
        cuda = fixed->cuda_major;
    Remedy update = remedy(cause, {std::to_string(cuda)});
    if (fixed && (fixed->cudnn.major() == stack.cudnn->major() || stack.frameworks.empty())) {
        const Version newest_fix = *std::ranges::max_element(defects, {}, &RnnDefect::fixed)->fixed;
        // Changes can be judged again only where the tables have that build.
        if (matrix.cudnn_build(newest_fix, cuda))
            update.changes = {{"cudnn", newest_fix.text + "+cu" + std::to_string(cuda)}};
    }
    if (stack.os == "windows")
        update.text += dlls_of_packages;
    if (cuda < oldest_cuda_with_wheels)
        update.commands.clear();
    return {against_defects(std::move(update), defects, fixed)};
}

/// A cuDNN that has code for the GPU, with each build with which pip installs one that has none.
std::vector<Remedy> older_cudnn(
    const Stack& stack, const Conflict& conflict, const Matrix& matrix) {
    const stack::Gpu& gpu = *find_where(stack.gpus, [&](const stack::Gpu& one) {
        return std::to_string(one.index) == conflict.parts.front().id;
    });
    std::vector<Remedy> remedies;
    for (const FrameworkBuild& build : conflict.builds) {
        const CudnnBuild* newer = stack::newer_cudnn_without(build, *gpu.capability, matrix);
        if (const std::string command = install_command(build, *gpu.capability, matrix);
            newer && !command.empty())
            remedies.push_back(
                remedy("gpu_too_old/hold_cudnn", {newer->cudnn.text, command, newer->source.url}));
    }
    return remedies;
}

/// Images of those frameworks no build of which has code for the GPU.
std::vector<Remedy> newer_builds(
    const Stack& stack, const Conflict& conflict, const Matrix& matrix) {
    const stack::Gpu& gpu = *find_where(stack.gpus, [&](const stack::Gpu& one) {
        return std::to_string(one.index) == conflict.parts.front().id;
    });
    const bool arm = stack::on_arm(stack, matrix);
    std::vector<Remedy> remedies;
    for (const stack::Part& part : conflict.parts)
        if (part.kind == PartKind::framework && part.fit == Fit::does_not_work)
            append(
                remedies,
                image_instead(
                    stack.os == "windows",
                    part.id,
                    *gpu.capability,
                    stack::driver_of(stack),
                    matrix,
                    arm));
    if (remedies.empty() && conflict.severity != Severity::error)
        remedies = {remedy("gpu_arch_not_in_build/compiles")};
    return remedies;
}

/// What the rule itself knows to do; repairs by other versions are computed
/// (Rule::repaired_by_versions).
std::vector<Remedy> remedies_of(
    const Stack& stack, const Conflict& conflict, const Matrix& matrix) {
    switch (conflict.kind) {
        case ConflictKind::cpu_only_build:
            return with_cuda_instead(stack, conflict, matrix);
        case ConflictKind::cudnn_bug:
        case ConflictKind::cudnn_masked_rnn_bug:
        case ConflictKind::cudnn_varlen_rnn_bug:
            return cudnn_without_defects(stack, conflict, matrix);
        case ConflictKind::cudnn_not_installed:
            return {remedy("cudnn_not_installed/image")};
        case ConflictKind::framework_requirements_conflict:
            if (conflict.severity == Severity::error)
                return {remedy("framework_requirements_conflict/exclude")};
            if (conflict.severity == Severity::note)
                return {remedy("framework_requirements_conflict/two_cudnns")};
            return {remedy("framework_requirements_conflict/overwrite")};
        case ConflictKind::gpu_arch_not_in_build:
            return newer_builds(stack, conflict, matrix);
        case ConflictKind::gpu_too_old:
            return older_cudnn(stack, conflict, matrix);
        case ConflictKind::keras_backend_not_supported:
            return keras_remedies(stack, conflict);
        case ConflictKind::minor_version_compatibility:
            return {remedy("minor_version_compatibility")};
        case ConflictKind::plugin_without_cudnn_rnn:
            return {without_plugin(framework_of(stack, conflict))};
        case ConflictKind::version_not_in_data:
            return {remedy("version_not_in_data")};
        case ConflictKind::rnn_dtype_not_supported:
            return {remedy("rnn_dtype_not_supported", {conflict.evidence.back().source})};
        case ConflictKind::tf_no_native_windows_gpu:
            return windows_alternatives(stack, conflict, matrix);
        case ConflictKind::cudnn_shadowed:
            return {remedy("cudnn_shadowed/given", {stack.cudnn->words})};
        // Of these all that helps are other versions, which proposed_repairs()
        // computes.
        case ConflictKind::cuda_version_mismatch:
        case ConflictKind::cudnn_built_for_other_cuda:
        case ConflictKind::cudnn_newer_than_framework_supports:
        case ConflictKind::cudnn_runtime_older_than_built:
        case ConflictKind::driver_too_old:
        case ConflictKind::python_not_supported:
            break;
    }
    return {};
}

/// The conflict as a finding; the first of its parts is what the finding is
/// about.
Finding worded(Conflict conflict) {
    return {
        .severity = conflict.severity,
        .subject = conflict.parts.front().text,
        .part = conflict.parts.front(),
        .message = std::move(conflict.why),
        .evidence = std::move(conflict.evidence),
        .confidence = conflict.confidence,
        .symptoms = std::move(conflict.symptoms),
    };
}

/// All conflicts of a judgement, without anything to do about them.
Verdict worded(stack::Judgement judgement) {
    Verdict verdict{
        .outcome = judgement.outcome,
        .reason = std::move(judgement.reason),
        .findings = {},
        .evidence = std::move(judgement.evidence),
        .missing = judgement.missing,
        .still_unknown = std::move(judgement.still_unknown),
    };
    for (Conflict& conflict : judgement.conflicts)
        verdict.findings.push_back(worded(std::move(conflict)));
    return verdict;
}

/// The same with remedies, which are computed first: wording moves the
/// conflicts.
Verdict worded(const Stack& stack, stack::Judgement judgement, const Matrix& matrix) {
    const auto remedies = mapped(
        judgement.conflicts, [&](const Conflict& one) { return remedies_of(stack, one, matrix); });
    Verdict verdict = worded(std::move(judgement));
    for (std::size_t i = 0; i < remedies.size(); ++i)
        verdict.findings[i].remedies = remedies[i];
    return verdict;
}

}  // namespace

Verdict verdict_of(ConflictKind kind, const Stack& stack, const Matrix& matrix) {
    return worded(stack, stack::judgement(kind, stack, matrix), matrix);
}

Verdict verdict_of(
    ConflictKind kind,
    const Stack& stack,
    const std::vector<Stack>& possible,
    const Matrix& matrix) {
    return worded(stack, stack::judgement(kind, stack, possible, matrix), matrix);
}

Verdict verdict_without_remedies(
    ConflictKind kind,
    const Stack& stack,
    const std::vector<Stack>& possible,
    const Matrix& matrix) {
    return worded(stack::judgement(kind, stack, possible, matrix));
}

Verdict verdict_of_named(ConflictKind kind, const Stack& named, const Matrix& matrix) {
    return worded(named, stack::judgement_of_named(kind, named, matrix), matrix);
}

Verdict verdict_of_named(ConflictKind kind, const Facts& facts, const Matrix& matrix) {
    const auto named = named_stack(facts);
    if (named)
        return verdict_of_named(kind, *named, matrix);
    return not_applicable(about_named_versions);
}

std::string plan_of_version(const stack::Framework& framework) {
    return "rnncheck matrix plan --for " + framework.name + if_any("==", framework.version);
}

std::vector<PlannedBuild> planned_builds(
    stack::Framework framework,
    const std::optional<std::string>& os,
    const Stack& stack,
    const Matrix& matrix) {
    std::vector<PlannedBuild> planned;
    framework.build.reset();
    // Whatever build is installed, every one of the version is a candidate.
    for (FrameworkBuild& build :
         stack::builds_of(framework, os, stack::on_arm(stack, matrix), matrix).with_cuda)
        planned.push_back(
            plan_build(of_version(std::move(build), *framework.version), stack, matrix));
    std::erase_if(
        planned, [](const PlannedBuild& build) { return !runs(build) || build.install.empty(); });
    return planned;
}

Remedy without_plugin(const stack::Framework& framework) {
    // DirectML and Metal have no recurrent networks of cuDNN: what replaces the
    // plugin depends on what its framework is published with for this system.
    const bool is_directml = framework.build == "directml";
    if (is_directml && framework.name == "tensorflow")
        return remedy("plugin_without_cudnn_rnn/tensorflow_directml", {plan_of_version(framework)});
    if (is_directml && framework.name == "pytorch")
        return remedy("plugin_without_cudnn_rnn/torch_directml");
    if (is_directml && framework.name == "onnxruntime")
        return remedy("plugin_without_cudnn_rnn/onnxruntime_directml");
    return remedy("plugin_without_cudnn_rnn", {plan_of_version(framework)});
}

/// Where each defect is fixed in some cuDNN, but none without them all fits the
/// rest, layers without cuDNN are what is left.
Remedy against_defects(Remedy update, const std::vector<RnnDefect>& defects, bool has_fix) {
    const auto is_fixed = [](const RnnDefect& defect) { return defect.fixed.has_value(); };
    if (!has_fix && std::ranges::all_of(defects, is_fixed))
        return remedy("cudnn_bug/without_cudnn", {update.link});
    for (const RnnDefect& defect : defects)
        update.text += ". " + defect.workaround;
    return update;
}

}  // namespace rnncheck::rules
