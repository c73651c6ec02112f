#include "support/healthy_machine.hpp"

#include <stdexcept>

#include "facts/rnn_runs.hpp"

namespace rnncheck::test {

namespace {

const std::string cudnn_path = "/usr/local/cuda-12.4/lib64/libcudnn.so.8";

Library library(
    LibraryKind kind,
    const std::string& path,
    const std::string& soname,
    const std::string& real_path) {
    Library found;
    found.kind = kind;
    found.path = path;
    found.real_path = real_path;
    found.soname = soname;
    found.found_via = FoundVia::loader_cache;
    found.picked_by_loader = true;
    found.machine = "64-bit x86-64";
    found.version_in_name = find_version(real_path.substr(real_path.find(".so.") + 4), 1);
    return found;
}

void add_libraries(Facts& facts) {
    const std::string system = "/usr/lib/x86_64-linux-gnu/";
    const std::string toolkit = "/usr/local/cuda-12.4/lib64/";
    facts.libraries = {
        library(
            LibraryKind::cuda,
            system + "libcuda.so.1",
            "libcuda.so.1",
            system + "libcuda.so.550.54.14"),
        library(
            LibraryKind::nvml,
            system + "libnvidia-ml.so.1",
            "libnvidia-ml.so.1",
            system + "libnvidia-ml.so.550.54.14"),
        library(
            LibraryKind::cudart,
            toolkit + "libcudart.so.12",
            "libcudart.so.12",
            toolkit + "libcudart.so.12.4.99"),
        library(
            LibraryKind::cublas,
            toolkit + "libcublas.so.12",
            "libcublas.so.12",
            toolkit + "libcublas.so.12.4.2.65"),
        library(
            LibraryKind::cublaslt,
            toolkit + "libcublasLt.so.12",
            "libcublasLt.so.12",
            toolkit + "libcublasLt.so.12.4.2.65"),
        library(
            LibraryKind::nvrtc,
            toolkit + "libnvrtc.so.12",
            "libnvrtc.so.12",
            toolkit + "libnvrtc.so.12.4.99"),
        library(
            LibraryKind::nvrtc_builtins,
            toolkit + "libnvrtc-builtins.so.12.4",
            "libnvrtc-builtins.so.12.4",
            toolkit + "libnvrtc-builtins.so.12.4.99"),
        library(LibraryKind::cudnn, cudnn_path, "libcudnn.so.8", toolkit + "libcudnn.so.8.9.7"),
    };
    for (const std::string part :
         {"ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"})
        facts.libraries.push_back(library(
            LibraryKind::cudnn_part,
            toolkit + "libcudnn_" + part + ".so.8",
            "libcudnn_" + part + ".so.8",
            toolkit + "libcudnn_" + part + ".so.8.9.7"));
}

void add_gpu(Facts& facts) {
    Gpu gpu;
    gpu.name = "NVIDIA GeForce RTX 3090";
    gpu.uuid = "GPU-11111111-2222-3333-4444-555555555555";
    gpu.pci = "0000:01:00.0";
    gpu.compute_capability = v("8.6");
    gpu.memory_total_mib = 24'576;
    gpu.multiprocessors = 82;
    gpu.compute_mode = "default";
    facts.cuda_devices = {gpu};

    Board board;
    board.name = gpu.name;
    board.uuid = gpu.uuid;
    board.pci = gpu.pci;
    board.memory_total_mib = 24'576;
    board.memory_free_mib = 23'900;
    board.retirement_pending = false;
    board.remapped_rows = 0;
    board.remapping_pending = false;
    board.remapping_failed = false;
    board.compute_mode = "default";
    board.mig = false;
    board.persistence = true;
    facts.nvml_devices = {board};

    facts.kernel_runs = {{0, CallResult{"cuCtxSynchronize", 0, ""}, true}};
}

void add_rnn_runs(Facts& facts) {
    for (const RnnApi rnn_api : {RnnApi::legacy, RnnApi::v8}) {
        int number = 0;
        for (const RnnCase& rnn_case :
             sweep(Level::quick, rnn_place(facts, {cudnn_path, 0, rnn_api}))) {
            RnnRun run;
            run.library = cudnn_path;
            run.rnn_api = rnn_api;
            run.number = ++number;
            run.rnn_case = rnn_case;
            // bf16 recurrent networks came with cuDNN 9.13: not supported by this 8.9.7.
            run.end = rnn_case.dtype == Dtype::bf16 ? RunEnd::not_supported : RunEnd::ok;
            if (run.end == RunEnd::ok) {
                run.limit = 1e-5;
                run.largest_error = 1e-7;
                run.bitwise_repeatable = true;
                run.precision = Precision::full;
            } else
                run.result =
                    CallResult{"cudnnSetRNNDescriptor_v8", 9, "CUDNN_STATUS_NOT_SUPPORTED"};
            facts.rnn_runs.push_back(run);
        }
    }
}

void add_probe_runs(Facts& facts) {
    const std::pair<const char*, const char*> runs[] = {
        {"host_system", ""},
        {"driver_files", ""},
        {"library_files", ""},
        {"python_packages", ""},
        {"driver_api", ""},
        {"nvml_devices", ""},
        {"cuda_runtime", "/usr/local/cuda-12.4/lib64/libcudart.so.12"},
        {"cudnn_library", cudnn_path.c_str()},
        {"nvrtc_compile", "/usr/local/cuda-12.4/lib64/libnvrtc.so.12"},
        {"ptx_launch", "GPU 0"},
        {"rnn_forward", "GPU 0 v8 /usr/local/cuda-12.4/lib64/libcudnn.so.8"},
        {"rnn_forward", "GPU 0 legacy /usr/local/cuda-12.4/lib64/libcudnn.so.8"}};
    for (const auto& [probe, target] : runs) {
        ProbeRun run;
        run.probe = probe;
        run.target = target;
        run.elapsed_ms = 5;
        facts.probe_runs.push_back(run);
    }
}

}  // namespace

Facts a_healthy_machine() {
    Facts facts;
    facts.tool = {"0.1.0", {"look", "query", "run"}};
    facts.host.os = "Ubuntu 22.04.4 LTS";
    facts.host.kernel = "6.5.0-28-generic";
    facts.host.libc = "glibc 2.35";
    facts.host.machine = "x86_64";
    facts.host.wsl = false;
    facts.host.pci_listed = true;
    facts.host.pci_gpus = {{"0000:01:00.0", "0x2204", "nvidia"}};

    facts.driver.module_loaded = true;
    facts.driver.kernel_version = v("550.54.14");
    facts.driver.kernel_flavour = "proprietary";
    for (const char* path : {"/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidiactl"})
        facts.driver.device_nodes.push_back({path, "0666 0:0", true, true});
    facts.driver.modprobe_helper = true;
    facts.driver.library = "/usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14";
    facts.driver.library_version = v("550.54.14");
    facts.driver.cuda_version = v("12.4");
    facts.driver.init = CallResult{"cuInit", 0, ""};
    facts.driver.nvml_version = v("550.54.14");
    facts.driver.nvml_cuda_version = v("12.4");
    facts.driver.nvml_init = CallResult{"nvmlInit_v2", 0, ""};

    add_gpu(facts);
    add_libraries(facts);
    facts.runtimes = {{"/usr/local/cuda-12.4/lib64/libcudart.so.12", v("12.4"), v("12.4"), {}}};
    facts.nvrtcs = {{"/usr/local/cuda-12.4/lib64/libnvrtc.so.12", v("12.4"), true, {}}};
    Cudnn cudnn;
    cudnn.library = cudnn_path;
    cudnn.version = v("8.9.7");
    cudnn.built_for_cuda = v("12.2");
    cudnn.newest_capability = v("9.0");
    cudnn.rnn_apis = {"legacy", "v8"};
    cudnn.rnn_usable = true;
    facts.cudnns = {cudnn};
    add_rnn_runs(facts);
    add_probe_runs(facts);
    return facts;
}

Facts but(const std::function<void(Facts&)>& change) {
    Facts facts = a_healthy_machine();
    change(facts);
    return facts;
}

Version v(std::string_view text) {
    const auto version = parse_version(text);
    if (!version)
        throw std::invalid_argument("not a version: " + std::string(text));
    return *version;
}

}  // namespace rnncheck::test
