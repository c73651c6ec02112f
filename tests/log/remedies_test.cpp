// The commands that a log's causes are repaired with: in the versions that the log requests, for
// the reader's shell.
#include "base/text.hpp"
#include "judge.hpp"
#include "rules/causes/log_causes.hpp"
#include "support/advice.hpp"

using namespace rnncheck;

namespace {

using test::about;
using test::Advice;
using Commands = std::vector<std::string>;
constexpr const char* without_cudnn_8 =
    "libcudnn.so.8: cannot open shared object file: No such file or directory\n";

}  // namespace

TEST_CASE("the package of cuDNN has the major that the log names, for the CUDA of the framework") {
    CHECK(
        about("cudnn_not_installed", without_cudnn_8, {{"framework", "tensorflow 2.10", {}}})
            .commands() == Commands{"python -m pip install \"nvidia-cudnn-cu11==8.*\""});
    CHECK(
        about(
            "cudnn_major_soname_mismatch", without_cudnn_8, {{"framework", "ctranslate2 4.4", {}}})
            .commands() == Commands{"python -m pip install \"nvidia-cudnn-cu12==8.*\""});
    CHECK(
        about(
            "cudnn_not_installed",
            "libcudnn.so.9: cannot open shared object file\n",
            {{"framework", "pytorch 2.9+cu130", {}}})
            .commands() == Commands{"python -m pip install \"nvidia-cudnn-cu13==9.*\""});
}

TEST_CASE("where the CUDA is not known the remedy has a command for each") {
    const Advice advice = about("cudnn_not_installed", without_cudnn_8);
    REQUIRE(advice.remedies.size() == 1);
    const std::string& text = advice.remedies[0].text;
    CHECK(text.starts_with("If the program uses CUDA 12: "));
    CHECK(text.ends_with("If it uses CUDA 11: python -m pip install \"nvidia-cudnn-cu11==8.*\""));
    CHECK(advice.commands() == Commands{"python -m pip install \"nvidia-cudnn-cu12==8.*\""});
}

TEST_CASE(
    "of the CUDA versions that a cuDNN is made for, the one that most builds use comes first") {
    CHECK(
        about("cudnn_not_installed", "libcudnn.so.9: cannot open shared object file\n")
            .commands() == Commands{"python -m pip install \"nvidia-cudnn-cu12==9.*\""});
}

TEST_CASE("no package of cuDNN where the log does not show which major version the program needs") {
    const char* log =
        "UnknownError: Fail to find the dnn implementation.\n\t [[{{node CudnnRNN}}]]\n";
    CHECK(about("cudnn_runtime_older_than_built", log).commands().empty());
    CHECK(
        about("cudnn_runtime_older_than_built", log, {{"framework", "tensorflow 2.10", {}}})
            .commands() == Commands{"python -m pip install \"nvidia-cudnn-cu11==8.*\""});
}

TEST_CASE("no package for a CUDA that the framework has no build for") {
    const char* log = "libcudnn.so.9: cannot open shared object file: No such file or directory\n";
    const std::string for_any = about("cudnn_not_installed", log).remedies.front().text;
    CHECK(
        contains(for_any, "If it uses CUDA 13: python -m pip install \"nvidia-cudnn-cu13==9.*\""));
    CHECK(
        about("cudnn_not_installed", log, {{"framework", "ctranslate2", {}}}).commands() ==
        Commands{"python -m pip install \"nvidia-cudnn-cu12==9.*\""});
}

TEST_CASE("a cuDNN for which there is no package gets no command") {
    CHECK(about(
              "cudnn_not_installed",
              "libcudnn.so.7: cannot open shared object file\n",
              {{"framework", "tensorflow 2.1", {}}})
              .commands()
              .empty());
}

TEST_CASE("an upgrade keeps the major and reaches the minor that the build wants") {
    const char* log =
        "Loaded runtime CuDNN library: 8.1.1 but source was compiled with: 8.6.0. CuDNN library "
        "needs\n";
    CHECK(
        about("cudnn_runtime_older_than_built", log, {{"framework", "tensorflow 2.12", {}}})
            .commands() == Commands{"python -m pip install \"nvidia-cudnn-cu11>=8.6,<9\""});
}

TEST_CASE("no package of a CUDA for which the wanted cuDNN was never made") {
    const Advice advice = about(
        "cudnn_runtime_older_than_built",
        "Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.\n");
    CHECK(advice.commands() == Commands{"python -m pip install \"nvidia-cudnn-cu11>=8.1,<9\""});
}

TEST_CASE(
    "the two digits in the name of a library of Windows are a minor version before CUDA 10 only") {
    const auto commands = [](const std::string& file) {
        return about("cuda_version_mismatch", file + " not found\n", {{"cuda", "11.8", {}}})
            .commands();
    };
    CHECK(commands("cudart64_90.dll").empty());
    CHECK(
        commands("cublas64_12.dll") ==
        Commands{"python -m pip install \"nvidia-cublas-cu12==12.*\" "
                 "\"nvidia-cuda-runtime-cu12==12.*\""});
}

