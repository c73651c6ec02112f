// One published build against one machine.
#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/plan.hpp"

namespace rnncheck {

namespace {

using stack::Compatibility;

/// Of the reasons those stay that decide: what does not work in one way needs no doubt about
/// another.
void take(PlannedBuild& planned, const Compatibility& answer) {
    if (answer.fit > planned.fit)
        planned.reasons.clear();
    if (answer.fit == Fit::compiles_first)
        planned.notes.push_back(answer.why);
    else if (!answer.why.empty() && answer.fit >= planned.fit)
        add_once(planned.reasons, answer.why);
    planned.fit = std::max(planned.fit, answer.fit);
    planned.minor_version_only |= answer.minor_version_only;
    for (const Evidence& evidence : answer.evidence)
        add_once(planned.sources, evidence.source);
}

/// The row with nothing known of the machine. The driver of its documentation
/// counts only on the row's own system, and the command is filled in at the
/// end.
PlannedBuild described(const FrameworkBuild& build) {
    PlannedBuild planned;
    static_cast<FrameworkBuild&>(planned) = build;
    planned.last = build.last.value_or(build.first);
    planned.driver_min.reset();
    planned.install.clear();
    planned.sources = {build.source.url};
    return planned;
}

void raise(std::optional<Version>& driver, const std::optional<Version>& at_least) {
    if (at_least && (!driver || *driver < *at_least))
        driver = at_least;
}

/// The oldest driver that runs its CUDA at all, and that which runs all of it.
void find_drivers(
    PlannedBuild& planned,
    const FrameworkBuild& build,
    const std::string& os,
    const Matrix& matrix) {
    if (os == build.os)
        planned.driver_min = build.driver_min;
    const auto drivers = stack::drivers_for(*build.cuda, os, matrix);
    if (!drivers)
        return;
    raise(planned.driver_min, drivers->oldest_driver);
    planned.driver_full = std::max(drivers->full_driver, *planned.driver_min);
    planned.sources.push_back(drivers->oldest_source.url);
}

/// A driver knows the GPUs of its time: the one shipped with the GPU's first toolkit does.
void add_driver_of_gpu(
    PlannedBuild& planned, const Version& first_cuda, const std::string& os, const Matrix& matrix) {
    if (!planned.driver_full)
        return;  // the GPU's driver alone is not that of a later CUDA
    const auto drivers = stack::drivers_for(first_cuda, os, matrix);
    if (!drivers)
        return;
    raise(planned.driver_min, drivers->full_driver);
    raise(planned.driver_full, drivers->full_driver);
}

/// PTX needs a driver of the build's own CUDA: minor-version compatibility does
/// not include it.
void judge_gpu(
    PlannedBuild& planned,
    const FrameworkBuild& build,
    const Version& gpu,
    const stack::Driver& driver,
    const Matrix& matrix) {
    if (const auto architecture = matrix.architecture(gpu))
        add_driver_of_gpu(planned, architecture->first_cuda, driver.os, matrix);
    const auto open =
        stack::decided_by_libraries(build, build, gpu, {.cuda = true, .cudnn = true}, matrix);
    if (open)
        return take(planned, *open);
    take(planned, stack::build_on_gpu(build, gpu, driver, matrix));
    if (planned.fit == Fit::compiles_first)
        raise(planned.driver_min, planned.driver_full);
    take(planned, stack::cudnn_of_build_on_gpu(build, gpu, matrix));
}

/// The forward-compatibility package, unless the GPU is known to be none of a
/// data center.
std::string package_instead(
    const FrameworkBuild& build,
    const stack::Driver& driver,
    const stack::Stack& stack,
    const Matrix& matrix) {
    const auto package =
        stack::compat_package(driver, *build.cuda, stack::capability_of(stack), matrix);
    const auto data_center = stack::on_data_center_gpus(stack, matrix);
    if (!package || data_center == false)
        return "";
    std::string gpu = "a data center";
    if (data_center)
        gpu = "this";
    return "; " + gpu + " GPU can use the package " + package->name + " instead";
}

/// A branch alone may be older than what is needed, which a note then shows.
void judge_driver(
    PlannedBuild& planned,
    const FrameworkBuild& build,
    const stack::Driver& driver,
    const stack::Stack& stack,
    const Matrix& matrix) {
    const stack::DriverRange drivers{planned.driver_min, planned.driver_full};
    Compatibility answer = stack::driver_runs_cuda(driver, *build.cuda, drivers, matrix);
    if (answer.fit == Fit::does_not_work)
        answer.why += package_instead(build, driver, stack, matrix);
    take(planned, answer);
    if (answer.fit != Fit::works)
        return;
    if (planned.driver_min && *driver.version < *planned.driver_min)
        planned.notes.push_back(
            "of branch " + driver.version->text + ", from version " + planned.driver_min->text +
            " on");
    if (answer.minor_version_only)
        planned.notes.push_back(
            "runs on driver " + driver.version->text +
            " by minor-version compatibility: what is new in CUDA " + build.cuda->text +
            " and PTX code compiled by it are not available");
}

/// The table's own sentence, or running the layer without cuDNN.
std::string workaround_for(
    const RnnDefect& defect, const std::optional<Version>& gpu, const Matrix& matrix) {
    if (!defect.fixed || !gpu || stack::fixed_cudnn(defect, gpu, {}, matrix))
        return defect.workaround;
    return "No version without it has code for " + gpu->text + ": run the layer without cuDNN";
}

/// Defects rule no build out: most networks never meet their conditions.
void add_known_defects(
    PlannedBuild& planned,
    const FrameworkBuild& build,
    const std::optional<Version>& gpu,
    const Matrix& matrix) {
    if (!build.cudnn)
        return;
    for (const RnnDefect& defect : matrix.rnn_defects(*build.cudnn, gpu, build.os)) {
        planned.defects.push_back(
            "known defect of cuDNN " + version_in_words(*build.cudnn) + ": " + defect.symptom +
            ". " + workaround_for(defect, gpu, matrix));
        add_once(planned.sources, defect.source.url);
    }
}

constexpr std::string_view placeholder = "{version}";

/// "2.4" means the newest 2.4.x, which pip finds by a pattern. A pattern cannot carry a local
/// version (+cu118, PEP 440); there the first version of the range is meant.
std::string version_for_pip(const FrameworkBuild& build, bool before_local_version) {
    const Version newest = build.last.value_or(build.first);
    if (parts_written(newest) >= 3)
        return newest.text;
    if (before_local_version)
        return newest.text + ".0";
    return newest.text + ".*";
}

/// In double quotes, which cmd.exe knows too, so that no shell takes a pattern or brackets for its
/// own.
std::string filled(const std::string& word, const FrameworkBuild& build) {
    const auto at = word.find(placeholder);
    if (at == std::string::npos)
        return word;
    const auto behind = at + placeholder.size();
    const bool local = behind < word.size() && word[behind] == '+';
    std::string text = word;
    text.replace(at, placeholder.size(), version_for_pip(build, local));
    const bool bare = text.find_first_of("\"'") == std::string::npos &&
                      text.find_first_of("*[<>") != std::string::npos;
    if (bare)
        return "\"" + text + "\"";
    return text;
}

}  // namespace

PlannedBuild plan_build(
    const FrameworkBuild& build, const stack::Stack& stack, const Matrix& matrix) {
    PlannedBuild planned = described(build);
    const stack::Driver driver = stack::driver_for(stack, build.os);
    const std::optional<Version> gpu = stack::capability_of(stack);
    find_drivers(planned, build, driver.os, matrix);
    if (gpu)
        judge_gpu(planned, build, *gpu, driver, matrix);
    if (stack.driver)
        judge_driver(planned, build, driver, stack, matrix);
    if (stack.python)
        take(planned, stack::build_for_python(build, *stack.python));
    if (planned.fit != Fit::does_not_work && build.provenance == Provenance::unconfirmed)
        take(planned, {.fit = Fit::unknown, .why = "this build is not confirmed: " + build.note});
    add_known_defects(planned, build, gpu, matrix);
    if (build.libraries == "system") {
        std::string needs = "needs CUDA " + build.cuda->text;
        if (build.cudnn)
            needs += " and cuDNN " + version_in_words(*build.cudnn);
        planned.notes.push_back(needs + " installed separately");
    }
    if (const CudnnBuild* by_pip = stack::cudnn_by_pip(build, gpu, matrix))
        planned.cudnn_by_pip = by_pip->last();
    planned.install = install_command(build, gpu, matrix);
    return planned;
}

FrameworkBuild of_version(FrameworkBuild row, const Version& version) {
    row.first = version;
    row.last = version;
    return row;
}

std::string install_command(
    const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix) {
    const auto words = mapped(
        split(build.install, ' '), [&](const std::string& word) { return filled(word, build); });
    std::string command = join(words, " ");
    const CudnnBuild* newer = nullptr;
    if (gpu)
        newer = stack::newer_cudnn_without(build, *gpu, matrix);
    if (newer && !stack::cudnn_by_pip(build, gpu, matrix))
        return "";  // none that it requires has code for the GPU
    if (newer && !command.empty())
        command += " \"nvidia-cudnn-cu" + std::to_string(newer->cuda_major) + "<" +
                   stack::as_bound(newer->cudnn) + "\"";
    return command;
}

}  // namespace rnncheck
