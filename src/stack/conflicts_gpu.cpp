// A GPU's compute capability against the code that CUDA, cuDNN and frameworks contain.
#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/checks.hpp"
#include "stack/conflicts.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

/// A component of the stack against one GPU.
struct CompatibilityCheck {
    Part part;
    Compatibility suits = {};
    Severity severity = Severity::error;
    std::optional<FrameworkBuild> build = {};  ///< with which pip installs what does not fit
};

/// Equal numbers for equal judgements, as deciding_build wants them.
int number_of(const Compatibility& suits) {
    if (suits.fit == Fit::unknown)
        return 0;
    if (suits.fit == Fit::does_not_work && suits.gpu_is_newer)
        return -1;
    if (suits.fit == Fit::does_not_work)
        return -2;
    if (suits.fit == Fit::works)
        return 1;
    return 2;
}

Compatibility unknown(std::string why, bool outside = false) {
    return {.fit = Fit::unknown, .why = std::move(why), .outside = outside};
}

/// A version has a build for each CUDA, which may differ.
Compatibility cudnn_on(const Stack& stack, const Matrix& matrix, const Version& capability) {
    const Known& cudnn = *stack.cudnn;
    const std::string thing = "cuDNN " + cudnn.words;
    std::vector<CudnnBuild> builds = cudnn_builds_of(cudnn, matrix);
    if (builds.empty())
        return unknown(outside_data(thing, matrix.cudnn_build(cudnn, 0).coverage, matrix), true);
    if (parts_written(cudnn) < 2)
        return unknown("the exact version of " + thing + " was not specified");
    const Version* cuda = version_in(stack.cuda);
    if (stack.cudnn_cuda)
        cuda = &*stack.cudnn_cuda;
    if (cuda)
        std::erase_if(
            builds, [&](const CudnnBuild& build) { return build.cuda_major != cuda->major(); });
    if (builds.empty())
        return unknown("there is no " + thing + " for this CUDA");
    std::vector<std::string> by_cuda;
    std::vector<Compatibility> all;
    for (CudnnBuild& build : builds) {
        build.cudnn = cudnn;
        const Compatibility& one = all.emplace_back(cudnn_on_gpu(build, capability));
        std::string has = " has no code for it";
        if (one.fit == Fit::works)
            has = " has machine code for it";
        if (one.fit == Fit::compiles_first)
            has = " has PTX code that the driver compiles for it";
        by_cuda.push_back("the one for CUDA " + std::to_string(build.cuda_major) + has);
    }
    if (std::ranges::adjacent_find(all, std::not_equal_to(), number_of) == all.end())
        return all.front();
    return unknown(
        "it depends on the build of " + thing + ": " + join_with_and(by_cuda) +
        " (example: cudnn=" + cudnn.words + "+cu" + std::to_string(builds.back().cuda_major) + ")");
}

/// pip installs a newer cuDNN with this build, which no longer has code for the GPU.
CompatibilityCheck newest_cudnn_of(
    FrameworkBuild build, const Framework& framework, const CudnnBuild& newer) {
    Framework named = framework;
    named.build = build.build;
    build = of_version(std::move(build), *framework.version);
    return {
        {PartKind::framework,
         framework.name,
         "the newest cuDNN, which pip installs with " + words_of(named)},
        {
            .fit = Fit::does_not_work,
            .evidence =
                {evidence_of(build, "cuDNN " + build.cudnn->text + " or later"),
                 {"cuDNN " + newer.cudnn.text + " for CUDA " + std::to_string(newer.cuda_major),
                  "needs compute capability " + newer.capability_min.text + " or later",
                  newer.source.url}},
        },
        Severity::warning,
        build};
}

