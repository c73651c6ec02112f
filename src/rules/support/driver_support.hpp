// What the facts say about the two halves of the driver and about failed driver calls. Pure.
#pragma once

#include "base/text.hpp"
#include "compat/questions.hpp"
#include "report/finding.hpp"
#include "rules/support/seen.hpp"

namespace rnncheck::rules {

/// CUresult numbers with a rule of their own; they are the same in every release of cuda.h.
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

/// The libcuda that the loader gives, when that file can be a working driver library; null when there is none.
const Library* driver_library(const Facts& facts);

/// A real driver library was found by the loader, or opened, or answered.
bool driver_library_seen(const Facts& facts);

/// The library search ended and no driver library came to light in any way.
bool driver_library_absent(const Facts& facts);

/// Version of the driver library alone: as the opened file's name tells, else as the name of the file that the loader
/// picks.
std::optional<Version> library_release(const Facts& facts);

/// Which driver it is, by whatever of it told: its library, NVML (under WSL, where libcuda has no version in its name),
/// the kernel module.
std::optional<Version> driver_version(const Facts& facts);

/// The same as a question to the tables: with the CUDA that the driver itself tells, and the system whose drivers
/// count.
compat::DriverAsked driver_asked(const Facts& facts);

/// The kernel was asked: no module of NVIDIA's and no device node.
bool kernel_side_absent(const Facts& facts);

/// No kernel module: nothing of the kernel side is there, or only nodes that outlived the module, as NVML tells.
bool kernel_module_gone(const Facts& facts);

/// Kernel module and libcuda are of different releases, and not by way of a forward-compatibility library.
bool releases_differ(const Facts& facts);

/// cuInit failed in the way it does without /dev/nvidia-uvm, and that node is missing beside the others.
bool uvm_node_to_blame(const Facts& facts);

/// The libcuda that Windows gives to WSL; null when there is none.
const Library* libcuda_of_wsl(const Facts& facts);

/// Read to its end without complaint: only such a file may be called fine.
bool read_whole(const Library& library);

/// The loader looks there by itself: LD_LIBRARY_PATH, its cache, its default directories, or it picked the file.
bool on_loader_path(const Library& library);

bool on_wsl(const Facts& facts);
bool in_container(const Facts& facts);

/// The value of an environment variable; null when it is not set.
const std::string* environment(const Facts& facts, const std::string& name);

/// NVIDIA_VISIBLE_DEVICES is void, none or empty: whoever started this container asked for no GPU.
bool container_hides_gpus(const Facts& facts);

/// In a container that was meant to have an NVIDIA GPU, or whose host has one, and nothing of it was passed in.
bool container_without_gpu(const Facts& facts);

const DeviceNode* node_at(const Facts& facts, std::string_view path);
/// /dev/nvidia0, /dev/nvidia1 ...
bool is_gpu_node(std::string_view path);
/// /proc, /sys or /dev is empty or closed to this process: what is not seen there says nothing.
bool is_hidden(const Facts& facts, std::string_view directory);
/// Why it is unknown whether the kernel module is loaded.
std::string kernel_not_asked(const Facts& facts);

/// Nodes that CUDA needs at the least and that do not exist, UVM's apart; none where /dev is hidden, nor on a Jetson,
/// whose nodes are others.
std::vector<std::string> missing_nodes(const Facts& facts);
/// Nodes are missing that nvidia-modprobe makes on a program's first CUDA call, and our own calls may not start it
/// (process/this_process.cpp): whether CUDA works was not seen.
bool nodes_made_on_demand(const Facts& facts);
/// Nodes that CUDA needs and that this user may not read and write.
std::vector<std::string> closed_nodes(const Facts& facts);

/// Why no program can reach the driver, when a rule below cuInit tells it already; unset when nothing of that kind is
/// seen.
std::optional<std::string> lower_cause(const Facts& facts);

/// cuInit answered with an error: its code.
std::optional<std::int64_t> init_code(const Facts& facts);

/// A call that failed, whose it was, and where that stands in the facts.
struct FailedCall {
    CallResult call;
    std::string subject;
    std::string source;
};

/// The call with which the driver refused to list its GPUs after a good cuInit; none when it listed them.
const CallResult* gpu_list_failure(const Facts& facts);

/// A function of the CUDA driver (cu..., not cuda... or cudnn...).
bool is_driver_call(const std::string& call);

/// Every failed call on record.
std::vector<FailedCall> failed_calls(const Facts& facts);

/// Failed calls of the CUDA driver with this code, one per subject.
std::vector<FailedCall> cuda_failures(const Facts& facts, std::int64_t code);

/// Every run of a kernel or an RNN case on the GPU that failed tells by which answer.
bool failures_are_known(const Facts& facts);

/// "cuInit answered 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)".
std::string in_words(const CallResult& call);

Evidence evidence_of(const FailedCall& failed);

/// The same finding for each subject.
std::vector<Finding> findings_for(const std::vector<FailedCall>& failures, const Finding& sample);

}  // namespace rnncheck::rules
