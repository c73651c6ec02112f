// What to do about failures that a line of the log names more exactly than its cause does.
#include <array>

#include "base/text.hpp"
#include "rules/causes/log_causes.hpp"

namespace rnncheck::rules {

namespace {

/// Of the framework whose two packages share files: https://github.com/microsoft/onnxruntime/issues/7748
void name_packages_that_share_files(Remedy& remedy, const KnownOfLog& t) {
    if (t.said.framework("onnxruntime") && !t.said.framework("tensorflow"))
        remedy.commands = {"python -m pip uninstall -y onnxruntime onnxruntime-gpu",
                           "python -m pip install onnxruntime-gpu"};
}

/// The row's command is for PyTorch 1.8.0.
void leave_out_other_version(Remedy& remedy, const KnownOfLog& t) {
    if (!t.holds("pytorch==1.8.0")) remedy.commands.clear();
}

/// Only the compiler does not support the GPU: https://github.com/MIC-DKFZ/nnUNet/issues/2188
void run_without_compiler(Remedy& remedy, const KnownOfLog& t) {
    if (!t.has("torch_triton_gpu")) return;
    remedy.text =
        "Run without torch.compile, which needs compute capability 7.0 or later: PyTorch itself runs on this GPU. The "
        "variable TORCHDYNAMO_DISABLE=1 switches it off for every program; many have an option of their own";
    remedy.commands = {t.has("os_windows") ? "set TORCHDYNAMO_DISABLE=1" : "export TORCHDYNAMO_DISABLE=1"};
}

/// Packages of NCCL for two versions of CUDA contain the same file: https://github.com/pytorch/pytorch/issues/186591
void name_other_nccl(Remedy& remedy, const KnownOfLog& t) {
    const auto symbol = t.told("undefined_cuda_symbol", "symbol");
    if (!symbol || !symbol->starts_with("nccl")) return;
    remedy.text =
        "An NCCL that is older than the one PyTorch was built with is found first: remove its directory from "
        "LD_LIBRARY_PATH, or, where pip lists two packages (nvidia-nccl-cu12 and nvidia-nccl-cu13 share files) or an "
        "older one than torch requires, uninstall them and install torch again";
    remedy.commands = {"python -m pip list | grep -i nccl"};
}

/// https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html
void open_nodes_in_container(Remedy& remedy, const KnownOfLog& t) {
    if (!t.has("smi_insufficient_permissions") || !t.has("in_container")) return;
    remedy.text =
        "Under SELinux, start the container with --security-opt=label=disable, or let containers use the nodes. "
        "Without SELinux, the user of the container needs the permissions of the nodes on the host: a rootless "
        "container has those of the user who starts it";
    remedy.commands = {"getenforce"};
}

/// TensorRT is no part of CUDA: https://onnxruntime.ai/docs/execution-providers/TensorRT-ExecutionProvider.html
void name_tensorrt(Remedy& remedy, const KnownOfLog& t) {
    auto name = missing_library(t, "ort_tensorrt_requested");
    if (!name) name = missing_library(t, "missing_cuda_companion");
    if (!name || !contains(*name, "nvinfer")) return;
    const int major = major_in_file_name(*name).value_or(0);
    remedy.text = concat(*name, " is TensorRT", major > 0 ? concat(" ", major) : std::string(),
                         ", which no CUDA installation contains. Its Python package puts the libraries into "
                         "site-packages/tensorrt_libs: add that directory to LD_LIBRARY_PATH. Without TensorRT, leave "
                         "TensorrtExecutionProvider out of the providers: CUDA alone is used then");
    constexpr int oldest_by_cuda = 10;  // https://pypi.org/project/tensorrt-cu12/
    remedy.commands.clear();
    if (major >= oldest_by_cuda) remedy.commands = {concat("python -m pip install \"tensorrt-cu12==", major, ".*\"")};
}

/// What a cause's own remedy would miss for a line that holds. Of several lines that hold, the last row counts.
struct OwnRemedy {
    const char *cause, *word, *text, *command;
};

constexpr std::array own_remedies = {
    // https://download.nvidia.com/XFree86/Linux-x86_64/580.95.05/README/commonproblems.html
    OwnRemedy{"no_gpu_visible", "nvrm_not_claimed",
              "Another kernel driver holds the GPU. If it is nouveau, write the lines 'blacklist nouveau' and 'options "
              "nouveau modeset=0' to a file in /etc/modprobe.d, rebuild the initial RAM disk (update-initramfs -u or "
              "dracut --force) and reboot; if it is vfio-pci, the GPU is reserved for virtual machines",
              "lspci -k -d 10de:"},
    // https://github.com/NVIDIA/open-gpu-kernel-modules/issues/526
    OwnRemedy{"kernel_module_missing", "module_build_failed",
              "The file make.log that the line names contains the first error. Install the headers of the running "
              "kernel, then a driver that supports this kernel: a driver older than the kernel often does not build. "
              "Or start the previous kernel, which has its module",
              nullptr},
    // https://github.com/kohya-ss/sd-scripts/issues/1790 and https://docs.kernel.org/admin-guide/sysctl/vm.html
    OwnRemedy{"shared_memory_too_small", "torch_mmap_failed",
              "A process may map only a limited number of areas of memory, and each shared tensor is one. Raise the "
              "limit on the machine (the host of a container), use fewer workers (num_workers), or keep the data in "
              "one large tensor instead of many small ones. If the machine's memory is full, fewer workers help, too",
              "sudo sysctl -w vm.max_map_count=1048576"},
    // https://github.com/pytorch/pytorch/issues/102592 and https://github.com/microsoft/onnxruntime/issues/17986
    OwnRemedy{"system_library_too_old", "loaded_by_musl",
              "This system (Alpine) has the C library musl; the package, as all of NVIDIA's libraries, needs glibc, "
              "and a compatibility package for musl does not contain all of it. Use an image with glibc, for example "
              "python:3.12-slim instead of python:3.12-alpine",
              nullptr},
    // https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    OwnRemedy{"gpu_too_old", "arch_dropped_by_compiler",
              "This CUDA compiler no longer supports the architecture that the line names. If the GPU is newer, remove "
              "the architecture from the list of the build (TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES or "
              "-gencode); if the GPU has it, compile with an older CUDA: 11.8 is the last for 3.5 and 3.7, 12.9 for "
              "5.0 to 7.0",
              "nvidia-smi --query-gpu=name,compute_cap --format=csv"},
    // https://github.com/pyannote/pyannote-audio/issues/1952 and https://github.com/m-bain/whisperX/issues/1270
    OwnRemedy{"framework_packages_do_not_match", "torchaudio_api_of_other_version",
              "A package uses a function that the installed torchaudio does not have. Update the package "
              "of the last lines of the traceback, or install the PyTorch packages that it was written for, together: "
              "torchaudio 2.9 removed AudioMetaData, set_audio_backend and list_audio_backends",
              "python -m pip install \"torch<2.9\" \"torchaudio<2.9\""},
    // https://github.com/safetensors/safetensors/issues/641
    OwnRemedy{
        "framework_packages_do_not_match", "torch_api_of_other_version",
        "A package uses a function that the installed PyTorch does not have. Install the package of the last lines "
        "of the traceback in an older version, made for this PyTorch; or PyTorch, with torchvision and torchaudio, "
        "in a newer one",
        nullptr},
    // https://pytorch.org/docs/stable/notes/serialization.html
    OwnRemedy{"framework_packages_do_not_match", "torch_weights_only",
              "PyTorch 2.6 and later load only weights from a file by default. Update the package that loads "
              "the file; if you trust who made the file, set TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 until then, or install "
              "an older PyTorch, with torchvision and torchaudio of the same release. GPU and cuDNN have no part in it",
              nullptr},
    // https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html
    OwnRemedy{"container_no_gpu_runtime", "device_plugin_no_devices",
              "On the node, install nvidia-container-toolkit, make NVIDIA's runtime the default of containerd as the "
              "command does, restart containerd, and then the pod of the plugin; or give the plugin's pod, and those "
              "that use a GPU, the runtime class nvidia",
              "sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default"},
    // https://github.com/pytorch/pytorch/blob/main/torch/cuda/__init__.py, of a build with HIP
    OwnRemedy{"amd_gpu_not_covered", "torch_rocm_build",
              "This PyTorch is a build for AMD GPUs (ROCm), and it finds none. For an NVIDIA GPU, uninstall it and "
              "install one for CUDA; for an AMD GPU, see whether rocminfo lists it: its user must be in the groups "
              "render and video",
              nullptr},
    // https://github.com/pytorch/pytorch/blob/main/torch/nn/modules/rnn.py, check_input()
    OwnRemedy{"framework_passes_bad_parameter", "rnn_input_shape",
              "Give the layer input of the shape that it was created for: the last dimension is input_size, the "
              "features of one step; with batch_first=True the first is the batch. The line has both numbers: "
              "change input_size or the data. GPU and cuDNN have no part in it",
              nullptr},
    // https://github.com/pytorch/pytorch/issues/138649: in 2.5.0, not in 2.5.1
    OwnRemedy{"broken_framework_release", "torch_cudnn_attention",
              "Install PyTorch 2.5.1 or later, which does not choose cuDNN for attention by itself; or, before the "
              "first use of attention, call torch.backends.cuda.enable_cudnn_sdp(False)",
              "python -m pip install \"torch>=2.5.1\""},
    // https://github.com/protocolbuffers/protocolbuffers.github.io/blob/main/content/news/2022-05-06.md
    OwnRemedy{"framework_packages_do_not_match", "protobuf_clash",
              "Install the protobuf that the package was generated for, or a newer package",
              "python -m pip install \"protobuf<3.21\""},
    // https://github.com/numpy/numpy/blob/main/doc/source/numpy_2_0_migration_guide.rst
    OwnRemedy{"framework_packages_do_not_match", "numpy_clash",
              "Install a NumPy before 2 for packages that were built for NumPy 1, or newer packages",
              "python -m pip install \"numpy<2\""},
    // jax, jaxlib and the plug-ins are one installation: https://docs.jax.dev/en/latest/installation.html
    OwnRemedy{"framework_packages_do_not_match", "jax_packages_differ",
              "Install jax, jaxlib and the CUDA plug-in with one command, so that they are of the same version; add "
              "the version that the program needs to jax[cuda12], and use jax[cuda13] for a driver of CUDA 13",
              "python -m pip install -U \"jax[cuda12]\""}};

void speak_as_the_line(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    for (const OwnRemedy& own : own_remedies) {
        if (cause.cause != own.cause || !t.has(own.word)) continue;
        remedy.text = own.text;
        remedy.commands.clear();
        if (own.command) remedy.commands.emplace_back(own.command);
    }
}

}  // namespace

void speak_of_what_failed(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    if (cause.cause == "broken_framework_release") leave_out_other_version(remedy, t);
    speak_as_the_line(remedy, cause, t);
    if (cause.cause == "cpu_and_gpu_packages_both_installed") name_packages_that_share_files(remedy, t);
    if (cause.cause == "gpu_too_old") run_without_compiler(remedy, t);
    if (cause.cause == "cuda_library_shadowed") name_other_nccl(remedy, t);
    if (cause.cause == "device_nodes_unreadable") open_nodes_in_container(remedy, t);
    if (cause.cause == "cuda_library_not_installed" || cause.cause == "cuda_lib_not_on_loader_path")
        name_tensorrt(remedy, t);
}

}  // namespace rnncheck::rules
