// Which GPU the code of CUDA and of a build is for.
#include <algorithm>

#include "base/if_any.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "stack/compatibility.hpp"

namespace rnncheck::stack {

namespace {

/// Machine code for an earlier minor of the GPU's own major runs on it.
bool has_code_of_its_major(const Version& cuda, const Version& gpu, const Matrix& matrix) {
    for (int minor = 0; minor <= gpu.minor(); ++minor) {
        const auto row = matrix.architecture(make_version({gpu.major(), minor}));
        if (row && row->first_cuda <= cuda && (!row->last_cuda || cuda <= *row->last_cuda))
            return true;
    }
    return false;
}

/// "7.5, 8.0 and 8.6": those with machine code.
std::string capabilities_of(const std::vector<Target>& targets) {
    std::vector<std::string> capabilities;
    for (const Target& target : targets)
        if (target.machine_code)
            capabilities.push_back(target.capability.text);
    if (capabilities.empty())
        return "PTX alone";
    return join_with_and(capabilities);
}

/// What keeps a build whose own code is PTX alone from working although the driver could compile
/// that. Seen with TensorFlow's wheels on Blackwell: CUDA_ERROR_INVALID_PTX,
/// CUDA_ERROR_INVALID_HANDLE (https://github.com/tensorflow/tensorflow/issues/97387, 99592, 101746,
/// 90291, 89272).
void judge_libraries_beside_ptx(
    Compatibility& code, const FrameworkBuild& build, const Version& gpu, const Matrix& matrix) {
    std::vector<std::string> lacking;
    const auto add = [&](const Compatibility& library, std::string name) {
        lacking.push_back(std::move(name));
        code.evidence.insert(code.evidence.end(), library.evidence.begin(), library.evidence.end());
    };
    Compatibility cudnn;
    if (build.cudnn)
        cudnn = cudnn_of_build_on_gpu(build, gpu, matrix);
    if (const Compatibility cuda = cuda_on_gpu(*build.cuda, gpu, matrix);
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
void judge_driver_of_ptx(
    Compatibility& code, const FrameworkBuild& build, const Driver& driver, const Matrix& matrix) {
    const auto of_driver = matrix.cuda_of_driver(driver.version);
    auto newest = driver.cuda;
    if (of_driver && !driver.cuda)
        newest = of_driver->cuda;
    if (newest && *newest < *build.cuda) {
        code.fit = Fit::does_not_work;
        code.why = "it has only PTX code for this GPU, compiled by CUDA " + build.cuda->text +
                   ", newer than the driver's CUDA " + newest->text;
        code.evidence.push_back(
            evidence_of(build, "PTX code compiled by CUDA " + build.cuda->text));
        std::string source = "driver.cuda_version";
        if (!driver.cuda)
            source = of_driver->source.url;
        code.evidence.push_back(
            {"newest CUDA of driver " + if_any("", driver.version), newest->text, source});
    } else if (
        !newest && driver.version && of_driver.coverage != Coverage::newer_than_data &&
        code.fit == Fit::compiles_first) {
        code.fit = Fit::unknown;
        code.why = "which CUDA driver " + driver.version->text + " supports is not in the data";
    }
}

}  // namespace

/// By the first and the last CUDA that can compile for the architecture.
Compatibility cuda_on_gpu(const Version& requested, const Version& gpu, const Matrix& matrix) {
    const auto row = matrix.architecture(gpu);
    if (!row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    const Version cuda = shortened(requested, 2);
    const std::string none =
        "CUDA " + requested.text + " has no code for " + row->name + " (" + gpu.text + "); CUDA ";
    if (row->last_cuda && cuda > *row->last_cuda)
        return no_code(
            none + row->last_cuda->text + " was the last",
            {"CUDA " + requested.text,
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
            {"CUDA " + requested.text,
             "CUDA " + row->first_cuda.text + " was the first with code for " + row->name,
             row->source.url},
            true);
    const Coverage toolkit = matrix.driver_for_cuda(cuda).coverage;
    if (toolkit != Coverage::newer_than_data)
        return {};
    return outside("CUDA " + requested.text, toolkit, matrix);
}

/// Machine code runs on GPUs of its own major version, PTX on all later ones:
/// https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#binary-compatibility
Compatibility code_on_gpu(const std::string& words, const Version& gpu) {
    const std::vector<Target> targets = targets_of(words);
    if (targets.empty())
        return not_known("for which GPUs it has code is not in the data");
    const auto any = [&](auto&& holds) { return std::ranges::any_of(targets, holds); };
    if (any([&](const Target& target) { return target.machine_code && runs_on(target, gpu); }))
        return {};
    Compatibility answer{
        .fit = Fit::does_not_work,
        .why = "it has code for " + capabilities_of(targets) + ", not for " + gpu.text,
    };
    answer.gpu_is_newer =
        any([&](const Target& target) { return target.machine_code && target.capability < gpu; });
    if (!any(
            [&](const Target& t) { return !t.machine_code && t.kind == 0 && t.capability <= gpu; }))
        return answer;
    return {
        .fit = Fit::compiles_first,
        .why = "has no machine code for this GPU: the driver compiles PTX at the first use",
        .gpu_is_newer = true,
    };
}

/// By the targets that the table lists; PTX needs more than the code itself,
/// the libraries beside it and a driver that compiles it.
Compatibility build_on_gpu(
    const FrameworkBuild& build,
    const Version& gpu,
    const Driver& driver,
    const Matrix& matrix,
    const FrameworkBuild* loaded) {
    if (const auto row = matrix.architecture(gpu); !row)
        return outside("compute capability " + gpu.text, row.coverage, matrix);
    Compatibility code = code_on_gpu(build.targets, gpu);
    if (code.fit == Fit::unknown) {
        // What its CUDA could compile for does not show what was compiled, but bounds it.
        if (build.cuda)
            if (const Compatibility cuda = cuda_on_gpu(*build.cuda, gpu, matrix);
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

Compatibility build_and_cudnn_on_gpu(
    const FrameworkBuild& build,
    const Version& gpu,
    const Driver& driver,
    const Matrix& matrix,
    const FrameworkBuild* loaded) {
    const Compatibility code = build_on_gpu(build, gpu, driver, matrix, loaded);
    const Compatibility cudnn = cudnn_of_build_on_gpu(loaded ? *loaded : build, gpu, matrix);
    if (cudnn.fit > code.fit)
        return cudnn;
    return code;
}

bool any_jetson(const Stack& stack, const Matrix& matrix) {
    return std::ranges::any_of(stack.gpus, [&](const Gpu& gpu) {
        const auto row = matrix.architecture(gpu.capability);
        return row && row->integrated;
    });
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
    if (is_orin)
        return index + "; for a system with CUDA 13, conda-forge's PyTorch 2.13.0 has code for it";
    return index;
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

}  // namespace rnncheck::stack
