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
        "{search_path}, or, where pip lists two packages (nvidia-nccl-cu12 and nvidia-nccl-cu13 share files) or an "
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
                         "site-packages/tensorrt_libs: add that directory to {search_path}. Without TensorRT, leave "
                         "TensorrtExecutionProvider out of the providers: CUDA alone is used then");
    constexpr int oldest_by_cuda = 10;  // https://pypi.org/project/tensorrt-cu12/
    remedy.commands.clear();
    if (major >= oldest_by_cuda) remedy.commands = {concat("python -m pip install \"tensorrt-cu12==", major, ".*\"")};
}

/// On a Jetson the nodes are /dev/nvmap and /dev/nvhost-*, which have no module option:
/// https://github.com/JuliaGPU/CUDA.jl/issues/2435
void open_nodes_of_jetson(Remedy& remedy, const KnownOfLog& t) {
    const LogEvent* line = find_by(t.log.events, &LogEvent::signature, "device_node_denied");
    if (!t.has("gpu_jetson") && !(line && contains(line->text, "NvRm"))) return;
    remedy.text =
        "Add the user to the groups video and render, which own /dev/nvmap and the other nodes of a Jetson, and log "
        "in again; start a container with --runtime nvidia, and with --group-add video for a user other than root";
    remedy.commands = {"sudo usermod -aG video,render $USER"};
}

/// What a cause's own remedy would miss for a line that holds. Of several lines that hold, the last row counts.
struct OwnRemedy {
    const char *cause, *word, *text, *command;
};

constexpr const char* torchcodec_of_torch =
    "Each torchcodec is for one version of PyTorch (0.9 and 0.8 for 2.9, 0.7 for 2.8), and for its CUDA version: "
    "install "
    "the one of this PyTorch, from the same index";

