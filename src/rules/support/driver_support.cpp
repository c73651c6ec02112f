#include "rules/support/driver_support.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules {

const Library* driver_library(const Facts& facts) {
    const Library* library = picked(facts, LibraryKind::cuda);
    return library && !library->stub && !library->problem ? library : nullptr;
}

static bool opened_a_stub(const Facts& facts) {
    const Library* opened = facts.driver.library ? library_at(facts, *facts.driver.library) : nullptr;
    return init_code(facts) == cuda_stub_library || (opened && opened->stub);
}

bool driver_library_seen(const Facts& facts) {
    if (opened_a_stub(facts)) return false;
    return driver_library(facts) || facts.driver.library || facts.driver.cuda_version || facts.driver.init;
}

bool driver_library_absent(const Facts& facts) {
    return libraries_listed(facts) && !driver_library_seen(facts);
}

std::optional<Version> library_release(const Facts& facts) {
    if (facts.driver.library_version) return facts.driver.library_version;
    const Library* library = driver_library(facts);
    return library ? library->version_in_name : std::nullopt;
}

std::optional<Version> driver_version(const Facts& facts) {
    if (const auto version = library_release(facts)) return version;
    return facts.driver.nvml_version ? facts.driver.nvml_version : facts.driver.kernel_version;
}

compat::DriverAsked driver_asked(const Facts& facts) {
    return {driver_version(facts), facts.driver.cuda_version,
            on_wsl(facts) ? "windows" : facts.host.platform.value_or("linux")};
}

bool kernel_side_absent(const Facts& facts) {
    return facts.driver.module_loaded && !*facts.driver.module_loaded && facts.driver.device_nodes.empty();
}

bool kernel_module_gone(const Facts& facts) {
    const auto& driver = facts.driver;
    const bool nvml_says_so = driver.nvml_init && driver.nvml_init->code == nvml_driver_not_loaded;
    return kernel_side_absent(facts) || (driver.module_loaded && !*driver.module_loaded && nvml_says_so);
}

bool releases_differ(const Facts& facts) {
    const Library* library = driver_library(facts);
    const auto release = library_release(facts);
    return release && facts.driver.kernel_version && *release != *facts.driver.kernel_version &&
           !(library && library->compat);
}

bool uvm_node_to_blame(const Facts& facts) {
    // What cuInit answers when it cannot open that node differs between driver releases.
    const auto code = init_code(facts);
    const bool fits = code == cuda_unknown || code == cuda_operating_system || code == cuda_not_initialized;
    return fits && probe_completed(facts, "driver_files") && node_at(facts, "/dev/nvidiactl") &&
           !node_at(facts, "/dev/nvidia-uvm");
}

const Library* libcuda_of_wsl(const Facts& facts) {
    for (const Library* library : usable_copies(facts, LibraryKind::cuda))
        if (library->found_via == FoundVia::wsl || library->path.starts_with("/usr/lib/wsl/")) return library;
    return nullptr;
}

bool read_whole(const Library& library) {
    return !library.problem && !library.problem_detail && library.machine.has_value();
}

bool on_loader_path(const Library& library) {
    return library.picked_by_loader || library.found_via == FoundVia::ld_library_path ||
           library.found_via == FoundVia::loader_cache || library.found_via == FoundVia::default_directory;
}

bool on_wsl(const Facts& facts) {
    return facts.host.wsl.value_or(false);
}

bool in_container(const Facts& facts) {
    return facts.host.container.has_value();
}

const std::string* environment(const Facts& facts, const std::string& name) {
    const auto found = facts.host.environment.find(name);
    return found == facts.host.environment.end() ? nullptr : &found->second;
}

bool container_hides_gpus(const Facts& facts) {
    const std::string* value = environment(facts, "NVIDIA_VISIBLE_DEVICES");
    return in_container(facts) && value && (*value == "void" || *value == "none" || trim(*value).empty());
}