/// The build with the stack's CUDA and cuDNN, if it takes them from the system and they have the
/// files that it opens.
FrameworkBuild with_system_libraries(const Stack& stack, FrameworkBuild build) {
    if (!takes_system_libraries(build))
        return build;
    const Known *cuda = version_in(stack.cuda), *cudnn = version_in(stack.cudnn);
    if (cuda && parts_written(*cuda) > 1 && cuda_serves(*cuda, *build.cuda))
        build.cuda = *cuda;
    if (cudnn && build.cudnn &&
        cudnn_match(*cudnn, *build.cudnn, build.framework) == CudnnMatch::compatible)
        build.cudnn = *cudnn;
    return build;
}

/// Every build that it may be, with the system's libraries where it takes
/// those; the build that decides is the framework's answer.
void compare_framework(
    const Stack& stack,
    const Matrix& matrix,
    const Gpu& gpu,
    const Framework& framework,
    std::vector<CompatibilityCheck>& all) {
    const Version& capability = *gpu.capability;
    Part part{PartKind::framework, framework.name, words_of(framework)};
    const auto builds = builds_of(stack, framework, matrix).with_cuda;
    if (builds.empty())
        return;
    if (const std::string why = no_board_of_builds(capability, matrix); !why.empty())
        return all.push_back({part, unknown(why, true)});
    std::vector<Compatibility> suits;
    std::vector<int> numbers;
    for (const FrameworkBuild& build : builds) {
        const FrameworkBuild loaded = with_system_libraries(stack, build);
        auto& one = suits.emplace_back(
            build_and_cudnn_on_gpu(build, capability, driver_of(stack), matrix, &loaded));
        if (one.fit == Fit::does_not_work)
            one =
                decided_by_libraries(
                    build, loaded, capability, {.cuda = !stack.cuda, .cudnn = !stack.cudnn}, matrix)
                    .value_or(one);
        if (one.fit == Fit::unknown && !one.outside)
            one.why = part.text + ": " + one.why;
        numbers.push_back(number_of(one));
        const CudnnBuild* newer = newer_cudnn_without(build, capability, matrix);
        if (newer && numbers.back() > 0)
            all.push_back(newest_cudnn_of(build, framework, *newer));
    }
    const RepresentativeBuild deciding = deciding_build(framework, builds, numbers);
    if (!deciding.build)
        return all.push_back({part, unknown(deciding.words)});
    if (!deciding.words.empty())
        part.text += " (" + deciding.words + ")";
    all.push_back({part, suits[static_cast<std::size_t>(deciding.build - builds.data())]});
}

/// Everything in the stack against the GPU.
std::vector<CompatibilityCheck> compare(const Stack& stack, const Matrix& matrix, const Gpu& gpu) {
    if (!gpu.capability)
        return {
            {{PartKind::gpu},
             unknown("the compute capability of " + subject_of(gpu) + " is unknown")}};
    const Version& capability = *gpu.capability;
    const Part itself{PartKind::gpu, std::to_string(gpu.index), subject_of(gpu)};
    if (const auto row = matrix.architecture(capability); !row)
        return {{itself, unknown(outside_data(words_of(gpu), row.coverage, matrix), true)}};
    std::vector<CompatibilityCheck> all;
    if (stack.driver)
        all.push_back(
            {{PartKind::driver, "", "driver " + stack.driver->text},
             driver_supports_gpu(*stack.driver, capability, matrix)});
    if (const ContainerImage* image = image_of(stack, matrix))
        all.push_back(
            {{PartKind::image, "", name_of(*image)}, image_on_gpu(*image, capability, matrix)});
    else if (stack.cuda)
        all.push_back(
            {{PartKind::cuda, "", "CUDA " + stack.cuda->words},
             cuda_on_gpu(*stack.cuda, capability, matrix)});
    if (stack.cudnn)
        all.push_back(
            {{PartKind::cudnn, "", "cuDNN " + stack.cudnn->words},
             cudnn_on(stack, matrix, capability)});
    for (const Framework& framework : stack.frameworks)
        compare_framework(stack, matrix, gpu, framework, all);
    return all;
}

