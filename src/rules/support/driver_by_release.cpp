#include "rules/support/driver_by_release.hpp"

#include <algorithm>

#include "matrix/ranges.hpp"
#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules {

namespace {

constexpr const char* on_windows = "windows";

/// Whose drivers the given one may be among. Three numbers are Linux's alone; two may be either's (570.26, 528.33), and
/// a branch ("535") is named alike on both.
std::vector<std::string> systems_of_driver(const Facts& facts) {
    if (facts.host.wsl.value_or(false)) return {on_windows};  // WSL has the driver of Windows
    if (facts.host.platform) return {*facts.host.platform};
    if (parts_written(*given_driver(facts)) == 2) return {"linux", on_windows};
    return {"linux"};
}

bool may_be_of(const std::vector<std::string>& systems, const std::string& system) {
    return std::find(systems.begin(), systems.end(), system) != systems.end();
}

Evidence driver_evidence(const Version& driver) {
    return {"driver", driver.text, "driver.library_version"};
}

std::string in_package_name(const Version& cuda) {
    return "cuda-compat-" + std::to_string(cuda.major()) + '-' + std::to_string(cuda.minor());
}

/// The compatibility package that NVIDIA names for this driver, if it drives the GPU.
Answer<ForwardCompatibility> package_for(const Facts& facts, const Matrix& matrix, const Version& cuda) {
    if (systems_of_driver(facts).front() == on_windows) return {};
    auto package = matrix.forward_compatibility(cuda, *given_driver(facts));
    const Gpu* gpu = given_gpu(facts);
    if (package && gpu && *gpu->compute_capability < package->capability_min) return {};
    return package;
}

/// A driver knows the GPUs of the CUDA that it supports, and old ones up to its branch.
void judge_gpu(const Matrix& matrix, const Version& driver, const Gpu& gpu, Answers& answers) {
    const auto cuda = matrix.cuda_of_driver(driver);
    if (!gpu.compute_capability || !cuda) return;
    const auto architecture = matrix.architecture(*gpu.compute_capability);
    if (!architecture) return;  // gpu_too_old tells
    if (architecture->last_driver_branch && driver.major() > *architecture->last_driver_branch)
        return answers.told_elsewhere("driver " + driver.text + " has left " + words_of(gpu) + " behind");
    if (architecture->first_cuda <= cuda->cuda)
        return answers.good(
            "driver " + driver.text + " knows " + words_of(gpu),
            {{"first CUDA for " + words_of(gpu), architecture->first_cuda.text, architecture->source.url}});
    Finding finding;
    finding.subject = "driver " + driver.text;
    finding.message = "driver " + driver.text + " is too old for " + words_of(gpu) + ", which came with CUDA " +
                      architecture->first_cuda.text;
    finding.evidence = {driver_evidence(driver),
                        {"newest CUDA of the driver", cuda->cuda.text, cuda->source.url},
                        {"first CUDA for " + words_of(gpu), architecture->first_cuda.text, architecture->source.url}};
    finding.remedies = {{.text = "Install a driver that supports CUDA " + architecture->first_cuda.text + " or later",
                         .commands = {},
                         .verify = "nvidia-smi",
                         .link = "https://www.nvidia.com/drivers"}};
    answers.fault(std::move(finding));
}

Finding too_old(const Facts& facts, const Matrix& matrix, const std::string& thing, const Version& cuda,
                const OnDriver& on_driver) {
    const Version& driver = *given_driver(facts);
    Finding finding;
    finding.subject = "driver " + driver.text;
    finding.message = "driver " + driver.text + " is too old for " + thing;
    finding.evidence = {driver_evidence(driver)};
    finding.evidence.insert(finding.evidence.end(), on_driver.evidence.begin(), on_driver.evidence.end());
    finding.remedies = {{.text = "Update the NVIDIA driver to " + on_driver.oldest->text + " or newer",
                         .commands = {},
                         .risk = Risk::disruptive,
                         .verify = "nvidia-smi",
                         .link = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"}};
    if (const auto package = package_for(facts, matrix, cuda))
        finding.evidence.push_back(
            {in_package_name(cuda), "brings a newer libcuda, on data-centre GPUs only", package->source.url});
    if (auto package = forward_compatibility_remedy(facts, matrix, cuda))
        finding.remedies.push_back(std::move(*package));
    return finding;
}

OnDriver on_system(const std::string& system, const Version& driver, const Version& cuda, const Matrix& matrix) {
    OnDriver result;
    const auto branch = matrix.cuda_of_driver(driver);
    if (!branch) {
        result.why = outside_data("driver " + driver.text, branch.coverage, matrix);
        return result;
    }
    const auto row = system == on_windows ? matrix.windows_driver_for_cuda(cuda) : matrix.driver_for_cuda(cuda);
    if (!row) {
        result.why = outside_data("CUDA " + cuda.text, row.coverage, matrix);
        return result;
    }
    result.oldest = row->oldest_driver;
    result.evidence = {{"oldest driver for CUDA " + cuda.text, row->oldest_driver.text, row->oldest_source.url}};
    if (system != on_windows)
        result.evidence.push_back({"newest CUDA of the driver", branch->cuda.text, branch->source.url});
    if (!reaches(driver, row->oldest_driver))
        result.runs = CudaSupport::not_at_all;
    else if (reaches(driver, row->full_driver))
        result.runs = CudaSupport::fully;
    else
        result.runs = CudaSupport::limited;
    if (result.runs == CudaSupport::limited)
        result.evidence.push_back(
            {"driver with all features of CUDA " + cuda.text, row->full_driver.text, row->source.url});
    return result;
}

void judge_cuda(const Facts& facts, const Matrix& matrix, const Version& cuda, Answers& answers) {
    const OnDriver on_driver = on_given_driver(facts, matrix, cuda);
    if (on_driver.runs == CudaSupport::unknown)
        answers.outside(on_driver.why);
    else if (on_driver.runs == CudaSupport::depends_on_system)
        answers.unknown(on_driver.why);
    else if (on_driver.runs == CudaSupport::not_at_all)
        answers.fault(too_old(facts, matrix, "CUDA " + cuda.text, cuda, on_driver));
    else
        answers.good("driver " + given_driver(facts)->text + " runs CUDA " + cuda.text +
                         (on_driver.runs == CudaSupport::limited ? " by minor-version compatibility" : ""),
                     on_driver.evidence);
}

/// Only what brings its own CUDA: what takes the system's is judged with that.
void judge_framework(const Facts& facts, const Matrix& matrix, const Framework& framework, Answers& answers) {
    std::vector<FrameworkBuild> builds = builds_of(facts, matrix, framework).with_cuda;
    if (given_cuda(facts))
        std::erase_if(builds, [](const FrameworkBuild& build) { return build.libraries == "system"; });
    const auto systems = systems_of_driver(facts);
    const bool wsl = facts.host.wsl.value_or(false);
    std::erase_if(builds, [&](const FrameworkBuild& build) { return !wsl && !may_be_of(systems, build.os); });
    judge_builds(
        builds, framework, "driver " + given_driver(facts)->text + " runs " + words_of(framework), answers,
        [&](const FrameworkBuild& build) -> std::optional<BuildFault> {
            OnDriver on_driver = on_system(wsl ? on_windows : build.os, *given_driver(facts), *build.cuda, matrix);
            if (on_driver.runs == CudaSupport::unknown) return std::nullopt;
            if (on_driver.runs != CudaSupport::not_at_all) return BuildFault();
            on_driver.evidence.push_back(evidence_of(build, "CUDA " + build.cuda->text));
            return too_old(facts, matrix, words_of(framework) + ", which is built for CUDA " + build.cuda->text,
                           *build.cuda, on_driver);
        });
}

/// The oldest driver that NVIDIA's support matrix names for this cuDNN, where no CUDA was given that tells it.
void judge_cudnn(const Facts& facts, const Matrix& matrix, Answers& answers) {
    const Version* cudnn = given_cudnn(facts);
    const auto built_for = cudnn ? facts.cudnns.front().built_for_cuda : std::nullopt;
    if (!built_for || given_cuda(facts) || systems_of_driver(facts).front() == on_windows) return;
    const auto build = matrix.cudnn_build(*cudnn, built_for->major());
    if (!build || !build->driver_min) return;
    const std::string what = "cuDNN " + cudnn->text + " for CUDA " + std::to_string(build->cuda_major);
    OnDriver oldest;
    oldest.oldest = build->driver_min;
    oldest.evidence = {{"oldest driver for " + what, build->driver_min->text, build->source.url}};
    if (reaches(*given_driver(facts), *build->driver_min))
        answers.good("driver " + given_driver(facts)->text + " runs " + what, oldest.evidence);
    else
        answers.fault(too_old(facts, matrix, what, make_version({build->cuda_major, 0}), oldest));
}

/// Jetson's driver and CUDA come with JetPack and follow no branch of the tables.
bool is_jetson(const Facts& facts, const Matrix& matrix) {
    return std::any_of(facts.gpus.begin(), facts.gpus.end(), [&](const Gpu& gpu) {
        const auto row = gpu.compute_capability ? matrix.architecture(*gpu.compute_capability) : Answer<Architecture>();
        return row && row->integrated;
    });
}

}  // namespace

OnDriver on_given_driver(const Facts& facts, const Matrix& matrix, const Version& cuda) {
    const Version& driver = *given_driver(facts);
    const auto systems = systems_of_driver(facts);
    OnDriver first = on_system(systems.front(), driver, cuda, matrix);
    for (const std::string& system : systems) {
        const OnDriver other = on_system(system, driver, cuda, matrix);
        if (other.runs == CudaSupport::unknown || other.runs == first.runs) continue;
        first.runs = CudaSupport::depends_on_system;
        first.why = "Linux and Windows have other drivers for CUDA " + cuda.text + ", and os= was not given";
    }
    return first;
}

std::optional<Remedy> forward_compatibility_remedy(const Facts& facts, const Matrix& matrix, const Version& cuda) {
    const auto package = package_for(facts, matrix, cuda);
    if (!package) return std::nullopt;
    const Gpu* gpu = given_gpu(facts);
    const auto product = gpu && gpu->name ? matrix.gpu_product(*gpu->name) : Answer<GpuProduct>();
    if (product && !product->data_center) return std::nullopt;
    const std::string name = in_package_name(cuda);
    return Remedy{.text = "On a data centre's GPU, and on no other, install the forward-compatibility package " + name +
                          " instead",
                  .commands = {"sudo apt-get install " + name},
                  .risk = Risk::needs_root,
                  .verify = "rnncheck doctor",
                  .link = package->source.url};
}

Verdict judge_driver_release(const Facts& facts, const Matrix& matrix) {
    const Version* driver = given_driver(facts);
    if (!driver) return undecided("no driver was given");
    if (is_jetson(facts, matrix)) return undecided("the driver of a Jetson comes with JetPack, by rules of its own");
    if (!given_cuda(facts) && !given_cudnn(facts) && !given_gpu(facts) && facts.frameworks.empty())
        return undecided("nothing was given that needs a driver: cuda=, cudnn=, gpu= or a framework");
    Answers answers;
    const auto branch = matrix.cuda_of_driver(*driver);
    if (!branch) answers.outside(outside_data("driver " + driver->text, branch.coverage, matrix));
    if (const Version* cuda = given_cuda(facts)) judge_cuda(facts, matrix, *cuda, answers);
    judge_cudnn(facts, matrix, answers);
    for (const Framework& framework : facts.frameworks) judge_framework(facts, matrix, framework, answers);
    for (const Gpu& gpu : facts.gpus) judge_gpu(matrix, *driver, gpu, answers);
    return answers.close();
}

}  // namespace rnncheck::rules