static bool nothing_passed_in(const Facts& facts) {
    return libraries_listed(facts) && !driver_library_seen(facts) && facts.driver.device_nodes.empty() &&
           facts.cuda_devices.empty() && facts.nvml_devices.empty();
}

bool container_without_gpu(const Facts& facts) {
    const bool asked_for = environment(facts, "NVIDIA_VISIBLE_DEVICES") && !container_hides_gpus(facts);
    const bool on_host = !facts.host.pci_gpus.empty() || facts.driver.module_loaded.value_or(false);
    return in_container(facts) && nothing_passed_in(facts) && (asked_for || on_host);
}

const DeviceNode* node_at(const Facts& facts, std::string_view path) {
    for (const auto& node : facts.driver.device_nodes)
        if (node.path == path) return &node;
    return nullptr;
}

bool is_gpu_node(std::string_view path) {
    constexpr std::string_view stem = "/dev/nvidia";
    if (!path.starts_with(stem) || path.size() == stem.size()) return false;
    const auto number = path.substr(stem.size());
    return std::all_of(number.begin(), number.end(), is_digit);
}

bool is_hidden(const Facts& facts, std::string_view directory) {
    const auto& hidden = facts.host.hidden_directories;
    return std::find(hidden.begin(), hidden.end(), directory) != hidden.end();
}

std::string kernel_not_asked(const Facts& facts) {
    if (is_hidden(facts, "/proc") && is_hidden(facts, "/sys")) return "/proc and /sys are hidden from this process";
    return "the kernel's list of modules could not be read";
}

/// Memory and GPU of a Jetson, in place of /dev/nvidiactl and /dev/nvidia0.
static bool is_jetson_node(std::string_view path) {
    return path == "/dev/nvmap" || path == "/dev/nvhost-gpu";
}

std::vector<std::string> missing_nodes(const Facts& facts) {
    const auto& nodes = facts.driver.device_nodes;
    std::vector<std::string> missing;
    const bool on_jetson =
        std::any_of(nodes.begin(), nodes.end(), [](const DeviceNode& node) { return is_jetson_node(node.path); });
    if (on_jetson || is_hidden(facts, "/dev")) return missing;
    if (!node_at(facts, "/dev/nvidiactl")) missing.push_back("/dev/nvidiactl");
    if (std::none_of(nodes.begin(), nodes.end(), [](const DeviceNode& node) { return is_gpu_node(node.path); }))
        missing.push_back("/dev/nvidia0");
    return missing;
}

bool nodes_made_on_demand(const Facts& facts) {
    if (driver_answers(facts) || !facts.driver.module_loaded.value_or(false) ||
        !facts.driver.modprobe_helper.value_or(false) || facts.tool.make_nodes.value_or(false) || in_container(facts))
        return false;
    return !missing_nodes(facts).empty() || uvm_node_to_blame(facts);
}

std::vector<std::string> closed_nodes(const Facts& facts) {
    std::vector<std::string> closed;
    for (const auto& node : facts.driver.device_nodes) {
        const bool needed = is_gpu_node(node.path) || node.path == "/dev/nvidiactl" || node.path == "/dev/nvidia-uvm" ||
                            node.path == "/dev/dxg" || is_jetson_node(node.path);
        if (needed && !(node.readable && node.writable)) closed.push_back(node.path);
    }
    return closed;
}

std::optional<std::string> lower_cause(const Facts& facts) {
    if (driver_answers(facts)) return std::nullopt;
    if (init_code(facts) == cuda_stub_library) return "the toolkit's stub is loaded instead of the driver library";
    if (driver_library_absent(facts)) return "no driver library was found";
    if (!closed_nodes(facts).empty()) return "this user has no permission to open the device nodes";
    if (on_wsl(facts)) return std::nullopt;
    if (kernel_side_absent(facts)) return "the kernel module is not loaded";
    if (facts.driver.module_loaded.value_or(false) && probe_completed(facts, "driver_files") &&
        !missing_nodes(facts).empty())
        return "device nodes are missing";
    return std::nullopt;
}

