// Which build, compiler or package fits where the log shows the versions: what a remedy shows of
// each framework.
#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

namespace {

/// nvcc of one CUDA, PyTorch of another:
/// https://github.com/pytorch/pytorch/blob/main/torch/utils/cpp_extension.py
void name_toolkit_of_extension(Remedy& remedy, const LogContext& log) {
    const auto built = log.field("torch_extension_cuda", "built");
    if (!built)
        return;
    std::string package = "cuda-toolkit-" + *built;
    std::ranges::replace(package, '.', '-');
    remedy.text = concat(
        "Extensions of PyTorch are compiled with the CUDA Toolkit of PyTorch's CUDA: install ",
        package,
        " from NVIDIA's repository (conda: cuda-toolkit of the channel nvidia/label/cuda-",
        *built,
        ".0) beside the other one and set CUDA_HOME to its directory; or install PyTorch for ",
        "the CUDA of the toolkit, or a wheel of the package instead of compiling it");
    remedy.commands = {
        log.has("os_windows") ? concat(
                                    "$env:CUDA_HOME = \"C:\\Program Files\\NVIDIA GPU Computing "
                                    "Toolkit\\CUDA\\v",
                                    *built,
                                    "\"")
                              : concat("export CUDA_HOME=/usr/local/cuda-", *built)};
}

/// "compute_86" of nvcc: the compiler is older than the GPU, whatever the framework has.
void name_compiler_for_gpu(Remedy& remedy, const LogContext& log) {
    const auto arch = log.field("arch_not_supported_by_compiler", "arch");
    if (!arch)
        return;
    const auto gpu = capability_of_digits(arch->substr(arch->find('_') + 1));
    const auto row = gpu ? log.matrix.architecture(*gpu) : Answer<Architecture>();
    const std::string since =
        row ? concat(" (", row->first_cuda.text, " or later for ", gpu->text, ")") : "";
    remedy.text = concat(
        "The CUDA compiler is older than the GPU: compile with a CUDA Toolkit that supports it",
        since,
        ", with CUDA_HOME and PATH set to it, and with a PyTorch for the same CUDA; or leave the "
        "architecture out (TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES) and add PTX of an older "
        "one, such as TORCH_CUDA_ARCH_LIST=8.0+PTX");
    remedy.commands = {"nvcc --version"};
}

/// A package of one CUDA and PyTorch of another, which bundles the libraries of its own:
/// https://github.com/vllm-project/vllm/issues/52300
void name_package_of_other_cuda(Remedy& remedy, const LogContext& log) {
    const auto build = build_cuda(log), wanted = wanted_cuda(log);
    const bool is_torch_alone =
        log.hints.stack.frameworks.size() == 1 && log.hints.framework("pytorch");
    if (!log.has("cuda_other_major_built") || !is_torch_alone || !build || !wanted)
        return;
    remedy.text = concat(
        "A package that the traceback loads was built for CUDA ",
        wanted->major(),
        ", PyTorch here for CUDA ",
        build->text,
        ": install that package for PyTorch's CUDA, or both ",
        "for the same one, in one command and from one index. The libraries alone would not make ",
        "them fit");
    remedy.commands = {"python -m pip list"};
}

/// https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html, requirements and
/// preload_dlls()
void speak_of_onnxruntime(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    constexpr std::string_view causes[] = {
        "cuda_version_mismatch",
        "cuda_lib_not_on_loader_path",
        "cuda_library_not_installed",
        "cudnn_not_on_loader_path",
        "cudnn_not_installed"};
    if (!includes(causes, cause.cause) || !log.has("onnxruntime_in_use"))
        return;
    if (log.has("panic_or_exception") || log.has("go_program"))
        return;
    const auto missing = missing_library(log, "missing_cuda_library");
    const bool is_for_cuda_11 = missing && major_in_file_name(*missing) == 11;
    if (is_for_cuda_11 && cause.cause == "cuda_version_mismatch") {
        remedy.text =
            "This ONNX Runtime is built for CUDA 11. Update it: the package on PyPI is for CUDA 12 "
            "from 1.19 on. "
            "Where CUDA 11 must stay, install its libraries beside the others";
        remedy.commands = {"python -m pip install -U onnxruntime-gpu"};
    }
    if (log.has("ort_tensorrt_missing"))
        return;
    remedy.text +=
        ". In Python, ONNX Runtime finds the libraries of PyTorch or of NVIDIA's packages if the "
        "program imports torch "
        "first, or, from 1.21 on, calls onnxruntime.preload_dlls()";
}

/// Which versions of TensorFlow see a GPU where: https://www.tensorflow.org/install/pip
void name_gpu_builds_of_tensorflow(Remedy& remedy, const LogContext& log) {
    const stack::Framework* framework = log.hints.framework("tensorflow");
    const auto version = framework ? framework->version : std::nullopt;
    // The extra and-cuda exists from 2.14 on; native Windows has no GPU from 2.11 on.
    const Version first_with_packages =
        log.has("os_windows") ? make_version({2, 11}) : make_version({2, 14});
    if (version && *version < first_with_packages) {
        remedy.text = concat(
            "TensorFlow ",
            version->text,
            " uses a GPU only with exactly the CUDA and cuDNN that it was ",
            "built with, in the loader's search path, and as a build with CUDA "
            "(up to 2.0 the package ",
            "tensorflow-gpu): the command prints them. Then check "
            "CUDA_VISIBLE_DEVICES and the driver");
        remedy.commands = {"rnncheck matrix plan --for tensorflow==" + version->text};
        return;
    }
    remedy.text =
        "On native Windows, TensorFlow from 2.11 on has no GPU: use it under WSL 2, or TensorFlow "
        "2.10 (also "
        "tensorflow-cpu 2.10 with tensorflow-directml-plugin)";
    remedy.commands.clear();
    if (log.has("os_windows"))
        return;
    remedy.text =
        "Install TensorFlow with its CUDA libraries (Linux and WSL 2, from 2.14 on), then check "
        "that nvidia-smi lists "
        "the GPU and that CUDA_VISIBLE_DEVICES is not empty. " +
        remedy.text;
    remedy.commands = {concat(
        "python -m pip install \"tensorflow[and-cuda]", version ? "==" + version->text : "", "\"")};
}

/// A list without a GPU, and no line of the driver: the build of the framework comes first.
void name_gpu_builds(Remedy& remedy, const LogContext& log) {
    if (!log.has("no_gpu_listed") || log.has("no_cuda_device") ||
        log.has("deserialize_without_cuda"))
        return;
    if (log.has("fw_tensorflow"))
        name_gpu_builds_of_tensorflow(remedy, log);
    else if (log.has("fw_pytorch") || log.has("torch_in_use")) {
        remedy.text =
            "Run the command: if it prints None, PyTorch is a build without CUDA; if it prints a "
            "version of CUDA and "
            "False, the driver or the GPU is missing. Where GPUs are assigned to jobs or "
            "notebooks, request one "
            "(Slurm: "
            "--gres=gpu:1), and leave CUDA_VISIBLE_DEVICES unset or to the scheduler";
        remedy.commands = {
            "python -c \"import torch; print(torch.version.cuda, torch.cuda.is_available())\""};
    } else if (log.has("paddle_in_use") || log.has("fw_paddlepaddle")) {
        remedy.text =
            "Install paddlepaddle-gpu for a CUDA version that the driver supports (the package "
            "paddlepaddle has no "
            "GPU), and check CUDA_VISIBLE_DEVICES: paddle.utils.run_check() reports whether it "
            "uses the GPU";
        remedy.commands = {"python -m pip list"};
    }
}

/// https://github.com/PaddlePaddle/Paddle/issues/76037
void name_paddle_for_new_gpu(Remedy& remedy, const LogContext& log) {
    if (!log.has("fw_paddlepaddle") || log.hints.stack.frameworks.size() != 1)
        return;
    remedy.text =
        "Install paddlepaddle-gpu for a CUDA version that supports the GPU: 12.9 for RTX 50 (on "
        "Windows its "
        "documentation names wheels of their own), 11.8 or later for RTX 30 and 40";
    remedy.commands = {
        "python -m pip uninstall -y paddlepaddle-gpu",
        "python -m pip install paddlepaddle-gpu -i "
        "https://www.paddlepaddle.org.cn/packages/stable/cu129/"};
}

/// Kernels with large parameters: https://github.com/pytorch/pytorch/issues/135126
void name_driver_for_large_parameters(Remedy& remedy, const LogContext& log) {
    const auto driver = driver_in_log(log);
    if (!driver || *driver >= make_version({530}))
        return;
    remedy.text = concat(
        "Kernels of CUDA 12.1 and later may have parameters that need driver 530 or later, and "
        "driver ",
        driver->text,
        " is installed: update it (for a container, on the host), or compile with CUDA ",
        "12.0. Otherwise: ",
        remedy.text);
    remedy.commands.clear();
}

}  // namespace

void refine_for_builds(Remedy& remedy, const LogCause& cause, const LogContext& log) {
    if (cause.cause == "cuda_version_mismatch") {
        name_package_of_other_cuda(remedy, log);
        name_toolkit_of_extension(remedy, log);
    }
    if (cause.cause == "gpu_arch_not_in_build") {
        name_compiler_for_gpu(remedy, log);
        name_paddle_for_new_gpu(remedy, log);
    }
    if (cause.cause == "operation_not_supported_on_system")
        name_driver_for_large_parameters(remedy, log);
    if (cause.cause == "no_gpu_visible")
        name_gpu_builds(remedy, log);
    speak_of_onnxruntime(remedy, cause, log);
}

}  // namespace rnncheck::rules