TEST_CASE("a check queries no framework that the log is not about") {
    const auto check = [](const char* framework) {
        return about(
                   "cpu_only_build",
                   "Torch not compiled with CUDA enabled\n",
                   {{"framework", framework, {}}})
            .check->command;
    };
    CHECK(
        check("pytorch 2.5") ==
        "python -c \"import torch; print(torch.version.cuda)\"; python -m pip list");
    CHECK(check("onnxruntime 1.20") == "python -m pip list");
}

TEST_CASE("no package of cuDNN that has left the GPU behind") {
    const char* log = "libcudnn.so.9: cannot open shared object file: No such file or directory\n";
    const auto command = [&](const char* gpu) {
        return about(
                   "cudnn_not_installed",
                   log,
                   {{"framework", "pytorch 2.6+cu124", {}}, {"gpu", gpu, {}}})
            .commands();
    };
    CHECK(command("GTX 1080") == Commands{"python -m pip install \"nvidia-cudnn-cu12>=9,<9.11\""});
    CHECK(command("RTX 3090") == Commands{"python -m pip install \"nvidia-cudnn-cu12==9.*\""});
    CHECK(command("Tesla K80").empty());
}

TEST_CASE("NVRTC of exactly the CUDA that its builtins name, by the package's name of that CUDA") {
    const auto command = [](const char* file) {
        return about("nvrtc_missing", std::string(file) + ": cannot open shared object file\n")
            .commands();
    };
    CHECK(
        command("libnvrtc-builtins.so.12.4") ==
        Commands{"python -m pip install \"nvidia-cuda-nvrtc-cu12==12.4.*\""});
    CHECK(
        about("nvrtc_missing", "nvrtc: error: failed to open libnvrtc-builtins.so.11.8.\n")
            .commands() == Commands{"python -m pip install \"nvidia-cuda-nvrtc-cu11==11.8.*\""});
    CHECK(command("libnvrtc-builtins.so.11.3").empty());  // no such package
    CHECK(
        command("libnvrtc.so.13") == Commands{"python -m pip install \"nvidia-cuda-nvrtc==13.*\""});
}

TEST_CASE("a GPU without code leads to a build that has code for it") {
    const char* log =
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current "
        "PyTorch installation.\n"
        "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 "
        "sm_86 sm_90.\n";
    CHECK(
        about("gpu_arch_not_in_build", log).commands() ==
        Commands{"python -m pip install --force-reinstall \"torch==2.11.*\" torchvision "
                 "\"torchaudio==2.11.*\" --index-url https://download.pytorch.org/whl/cu128"});
    const Advice windows = about("gpu_arch_not_in_build", log, {{"os", "windows", {}}});
    CHECK(contains(windows.commands().front(), "/whl/cu128"));
    CHECK(windows.remedies.front().text.ends_with(
        "The command rnncheck matrix plan gpu=12.0 framework=pytorch os=windows lists other "
        "builds"));
    CHECK(
        about("gpu_too_old", "CUDNN_STATUS_ARCH_MISMATCH\n").commands() ==
        Commands{"rnncheck matrix plan gpu=\"$(nvidia-smi --query-gpu=name --format=csv,noheader "
                 "| head -n 1)\""});
}

TEST_CASE("Windows gets commands of its own shells or none") {
    const char* log =
        "Could not load dynamic library 'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found\n";
    const Advice advice = about("cudnn_not_on_loader_path", log, {{"os", "windows", {}}});
    CHECK(advice.commands().empty());
    REQUIRE(advice.check);
    CHECK(advice.check->command == "where.exe /R \"C:\\Program Files\" cudnn*64_*.dll");
}

TEST_CASE("cuDNN's answer about missing lengths is no missing cuDNN") {
    const char* log = "Sequence lengths for RNN are required from CUDNN 9.0+\n";
    CHECK(
        about("cudnn_op_too_old_for_build", log).commands() ==
        Commands{"python -m pip install \"keras>=3.2\""});
}

TEST_CASE("in a conda environment pip runs there, and conda's packages stay conda's") {
    const std::string log =
        "  File "
        "\"/home/u/miniconda3/envs/tf-gpu/lib/python3.10/site-packages/tensorflow/__init__.py\"\n";
    const Advice advice =
        about("cudnn_not_installed", log + without_cudnn_8, {{"framework", "tensorflow 2.10", {}}});
    CHECK(
        advice.commands() ==
        Commands{"conda activate tf-gpu", "python -m pip install \"nvidia-cudnn-cu11==8.*\""});
    CHECK(contains(advice.remedies.front().text, "conda install"));
}

TEST_CASE("a program outside Python gets the system's or its language's package of cuDNN") {
    const char* go =
        "panic: Error loading ONNX shared library: libcudnn.so.9: cannot open shared object file: "
        "No such file or "
        "directory\ngoroutine 1 [running]:\nthread 'main' panicked at src/main.rs:6:8:\n";
    CHECK(
        about("cudnn_not_installed", go).commands() ==
        Commands{"sudo apt-get install libcudnn9-cuda-12"});
    const char* julia =
        "┌ Warning: cuDNN is not functional in LuxCUDA.jl. Some functionality will not be "
        "available.\n";
    const Advice advice = about("cudnn_not_installed", julia);
    CHECK(advice.commands().empty());
    CHECK(contains(advice.remedies.front().text, "Pkg.add"));
}

