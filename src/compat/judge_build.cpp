#include "compat/judge_build.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck::planning {

namespace {

/// Of the reasons those stay that decide: what does not work in one way needs no doubt about another.
void take(PlannedBuild& planned, const Part& part) {
    if (part.fit > planned.fit) planned.because.clear();
    if (!part.because.empty() && part.fit >= planned.fit) planned.because.push_back(part.because);
    planned.fit = std::max(planned.fit, part.fit);
    planned.limited |= part.limited;
    planned.notes.insert(planned.notes.end(), part.notes.begin(), part.notes.end());
    for (const std::string& source : part.sources)
        if (std::find(planned.sources.begin(), planned.sources.end(), source) == planned.sources.end())
            planned.sources.push_back(source);
}

PlannedBuild described(const FrameworkBuild& build) {
    PlannedBuild planned;
    planned.first = build.first;
    planned.last = build.last.value_or(build.first);
    planned.build = build.build;
    planned.os = build.os;
    planned.fit = Fit::works;
    planned.cuda = build.cuda;
    planned.cudnn = build.cudnn;
    planned.without_cudnn = build.without_cudnn;
    planned.libraries = build.libraries;
    planned.python_first = build.python_first;
    planned.python_last = build.python_last;
    planned.targets = build.targets;
    planned.sources = {build.source.url};
    return planned;
}

std::string driver_os(const FrameworkBuild& build, const PlanQuestion& question) {
    return question.driver_os.empty() ? build.os : question.driver_os;
}

void find_drivers(PlannedBuild& planned, const FrameworkBuild& build, const PlanQuestion& question,
                  const Matrix& matrix) {
    const std::string os = driver_os(build, question);
    if (os == build.os) planned.driver_min = build.driver_min;
    const auto drivers = drivers_for(*build.cuda, os, matrix);
    if (!drivers) return;
    if (!planned.driver_min || *planned.driver_min < drivers->oldest_driver)
        planned.driver_min = drivers->oldest_driver;
    planned.driver_full = std::max(drivers->full_driver, *planned.driver_min);
    planned.sources.push_back(drivers->oldest_source.url);
}

void raise(std::optional<Version>& driver, const std::optional<Version>& at_least) {
    if (at_least && (!driver || *driver < *at_least)) driver = at_least;
}

/// A driver knows the GPUs of its time: the one shipped with the GPU's first toolkit does.
void add_driver_of_gpu(PlannedBuild& planned, const AskedGpu& gpu, const std::string& os, const Matrix& matrix) {
    if (!gpu.architecture || !planned.driver_full) return;  // the GPU's driver alone is not that of a later CUDA
    const auto drivers = drivers_for(gpu.architecture->first_cuda, os, matrix);
    if (!drivers) return;
    raise(planned.driver_min, drivers->full_driver);
    raise(planned.driver_full, drivers->full_driver);
}

Part judge_evidence(const FrameworkBuild& build) {
    if (build.known != Known::unconfirmed) return {};
    return {Fit::unknown, "this build is not confirmed: " + build.note, {}, {}};
}

/// NVIDIA's package that puts a newer libcuda over an older kernel driver.
std::string compatibility_package(const FrameworkBuild& build, const Version& driver, const PlanQuestion& question,
                                  const Matrix& matrix) {
    if (driver_os(build, question) != "linux" || question.data_center == false) return "";
    const auto package = matrix.forward_compatibility(*build.cuda, driver);
    if (!package || (question.gpu && *question.gpu < package->capability_min)) return "";
    const std::string name = std::to_string(build.cuda->major()) + "-" + std::to_string(build.cuda->minor());
    return std::string("; ") + (question.data_center ? "this" : "a data centre's") +
           " GPU can take the package cuda-compat-" + name + " instead";
}

/// https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html
std::string limits_of(const Version& driver, const Version& cuda) {
    return "runs on driver " + driver.text + " by minor-version compatibility: what is new in CUDA " + cuda.text +
           " and PTX code made by it are not available";
}

/// Where no table names the driver of a CUDA release: a driver runs what is not newer than its own CUDA, and from CUDA
/// 11 on what is of its own major. Which drivers report x.0 and are old enough to miss that is not known then.
Part judge_by_cuda_of_driver(const FrameworkBuild& build, const PlanQuestion& question, const Matrix& matrix) {
    const Version& driver = *question.driver;
    const auto of_driver = matrix.cuda_of_driver(driver);
    const std::string cuda = "CUDA " + build.cuda->text;
    const std::string not_known =
        "the driver that " + cuda + " needs on " + driver_os(build, question) + " is not in the data";
    if (!of_driver) return {Fit::unknown, not_known, {}, {}};
    const std::string source = of_driver->source.url;
    if (of_driver->cuda >= *build.cuda) return {Fit::works, "", {}, {source}};
    if (of_driver->cuda.major() < build.cuda->major() || build.cuda->major() < 11)
        return {Fit::does_not_work,
                cuda + " is newer than driver " + driver.text + ", which ends with CUDA " + of_driver->cuda.text,
                {},
                {source}};
    if (of_driver->cuda.minor() == 0) return {Fit::unknown, not_known, {}, {}};
    return {Fit::works, "", {limits_of(driver, *build.cuda)}, {source}, true};
}

Part judge_driver(const PlannedBuild& planned, const FrameworkBuild& build, const PlanQuestion& question,
                  const Matrix& matrix) {
    Part part;
    if (!question.driver) return part;
    const Version& driver = *question.driver;
    if (matrix.cuda_of_driver(driver).coverage == Coverage::newer_than_data)
        return {Fit::unknown, "driver " + driver.text + " is newer than the data of " + matrix.date(), {}, {}};
    if (!planned.driver_full) part = judge_by_cuda_of_driver(build, question, matrix);
    if (planned.driver_min && !reaches(driver, *planned.driver_min)) {
        part.fit = Fit::does_not_work;
        part.because = "CUDA " + build.cuda->text + " needs driver " + planned.driver_min->text + " or newer" +
                       compatibility_package(build, driver, question, matrix);
        return part;
    }
    if (planned.driver_min && driver < *planned.driver_min)
        part.notes.push_back("of branch " + driver.text + ", from release " + planned.driver_min->text + " on");
    if (planned.driver_full && !reaches(driver, *planned.driver_full)) {
        part.notes.push_back(limits_of(driver, *build.cuda));
        part.limited = true;
    }
    return part;
}

Part judge_python(const FrameworkBuild& build, const PlanQuestion& question) {
    Part part;
    if (!question.python) return part;
    if (!build.python_first || !build.python_last) {
        part.fit = Fit::unknown;
        part.because = "the versions of Python it is for are not in the data";
    } else if (*question.python < *build.python_first || !within(*question.python, *build.python_last)) {
        part.fit = Fit::does_not_work;
        part.because = "it is for Python " + build.python_first->text + " to " + build.python_last->text;
    }
    return part;
}

/// Its own word, unless no release without the defect has code for the GPU.
std::string way_around(const RnnDefect& defect, const PlanQuestion& question, const Matrix& matrix) {
    if (!defect.fixed || !question.gpu || has_cudnn_from(matrix, *defect.fixed, *question.gpu))
        return defect.workaround;
    return "No release without it has code for " + question.gpu->text + ": run the layer without cuDNN.";
}

Part known_defects(const FrameworkBuild& build, const PlanQuestion& question, const Matrix& matrix) {
    Part part;
    if (!build.cudnn) return part;
    for (const RnnDefect& defect : matrix.rnn_defects(*build.cudnn, question.gpu, build.os)) {
        part.notes.push_back("known defect of cuDNN " + release_in_words(*build.cudnn) + ": " + defect.symptom + ". " +
                             way_around(defect, question, matrix));
        part.sources.push_back(defect.source.url);
    }
    return part;
}

std::string what_to_install_beside(const FrameworkBuild& build) {
    return "needs CUDA " + build.cuda->text + (build.cudnn ? " and cuDNN " + release_in_words(*build.cudnn) : "") +
           " installed beside it";
}

}  // namespace