/// PTX that is compiled first is a misfit, too: it starts slowly and depends on
/// the driver.
bool is_misfit(const CompatibilityCheck& compared, bool gpu_is_newer) {
    const Fit fit = compared.suits.fit;
    return (fit == Fit::does_not_work || fit == Fit::compiles_first) &&
           compared.suits.gpu_is_newer == gpu_is_newer;
}

/// All that does not fit one GPU, as severe as the worst of it.
Conflict about(const Gpu& gpu, const std::vector<CompatibilityCheck>& all, bool gpu_is_newer) {
    const std::string subject = subject_of(gpu), capability = gpu.capability->text;
    Conflict conflict{
        .kind = gpu_is_newer ? ConflictKind::gpu_arch_not_in_build : ConflictKind::gpu_too_old,
        .parts = {{PartKind::gpu, std::to_string(gpu.index), subject}},
        .severity = Severity::note,
        .evidence =
            {{"compute capability",
              capability,
              "cuda_devices[" + std::to_string(gpu.index) + "].compute_capability"}},
    };
    std::vector<std::string> things;
    for (const CompatibilityCheck& compared : all) {
        if (!is_misfit(compared, gpu_is_newer))
            continue;
        things.push_back(compared.part.text);
        conflict.parts.push_back(compared.part);
        conflict.parts.back().fit = compared.suits.fit;
        if (compared.build)
            conflict.builds.push_back(*compared.build);
        Severity severity = compared.severity;
        if (compared.suits.fit == Fit::compiles_first)
            severity = std::max(severity, Severity::warning);
        conflict.severity = std::min(conflict.severity, severity);
        append(conflict.evidence, compared.suits.evidence);
    }
    const std::string of_capability = " of compute capability " + capability;
    if (gpu_is_newer) {
        conflict.why = "there is no machine code for " + subject + of_capability + " in " +
                       join_with_and(things);
        if (conflict.severity != Severity::error)
            conflict.why += "; PTX code, compiled at first use, may still run";
    } else
        conflict.why = subject + of_capability + " is too old for " + join_with_and(things) +
                       ", which no longer has code for it";
    return conflict;
}

/// What one component adds to the judgement where it is in no conflict.
void note(
    const CompatibilityCheck& compared, const std::string& good, JudgementBuilder& judgements) {
    const Compatibility& suits = compared.suits;
    if (suits.outside)
        return judgements.outside(suits.why);
    if (suits.fit == Fit::unknown)
        return judgements.depends(suits.why);
    if (suits.fit == Fit::works)
        return judgements.passed(good, suits.evidence);
    judgements.block_pass(suits.why);
}

/// One conflict for each GPU that something has no machine code for, being newer than that, or else
/// older.
Judgement judge_architecture(const Stack& stack, const Matrix& matrix, bool gpu_is_newer) {
    if (stack.gpus.empty())
        return undecided("no GPU was specified");
    JudgementBuilder judgements;
    for (const Gpu& gpu : stack.gpus) {
        const auto all = compare(stack, matrix, gpu);
        if (std::ranges::any_of(
                all, [&](const CompatibilityCheck& one) { return is_misfit(one, gpu_is_newer); }))
            judgements.conflict(about(gpu, all, gpu_is_newer));
        for (const CompatibilityCheck& compared : all)
            note(compared, "the specified components have code for " + subject_of(gpu), judgements);
    }
    return judgements.close();
}

}  // namespace

/// CUDA, cuDNN or a framework was built before the GPU, or without code for it.
Judgement gpu_arch_not_in_build(const Stack& stack, const Matrix& matrix) {
    return judge_architecture(stack, matrix, true);
}

/// The GPU is of a generation that CUDA, cuDNN or a framework no longer supports.
Judgement gpu_too_old(const Stack& stack, const Matrix& matrix) {
    return judge_architecture(stack, matrix, false);
}

}  // namespace rnncheck::stack