TEST_CASE("on Windows the reader learns where the package puts its DLLs") {
    const Advice advice = about(
        "cudnn_not_installed",
        "Could not load library cudnn_ops_infer64_8.dll. Error code 126\n",
        {{"framework", "tensorflow 2.10", {}}, {"os", "Windows 10", {}}});
    CHECK(contains(advice.remedies.front().text, "site-packages\\nvidia\\cudnn\\bin"));
    CHECK(contains(advice.remedies.front().text, "to PATH before the program starts"));
    CHECK_FALSE(contains(advice.remedies.front().text, "or call os.add_dll_directory()"));
}

TEST_CASE("in a hosted notebook a cell installs, the session is restarted, and the driver stays") {
    const std::string kaggle = "  File \"/kaggle/working/train.py\", line 3, in <module>\n";
    const Advice advice = about(
        "cudnn_not_installed", kaggle + without_cudnn_8, {{"framework", "tensorflow 2.10", {}}});
    CHECK(advice.commands() == Commands{"!python -m pip install \"nvidia-cudnn-cu11==8.*\""});
    CHECK(contains(advice.remedies.front().text, "restart the session"));
    const Advice driver = about(
        "driver_too_old",
        "from google.colab import drive\nThe NVIDIA driver on your system is too "
        "old (found version 11040). Please update your GPU driver\n");
    CHECK(contains(driver.remedies.front().text, "belongs to the service"));
    CHECK(driver.commands().empty());
}

TEST_CASE("a driver too old: a build that runs on the driver of the log") {
    const Advice advice = about(
        "driver_too_old",
        "| NVIDIA-SMI 510.85.02    Driver Version: 510.85.02    CUDA Version: 11.6     |\n"
        "RuntimeError: CUDA failed with error CUDA driver version is insufficient for CUDA "
        "runtime version\n",
        {{"framework", "ctranslate2 4.0.0", {}}});
    CHECK(advice.commands() == Commands{"python -m pip install ctranslate2==3.24.0"});
    CHECK(contains(
        advice.remedies.front().text,
        "rnncheck matrix plan driver=510.85.02 framework=ctranslate2"));
}

TEST_CASE("a driver too old: the driver that the image or the build needs, if it drives the GPU") {
    const char* image =
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.6, please "
        "update\n";
    const char* branch =
        "unsatisfied condition: driver>=535, please update your driver to a newer version\n";
    const char* build = "CUDA driver version is insufficient for CUDA runtime version\n";
    const auto text = [](std::string_view log, std::vector<UserHint> hints = {}) {
        return about("driver_too_old", log, std::move(hints)).remedies.front().text;
    };
    CHECK(text(image).ends_with(". CUDA 12.6 needs driver 560.28.03 or later"));
    CHECK(text(image, {{"os", "wsl", {}}}).ends_with(". CUDA 12.6 needs driver 560.76 or later"));
    CHECK(text(branch).ends_with(". The image requires driver 535 or later"));
    CHECK(text(build, {{"framework", "pytorch 2.4+cu124", {}}})
              .ends_with(". CUDA 12.4 needs driver 525.60.13 or later"));
    CHECK_FALSE(contains(text(build), "needs driver"));
    CHECK_FALSE(contains(text(image, {{"gpu", "Tesla K80", {}}}), "needs driver"));
}

TEST_CASE("where apt knows no package of cuDNN the reader learns of NVIDIA's repository") {
    const Advice advice = about("cudnn_not_installed", "E: Unable to locate package libcudnn8\n");
    CHECK(contains(advice.remedies.front().text, "cuda-keyring"));
    CHECK_FALSE(contains(
        about("cudnn_not_installed", without_cudnn_8).remedies.front().text, "cuda-keyring"));
}

TEST_CASE("the cuDNN inside PyTorch for Windows comes back with PyTorch") {
    const Advice advice = about(
        "cudnn_installation_broken",
        "OSError: [WinError 126] The specified module could not be found. Error loading "
        "\"C:\\py\\Lib\\site-packages\\torch\\lib\\cudnn_ops_infer64_8.dll\" or one of its "
        "dependencies.\n");
    CHECK(contains(advice.remedies.front().text, "reinstall PyTorch"));
}

