#include "stack/questions.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck {

std::string version_in_words(const Version& release) {
    return parts_written(release) == 1 ? release.text + ".x" : release.text;
}

}  // namespace rnncheck

namespace rnncheck::stack {

namespace {

Suitability not_known(std::string why) {
    return {.fit = Fit::unknown, .why = std::move(why)};
}

Suitability outside(const std::string& what, Coverage coverage, const Matrix& matrix) {
    return {.fit = Fit::unknown, .why = outside_data(what, coverage, matrix), .outside = true};
}

Suitability no_code(std::string why, Evidence evidence, bool gpu_is_newer) {
    return {.fit = Fit::does_not_work,
            .why = std::move(why),
            .evidence = {std::move(evidence)},
            .gpu_is_newer = gpu_is_newer};
}

/// Minor-version compatibility: from CUDA 11 on, a driver runs every CUDA of its own major from the
/// family's oldest version on
/// (https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html). A driver
/// that supports x.1 or later is past that version in any case; of one that ends with x.0 it is not
/// known.
Suitability by_newest_cuda(const Version& newest, const Version& asked) {
    const Version cuda = shortened(asked, 2);
    if (newest >= cuda)
        return {};
    if (newest.major() != cuda.major() || cuda.major() < 11)
        return {.fit = Fit::does_not_work};
    if (newest.minor() == 0)
        return not_known("");
    return {.fit = Fit::works, .limited = true};
}

/// Where no table names the drivers of a CUDA.
Suitability by_tables_cuda(const Driver& driver, const Version& cuda,
                           const Answer<CudaOfDriver>& of_driver) {
    const std::string not_named =
        "the driver that CUDA " + cuda.text + " needs on " + driver.os + " is not in the data";
    if (!of_driver)
        return not_known(not_named);
    Suitability answer = by_newest_cuda(of_driver->cuda, cuda);
    if (answer.fit == Fit::unknown)
        return not_known(not_named);
    answer.evidence = {{"newest CUDA of the driver", of_driver->cuda.text, of_driver->source.url}};
    if (answer.fit == Fit::does_not_work)
        answer.why = "CUDA " + cuda.text + " is newer than driver " + driver.version->text +
                     ", which ends with CUDA " + of_driver->cuda.text;
    return answer;
}

Suitability by_range(const Version& driver, const Version& cuda, const DriverRange& drivers,
                     Suitability answer) {
    const std::string needs =
        drivers.oldest ? "CUDA " + cuda.text + " needs driver " + drivers.oldest->text : "";
    if (drivers.oldest && !may_reach(driver, *drivers.oldest)) {
        answer.fit = Fit::does_not_work;
        answer.limited = false;
        answer.why = needs + " or newer";
    } else if (drivers.oldest && !reaches(driver, *drivers.oldest)) {
        answer.fit = Fit::unknown;
        answer.why =
            "it depends on the exact version of driver " + driver.text + ": " + needs + " or newer";
    } else if (drivers.full && !may_reach(driver, *drivers.full)) {
        answer.limited = true;
    }
    return answer;
}

/// The row of the newest branch in the data.
const CudaOfDriver& newest_branch(const Matrix& matrix) {
    return *std::ranges::max_element(matrix.cuda_of_driver(), {}, &CudaOfDriver::branch);
}

/// A driver that is newer than the data runs every CUDA that the newest known branch runs: "new
/// NVIDIA drivers will always work with applications compiled with an older CUDA toolkit"
/// (https://docs.nvidia.com/datacenter/tesla/drivers/cuda-toolkit-driver-and-architecture-matrix.html).
bool runs_as_newer_driver(const Version& cuda, const Matrix& matrix) {
    return !matrix.cuda_of_driver().empty() && shortened(cuda, 2) <= newest_branch(matrix).cuda;
}

bool turing_on_cuda_9(int cuda_major, const Version& gpu) {
    return cuda_major == 9 && gpu == make_version({7, 5});
}

/// Machine code for an earlier minor of the GPU's own major runs on it.
bool has_code_of_its_major(const Version& cuda, const Version& gpu, const Matrix& matrix) {
    for (int minor = 0; minor <= gpu.minor(); ++minor) {
        const auto row = matrix.architecture(make_version({gpu.major(), minor}));
        if (row && row->first_cuda <= cuda && (!row->last_cuda || cuda <= *row->last_cuda))
            return true;
    }
    return false;
}

Fit fit_of(const CudnnBuild& build, const Version& gpu) {
    if (gpu < build.capability_min)
        return Fit::does_not_work;
    // Of one major, newer GPUs run the same machine code; Turing with builds for CUDA 9 is known
    // not to.
    if (gpu.major() <= build.capability_max.major() && !turing_on_cuda_9(build.cuda_major, gpu))
        return Fit::works;
    // cuDNN 9 for CUDA 12 and later holds PTX as well, which the driver compiles for a newer GPU.
    // https://docs.nvidia.com/deeplearning/cudnn/backend/latest/developer/forward-compatibility.html
    return build.cudnn.major() >= 9 && build.cuda_major >= 12 ? Fit::compiles_first
                                                              : Fit::does_not_work;
}

std::string capabilities_of(const std::vector<Target>& targets) {
    std::vector<std::string> capabilities;
    for (const Target& target : targets)
        if (target.machine_code)
            capabilities.push_back(target.capability.text);
    return capabilities.empty() ? "PTX alone" : join_with_and(capabilities);
}

std::string cudnn_in_words(const FrameworkBuild& build) {
    return (build.cudnn ? "cuDNN " + version_in_words(*build.cudnn) : "cuDNN") + " for CUDA " +
           std::to_string(build.cuda->major());
}

/// What keeps a build whose own code is PTX alone from working although the driver could compile
/// that. Seen with TensorFlow's wheels on Blackwell: CUDA_ERROR_INVALID_PTX,
/// CUDA_ERROR_INVALID_HANDLE (https://github.com/tensorflow/tensorflow/issues/97387, 99592, 101746,
/// 90291, 89272).
void judge_libraries_beside_ptx(Suitability& code, const FrameworkBuild& build, const Version& gpu,
                                const Matrix& matrix) {
    std::vector<std::string> lacking;
    const auto add = [&](const Suitability& library, std::string name) {
        lacking.push_back(std::move(name));
        code.evidence.insert(code.evidence.end(), library.evidence.begin(), library.evidence.end());
    };
    const Suitability cudnn =
        build.cudnn ? cudnn_of_build_on_gpu(build, gpu, matrix) : Suitability();
    if (const Suitability cuda = cuda_on_gpu(*build.cuda, gpu, matrix);
        cuda.fit == Fit::does_not_work && cuda.gpu_is_newer)
        add(cuda, "CUDA " + build.cuda->text);
    if (cudnn.fit == Fit::compiles_first)
        add(cudnn, "cuDNN " + version_in_words(*build.cudnn));
    if (lacking.empty())
        return;
    code.fit = Fit::does_not_work;
    code.why = "it has PTX code alone for compute capability " + gpu.text +
               ", for which the libraries of " + join_with_and(lacking) + " have no machine code";
}

/// A driver compiles PTX made by its own CUDA or an older one.
void judge_driver_of_ptx(Suitability& code, const FrameworkBuild& build, const Driver& driver,
                         const Matrix& matrix) {
    const auto of_driver = matrix.cuda_of_driver(driver.version);
    const auto newest = of_driver && !driver.cuda ? std::optional(of_driver->cuda) : driver.cuda;
    if (newest && *newest < *build.cuda) {
        code.fit = Fit::does_not_work;
        code.why = "it has only PTX code for this GPU, compiled by CUDA " + build.cuda->text +
                   ", newer than the driver's CUDA " + newest->text;
        code.evidence.push_back(
            evidence_of(build, "PTX code compiled by CUDA " + build.cuda->text));
        code.evidence.push_back(
            {"newest CUDA of driver " + (driver.version ? driver.version->text : ""), newest->text,
             driver.cuda ? "driver.cuda_version" : of_driver->source.url});
    } else if (!newest && driver.version && of_driver.coverage != Coverage::newer_than_data &&
               code.fit == Fit::compiles_first) {
        code.fit = Fit::unknown;
        code.why = "which CUDA driver " + driver.version->text + " supports is not in the data";
    }
}

}  // namespace

std::string outside_data(const std::string& what, Coverage coverage, const Matrix& matrix) {
    const std::string data = " the data of " + matrix.date();
    if (coverage == Coverage::newer_than_data)
        return what + " is newer than" + data;
    return what + (coverage == Coverage::older_than_data ? " is older than" : " is not in") + data;
}

Answer<DriverForCuda> drivers_for(const Version& cuda, const std::string& os,
                                  const Matrix& matrix) {
    return os == "windows" ? matrix.windows_driver_for_cuda(cuda) : matrix.driver_for_cuda(cuda);
}

Suitability driver_runs_cuda(const Driver& driver, const Version& cuda, const Matrix& matrix) {
    const auto row = drivers_for(cuda, driver.os, matrix);
    if (!row)
        return driver_runs_cuda(driver, cuda, DriverRange(), matrix);
    Suitability answer =
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
    if (answer.limited)
        answer.evidence.push_back({"driver with all features of CUDA " + cuda.text,
                                   row->full_driver.text, row->source.url});
    return answer;
}

Suitability driver_runs_cuda(const Driver& driver, const Version& cuda, const DriverRange& drivers,
                             const Matrix& matrix) {
    if (driver.cuda) {
        const Suitability answer = by_newest_cuda(*driver.cuda, cuda);
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
            .evidence = {
                {"newest driver branch in the data, which later drivers do not fall behind",
                 std::to_string(newest.branch) + ", CUDA " + newest.cuda.text, newest.source.url}}};
    }
    if (const Coverage toolkit = matrix.driver_for_cuda(cuda).coverage;
        !drivers.full && toolkit != Coverage::known)
        return outside("CUDA " + cuda.text, toolkit, matrix);
    return by_range(*driver.version, cuda, drivers,
                    drivers.full ? Suitability() : by_tables_cuda(driver, cuda, of_driver));
}

