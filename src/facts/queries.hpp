// Queries of the facts alone: what there is, what was run, and its place in the
// facts. Pure.
#pragma once

#include <functional>

#include "facts/facts.hpp"

namespace rnncheck {

/// "cuInit returned 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)", or the loader's
/// words when there was no answer.
std::string in_words(const CallResult& call);

/// "the memory limit of the control group (64 MiB)".
std::string in_words(const ResourceLimit& limit);

/// The driver's kernel side shows itself: a loaded module, a device node, or
/// the Windows bridge /dev/dxg.
bool kernel_side_seen(const Facts& facts);

/// cuInit succeeded: the driver works, whatever files and nodes this process cannot see.
bool driver_responds(const Facts& facts);

/// No sign of NVIDIA hardware: no PCI device, no kernel module or node, no GPU
/// that responds.
bool no_nvidia_hardware_seen(const Facts& facts);

/// Every real file of a kind that could be a working library, in the order found.
std::vector<const Library*> usable_copies(const Facts& facts, LibraryKind kind);

/// Whether the look stage listed libraries at all.
bool libraries_listed(const Facts& facts);

/// The library of this kind that the loader finds; null if there is none, or it is unknown.
const Library* picked(const Facts& facts, LibraryKind kind);

/// The library with this path (or real path); null if there is none.
const Library* library_at(const Facts& facts, std::string_view path);

/// "libcublas.so.12"; before CUDA 10.1 each version has a name of
/// its own: "libcublas.so.10.0".
std::string cublas_soname(const Version& cuda);

/// The Python environment as which frameworks are judged; where it is unknown
/// which one that is, all that may be it.
std::vector<const PythonEnvironment*> possibly_active(const Facts& facts);

/// All runs of a probe, one for each target, in the order in which they were started.
std::vector<const ProbeRun*> runs_of(const Facts& facts, std::string_view probe);

/// The GPU of a target such as "GPU 0 v8 /usr/lib/libcudnn.so.9"; unset for other targets.
std::optional<int> gpu_of_target(const std::string& target);

/// Whether any run of this probe ran to its end.
bool probe_completed(const Facts& facts, std::string_view probe);

/// The place of an item of a list of the facts: "rnn_runs[3]".
template <class Item>
std::string place_of(const Facts& facts, const Item& item) {
    std::string place;
    Facts::fields(facts, [&]<class T>(const char* name, const T& list, const char*) {
        if constexpr (std::is_same_v<T, std::vector<Item>>)
            place = std::string(name) + '[' + std::to_string(&item - list.data()) + ']';
    });
    return place;
}

/// The places of everything that was run on a GPU, which a GPU that
/// does not work at all explains.
std::vector<std::string> places_on(const Facts& facts, int gpu);

/// "GPU 0 (NVIDIA GeForce RTX 3090)".
std::string subject_of(const Gpu& gpu);
std::string subject_of(const Board& board);

/// RNN cases of this cuDNN were tried on this GPU, and every one passed that it
/// supports and that found memory.
bool all_cases_passed(const Facts& facts, std::string_view cudnn_path, int gpu);

// Their names without CUDA_ERROR_:
// https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html
/// CUresult numbers with a rule of their own; they are the same in every version of cuda.h.
enum CudaResult : std::int64_t {
    cuda_not_initialized = 3,
    cuda_stub_library = 34,
    cuda_device_unavailable = 46,
    cuda_no_device = 100,
    cuda_ecc_uncorrectable = 214,
    cuda_unsupported_ptx_version = 222,
    cuda_operating_system = 304,
    cuda_system_not_ready = 802,
    cuda_system_driver_mismatch = 803,
    cuda_compat_not_supported = 804,
    cuda_unknown = 999,
};

/// nvmlReturn_t numbers with a rule of their own (nvml.h).
enum NvmlResult : std::int64_t {
    nvml_driver_not_loaded = 9,
    nvml_gpu_is_lost = 15,
    nvml_version_mismatch = 18,
};

/// The libcuda that the loader finds, if the file can be a working driver
/// library; else null.
const Library* driver_library(const Facts& facts);

/// A symbolic link that leads to no file, where libcuda or NVML should be: the
/// driver was removed, or is not mounted into the container.
bool is_link_to_missing_driver(const Library& library);

/// Its path, else that of the library opened, else "libcuda.so.1".
std::string libcuda_in_use(const Facts& facts);

/// A driver library other than a stub was found by the loader, was opened, or responded.
bool driver_library_seen(const Facts& facts);

/// The library search was completed, and no driver library was found in any way.
bool driver_library_absent(const Facts& facts);

/// Version of the driver library alone: from the name of the opened file, else
/// of the file that the loader finds.
std::optional<Version> driver_library_version(const Facts& facts);

/// The driver version, from the first that shows it: the library, NVML (under
/// WSL, where libcuda's name has no version), the kernel module.
std::optional<Version> driver_version(const Facts& facts);

/// What ">=9.1" and "9.1.0" require.
struct ExpectedVersion {
    Version version;
    bool or_later = false;