TEST_CASE("DirectML has no recurrent networks of cuDNN, whatever the framework") {
    const auto text_for = [](const char* log, std::vector<UserHint> hints = {}) {
        const Advice advice = about("plugin_without_cudnn_rnn", log, std::move(hints));
        CHECK_FALSE(advice.check);
        CHECK_FALSE(contains(advice.remedies.front().text, "Keras 3"));
        return advice.remedies.front().text;
    };
    const char* of_gpu =
        "No OpKernel was registered to support Op 'CudnnRNN' used by {{node CudnnRNN}}\n"
        "Registered devices: [CPU, GPU]\nRegistered kernels:\n  <no registered kernels>\n";
    const char* of_dml =
        "No OpKernel was registered to support Op 'CudnnRNN' used by node lstm/CudnnRNN\n"
        "Registered devices: [CPU, DML]\nRegistered kernels:\n  <no registered kernels>\n";
    CHECK(contains(text_for(of_gpu, {{"os", "windows", {}}}), "WSL 2"));
    CHECK(contains(text_for(of_dml), "LSTMCell(units)"));
    CHECK(contains(
        text_for("UserWarning: The operator 'aten::_thnn_fused_lstm_cell' is not "
                 "currently supported on the DML backend and will fall back\n"),
        "LSTM and GRU on the CPU"));
    CHECK(contains(
        text_for("UserWarning: Specified provider 'CUDAExecutionProvider' is not in "
                 "available provider names.Available providers: "
                 "'DmlExecutionProvider, CPUExecutionProvider'\n"),
        "onnxruntime-directml has no CUDA provider"));
}

TEST_CASE("beside a GPU of DirectML no other cause is named") {
    for (const char* device : {"GPU", "DML"}) {
        Facts facts;
        facts.tool.stages = {"log"};
        facts.log = test::log_read(concat(
            "No OpKernel was registered to support Op 'CudnnRNN' used by node CudnnRNN\n"
            "Registered devices: [CPU, ",
            device,
            "]\nRegistered kernels:\n  <no registered kernels>\n"));
        const auto findings = judge(std::move(facts), test::bundled_matrix(), {}).findings;
        REQUIRE(findings.size() == 1);
        CHECK(findings.front().rule == "plugin_without_cudnn_rnn");
    }
}

TEST_CASE("DLLs of Windows are searched for by their own names") {
    const auto check = [](const char* log) {
        const Advice advice = about("cuda_lib_not_on_loader_path", log, {{"os", "windows", {}}});
        REQUIRE(advice.check);
        return advice.check->command;
    };
    CHECK(
        check("Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not "
              "found") == "where.exe cudart64_*.dll");
}

TEST_CASE("a command for Windows runs there, and a check that only Unix has gets one for Windows") {
    for (const char* unix_only :
         {"ldconfig -p",
          "ls -l /usr/lib",
          "CUDA_LAUNCH_BLOCKING=1 python a.py",
          "a; b",
          "ulimit -v",
          "df -h ."})
        CHECK(rules::is_for_unix(unix_only));
    CHECK_FALSE(rules::is_for_unix("python -m pip install \"tensorflow<2.11; x\""));
    CHECK_FALSE(rules::is_for_unix("$env:A = \"1\"; python a.py"));
    for (const LogCause& row : test::bundled_matrix().log_causes()) {
        INFO(row.cause);
        CHECK_FALSE(rules::is_for_unix(row.windows_command));
        CHECK_FALSE(rules::is_for_unix(row.windows_check_command));
        const bool on_windows =
            row.layer == "cudnn" || row.layer == "runtime" || row.layer == "rnn";
        if (on_windows && rules::is_for_unix(row.check_command))
            CHECK_FALSE(row.windows_check_command.empty());
    }
    for (const LogRemedy& row : test::bundled_matrix().log_remedies())
        CHECK_FALSE(rules::is_for_unix(row.windows_command));
}

TEST_CASE("a build with CUDA is that of the framework in the log, and no other is named") {
    for (const auto& [log, package] : std::initializer_list<std::pair<const char*, const char*>>{
             {"RuntimeError: Unknown backend: 'gpu' requested, but no platforms that are instances "
              "of gpu are present. "
              "Platforms present are: cpu\njax/_src/xla_bridge.py\n",
              "jax[cuda12]"},
             {"ValueError: No available device found.\n", "paddlepaddle-gpu"},
             {"UserWarning: Specified provider 'CUDAExecutionProvider' is not in available "
              "provider names.Available "
              "providers: 'AzureExecutionProvider, CPUExecutionProvider'\n",
              "onnxruntime-gpu"}}) {
        const Advice advice = about("cpu_only_build", log);
        INFO(log);
        CHECK(contains(advice.commands().back(), package));
        CHECK_FALSE(contains(advice.remedies.front().text, "tensorflow"));
    }
}

TEST_CASE("a container of Podman, Kubernetes or Apptainer is not repaired with Docker") {
    const auto text = [](const char* log) {
        return about("container_no_gpu_runtime", log).remedies.front().text;
    };
    CHECK(contains(
        text("Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all\n"),
        "nvidia-ctk cdi generate"));
    CHECK(contains(text("kubelet: Found no NVIDIA driver on your system\n"), "nvidia.com/gpu: 1"));
    CHECK(contains(text("apptainer run: Found no NVIDIA driver on your system\n"), "--nv"));
}