Suitability driver_runs_build(const Driver& driver, const FrameworkBuild& build,
                              const Matrix& matrix) {
    Suitability answer = driver_runs_cuda(driver, *build.cuda, matrix);
    const bool is_named = build.driver_min && driver.os == build.os && driver.version;
    if (!is_named || answer.fit == Fit::does_not_work)
        return answer;
    const Version& oldest = *build.driver_min;
    answer.evidence.push_back({"oldest driver in the documentation of " + build.framework,
                               oldest.text, build.source.url});
    if (reaches(*driver.version, oldest))
        return answer;
    const bool depends = may_reach(*driver.version, oldest);
    answer.fit = depends ? Fit::unknown : Fit::does_not_work;
    answer.why = depends ? "it depends on the exact version of driver " + driver.version->text +
                               ": " + build.framework + " requires " + oldest.text + " or later"
                         : "its documentation requires driver " + oldest.text + " or later";
    return answer;
}

std::optional<CompatPackage> compat_package(const Driver& driver, const Version& cuda,
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

bool any_jetson(const Stack& stack, const Matrix& matrix) {
    return std::ranges::any_of(stack.gpus, [&](const Gpu& gpu) {
        const auto row = matrix.architecture(gpu.capability);
        return row && row->integrated;
    });
}

Suitability driver_still_drives(const Version& driver, const Version& gpu, const Matrix& matrix) {
    const auto row = matrix.architecture(gpu);
    if (!row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    const std::string source = row->driver_source.value_or(row->source).url;
    const std::string last =
        row->last_driver_branch ? std::to_string(*row->last_driver_branch) : "";
    if (!row->last_driver_branch || driver.major() <= *row->last_driver_branch)
        return {.evidence = {{"driver for " + row->name,
                              last.empty() ? "no last branch" : "up to branch " + last, source}}};
    return no_code("driver " + driver.text + " does not drive " + row->name + " (" + gpu.text +
                       ") any more; " + last + " was the last branch that did",
                   {"last driver branch for " + row->name, last, source}, false);
}

Suitability driver_knows(const Version& driver, const Version& gpu, const Matrix& matrix) {
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
    Suitability answer = no_code(
        "driver " + driver.text + " (CUDA " + of_driver->cuda.text + ") is older than " +
            row->name + " (" + gpu.text + "), which begins with CUDA " + row->first_cuda.text,
        {"newest CUDA of the driver", of_driver->cuda.text, of_driver->source.url}, true);
    answer.evidence.push_back(first);
    return answer;
}

Suitability cuda_on_gpu(const Version& asked, const Version& gpu, const Matrix& matrix) {
    const auto row = matrix.architecture(gpu);
    if (!row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    const Version cuda = shortened(asked, 2);
    const std::string none =
        "CUDA " + asked.text + " has no code for " + row->name + " (" + gpu.text + "); CUDA ";
    if (row->last_cuda && cuda > *row->last_cuda)
        return no_code(none + row->last_cuda->text + " was the last",
                       {"CUDA " + asked.text,
                        "CUDA " + row->last_cuda->text + " was the last with code for " + row->name,
                        row->source.url},
                       false);
    // Volta's code of CUDA 9 may run on Turing, but what NVIDIA's libraries of that CUDA hold is
    // known not to.
    if (turing_on_cuda_9(cuda.major(), gpu))
        return not_known("whether code of CUDA 9 runs on Turing depends on the library");
    if (cuda < row->first_cuda && !has_code_of_its_major(cuda, gpu, matrix))
        return no_code(
            none + row->first_cuda.text + " was the first",
            {"CUDA " + asked.text,
             "CUDA " + row->first_cuda.text + " was the first with code for " + row->name,
             row->source.url},
            true);
    const Coverage toolkit = matrix.driver_for_cuda(cuda).coverage;
    return toolkit == Coverage::newer_than_data ? outside("CUDA " + asked.text, toolkit, matrix)
                                                : Suitability();
}

Suitability cudnn_on_gpu(const CudnnBuild& build, const Version& gpu) {
    const std::string thing =
        "cuDNN " + build.cudnn.text + " for CUDA " + std::to_string(build.cuda_major);
    const std::string oldest = build.capability_min.text, newest = build.capability_max.text;
    Suitability answer{.fit = fit_of(build, gpu), .gpu_is_newer = gpu >= build.capability_min};
    const std::string known =
        answer.fit == Fit::works ? "has code for compute capability " + oldest + " to " + newest
        : answer.gpu_is_newer    ? "knows GPUs up to compute capability " + newest
                                 : "needs compute capability " + oldest + " or later";
    if (answer.fit != Fit::works)
        answer.why = thing + " has no code for compute capability " + gpu.text;
    answer.evidence = {{thing, known, build.source.url}};
    return answer;
}

Suitability code_on_gpu(const std::string& words, const Version& gpu) {
    const std::vector<Target> targets = targets_of(words);
    if (targets.empty())
        return not_known("for which GPUs it has code is not in the data");
    const auto any = [&](auto&& holds) { return std::ranges::any_of(targets, holds); };
    if (any([&](const Target& target) { return target.machine_code && runs_on(target, gpu); }))
        return {};
    Suitability answer{
        .fit = Fit::does_not_work,
        .why = "it has code for " + capabilities_of(targets) + ", not for " + gpu.text};
    answer.gpu_is_newer =
        any([&](const Target& target) { return target.machine_code && target.capability < gpu; });
    if (!any(
            [&](const Target& t) { return !t.machine_code && t.kind == 0 && t.capability <= gpu; }))
        return answer;
    return {.fit = Fit::compiles_first,
            .why = "has no machine code for this GPU: the driver compiles PTX at the first use",
            .gpu_is_newer = true};
}

Suitability build_on_gpu(const FrameworkBuild& build, const Version& gpu, const Driver& driver,
                         const Matrix& matrix, const FrameworkBuild* loaded) {
    if (const auto row = matrix.architecture(gpu); !row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    Suitability code = code_on_gpu(build.targets, gpu);
    if (code.fit == Fit::unknown) {
        // What its CUDA could compile for does not tell what was compiled, but bounds it.
        if (build.cuda)
            if (const Suitability cuda = cuda_on_gpu(*build.cuda, gpu, matrix);
                cuda.outside || cuda.fit == Fit::does_not_work)
                code = cuda;
        if (build.cuda)
            code.evidence.push_back(evidence_of(build, "CUDA " + build.cuda->text));
        return code;
    }
    code.evidence = {evidence_of(build, "has code for " + build.targets)};
    if (code.fit != Fit::compiles_first || !build.cuda)
        return code;
    judge_libraries_beside_ptx(code, loaded ? *loaded : build, gpu, matrix);
    judge_driver_of_ptx(code, build, driver, matrix);
    return code;
}

Suitability cudnn_of_build_on_gpu(const FrameworkBuild& build, const Version& gpu,
                                  const Matrix& matrix) {
    if (build.without_cudnn || !build.cuda)
        return {};
    Fit best = Fit::does_not_work, worst = Fit::works;
    const CudnnBuild* first = nullptr;
    for (const CudnnBuild& row : matrix.cudnn_builds()) {
        if (row.cuda_major != build.cuda->major() || (build.cudnn && !may_be_of(row, *build.cudnn)))
            continue;
        if (!first)
            first = &row;
        best = std::min(best, fit_of(row, gpu));
        worst = std::max(worst, fit_of(row, gpu));
    }
    if (!first)
        return not_known(cudnn_in_words(build) + " is not in the data");
    if (!build.cudnn && best != Fit::does_not_work && worst == Fit::does_not_work)
        return not_known("its cuDNN is not in the data, and not every one for CUDA " +
                         std::to_string(build.cuda->major()) + " has code for " + gpu.text);
    CudnnBuild named = *first;
    named.cudnn = build.cudnn.value_or(first->cudnn);
    Suitability answer = cudnn_on_gpu(named, gpu);
    answer.fit = build.cudnn ? best : worst;
    if (answer.fit == Fit::does_not_work)
        answer.why = cudnn_in_words(build) + " has no code for compute capability " + gpu.text;
    if (answer.fit == Fit::compiles_first)
        answer.why = cudnn_in_words(build) +
                     " is older than this GPU: the driver compiles its PTX at the first use";
    return answer;
}

const CudnnBuild* newer_cudnn_without(const FrameworkBuild& build, const Version& gpu,
                                      const Matrix& matrix) {
    if (!build.cudnn_or_newer || !build.cudnn)
        return nullptr;
    return first_cudnn_without(gpu, *build.cudnn, build.cuda->major(), matrix);
}

std::string jetson_packages(const Version& capability) {
    if (capability >= make_version({10, 0}))
        return "NVIDIA's index for Jetson Thor, which has the software of Arm servers: "
               "https://pypi.jetson-ai-lab.io/sbsa/cu130 for JetPack 7";
    const std::string index =
        "NVIDIA's index pypi.jetson-ai-lab.io, by JetPack and CUDA version (jp6/cu126 for JetPack "
        "6)";
    // https://github.com/conda-forge/pytorch-cpu-feedstock/pull/531
    const bool is_orin = capability == make_version({8, 7});
    return is_orin
               ? index + "; for a system with CUDA 13, conda-forge's PyTorch 2.13.0 has code for it"
               : index;
}

bool is_jetson_as_server(const std::optional<Version>& capability, const Matrix& matrix) {
    // CUDA 12 called it 10.1 and was one for Jetson alone:
    // https://github.com/conda-forge/pytorch-cpu-feedstock/issues/486
    const auto architecture = matrix.architecture(capability);
    return architecture && architecture->integrated &&
           architecture->first_cuda >= make_version({13, 0});
}

std::string no_board_of_builds(const Version& capability, const Matrix& matrix) {
    const auto architecture = matrix.architecture(capability);
    if (!architecture || !architecture->integrated || is_jetson_as_server(capability, matrix))
        return "";
    return "compute capability " + capability.text +
           " is of a Jetson board: its driver, CUDA, cuDNN and framework builds come with NVIDIA's "
           "JetPack; the "
           "published builds in the data are for x86-64 and for Arm servers and do not run on it. "
           "Packages for it are "
           "in " +
           jetson_packages(capability);
}

Suitability build_and_cudnn_on_gpu(const FrameworkBuild& build, const Version& gpu,
                                   const Driver& driver, const Matrix& matrix,
                                   const FrameworkBuild* loaded) {
    const Suitability code = build_on_gpu(build, gpu, driver, matrix, loaded);
    const Suitability cudnn = cudnn_of_build_on_gpu(loaded ? *loaded : build, gpu, matrix);
    return cudnn.fit > code.fit ? cudnn : code;
}

std::vector<CudnnBuild> cudnn_builds_of(const Version& cudnn, const Matrix& matrix) {
    std::vector<CudnnBuild> builds;
    for (const CudnnBuild& build : matrix.cudnn_builds())
        if (covers(build.cudnn, build.cudnn_last, cudnn))
            builds.push_back(build);
    std::ranges::sort(builds, {}, &CudnnBuild::cuda_major);
    return builds;
}

const CudnnBuild* first_cudnn_without(const Version& gpu, const Version& from, int cuda_major,
                                      const Matrix& matrix) {
    return find_where(matrix.cudnn_builds(), [&](const CudnnBuild& row) {
        return row.cuda_major == cuda_major && row.cudnn.major() == from.major() &&
               row.last() >= from && gpu < row.capability_min;
    });
}

std::string as_bound(const Version& version) {
    return version.parts[2] == 0 ? shortened(version, 2).text : version.text;
}

Suitability cudnn_for_cuda(const Version& cudnn, int cuda_major, const Matrix& matrix) {
    const auto build = matrix.cudnn_build(cudnn, cuda_major);
    const std::string pair = "cuDNN " + cudnn.text + " for CUDA " + std::to_string(cuda_major);
    if (build)
        return {.fit = Fit::works, .why = "there is a " + pair};
    const auto others = cudnn_builds_of(cudnn, matrix);
    if (others.empty() || build.coverage != Coverage::silent)
        return outside(pair, build.coverage, matrix);
    Suitability answer{.fit = Fit::does_not_work};
    std::vector<std::string> majors;
    for (const CudnnBuild& other : others) {
        majors.push_back(std::to_string(other.cuda_major));
        answer.evidence.push_back(
            {"cuDNN " + cudnn.text, "for CUDA " + majors.back(), other.source.url});
    }
    answer.why = "there is no " + pair + "; it was built for CUDA " + join_with_and(majors);
    return answer;
}

const CudnnBuild* fixed_cudnn(const RnnDefect& defect, const std::optional<Version>& gpu,
                              const Stack& stack, const Matrix& matrix) {
    const bool on_linux = stack.driver && systems_of_driver(stack).front() == "linux";
    const auto suits = [&](const CudnnBuild& build) {
        return (!gpu || fit_of(build, *gpu) == Fit::works) &&
               (!stack.cuda || build.cuda_major == stack.cuda->major()) &&
               (!on_linux || !build.driver_min || reaches(*stack.driver, *build.driver_min));
    };
    const CudnnBuild* newest = nullptr;
    for (const CudnnBuild& build : matrix.cudnn_builds()) {
        const bool fixes =
            build.cudnn.major() == defect.fixed->major() && build.last() >= *defect.fixed;
        if (fixes && suits(build) && (!newest || newest->cuda_major <= build.cuda_major))
            newest = &build;
    }
    return newest;
}

Suitability cudnn_runs_networks(Dtype dtype, const Version& cudnn, const Version& gpu,
                                const Matrix& matrix) {
    const std::string_view type = name_of(dtype);
    if (matrix.requires_support(cudnn, gpu, type, name_of(Algorithm::standard)))
        return {};
    const auto limit = matrix.rnn_limit(type);
    if (limit && cudnn < limit->first)
        return {.fit = Fit::does_not_work, .why = "it needs cuDNN " + limit->first.text};
    if (limit && limit->capability_min && gpu < *limit->capability_min)
        return {.fit = Fit::does_not_work,
                .why = "it needs compute capability " + limit->capability_min->text};
    return not_known("the tables do not contain it");
}

std::vector<std::string> defects_in_words(const Version& cudnn, const Version& gpu,
                                          const Matrix& matrix) {
    return mapped(matrix.rnn_defects(cudnn, gpu), &RnnDefect::symptom);
}

bool is_called(const FrameworkBuild& build, std::string_view name) {
    // Where TensorFlow's package has no CUDA (Linux on Arm, Windows), the extra adds NVIDIA's
    // packages to it, no more.
    if (name == "and-cuda" && build.package == "tensorflow" && build.build == "cpu")
        return true;
    return build.build == name ||
           (build.cuda && (name == "gpu" || (name == "cuda" && build.libraries == "wheels")));
}

Suitability build_for_python(const FrameworkBuild& build, const Version& python) {
    if (!build.python_first && !build.python_last)
        return not_known("the versions of Python it is for are not in the data");
    if (is_between(python, build.python_first, build.python_last))
        return {};
    const std::string first = build.python_first ? build.python_first->text : "the oldest";
    const std::string last = build.python_last ? build.python_last->text : "the newest";
    return {.fit = Fit::does_not_work,
            .why = "it is for Python " + first + " to " + last,
            .evidence = {evidence_of(build, "Python " + first + " to " + last)}};
}

Evidence evidence_of(const FrameworkBuild& build, const std::string& value) {
    const bool several = build.last && build.last != build.first;
    return {build.package + ' ' + build.first.text + (several ? " to " + build.last->text : "") +
                " for " + build.os + " (" + build.build + ")",
            value, build.source.url};
}

}  // namespace rnncheck::stack