void require_framework(const std::string& framework, const Matrix& matrix) {
    const auto names = matrix.frameworks();
    if (std::find(names.begin(), names.end(), framework) == names.end())
        throw UsageError("no builds of '" + framework + "' are in the data; there are those of " + listing(names));
}

Answer<DriverForCuda> drivers_for(const Version& cuda, const std::string& os, const Matrix& matrix) {
    return os == "windows" ? matrix.windows_driver_for_cuda(cuda) : matrix.driver_for_cuda(cuda);
}

std::optional<AskedGpu> ask_for_gpu(const std::optional<Version>& capability, const Matrix& matrix) {
    if (!capability) return std::nullopt;
    return AskedGpu{*capability, matrix.architecture(*capability)};
}

PlannedBuild judge_build(const FrameworkBuild& build, const PlanQuestion& question, const std::optional<AskedGpu>& gpu,
                         const Matrix& matrix) {
    PlannedBuild planned = described(build);
    find_drivers(planned, build, question, matrix);
    if (gpu) {
        add_driver_of_gpu(planned, *gpu, driver_os(build, question), matrix);
        const GpuParts parts = judge_gpu(build, *gpu, question.driver, matrix);
        take(planned, parts.code);
        if (planned.fit == Fit::compiles_first) raise(planned.driver_min, planned.driver_full);
        take(planned, parts.cudnn);
    }
    take(planned, judge_driver(planned, build, question, matrix));
    take(planned, judge_python(build, question));
    if (planned.fit != Fit::does_not_work) take(planned, judge_evidence(build));
    take(planned, known_defects(build, question, matrix));
    if (build.libraries == "system") planned.notes.push_back(what_to_install_beside(build));
    planned.install = install_command(build, question.gpu, matrix);
    return planned;
}

}  // namespace rnncheck::planning