TEST_CASE("programs that are not Python are not advised to use its packages") {
    const char* log =
        "panic: libonnxruntime_providers_cuda.so: libcudnn.so.9: cannot open shared object file\n";
    for (const std::string& command : about("cudnn_not_installed", log).commands())
        CHECK_FALSE(contains(command, "python"));
}

TEST_CASE("a remedy names no other framework, and none of Python where another installer failed") {
    const char* jax =
        "jax 0.4.26\nGPU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR failed: "
        "CUDA_ERROR_NOT_INITIALIZED\n";
    for (const std::string& command : about("framework_version_defective", jax).commands())
        CHECK(contains(command, "jax"));
    const char* r = "Error in `download_file()`:\nError: Unsupported CUDA version '11.3'\n";
    CHECK_FALSE(contains(about("package_not_available", r).remedies.front().text, "Python"));
}

TEST_CASE("what a line names more exactly than its cause has a remedy of its own") {
    const auto remedy_text = [](const char* cause, const char* log) {
        const Advice advice = about(cause, log);
        return advice.remedies.front().text + " | " + join(advice.commands(), " && ");
    };
    struct Row {
        const char *cause, *log, *expected;
    };
    const Row rows[] = {
        {"gpu_too_old",
         "RuntimeError: Found NVIDIA GeForce GTX 1080 Ti which is too old to be supported by the "
         "triton GPU compiler, "
         "which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, "
         "but your device is of "
         "CUDA capability 6.1",
         "TORCHDYNAMO_DISABLE=1"},
        {"cuda_library_shadowed",
         "torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister",
         "grep -i nccl"},
        {"device_nodes_unreadable",
         "podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi\nFailed to initialize "
         "NVML: Insufficient "
         "Permissions",
         "label=disable"},
        {"cuda_library_not_installed",
         "EP Error Failed to load library libonnxruntime_providers_tensorrt.so with error: "
         "libnvinfer.so.10: cannot "
         "open shared object file",
         "tensorrt-cu12==10.*"},
        {"framework_packages_do_not_match",
         "RuntimeError: jaxlib version 0.4.26 is newer than and incompatible with jax version "
         "0.4.25.",
         "jax[cuda12]"},
        {"framework_version_defective",
         "torch 2.5.0+cu124\ncuDNN Frontend error: [cudnn_frontend] Error: No execution plans "
         "support the graph",
         "torch>=2.5.1"},
        {"cpu_and_gpu_packages_both_installed",
         "Available providers: ['AzureExecutionProvider', 'CPUExecutionProvider']",
         "uninstall -y onnxruntime onnxruntime-gpu"},
        {"no_gpu_visible",
         "NVRM: The NVIDIA probe routine was not called for 1 device(s).",
         "blacklist nouveau"},
        {"kernel_module_missing",
         "Error! Bad return status for module build on kernel: 6.17.9-generic (x86_64)\nConsult "
         "/var/lib/dkms/nvidia/580.119.02/build/make.log for more information.",
         "make.log"},
        {"memory_mappings_exhausted",
         "RuntimeError: unable to mmap 4096 bytes from file </torch_362873_3123855485_63350>: "
         "Cannot allocate memory "
         "(12)",
         "vm.max_map_count"},
        {"system_library_too_old",
         "OSError: Error relocating "
         "/usr/lib/python3.9/site-packages/torch/lib/libgomp-a34b3233.so.1: "
         "pthread_attr_setaffinity_np: symbol not found",
         "glibc"},
        {"gpu_too_old",
         "nvcc fatal   : Unsupported gpu architecture 'compute_35'",
         "TORCH_CUDA_ARCH_LIST"},
        {"framework_packages_do_not_match",
         "AttributeError: module 'torchaudio' has no attribute 'list_audio_backends'",
         "torchaudio<2.9"},
        {"framework_packages_do_not_match",
         "_pickle.UnpicklingError: Weights only load failed.",
         "TORCH_FORCE_NO"},
        {"container_no_gpu_runtime",
         "I0907 main.go:317] No devices found. Waiting indefinitely.",
         "--set-as-default"},
        {"amd_gpu_not_covered", "RuntimeError: No HIP GPUs are available", "for CUDA"},
        {"host_compiler_missing",
         "cuda_utils.c:12: fatal error: Python.h: No such file or directory",
         "python3-dev"},
        {"host_compiler_missing",
         "/usr/bin/ld: cannot find -lcuda: No such file or directory",
         "stubs"},
        {"distributed_ranks_disconnected",
         "torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
         "network address. "
         "port: 29500, useIpv6: false, code: -98, name: EADDRINUSE",
         "MASTER_PORT"},
        {"framework_packages_do_not_match",
         "Configured CUDA binary not found at /env/bitsandbytes/libbitsandbytes_cuda130.so",
         "-U bitsandbytes"},
        {"framework_packages_do_not_match",
         "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n  "
         "PyTorch 2.1.0+cu121",
         "exactly one PyTorch"},
        {"framework_packages_do_not_match",
         "NotImplementedError: No operator found for "
         "`memory_efficient_attention_forward` with inputs:",
         "xformers.info"},
        {"framework_packages_do_not_match",
         "RuntimeError: Could not load libtorchcodec. Likely causes:\nOSError: libnvrtc.so.13: "
         "cannot open shared "
         "object file: No such file or directory",
         "Each torchcodec"},
        {"package_files_missing",
         "Error: Cannot find a libtorch install, you can either:",
         "LIBTORCH_USE_PYTORCH"},
        {"cuda_version_mismatch",
         "Unsupported cuda toolkit version: `13.0`. Please raise a github issue.",
         "CUDARC_CUDA_VERSION"},
        {"driver_missing",
         "`nvidia-smi` failed. Ensure that you have CUDA installed",
         "CUDA_COMPUTE_CAP"},
        {"package_files_missing",
         "OSError: [WinError 193] %1 is not a valid Win32 application",
         "64-bit Python"},
        {"framework_packages_do_not_match",
         "ImportError: /env/flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so: undefined symbol: "
         "_ZN3c105ErrorC2ENS",
         "compiled for another PyTorch"},
        {"package_not_available",
         "ERROR: No matching distribution found for triton==2.3.0",
         "triton-windows"},
        {"package_not_available",
         "ERROR: No matching distribution found for tensorrt-libs==8.6.1",
         "2.15.1"},
        {"gpu_hidden_by_setting",
         "RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED",
         "MIG-"},
        {"cpu_only_build",
         "UserWarning: DWPose: Onnxruntime not found or doesn't come with acceleration providers",
         "onnxruntime-gpu"},
        {"no_gpu_visible",
         "ERROR: The Nouveau kernel driver is currently in use by your system.",
         "blacklist nouveau"},
        {"cuda_toolkit_not_found",
         "RuntimeError: Failed to auto-detect CUDA root directory.",
         "cupy-cuda12x[ctk]"},
        {"framework_passes_bad_parameter",
         "RuntimeError: Trying to backward through the graph a second time",
         "detach"},
        {"framework_passes_bad_parameter",
         "ValueError: Input 0 of layer \"lstm\" is incompatible with the layer: expected ndim=3, "
         "found ndim=2.",
         "(batch, steps, features)"},
        {"framework_packages_do_not_match",
         "Unsupported model IR version: 10, max supported IR version: 9",
         "update ONNX Runtime"},
        {"cuda_library_shadowed",
         "CUDA runtime library `libcusparse.so.12` was loaded from a system path, "
         "`/usr/local/cuda/lib64/x`.",
         "env -u LD_LIBRARY_PATH julia"},
        {"framework_packages_do_not_match",
         "ImportError: cannot import name 'triton_key' from 'triton.compiler.compiler' "
         "(triton/compiler/compiler.py)",
         "pip check"},
        {"framework_packages_do_not_match",
         "libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent",
         "mkl<2024.1"},
        {"framework_packages_do_not_match",
         "AttributeError: partially initialized module 'torchaudio' has no attribute 'lib'",
         "--force-reinstall torch torchaudio"},
        {"gpu_arch_not_in_build",
         "API Usage Error (Target GPU SM 120 is not supported by this TensorRT release.)",
         "install -U tensorrt"},
        {"operation_not_supported_on_system",
         "RuntimeError: CUDA error: operation not supported\nNvidia driver version: 525.105.17",
         "530 or later"},
        {"no_gpu_visible",
         "torch 2.5.1\nMisconfigurationException: No supported gpu backend found!",
         "torch.cuda.is_available()"},
        {"framework_passes_bad_parameter",
         "RuntimeError: input.size(-1) must be equal to input_size. Expected 37, got 38",
         "input_size"}};
    for (const Row& row : rows) {
        INFO(row.log);
        CHECK(contains(remedy_text(row.cause, row.log), row.expected));
    }
    CHECK_FALSE(contains(
        remedy_text("cpu_only_build", "Available providers: ['CPUExecutionProvider']"), "LSTM"));
    CHECK_FALSE(contains(
        remedy_text(
            "framework_packages_do_not_match",
            "AttributeError: partially initialized module 'torchvision' has no "
            "attribute 'extension'"),
        "<2.9"));
    CHECK_FALSE(contains(
        remedy_text(
            "framework_version_defective",
            "torch 2.1.0\nRuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"),
        "1.8.1"));
}

