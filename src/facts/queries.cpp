// Rules share these answers, so that two rules never disagree on what the same facts mean.
#include "facts/queries.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

std::string in_words(const CallResult& call) {
    std::string text = call.text;
    for (const char* line_end : {"\n ", "\n"})
        replace_all(text, line_end, " ");  // cuDNN's messages have several lines
    text = escaped(text, 300);
    if (call.code < 0 && text.empty())
        return call.call + " failed";
    if (call.code < 0)
        return call.call + ": " + text;
    return call.call + " returned " + std::to_string(call.code) + if_any(" (", text, ")");
}

/// As ulimit and the control group's files round: KiB below one MiB.
static std::string size_in_words(std::int64_t bytes) {
    constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
    if (bytes < mebibyte)
        return std::to_string(bytes / 1024) + " KiB";
    return std::to_string((bytes + mebibyte / 2) / mebibyte) + " MiB";
}

std::string in_words(const ResourceLimit& limit) {
    const bool is_of_group = limit.place == "pids.max";
    std::string number = "unknown number", size = "unknown size";
    if (limit.value) {
        number = std::to_string(*limit.value);
        size = size_in_words(*limit.value);
    }

    switch (limit.kind) {
        case LimitKind::memory:
            return "the memory limit of the control group (" + size + ")";
        case LimitKind::address_space:
            return "the limit on address space (ulimit -v: " + size + ")";
        case LimitKind::data:
            return "the limit on data (ulimit -d: " + size + ")";
        case LimitKind::stack:
            return "the limit on the stack (ulimit -s: " + size + ")";
        case LimitKind::processes:
            return "the limit on processes (" +
                   std::string(is_of_group ? "control group: " : "ulimit -u: ") + number + ")";
        case LimitKind::open_files:
            return "the limit on open files (ulimit -n: " + number + ")";
        case LimitKind::system_calls:
            return "the filter of system calls (seccomp)";
    }
    return "";
}

bool kernel_side_seen(const Facts& facts) {
    return facts.driver.module_loaded.value_or(false) || !facts.driver.device_nodes.empty();
}

bool driver_responds(const Facts& facts) {
    return facts.driver.init && facts.driver.init->ok();
}

bool no_nvidia_hardware_seen(const Facts& facts) {
    return facts.host.pci_gpus.empty() && !kernel_side_seen(facts) && facts.cuda_devices.empty() &&
           facts.nvml_devices.empty();
}

std::vector<const Library*> usable_copies(const Facts& facts, LibraryKind kind) {
    std::vector<const Library*> copies;
    for (const auto& library : facts.libraries)
        if (library.kind == kind && !library.problem && !library.stub)
            copies.push_back(&library);
    return copies;
}

bool libraries_listed(const Facts& facts) {
    return probe_completed(facts, "library_files");
}

const Library* picked(const Facts& facts, LibraryKind kind) {
    return find_where(facts.libraries, [&](const Library& library) {
        return library.kind == kind && library.picked_by_loader;
    });
}

const Library* library_at(const Facts& facts, std::string_view path) {
    return find_where(facts.libraries, [&](const Library& library) {
        return library.path == path || library.real_path == path;
    });
}

/// Since CUDA 10.1 the soname of cuBLAS holds the major version alone.
std::string cublas_soname(const Version& cuda) {
    const bool has_minor = cuda < make_version({10, 1});
    const std::string version = has_minor ? shortened(cuda, 2).text : std::to_string(cuda.major());
    return "libcublas.so." + version;
}

/// If it is not known which one is active, a rule has to hold for each that may be.
std::vector<const PythonEnvironment*> possibly_active(const Facts& facts) {
    if (const auto* active = find_by(facts.pythons, &PythonEnvironment::active, true))
        return {active};
    std::vector<const PythonEnvironment*> unknown;
    for (const PythonEnvironment& environment : facts.pythons)
        if (!environment.active)
            unknown.push_back(&environment);
    return unknown;
}

std::vector<const ProbeRun*> runs_of(const Facts& facts, std::string_view probe) {
    std::vector<const ProbeRun*> runs;
    for (const auto& run : facts.probe_runs)
        if (run.probe == probe)
            runs.push_back(&run);
    return runs;
}

/// Targets of probes that use a GPU begin with "GPU 0"; those of others are paths or empty.
std::optional<int> gpu_of_target(const std::string& target) {
    constexpr std::string_view prefix = "GPU ";
    if (!target.starts_with(prefix))
        return std::nullopt;
    return leading_number(std::string_view(target).substr(prefix.size()));
}

