// The driver against CUDA, cuDNN, GPUs and what frameworks are built for.
#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/checks.hpp"
#include "stack/conflicts.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

/// In the words in which it was specified, a version or a branch.
Part driver_part(const Known& driver) {
    return {PartKind::driver, "", "driver " + driver.text};
}

/// `cuda` is the CUDA version of `thing` if a newer libcuda by itself would run it.
Conflict too_old_for(
    const Stack& stack,
    const Matrix& matrix,
    Part thing,
    const std::string& what,
    const std::vector<Evidence>& evidence,
    const std::optional<Version>& cuda) {
    const Known& driver = *stack.driver;
    Conflict conflict{
        .kind = ConflictKind::driver_too_old,
        .parts = {driver_part(driver), std::move(thing)},
        .why = "driver " + driver.text + " is too old for " + what,
        .evidence = {{"driver", driver.text, driver.source}},
    };
    append(conflict.evidence, evidence);
    std::optional<CompatPackage> package;
    if (cuda)
        package = compat_package(driver_of(stack), *cuda, capability_of(stack), matrix);
    if (package)
        conflict.evidence.push_back(
            {package->name, "provides a newer libcuda, on data center GPUs only", package->source});
    return conflict;
}

/// Unknown where the drivers of the systems that it may be of differ about this CUDA.
Compatibility runs_cuda(const Stack& stack, const Matrix& matrix) {
    Driver driver = driver_of(stack);
    const ContainerImage* image = image_of(stack, matrix);
    std::optional<Compatibility> first;
    for (const std::string& system : systems_of_driver(stack)) {
        driver.os = system;
        Compatibility other;
        if (image)
            other = driver_runs_image(driver, *image, stack, matrix);
        else
            other = driver_runs_cuda(driver, *stack.cuda, matrix);
        if (!first)
            first = other;
        if (other.fit != Fit::unknown &&
            (other.fit != first->fit || other.minor_version_only != first->minor_version_only))
            return {
                .fit = Fit::unknown,
                .why = "Linux and Windows need different drivers for CUDA " + stack.cuda->words +
                       ", and os= was not specified",
            };
    }
    return *first;
}

/// The specified CUDA, or that of the image, on the specified driver.
void judge_cuda(const Stack& stack, const Matrix& matrix, JudgementBuilder& judgements) {
    const Known& cuda = *stack.cuda;
    const std::string what = "CUDA " + cuda.words;
    const auto runs = runs_cuda(stack, matrix);
    if (runs.outside)
        return judgements.outside(runs.why);
    if (runs.fit == Fit::unknown)
        return judgements.depends(runs.why);
    if (runs.fit == Fit::does_not_work)
        return judgements.conflict(too_old_for(
            stack,
            matrix,
            {PartKind::cuda, "", what},
            what,
            runs.evidence,
            std::optional<Version>(cuda)));
    std::string reason = "driver " + stack.driver->text + " runs " + what;
    if (runs.minor_version_only)
        reason += " with minor-version compatibility";
    if (!runs.why.empty())
        reason = runs.why;
    judgements.passed(reason, runs.evidence);
}

/// Only what bundles its CUDA: what takes the system's is judged with that.
void judge_framework(
    const Stack& stack,
    const Matrix& matrix,
    const Framework& framework,
    JudgementBuilder& judgements) {
    const auto systems = systems_of_driver(stack);
    std::vector<FrameworkBuild> builds = builds_of(stack, framework, matrix).with_cuda;
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        const bool is_judged_with_cuda = stack.cuda && takes_system_libraries(build);
        return is_judged_with_cuda || (!stack.wsl && !includes(systems, build.os));
    });
    const std::string name = words_of(framework);
    judge_builds(builds, framework, judgements, [&](const FrameworkBuild& build) {
        Driver driver = driver_of(stack);
        if (!stack.wsl)
            driver.os = build.os;
        auto runs = driver_runs_build(driver, build, matrix);
        if (runs.outside)
            return undecided(runs.why, MissingInput::data);
        if (runs.fit == Fit::unknown)
            return undecided(runs.why, MissingInput::choice);
        if (runs.fit != Fit::does_not_work)
            return fits("driver " + driver.version->text + " runs " + name);
        const bool by_cuda =
            driver_runs_cuda(driver, *build.cuda, matrix).fit == Fit::does_not_work;
        std::string why = "which is built for CUDA " + build.cuda->text;
        if (!by_cuda)
            why = "which requires " + build.driver_min->text + " or later";
        runs.evidence.push_back(evidence_of(build, "CUDA " + build.cuda->text));
        return in_conflict(too_old_for(
            stack,
            matrix,
            {PartKind::framework, framework.name, name},
            name + ", " + why,
            runs.evidence,
            by_cuda ? build.cuda : std::nullopt));
    });
}