TEST_CASE("the check of a failure in Kubernetes is one for Kubernetes") {
    const auto check = [](const char* log) {
        return about("container_no_gpu_runtime", log).check.value().command;
    };
    CHECK(check("I0907 main.go:317] No devices found. Waiting indefinitely.")
              .starts_with("kubectl "));
    CHECK(check("docker: Error response from daemon: unknown or invalid runtime name: nvidia.")
              .starts_with("docker "));
}

TEST_CASE(
    "an extension is compiled with the toolkit of PyTorch's CUDA, and for a new GPU with a newer "
    "one") {
    const Advice other = about(
        "cuda_version_mismatch",
        "RuntimeError:\nThe detected CUDA version (12.9) mismatches the version that was used to "
        "compile\nPyTorch (11.8). Please make sure to use the same CUDA versions.\n");
    CHECK(contains(other.remedies.front().text, "cuda-toolkit-11-8"));
    CHECK(other.commands() == Commands{"export CUDA_HOME=/usr/local/cuda-11.8"});
    const Advice newer =
        about("gpu_arch_not_in_build", "nvcc fatal: Unsupported gpu architecture 'compute_89'\n");
    CHECK(contains(newer.remedies.front().text, "11.8 or later for 8.9"));
    CHECK(newer.commands() == Commands{"nvcc --version"});
}