    bool fits(const Version& found) const {
        return or_later ? found >= version : found == version;
    }
};
/// Nothing where the text is no version.
std::optional<ExpectedVersion> expected_version(std::string_view text);

/// It is known that there is no NVIDIA kernel module and no device node.
bool kernel_side_absent(const Facts& facts);

/// No kernel module: there is no sign of one, or only nodes that remained after
/// it was unloaded, as NVML reports.
bool kernel_module_gone(const Facts& facts);

/// Kernel module and libcuda are of different versions, and libcuda is not a
/// forward-compatibility library.
bool driver_versions_differ(const Facts& facts);

/// cuInit failed as it does without /dev/nvidia-uvm, and only that node is missing.
bool uvm_node_is_cause(const Facts& facts);

/// The libcuda that Windows gives to WSL; null when there is none.
const Library* libcuda_of_wsl(const Facts& facts);

/// The file was read to its end without a problem: only such a file may pass.
bool read_whole(const Library& library);

/// The loader searches there: LD_LIBRARY_PATH, its cache, its default
/// directories; or it found the file.
bool on_loader_path(const Library& library);

bool on_wsl(const Facts& facts);
bool on_windows(const Facts& facts);
bool in_container(const Facts& facts);

/// The value of an environment variable; null when it is not set.
const std::string* environment(const Facts& facts, const std::string& name);

/// NVIDIA_VISIBLE_DEVICES is void, none or empty: the container was started without GPUs.
bool container_hides_gpus(const Facts& facts);

/// In a container that requests an NVIDIA GPU, or whose host has one, but into
/// which no device node or driver library was mounted.
bool container_without_gpu(const Facts& facts);

/// Null when there is no such node.
const DeviceNode* node_at(const Facts& facts, std::string_view path);
/// /proc, /sys or /dev is empty or not readable for this process, so what
/// is missing there is unknown.
bool is_hidden(const Facts& facts, std::string_view directory);
/// Why it is unknown whether the kernel module is loaded.
std::string why_kernel_unknown(const Facts& facts);

/// The device nodes that CUDA needs and that do not exist, except UVM's. Empty
/// if /dev is hidden, and on a Jetson, which has other nodes.
std::vector<std::string> missing_nodes(const Facts& facts);
/// Device nodes are missing that nvidia-modprobe creates at a program's first
/// CUDA call. The calls of rnncheck may not start it
/// (process/this_process.cpp), so whether CUDA works is unknown.
bool nodes_created_lazily(const Facts& facts);
/// The device nodes that CUDA needs and that this user may not read and write.
std::vector<std::string> inaccessible_nodes(const Facts& facts);

/// Why no program can reach the driver, if a rule about a lower
/// layer reports it; else unset.
std::optional<std::string> lower_cause(const Facts& facts);

/// The code that cuInit returned, if it is an error.
std::optional<std::int64_t> init_code(const Facts& facts);

/// A call that failed, its subject, and its place in the facts.
struct FailedCall {
    CallResult call;
    std::string subject;
    std::string source;
    /// that of `subject`, if it is one
    std::optional<int> gpu;
    /// places of the calls that failed so, and of all that ran on that GPU
    std::vector<std::string> explains;
};

/// The failed calls for which `is_one` is true, one per subject.
std::vector<FailedCall> failures_where(
    const Facts& facts, const std::function<bool(const CallResult&)>& is_one);

/// A call of the CUDA driver failed with this code.
bool is_cuda_failure(const CallResult& call, std::int64_t code);
/// The calls of the CUDA driver that failed with this code, one per subject.
std::vector<FailedCall> cuda_failures(const Facts& facts, std::int64_t code);

/// For every kernel and RNN case that failed on the GPU, the failed call is known.
bool failures_are_known(const Facts& facts);

/// The GPU with CUDA's ordinal; null when CUDA lists none.
const Gpu* gpu_at(const Facts& facts, int index);
/// "GPU 0 (NVIDIA GeForce RTX 3090)".
std::string gpu_subject(const Facts& facts, int index);

}  // namespace rnncheck