bool probe_completed(const Facts& facts, std::string_view probe) {
    return std::ranges::any_of(runs_of(facts, probe), &ProbeRun::completed);
}

std::vector<std::string> places_on(const Facts& facts, int gpu) {
    std::vector<std::string> places;
    const auto add = [&](const auto& run, std::optional<int> gpu_of_run) {
        if (gpu_of_run == gpu)
            places.push_back(place_of(facts, run));
    };
    for (const KernelRun& run : facts.kernel_runs)
        add(run, run.gpu);
    for (const RnnRun& run : facts.rnn_runs)
        add(run, run.gpu);
    for (const ProbeRun& run : facts.probe_runs)
        add(run, gpu_of_target(run.target));
    return places;
}

std::string subject_of(const Gpu& gpu) {
    return "GPU " + std::to_string(gpu.index) + if_any(" (", gpu.name, ")");
}

std::string subject_of(const Board& board) {
    return "GPU " + std::to_string(board.index) + if_any(" (", board.name, ")");
}

/// What cuDNN does not support, or what found no memory, proves nothing about the others.
bool all_cases_passed(const Facts& facts, std::string_view cudnn_path, int gpu) {
    bool any = false;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.library != cudnn_path || run.gpu != gpu)
            continue;
        if (run.end == RunEnd::not_supported || run.end == RunEnd::out_of_memory)
            continue;
        if (run.end != RunEnd::ok)
            return false;
        any = true;
    }
    return any;
}

const Library* driver_library(const Facts& facts) {
    const Library* library = picked(facts, LibraryKind::cuda);
    if (library && !library->stub && !library->problem)
        return library;
    return nullptr;
}

bool is_link_to_missing_driver(const Library& library) {
    return library.problem == FileProblem::dangling_link &&
           (library.kind == LibraryKind::cuda || library.kind == LibraryKind::nvml);
}

std::string libcuda_in_use(const Facts& facts) {
    const Library* library = driver_library(facts);
    if (library)
        return library->path;
    return facts.driver.library.value_or("libcuda.so.1");
}

/// A stub exports all of libcuda's functions and fails in cuInit with
/// CUDA_ERROR_STUB_LIBRARY, so it is no driver library.
bool driver_library_seen(const Facts& facts) {
    const Library* opened = nullptr;
    if (facts.driver.library)
        opened = library_at(facts, *facts.driver.library);
    if (init_code(facts) == cuda_stub_library || (opened && opened->stub))
        return false;
    return driver_library(facts) || facts.driver.library || facts.driver.cuda_version ||
           facts.driver.init;
}

bool driver_library_absent(const Facts& facts) {
    return libraries_listed(facts) && !driver_library_seen(facts);
}

std::optional<Version> driver_library_version(const Facts& facts) {
    if (facts.driver.library_version)
        return facts.driver.library_version;
    const Library* library = driver_library(facts);
    if (!library)
        return std::nullopt;
    return library->version_in_name;
}

/// The library first: it is what a CUDA program calls, and in a container
/// it may differ from the module.
std::optional<Version> driver_version(const Facts& facts) {
    if (const auto version = driver_library_version(facts))
        return version;
    if (facts.driver.nvml_version)
        return facts.driver.nvml_version;
    if (facts.host.windows && facts.host.windows->driver_version)
        return facts.host.windows->driver_version;
    return facts.driver.kernel_version;
}

std::optional<ExpectedVersion> expected_version(std::string_view text) {
    const bool or_later = text.starts_with(">=");
    const auto version = parse_version(trim(text.substr(or_later ? 2 : 0)));
    return version ? std::optional<ExpectedVersion>({*version, or_later}) : std::nullopt;
}

bool kernel_side_absent(const Facts& facts) {
    return facts.driver.module_loaded && !*facts.driver.module_loaded &&
           facts.driver.device_nodes.empty();
}

bool kernel_module_gone(const Facts& facts) {
    const auto& driver = facts.driver;
    const bool nvml_reports_unloaded =
        driver.nvml_init && driver.nvml_init->code == nvml_driver_not_loaded;
    return kernel_side_absent(facts) ||
           (driver.module_loaded && !*driver.module_loaded && nvml_reports_unloaded);
}

bool driver_versions_differ(const Facts& facts) {
    const Library* library = driver_library(facts);
    const auto version = driver_library_version(facts);
    return version && facts.driver.kernel_version && *version != *facts.driver.kernel_version &&
           !(library && library->compat);
}