TEST_CASE(
    "a driver library that the image contains is removed from it, and nothing is rebooted in a "
    "container") {
    const std::string mismatch = "Failed to initialize NVML: Driver/library version mismatch\n";
    const auto about_it = [&](std::vector<UserHint> hints) {
        return about("driver_userland_kernel_mismatch", mismatch, std::move(hints));
    };
    CHECK(about_it({}).commands() == Commands{"sudo reboot"});
    const Advice image = about_it({{"os", "docker", {}}});
    CHECK(contains(image.remedies.front().text, "remove what the image contains of the driver"));
    CHECK(
        image.commands() ==
        Commands{"find / -xdev \\( -name \"libcuda.so*\" -o -name \"libnvidia-ml.so*\" \\)"});
    const char* of_host =
        "docker: Error response from daemon: failed to create task for container: OCI runtime "
        "create failed:\n"
        "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: "
        "unknown\n";
    CHECK(about("driver_userland_kernel_mismatch", of_host).commands() == Commands{"sudo reboot"});
    const Advice bus = about(
        "gpu_fell_off_bus",
        "NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.\n",
        {{"os", "docker", {}}});
    CHECK(contains(bus.remedies.front().text, "on the host, not in the container"));
}

TEST_CASE("a list without a GPU leads to the build that has one, for the version and the system") {
    const std::string empty =
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]\n";
    const auto advice = [&](const std::string& before, std::vector<UserHint> hints = {}) {
        return about("no_gpu_visible", before + empty, std::move(hints));
    };
    CHECK(
        advice("tensorflow 2.1.0\n").commands() ==
        Commands{"rnncheck matrix plan --for tensorflow==2.1.0"});
    const Advice linux = advice("", {{"framework", "tensorflow 2.17", {}}});
    CHECK(linux.commands() == Commands{"python -m pip install \"tensorflow[and-cuda]==2.17\""});
    const Advice windows = advice("PS C:\\Users\\u> python\nimport tensorflow as tf\n");
    CHECK(windows.commands().empty());
    CHECK(contains(windows.remedies.front().text, "WSL 2"));
    const Advice on_cpu = about(
        "no_gpu_visible",
        "RuntimeError: Attempting to deserialize object on a CUDA device but "
        "torch.cuda.is_available() is False. "
        "If you are running on a CPU-only machine, please use torch.load with map_location\n");
    CHECK(contains(on_cpu.remedies.front().text, "map_location='cpu'"));
}

TEST_CASE("a package for another CUDA than PyTorch's is not given that CUDA's libraries") {
    const char* log =
        "torch 2.11.0+cu126\nImportError: libcudart.so.13: cannot open shared object file: No such "
        "file\n";
    const Advice advice =
        about("cuda_version_mismatch", log, {{"framework", "pytorch 2.11+cu126", {}}});
    CHECK(contains(advice.remedies.front().text, "built for CUDA 13, PyTorch here for CUDA 12.6"));
    CHECK_FALSE(contains(join(advice.commands(), " "), "install"));
}

TEST_CASE(
    "ONNX Runtime for CUDA 11 is updated, and one that does not find its libraries loads those of "
    "PyTorch") {
    const std::string log =
        "[E:onnxruntime:Default, provider_bridge_ort.cc:1548 TryGetProviderInfo_CUDA] "
        "[ONNXRuntimeError] : 1 : FAIL : "
        "Failed to load library libonnxruntime_providers_cuda.so with error: ";
    const Advice old = about(
        "cuda_version_mismatch",
        log + "libcublasLt.so.11: cannot open shared object file: No such file or directory\n");
    CHECK(old.commands() == Commands{"python -m pip install -U onnxruntime-gpu"});
    const Advice path = about(
        "cudnn_not_on_loader_path",
        log + "libcudnn.so.9: cannot open shared object file: No such file\n");
    CHECK(contains(path.remedies.front().text, "preload_dlls"));
}

