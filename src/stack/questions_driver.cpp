// Which CUDA, which build and which GPU a driver runs.
#include <algorithm>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/compatibility.hpp"

namespace rnncheck::stack {

namespace {

/// Minor-version compatibility: from CUDA 11 on, a driver runs every CUDA of its own major from the
/// family's oldest version on
/// (https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html). A driver
/// that supports x.1 or later is past that version in any case; of one that ends with x.0 it is not
/// known.
Compatibility by_newest_cuda(const Version& newest, const Version& requested) {
    const Version cuda = shortened(requested, 2);
    if (newest >= cuda)
        return {};
    if (newest.major() != cuda.major() || cuda.major() < 11)
        return {.fit = Fit::does_not_work};
    if (newest.minor() == 0)
        return not_known("");
    return {.fit = Fit::works, .minor_version_only = true};
}

/// Where no table names the drivers of a CUDA.
Compatibility by_tables_cuda(
    const Driver& driver, const Version& cuda, const Answer<CudaOfDriver>& of_driver) {
    const std::string not_named =
        "the driver that CUDA " + cuda.text + " needs on " + driver.os + " is not in the data";
    if (!of_driver)
        return not_known(not_named);
    Compatibility answer = by_newest_cuda(of_driver->cuda, cuda);
    if (answer.fit == Fit::unknown)
        return not_known(not_named);
    answer.evidence = {{"newest CUDA of the driver", of_driver->cuda.text, of_driver->source.url}};
    if (answer.fit == Fit::does_not_work)
        answer.why = "CUDA " + cuda.text + " is newer than driver " + driver.version->text +
                     ", which supports CUDA up to " + of_driver->cuda.text;
    return answer;
}

/// By the drivers that the release notes of a CUDA name, whatever `answer` was.
/// A branch such as 535 may be older or newer than its bound.
Compatibility by_range(
    const Version& driver, const Version& cuda, const DriverRange& drivers, Compatibility answer) {
    const std::string needs = "CUDA " + cuda.text + if_any(" needs driver ", drivers.oldest);
    if (drivers.oldest && !may_reach(driver, *drivers.oldest)) {
        answer.fit = Fit::does_not_work;
        answer.minor_version_only = false;
        answer.why = needs + " or newer";
    } else if (drivers.oldest && !reaches(driver, *drivers.oldest)) {
        answer.fit = Fit::unknown;
        answer.why =
            "it depends on the exact version of driver " + driver.text + ": " + needs + " or newer";
    } else if (drivers.full && !may_reach(driver, *drivers.full)) {
        answer.minor_version_only = true;
    }
    return answer;
}

/// The row of the newest branch in the data.
const CudaOfDriver& newest_branch(const Matrix& matrix) {
    return *std::ranges::max_element(matrix.cuda_of_driver(), {}, &CudaOfDriver::branch);
}

/// A driver that is newer than the data runs every CUDA that the newest known branch runs: "new
/// NVIDIA drivers will always work with applications compiled with an older CUDA toolkit" ("CUDA
/// Toolkit, Driver, and Architecture Matrix" in https://docs.nvidia.com/datacenter/tesla/drivers/).
bool runs_as_newer_driver(const Version& cuda, const Matrix& matrix) {
    return !matrix.cuda_of_driver().empty() && shortened(cuda, 2) <= newest_branch(matrix).cuda;
}

}  // namespace

Answer<DriverForCuda> drivers_for(
    const Version& cuda, const std::string& os, const Matrix& matrix) {
    if (os == "windows")
        return matrix.windows_driver_for_cuda(cuda);
    return matrix.driver_for_cuda(cuda);
}

/// With the evidence of every row that the answer rests on.
Compatibility driver_runs_cuda(const Driver& driver, const Version& cuda, const Matrix& matrix) {
    const auto row = drivers_for(cuda, driver.os, matrix);
    if (!row)
        return driver_runs_cuda(driver, cuda, DriverRange(), matrix);
    Compatibility answer =
        driver_runs_cuda(driver, cuda, {row->oldest_driver, row->full_driver}, matrix);
    if (answer.outside)
        return answer;
    answer.evidence.insert(
        answer.evidence.begin(),
        {"oldest driver for CUDA " + cuda.text, row->oldest_driver.text, row->oldest_source.url});
    const auto of_driver = matrix.cuda_of_driver(driver.version);
    if (of_driver && driver.os != "windows")
        answer.evidence.push_back(
            {"newest CUDA of the driver", of_driver->cuda.text, of_driver->source.url});
    if (answer.minor_version_only)
        answer.evidence.push_back(
            {"driver with all features of CUDA " + cuda.text,
             row->full_driver.text,
             row->source.url});
    return answer;
}

Compatibility driver_runs_cuda(
    const Driver& driver, const Version& cuda, const DriverRange& drivers, const Matrix& matrix) {
    if (driver.cuda) {
        const Compatibility answer = by_newest_cuda(*driver.cuda, cuda);
        if (answer.fit != Fit::unknown || !driver.version || !drivers.oldest)
            return answer;
        return by_range(*driver.version, cuda, drivers, {});
    }
    if (!driver.version)
        return not_known("the driver's version is not known");
    const auto of_driver = matrix.cuda_of_driver(*driver.version);
    if (of_driver.coverage == Coverage::newer_than_data) {
        if (!runs_as_newer_driver(cuda, matrix))
            return outside("driver " + driver.version->text, of_driver.coverage, matrix);
        const CudaOfDriver& newest = newest_branch(matrix);
        return {
            .evidence =
                {{"newest driver branch in the data, which later drivers do not fall behind",
                  std::to_string(newest.branch) + ", CUDA " + newest.cuda.text,
                  newest.source.url}},
        };
    }
    if (const Coverage toolkit = matrix.driver_for_cuda(cuda).coverage;
        !drivers.full && toolkit != Coverage::known)
        return outside("CUDA " + cuda.text, toolkit, matrix);
    if (drivers.full)
        return by_range(*driver.version, cuda, drivers, Compatibility());
    return by_range(*driver.version, cuda, drivers, by_tables_cuda(driver, cuda, of_driver));
}

Compatibility driver_runs_build(
    const Driver& driver, const FrameworkBuild& build, const Matrix& matrix) {
    Compatibility answer = driver_runs_cuda(driver, *build.cuda, matrix);
    const bool is_named = build.driver_min && driver.os == build.os && driver.version;
    if (!is_named || answer.fit == Fit::does_not_work)
        return answer;
    const Version& oldest = *build.driver_min;
    answer.evidence.push_back(
        {"oldest driver in the documentation of " + build.framework,
         oldest.text,
         build.source.url});
    if (reaches(*driver.version, oldest))
        return answer;
    answer.fit = Fit::does_not_work;
    answer.why = "its documentation requires driver " + oldest.text + " or later";
    if (may_reach(*driver.version, oldest)) {
        answer.fit = Fit::unknown;
        answer.why = "it depends on the exact version of driver " + driver.version->text + ": " +
                     build.framework + " requires " + oldest.text + " or later";
    }
    return answer;
}

std::optional<CompatPackage> compat_package(
    const Driver& driver,
    const Version& cuda,
    const std::optional<Version>& gpu,
    const Matrix& matrix) {
    if (driver.os != "linux" || !driver.version)
        return std::nullopt;
    const auto package = matrix.forward_compatibility(cuda, *driver.version);
    if (!package || (gpu && *gpu < package->capability_min))
        return std::nullopt;
    return CompatPackage{
        "cuda-compat-" + std::to_string(cuda.major()) + '-' + std::to_string(cuda.minor()),
        package->source.url};
}

/// Drivers after the last branch of an architecture ignore its GPUs.
Compatibility driver_supports_gpu(const Version& driver, const Version& gpu, const Matrix& matrix) {
    const auto row = matrix.architecture(gpu);
    if (!row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    const std::string source = row->driver_source.value_or(row->source).url;
    if (!row->last_driver_branch)
        return {.evidence = {{"driver for " + row->name, "no last branch", source}}};
    const std::string last = std::to_string(*row->last_driver_branch);
    if (driver.major() <= *row->last_driver_branch)
        return {.evidence = {{"driver for " + row->name, "up to branch " + last, source}}};
    return no_code(
        "driver " + driver.text + " no longer supports " + row->name + " (" + gpu.text + "); " +
            last + " was the last branch that did",
        {"last driver branch for " + row->name, last, source},
        false);
}

/// A driver knows the GPUs for which the CUDA of its time can compile.
Compatibility driver_knows(const Version& driver, const Version& gpu, const Matrix& matrix) {
    const auto row = matrix.architecture(gpu);
    const auto of_driver = matrix.cuda_of_driver(driver);
    if (!row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    const Evidence first{"first CUDA for " + row->name, row->first_cuda.text, row->source.url};
    if (of_driver.coverage == Coverage::newer_than_data &&
        runs_as_newer_driver(row->first_cuda, matrix))
        return {.evidence = {first}};
    if (!of_driver)
        return outside("driver " + driver.text, of_driver.coverage, matrix);
    if (row->first_cuda <= of_driver->cuda)
        return {.evidence = {first}};
    Compatibility answer = no_code(
        "driver " + driver.text + " (CUDA " + of_driver->cuda.text + ") is older than " +
            row->name + " (" + gpu.text + "), which requires CUDA " + row->first_cuda.text +
            " or later",
        {"newest CUDA of the driver", of_driver->cuda.text, of_driver->source.url},
        true);
    answer.evidence.push_back(first);
    return answer;
}

}  // namespace rnncheck::stack