std::optional<std::int64_t> init_code(const Facts& facts) {
    if (!facts.driver.init || facts.driver.init->ok()) return std::nullopt;
    return facts.driver.init->code;
}

static bool went_wrong(const RnnRun& run) {
    return run.end == RunEnd::failed || run.end == RunEnd::rejected;
}

static std::string place(const char* list, std::size_t index, const char* field) {
    return std::string(list) + '[' + std::to_string(index) + "]." + field;
}

/// The GPU of a target "GPU 0 ..."; other targets are the driver's own business.
static std::string subject_of_target(const Facts& facts, const std::string& target) {
    if (!target.starts_with("GPU ")) return "NVIDIA driver";
    const std::string number = target.substr(4, target.find(' ', 4) - 4);
    for (const auto& gpu : facts.cuda_devices)
        if (std::to_string(gpu.index) == number) return subject_of(gpu);
    return "GPU " + number;
}

const CallResult* gpu_list_failure(const Facts& facts) {
    for (const ProbeRun& run : facts.probe_runs)
        for (const CallResult& call : run.failed_calls)
            if (run.probe == "driver_api" && call.call == "cuDeviceGetCount") return &call;
    return nullptr;
}

std::vector<FailedCall> failed_calls(const Facts& facts) {
    std::vector<FailedCall> failed;
    const auto add = [&](const std::optional<CallResult>& call, std::string subject, std::string source) {
        if (call && !call->ok()) failed.push_back({*call, std::move(subject), std::move(source)});
    };
    add(facts.driver.init, "NVIDIA driver", "driver.init");
    for (std::size_t i = 0; i < facts.kernel_runs.size(); ++i)
        add(facts.kernel_runs[i].result, gpu_subject(facts, facts.kernel_runs[i].gpu),
            place("kernel_runs", i, "result"));
    for (std::size_t i = 0; i < facts.rnn_runs.size(); ++i)
        if (went_wrong(facts.rnn_runs[i]))
            add(facts.rnn_runs[i].result, gpu_subject(facts, facts.rnn_runs[i].gpu), place("rnn_runs", i, "result"));
    for (std::size_t i = 0; i < facts.probe_runs.size(); ++i)
        for (const auto& call : facts.probe_runs[i].failed_calls)
            add(call, subject_of_target(facts, facts.probe_runs[i].target), place("probe_runs", i, "failed_calls"));
    return failed;
}

bool is_driver_call(const std::string& call) {
    return call.size() > 2 && call.starts_with("cu") && std::isupper(static_cast<unsigned char>(call[2]));
}

std::vector<FailedCall> cuda_failures(const Facts& facts, std::int64_t code) {
    std::vector<FailedCall> found;
    for (auto& failed : failed_calls(facts)) {
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const FailedCall& other) { return other.subject == failed.subject; });
        if (!known && failed.call.code == code && is_driver_call(failed.call.call)) found.push_back(std::move(failed));
    }
    return found;
}

bool failures_are_known(const Facts& facts) {
    return std::all_of(facts.kernel_runs.begin(), facts.kernel_runs.end(),
                       [](const KernelRun& run) { return run.result || run.correct.value_or(false); }) &&
           std::all_of(facts.rnn_runs.begin(), facts.rnn_runs.end(),
                       [](const RnnRun& run) { return run.result || !went_wrong(run); });
}

std::string in_words(const CallResult& call) {
    return call.call + " returned " + std::to_string(call.code) +
           (call.text.empty() ? "" : " (" + escaped(call.text, 200) + ")");
}

Evidence evidence_of(const FailedCall& failed) {
    return {"failed call", in_words(failed.call), failed.source};
}

std::vector<Finding> findings_for(const std::vector<FailedCall>& failures, const Finding& sample) {
    std::vector<Finding> findings;
    for (const auto& failed : failures) {
        Finding finding = sample;
        finding.subject = failed.subject;
        finding.evidence.insert(finding.evidence.begin(), evidence_of(failed));
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace rnncheck::rules