TEST_CASE("what the words of a program decide about its remedy") {
    const auto text = [](const char* cause, const char* log) {
        return about(cause, log).remedies.front().text;
    };
    CHECK(contains(
        text(
            "cpu_only_build",
            "called `Result::unwrap()` on an `Err` value: Torch(\"Could not run "
            "'aten::empty_strided' with arguments from the 'CUDA' backend.\nthread "
            "'main' panicked at src/main.rs:6:8:\n"),
        "libtorch"));
    CHECK(
        about("cpu_only_build", "AssertionError: Torch not compiled with CUDA enabled\n")
            .commands() ==
        Commands{"python -m pip install --force-reinstall torch torchvision torchaudio --index-url "
                 "https://download.pytorch.org/whl/cu128"});
    CHECK_FALSE(contains(
        text(
            "cudnn_not_installed",
            "ERROR: Failed to import the TensorFlow module.\n- Could not find "
            "cuDNN 6.\n  The GPU version of TensorFlow requires\n"),
        "Julia"));
    CHECK(contains(
        text(
            "cuda_version_mismatch",
            "CUDA backend failed to initialize: Found cuBLAS version 120205, but JAX "
            "was built against "
            "version 120304, which is newer.\n"),
        "an older CUDA is found before it"));
    CHECK(contains(
        text(
            "device_nodes_unreadable",
            "Jetson Orin\nNvRmMemInitNvmap failed with Permission denied\n"),
        "video and render"));
    CHECK(contains(
        text(
            "gpu_arch_not_in_build",
            "Mismatched GPU Architecture: The installed PaddlePaddle package was "
            "compiled for 75 80 86 89 "
            ",but your current GPU is 120 Solution: Install the correct wheel package\n"),
        "12.9 for RTX 50"));
    CHECK(contains(
        text(
            "container_no_gpu_runtime",
            "kubelet Error: failed to create containerd task: error modifying OCI "
            "spec: failed to inject "
            "CDI devices: unresolvable CDI devices management.nvidia.com/gpu=GPU-1\n"),
        "restart the pods"));
    CHECK(contains(
        text(
            "gpu_too_old",
            "  File \"/kaggle/working/a.py\", line 1\nTesla P100-PCIE-16GB with CUDA "
            "capability sm_60 is not compatible with the current PyTorch installation.\n"
            "The current PyTorch install supports CUDA capabilities sm_70 sm_75 sm_80.\n"),
        "another accelerator"));
    CHECK(contains(
        text("device_number_out_of_range", "ValueError: unsupported device cuda:1\n"),
        "device_index=1"));
    CHECK(contains(
        text(
            "driver_too_old",
            "Unable to load cudart library "
            "/usr/lib/ollama/cuda_v11/libcudart.so.11.3.109: your nvidia "
            "driver is too old or missing.\ncudaSetDevice err: 35\n"),
        "the driver is missing, not old"));
    CHECK(contains(
        text(
            "package_files_missing",
            "OSError: [WinError 127] The specified procedure could not be found. Error loading "
            "\"C:\\torch\\lib\\torch_xpu.dll\" or one of its dependencies.\n"),
        "Intel GPUs"));
    CHECK(contains(
        text(
            "no_gpu_visible",
            "lightning.fabric.utilities.exceptions.MisconfigurationException: No "
            "supported gpu backend "
            "found!\n"),
        "PyTorch is a build without CUDA"));
    CHECK(contains(
        about(
            "gpu_libs_not_loaded",
            "Cannot dlopen some GPU libraries.\nSkipping registering GPU devices\n")
            .commands()
            .front(),
        "nvidia.__path__"));
}

TEST_CASE("on Windows a line's own remedy has no command of Unix") {
    const char* log =
        "ModuleNotFoundError: C:\\Users\\u\\xformers\nWARNING[XFORMERS]: xFormers can't load "
        "C++/CUDA extensions. "
        "xFormers was built for:\n  PyTorch 2.1.0+cu121\nRuntimeError: Could not load "
        "libtorchcodec. Likely causes:\n";
    for (const std::string& command : about("framework_packages_do_not_match", log).commands())
        CHECK_FALSE(rules::is_for_unix(command));
}

TEST_CASE("an old PyTorch for Windows is on PyTorch's own page") {
    const char* log =
        "ERROR: Could not find a version that satisfies the requirement torch==1.2.0 (from "
        "versions: 0.1.2)\n";
    const auto last_command = [&](const char* os) {
        const Commands commands =
            about("package_not_available", log, {{"os", os, {}}, {"python", "3.7", {}}}).commands();
        return commands.empty() ? std::string() : commands.back();
    };
    CHECK(contains(
        last_command("Windows 10"),
        "torch==1.2.0 -f https://download.pytorch.org/whl/torch_stable.html"));
    CHECK_FALSE(contains(last_command("Ubuntu 20.04"), "torch_stable"));
}

TEST_CASE("Poetry, Slurm and the loader have fixes of their own") {
    CHECK(
        about(
            "package_not_available",
            "RuntimeError\nUnable to find installation candidates for torch (2.3.0+cu121)\n")
            .commands() == Commands{"poetry env info"});
    const Advice slurm = about(
        "slurm_gpu_request_invalid",
        "sbatch: error: Batch job submission failed: Requested node "
        "configuration is not available\n");
    CHECK(contains(slurm.remedies.front().text, "tasks and cores"));
    const Advice late = about(
        "static_tls_exhausted",
        "OSError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate "
        "memory in static TLS block\n");
    CHECK(contains(late.remedies.front().text, "LD_PRELOAD"));
}