bool uvm_node_is_cause(const Facts& facts) {
    // What cuInit answers when it cannot open that node differs between driver releases.
    const auto code = init_code(facts);
    const bool fits =
        code == cuda_unknown || code == cuda_operating_system || code == cuda_not_initialized;
    return fits && probe_completed(facts, "driver_files") && node_at(facts, "/dev/nvidiactl") &&
           !node_at(facts, "/dev/nvidia-uvm");
}

/// Windows mounts its driver's libraries into every WSL distribution at
/// /usr/lib/wsl/lib: https://docs.nvidia.com/cuda/wsl-user-guide/index.html
const Library* libcuda_of_wsl(const Facts& facts) {
    for (const Library* library : usable_copies(facts, LibraryKind::cuda))
        if (library->found_via == FoundVia::wsl || library->path.starts_with("/usr/lib/wsl/"))
            return library;
    return nullptr;
}

bool read_whole(const Library& library) {
    return !library.problem && !library.problem_detail && library.machine.has_value();
}

bool on_loader_path(const Library& library) {
    return library.picked_by_loader || library.found_via == FoundVia::ld_library_path ||
           library.found_via == FoundVia::loader_cache ||
           library.found_via == FoundVia::default_directory ||
           library.found_via == FoundVia::path_variable;
}

bool on_wsl(const Facts& facts) {
    return facts.host.wsl.value_or(false);
}

bool on_windows(const Facts& facts) {
    return facts.host.platform == "windows";
}

bool in_container(const Facts& facts) {
    return facts.host.container.has_value();
}

const std::string* environment(const Facts& facts, const std::string& name) {
    return look_up(facts.host.environment, name);
}

/// The NVIDIA Container Toolkit mounts no GPU for these values:
/// https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
bool container_hides_gpus(const Facts& facts) {
    const std::string* value = environment(facts, "NVIDIA_VISIBLE_DEVICES");
    return in_container(facts) && value &&
           (*value == "void" || *value == "none" || trim(*value).empty());
}

bool container_without_gpu(const Facts& facts) {
    const bool is_requested =
        environment(facts, "NVIDIA_VISIBLE_DEVICES") && !container_hides_gpus(facts);
    const bool on_host = !facts.host.pci_gpus.empty() || facts.driver.module_loaded.value_or(false);
    const bool nothing_passed_in = driver_library_absent(facts) &&
                                   facts.driver.device_nodes.empty() &&
                                   facts.cuda_devices.empty() && facts.nvml_devices.empty();
    return in_container(facts) && nothing_passed_in && (is_requested || on_host);
}

const DeviceNode* node_at(const Facts& facts, std::string_view path) {
    return find_by(facts.driver.device_nodes, &DeviceNode::path, path);
}

/// /dev/nvidia0, /dev/nvidia1 ...
static bool is_gpu_node(std::string_view path) {
    constexpr std::string_view stem = "/dev/nvidia";
    return path.starts_with(stem) && is_number(path.substr(stem.size()));
}

bool is_hidden(const Facts& facts, std::string_view directory) {
    return includes(facts.host.hidden_directories, directory);
}

std::string why_kernel_unknown(const Facts& facts) {
    if (is_hidden(facts, "/proc") && is_hidden(facts, "/sys"))
        return "/proc and /sys are hidden from this process";
    return "the kernel's list of modules could not be read";
}

/// Memory and GPU of a Jetson, in place of /dev/nvidiactl and /dev/nvidia0.
static bool is_jetson_node(std::string_view path) {
    return path == "/dev/nvmap" || path == "/dev/nvhost-gpu";
}

/// /dev/nvidia0 is named for all: with several GPUs a container may
/// have been given any of them.
std::vector<std::string> missing_nodes(const Facts& facts) {
    const auto& nodes = facts.driver.device_nodes;
    std::vector<std::string> missing;
    const bool on_jetson = std::ranges::any_of(
        nodes, [](const DeviceNode& node) { return is_jetson_node(node.path); });
    if (on_jetson || is_hidden(facts, "/dev"))
        return missing;
    if (!node_at(facts, "/dev/nvidiactl"))
        missing.push_back("/dev/nvidiactl");
    if (std::ranges::none_of(nodes, [](const DeviceNode& node) { return is_gpu_node(node.path); }))
        missing.push_back("/dev/nvidia0");
    return missing;
}

bool nodes_created_lazily(const Facts& facts) {
    if (driver_responds(facts) || !facts.driver.module_loaded.value_or(false) ||
        !facts.driver.modprobe_helper.value_or(false) || facts.tool.make_nodes.value_or(false) ||
        in_container(facts))
        return false;
    return !missing_nodes(facts).empty() || uvm_node_is_cause(facts);
}