/// The oldest driver that NVIDIA's support matrix names for this cuDNN, where no CUDA version is
/// known that decides it.
void judge_cudnn(const Stack& stack, const Matrix& matrix, JudgementBuilder& judgements) {
    const bool is_decided_by_cuda = stack.cuda || systems_of_driver(stack).front() == "windows";
    if (!stack.cudnn || !stack.cudnn_cuda || is_decided_by_cuda)
        return;
    const auto build = matrix.cudnn_build(*stack.cudnn, stack.cudnn_cuda->major());
    if (!build || !build->driver_min)
        return;
    const std::string what =
        "cuDNN " + stack.cudnn->words + " for CUDA " + std::to_string(build->cuda_major);
    const std::vector<Evidence> evidence = {
        {"oldest driver for " + what, build->driver_min->text, build->source.url}};
    const Known& driver = *stack.driver;
    if (reaches(driver, *build->driver_min))
        judgements.passed("driver " + driver.text + " runs " + what, evidence);
    else if (may_reach(driver, *build->driver_min))
        judgements.depends(
            "it depends on the exact version of driver " + driver.text + ": " + what + " needs " +
            build->driver_min->text + " or newer");
    else
        judgements.conflict(too_old_for(
            stack,
            matrix,
            {PartKind::cudnn, "", what},
            what,
            evidence,
            make_version({build->cuda_major, 0})));
}

/// A driver knows the GPUs of its time. That it no longer supports one is the
/// fault of gpu_too_old, for which another driver is the remedy, too.
void judge_gpu(
    const Stack& stack, const Matrix& matrix, const Gpu& gpu, JudgementBuilder& judgements) {
    const Known& driver = *stack.driver;
    if (!gpu.capability)
        return;
    if (driver_supports_gpu(driver, *gpu.capability, matrix).fit == Fit::does_not_work)
        return judgements.block_pass(
            "driver " + driver.text + " no longer supports " + words_of(gpu));
    auto knows = driver_knows(driver, *gpu.capability, matrix);
    if (knows.fit == Fit::unknown)
        return;  // gpu_too_old reports it
    Evidence& first = knows.evidence.back();
    first.what = "first CUDA version for " + words_of(gpu);
    if (knows.fit == Fit::works)
        return judgements.passed(
            "driver " + driver.text + " supports " + words_of(gpu), knows.evidence);
    judgements.conflict(too_old_for(
        stack,
        matrix,
        {PartKind::gpu, std::to_string(gpu.index), words_of(gpu)},
        words_of(gpu) + ", which requires CUDA " + first.value,
        knows.evidence,
        {}));
}

}  // namespace

/// The driver is older than CUDA, cuDNN, a framework or the GPU needs. One
/// conflict for each of them, because other versions of any may be the way out.
Judgement driver_too_old(const Stack& stack, const Matrix& matrix) {
    if (!stack.driver)
        return undecided("no driver version was specified");
    if (any_jetson(stack, matrix))
        return undecided("Jetson drivers are part of JetPack and follow other rules");
    if (!stack.cuda && !stack.cudnn && !gpu_of(stack) && stack.frameworks.empty())
        return undecided(
            "nothing that needs a driver was specified: cuda=, cudnn=, gpu= or a framework");
    JudgementBuilder judgements;
    const auto branch = matrix.cuda_of_driver(*stack.driver);
    if (!branch && branch.coverage != Coverage::newer_than_data)
        judgements.outside(outside_data("driver " + stack.driver->text, branch.coverage, matrix));
    if (stack.cuda)
        judge_cuda(stack, matrix, judgements);
    judge_cudnn(stack, matrix, judgements);
    for (const Framework& framework : stack.frameworks)
        judge_framework(stack, matrix, framework, judgements);
    for (const Gpu& gpu : stack.gpus)
        judge_gpu(stack, matrix, gpu, judgements);
    return judgements.close();
}

/// A CUDA version on a driver of the same major that is older than its own:
/// https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
Judgement minor_version_compatibility(const Stack& stack, const Matrix& matrix) {
    if (!stack.driver || !stack.cuda)
        return undecided("driver= and cuda= were not both specified");
    const std::string cuda = "CUDA " + stack.cuda->words, driver = stack.driver->text;
    auto runs = runs_cuda(stack, matrix);
    if (runs.outside)
        return undecided(runs.why, MissingInput::data);
    if (runs.fit == Fit::unknown)
        return undecided(runs.why);
    if (runs.fit == Fit::does_not_work)
        return not_applicable("the driver does not support this CUDA version");
    if (!runs.minor_version_only)
        return fits(cuda + " runs with all its features");
    runs.evidence.insert(runs.evidence.begin(), {"driver", driver, stack.driver->source});
    return in_conflict({
        .kind = ConflictKind::minor_version_compatibility,
        .parts = {driver_part(*stack.driver), {PartKind::cuda, "", cuda}},
        .severity = Severity::note,
        .why = cuda + " runs on driver " + driver +
               " with minor-version compatibility: features that need a newer driver, and PTX code "
               "compiled by " +
               cuda + ", do not work",
        .evidence = std::move(runs.evidence),
    });
}

}  // namespace rnncheck::stack