constexpr std::array own_remedies = {
    // https://github.com/woct0rdho/triton-windows/issues/158
    OwnRemedy{
        "framework_packages_do_not_match", "triton_api_of_other_version",
        "Each PyTorch works with one version of Triton (3.4 for 2.8, 3.5 for 2.9): install the one that pip check "
        "names, or, on Windows, the triton-windows of the same number; a Triton that was compiled here must be of "
        "that version, too",
        "python -m pip check"},
    // https://github.com/pytorch/pytorch/issues/123097
    OwnRemedy{"framework_packages_do_not_match", "mkl_too_new",
              "conda's PyTorch is linked with an older MKL: install one before 2024.1, or PyTorch from pip, which "
              "contains it (Intel's oneAPI: 2024.0, and not in {search_path})",
              "conda install \"mkl<2024.1\""},
    // https://github.com/SYSTRAN/faster-whisper/issues/4
    OwnRemedy{"device_number_out_of_range", "device_with_number_refused",
              "CTranslate2 takes the number of the GPU apart from the device: device=\"cuda\" with device_index=1 "
              "(WhisperX: --device cuda --device_index 1)",
              "nvidia-smi -L"},
    // https://github.com/NVIDIA/TensorRT/issues/2727
    OwnRemedy{"gpu_arch_not_in_build", "trt_gpu_unsupported",
              "Install a TensorRT that supports the GPU (8.5 or later for RTX 40, one for CUDA 12.8 or later for RTX "
              "50), with its CUDA and cuDNN, and build the engines again with it",
              "python -m pip install -U tensorrt"},
    // https://docs.jax.dev/en/latest/installation.html and https://github.com/jax-ml/jax/issues/18027
    OwnRemedy{"cuda_version_not_the_one_built_for", "jax_found_cuda",
              "If pip lists a library as new as the one that JAX was built with, an older CUDA is found before it: "
              "remove that from {search_path}. Otherwise update JAX and its libraries together; where the CUDA of "
              "the system must be used, install the JAX that was built with it",
              "python -m pip install -U \"jax[cuda12]\""},
    // https://pytorch.org/docs/stable/generated/torch.load.html
    OwnRemedy{
        "no_gpu_visible", "deserialize_without_cuda",
        "The file was saved on a GPU, and no GPU is visible here. To use it on the CPU, pass map_location='cpu' to "
        "torch.load; many programs have an option for it (--device cpu). To use a GPU, install a PyTorch "
        "with CUDA, and check that nvidia-smi lists the GPU and that CUDA_VISIBLE_DEVICES is not empty",
        "python -c \"import torch; print(torch.version.cuda, torch.cuda.is_available())\""},
    OwnRemedy{"cpu_only_build", "deserialize_without_cuda",
              "The file was saved on a GPU. To use it on the CPU, pass map_location='cpu' to torch.load (many programs "
              "have an option for it); to use a GPU, install the build of PyTorch with CUDA, in the same version",
              "python -m pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128"},
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
    // https://github.com/woct0rdho/triton-windows/issues/113
    OwnRemedy{"host_compiler_missing", "python_header_missing",
              "Install the header files of this Python: python3-dev (Debian, Ubuntu) or python3-devel (Fedora, RHEL), "
              "with the version in the name if several are installed. An embedded Python on Windows has none: copy "
              "the directories include and libs of a full installation of the same version into it",
              "apt-get install python3-dev"},
    // https://github.com/state-spaces/mamba/issues/123 and triton/backends/nvidia/driver.py
    OwnRemedy{"host_compiler_missing", "linker_no_libcuda",
              "The driver has installed libcuda.so.1 only; the linker searches libcuda.so. Let it use the stub of the "
              "CUDA Toolkit (the directory must not be in {search_path}), or set TRITON_LIBCUDA_PATH to a directory "
              "that contains libcuda.so",
              "export LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LIBRARY_PATH"},
    // https://github.com/pytorch/pytorch/blob/main/torch/distributed/distributed_c10d.py
    OwnRemedy{"distributed_ranks_disconnected", "distributed_port_in_use",
              "Another program, or an earlier run that still exists, uses the port: end it, or choose another port "
              "(torchrun --master-port, or the variable MASTER_PORT)",
              "ss -ltnp | grep 29500"},
    // https://github.com/bitsandbytes-foundation/bitsandbytes/blob/main/bitsandbytes/cextension.py
    OwnRemedy{"framework_packages_do_not_match", "bnb_library_missing",
              "This bitsandbytes contains no library for the CUDA version of this PyTorch, or finds no CUDA. Update "
              "it; if it is new already, install a PyTorch for a CUDA version that it contains (the files "
              "libbitsandbytes_cuda*.so of the package). On a CPU-only PyTorch, install one for CUDA first",
              "python -m pip install -U bitsandbytes"},
    // https://github.com/facebookresearch/xformers
    OwnRemedy{"framework_packages_do_not_match", "xformers_other_torch",
              "Each xFormers is built for exactly one PyTorch, which the warning names: install the xFormers for this "
              "PyTorch, from the same index, or none (many programs run without it)",
              "python -m pip uninstall xformers"},
    OwnRemedy{"framework_packages_do_not_match", "xformers_no_operator",
              "The lines below the message name, for each kernel, why it was not used: install the xFormers that is "
              "built for this PyTorch, or switch it off in the program (PyTorch has its own attention)",
              "python -m xformers.info"},
    // https://github.com/meta-pytorch/torchcodec, the table of versions
    OwnRemedy{"framework_packages_do_not_match", "torchcodec_failed", torchcodec_of_torch,
              "python -m pip list | grep -i -E \"torch|nvidia\""},
    // https://github.com/NVIDIA/nvidia-installer
    OwnRemedy{
        "no_gpu_visible", "nouveau_in_use",
        "The driver nouveau holds the GPU. Write the lines 'blacklist nouveau' and 'options nouveau modeset=0' to "
        "a file in /etc/modprobe.d, rebuild the initial RAM disk (update-initramfs -u or dracut --force), reboot, "
        "and start the installer again",
        "lspci -k -d 10de:"},
    // https://github.com/cupy/cupy/blob/main/docs/source/install.rst
    OwnRemedy{"cuda_toolkit_not_found", "cupy_no_toolkit",
              "Set CUDA_PATH to the directory of a CUDA Toolkit of the major version that this CuPy is built for, or "
              "install CuPy with the headers from PyPI: cupy-cuda12x[ctk], cupy-cuda13x[ctk]",
              "python -c \"import cupy; cupy.show_config()\""},
    // https://github.com/pytorch/pytorch/blob/main/torch/csrc/autograd/saved_variable.cpp
    OwnRemedy{
        "framework_passes_bad_parameter", "backward_twice",
        "In a recurrent network the state of the last batch still belongs to its graph: detach it before the next "
        "batch (h = h.detach(); for an LSTM both tensors). Otherwise compute the loss again for each backward(). "
        "GPU and cuDNN have no part in it",
        nullptr},
    // https://github.com/keras-team/keras/blob/master/keras/src/layers/input_spec.py
    OwnRemedy{"framework_passes_bad_parameter", "keras_rnn_input_shape",
              "A recurrent layer needs input of the shape (batch, steps, features): add the missing dimension with "
              "Reshape or np.expand_dims, or give the recurrent layer before it return_sequences=True. GPU and cuDNN "
              "have no part in it",
              nullptr},
    // https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/model.cc
    OwnRemedy{
        "framework_packages_do_not_match", "ort_model_too_new",
        "The file was written by a newer onnx than this ONNX Runtime reads: update ONNX Runtime (keep the package "
        "for the GPU), or export again with an older onnx or opset",
        "python -m pip list | grep -i onnx"},
    // https://github.com/JuliaGPU/CUDA.jl/blob/master/src/initialization.jl
    OwnRemedy{"cuda_library_shadowed", "julia_system_library",
              "Start Julia without {search_path}, or without the directory that the line names: CUDA.jl downloads its "
              "own libraries. To use those of the system, call CUDA.set_runtime_version!(local_toolkit=true)",
              "env -u LD_LIBRARY_PATH julia"},
    // https://github.com/meta-pytorch/torchcodec, the table of versions
    OwnRemedy{"framework_packages_do_not_match", "torchcodec_library", torchcodec_of_torch,
              "python -m pip list | grep -i -E \"torch|nvidia\""},
    // https://github.com/Dao-AILab/flash-attention/issues/1832
    OwnRemedy{"framework_packages_do_not_match", "compiled_extension",
              "The extension that the line names is compiled for another PyTorch: install its wheel for this PyTorch, "
              "CUDA version, Python and C++ ABI (their release pages have one file for each), or compile it here: "
              "python -m pip install --no-build-isolation --no-binary with its name. Many programs also run without it",
              "python -c \"import torch; print(torch.__version__, torch.version.cuda, "
              "torch._C._GLIBCXX_USE_CXX11_ABI)\""},
    // https://github.com/KlingAIResearch/LivePortrait/issues/124
    OwnRemedy{"package_not_available", "triton_not_available",
              "Triton itself has packages for Linux only: on Windows, install triton-windows in the version for this "
              "PyTorch, or run without torch.compile",
              nullptr},
    // https://pypi.org/pypi/tensorflow/2.15.0/json and 2.15.1: requires_dist
    OwnRemedy{"package_not_available", "tensorrt_libs_pinned",
              "TensorFlow 2.15.0 with CUDA requires tensorrt-libs 8.6.1, which pip does not get from PyPI; 2.15.1 does "
              "not require it",
              "python -m pip install \"tensorflow[and-cuda]==2.15.1\""},
    // https://docs.nvidia.com/datacenter/tesla/mig-user-guide/, CUDA visible devices
    OwnRemedy{"gpu_hidden_by_setting", "torch_device_count_changed",
              "The number of GPUs is not the one that PyTorch counted first: set CUDA_VISIBLE_DEVICES before Python "
              "starts, not in the program. If the GPU is divided (MIG), the value is the UUID of one part, MIG-..., "
              "which the command lists; otherwise an index, or no variable",
              "nvidia-smi -L"},
    // https://onnxruntime.ai/docs/install/
    OwnRemedy{"cpu_only_build", "ort_no_acceleration",
              "Install onnxruntime-gpu, and uninstall the package onnxruntime first, whose files it shares. Its CUDA "
              "version must be that of the CUDA libraries: the package of PyPI is for one major version of CUDA",
              "python -m pip list | grep -i onnx"},
    // https://github.com/ollama/ollama/issues/9503
    OwnRemedy{"driver_too_old", "ollama_driver_old_or_missing",
              "Run nvidia-smi where the program runs. If it fails there, the driver is missing, not old: start the "
              "container with --gpus all (on a Jetson with --runtime nvidia, and an image for its JetPack). If it "
              "prints a GPU, update the driver to one that still supports it",
              "nvidia-smi"},
    // https://github.com/pytorch/pytorch/issues/138986
    OwnRemedy{"package_files_missing", "torch_xpu_not_loaded",
              "This PyTorch is the build for Intel GPUs: install the newest driver of the Intel GPU and the newest "
              "build, in an environment without other oneAPI libraries in PATH. For an NVIDIA GPU, install PyTorch "
              "for CUDA instead",
              "python -m pip install -U torch --index-url https://download.pytorch.org/whl/xpu"},
    // https://github.com/LaurentMazare/tch-rs/blob/main/torch-sys/build.rs
    OwnRemedy{"package_files_missing", "rust_no_libtorch",
              "Install libtorch and set LIBTORCH to its directory, or let the build use the PyTorch of a Python "
              "environment: its version must be the one that this tch is made for",
              "export LIBTORCH_USE_PYTORCH=1"},
    // https://github.com/coreylowman/cudarc/blob/main/build.rs
    OwnRemedy{"cuda_version_not_the_one_built_for", "rust_toolkit_unknown",
              "Update cudarc (or candle, burn), or let nvcc of a CUDA version that this cudarc knows be first in PATH; "
              "CUDARC_CUDA_VERSION=12080 chooses CUDA 12.8 without it",
              "nvcc --version"},
    // https://github.com/huggingface/candle/blob/0.3.0/candle-kernels/build.rs
    OwnRemedy{"driver_missing", "rust_nvidia_smi",
              "The build runs nvidia-smi to find the GPU. Where it is built without one (an image), set "
              "CUDA_COMPUTE_CAP to the capability of the GPU that will be used, without the point: 89 for 8.9",
              "nvidia-smi --query-gpu=name,compute_cap --format=csv"},
    // https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-erref
    OwnRemedy{"package_files_missing", "winerror_193",
              "The DLL that the traceback loads is damaged or for another processor: use a 64-bit Python, and install "
              "the package of the last lines of the traceback again without the cache",
              "python -c \"import struct; print(struct.calcsize('P') * 8)\""},
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
    // https://github.com/pytorch/pytorch/blob/main/torch/nn/modules/rnn.py, flatten_parameters()
    OwnRemedy{"harmless_line", "weights_not_contiguous",
              "The results are correct, but every call copies all weights, which costs time and memory: call "
              "flatten_parameters() of the layer once after its weights were loaded, moved or copied (with "
              "DataParallel at the beginning of forward)",
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
              "python -m pip install -U \"jax[cuda12]\""},
    OwnRemedy{"framework_packages_do_not_match", "torchaudio_not_loaded",
              "Install torch, torchaudio and torchvision of the same version together, from the same index; a file "
              "named torchaudio.py in the program's directory has the same effect",
              "python -m pip install --force-reinstall torch torchaudio"}};