std::vector<std::string> inaccessible_nodes(const Facts& facts) {
    std::vector<std::string> closed;
    for (const auto& node : facts.driver.device_nodes) {
        const bool needed = is_gpu_node(node.path) || node.path == "/dev/nvidiactl" ||
                            node.path == "/dev/nvidia-uvm" || node.path == "/dev/dxg" ||
                            is_jetson_node(node.path);
        if (needed && !(node.readable && node.writable))
            closed.push_back(node.path);
    }
    return closed;
}

/// From the lowest layer up, in the order in which a user has to repair them.
std::optional<std::string> lower_cause(const Facts& facts) {
    if (driver_responds(facts))
        return std::nullopt;
    if (init_code(facts) == cuda_stub_library)
        return "the toolkit's stub is loaded instead of the driver library";
    if (driver_library_absent(facts))
        return "no driver library was found";
    if (!inaccessible_nodes(facts).empty())
        return "this user has no permission to open the device nodes";
    if (on_wsl(facts))
        return std::nullopt;
    if (kernel_side_absent(facts))
        return "the kernel module is not loaded";
    if (facts.driver.module_loaded.value_or(false) && probe_completed(facts, "driver_files") &&
        !missing_nodes(facts).empty())
        return "device nodes are missing";
    return std::nullopt;
}

std::optional<std::int64_t> init_code(const Facts& facts) {
    if (facts.driver.init && !facts.driver.init->ok())
        return facts.driver.init->code;
    return std::nullopt;
}

/// An incorrect result is no failed call: nothing has reported an error.
static bool has_failed(const RnnRun& run) {
    return run.end == RunEnd::failed || run.end == RunEnd::rejected;
}

/// "driver.init" explains nothing but itself; a call on a GPU
/// explains all that was run there.
static std::vector<FailedCall> failed_calls(const Facts& facts) {
    std::vector<FailedCall> failed;
    const auto add = [&](const std::optional<CallResult>& call,
                         std::optional<int> gpu,
                         const std::string& place,
                         const char* field) {
        if (!call || call->ok())
            return;
        FailedCall one{*call, "NVIDIA driver", place + field, gpu, {place}};
        if (gpu) {
            one.subject = gpu_subject(facts, *gpu);
            append(one.explains, places_on(facts, *gpu));
        }
        failed.push_back(std::move(one));
    };
    add(facts.driver.init, std::nullopt, "driver.init", "");
    for (const KernelRun& run : facts.kernel_runs)
        add(run.result, run.gpu, place_of(facts, run), ".result");
    for (const RnnRun& run : facts.rnn_runs)
        if (has_failed(run))
            add(run.result, run.gpu, place_of(facts, run), ".result");
    for (const ProbeRun& run : facts.probe_runs)
        for (const auto& call : run.failed_calls)
            add(call, gpu_of_target(run.target), place_of(facts, run), ".failed_calls");
    return failed;
}

bool is_cuda_failure(const CallResult& call, std::int64_t code) {
    // of the CUDA driver: cu..., not cuda... or cudnn...
    const std::string& name = call.call;
    return call.code == code && name.size() > 2 && name.starts_with("cu") &&
           std::isupper(static_cast<unsigned char>(name[2]));
}

std::vector<FailedCall> failures_where(
    const Facts& facts, const std::function<bool(const CallResult&)>& is_one) {
    std::vector<FailedCall> found;
    for (auto& failed : failed_calls(facts)) {
        if (!is_one(failed.call))
            continue;
        if (FailedCall* const known = find_by(found, &FailedCall::subject, failed.subject))
            known->explains.push_back(failed.explains.front());
        else
            found.push_back(std::move(failed));
    }
    return found;
}

std::vector<FailedCall> cuda_failures(const Facts& facts, std::int64_t code) {
    return failures_where(
        facts, [code](const CallResult& call) { return is_cuda_failure(call, code); });
}

bool failures_are_known(const Facts& facts) {
    return std::ranges::all_of(
               facts.kernel_runs,
               [](const KernelRun& run) { return run.result || run.correct.value_or(false); }) &&
           std::ranges::all_of(
               facts.rnn_runs, [](const RnnRun& run) { return run.result || !has_failed(run); });
}

const Gpu* gpu_at(const Facts& facts, int index) {
    return find_by(facts.cuda_devices, &Gpu::index, index);
}

std::string gpu_subject(const Facts& facts, int index) {
    const Gpu* gpu = gpu_at(facts, index);
    if (gpu)
        return subject_of(*gpu);
    return "GPU " + std::to_string(index);
}

}  // namespace rnncheck