void speak_as_the_line(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    for (const OwnRemedy& own : own_remedies) {
        if (cause.cause != own.cause || !t.has(own.word)) continue;
        remedy.text = own.text;
        remedy.commands.clear();
        if (!own.command) continue;
        const std::string_view command = own.command;
        const bool is_list = command.starts_with("python -m pip list");
        if (!t.has("os_windows") || !is_for_unix(command))
            remedy.commands.emplace_back(command);
        else if (is_list)  // without grep
            remedy.commands.emplace_back("python -m pip list");
    }
}

}  // namespace

void speak_of_what_failed(Remedy& remedy, const LogCause& cause, const KnownOfLog& t) {
    if (cause.cause == "broken_framework_release") leave_out_other_version(remedy, t);
    speak_as_the_line(remedy, cause, t);
    if (cause.cause == "cpu_and_gpu_packages_both_installed") name_packages_that_share_files(remedy, t);
    if (cause.cause == "gpu_too_old") run_without_compiler(remedy, t);
    if (cause.cause == "cuda_library_shadowed") name_other_nccl(remedy, t);
    if (cause.cause == "device_nodes_unreadable") {
        open_nodes_of_jetson(remedy, t);
        open_nodes_in_container(remedy, t);
    }
    if (cause.cause == "cuda_library_not_installed" || cause.cause == "cuda_lib_not_on_loader_path")
        name_tensorrt(remedy, t);
}

/// A check of another place than the cause's own.
std::optional<DecidingCheck> check_of_what_failed(const LogCause& cause, const KnownOfLog& t) {
    if (cause.cause != "container_no_gpu_runtime" || !(t.has("in_kubernetes") || t.has("device_plugin_no_devices")))
        return std::nullopt;
    // https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    return DecidingCheck{
        "List what the nodes report: if none has nvidia.com/gpu, the runtime of the nodes gives containers no GPU; if "
        "one has, check that the pod requests it under resources.limits",
        "kubectl describe nodes | grep -E \"^Name:|nvidia.com/gpu\""};
}

}  // namespace rnncheck::rules
