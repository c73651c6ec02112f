// The driver starts and offers no GPU, or not all.
#include "rules/rule.hpp"

namespace rnncheck::rules {

static bool any_board(const Facts& facts, bool (*is_one)(const Board&)) {
    return std::ranges::any_of(facts.nvml_devices, is_one);
}

static bool split_by_mig(const Board& board) {
    return board.mig.value_or(false);
}

static bool is_vgpu(const Board& board) {
    return board.virtualization == "vgpu";
}

static bool serves_virtual_machines(const Board& board) {
    return board.virtualization == "host_vgpu" || board.virtualization == "host_vsga";
}

/// The open kernel module drives GPUs from Turing on alone.
static bool open_module_sees_no_board(const Facts& facts) {
    return facts.driver.kernel_flavour == "open" && facts.nvml_devices.empty() && !facts.host.pci_gpus.empty();
}

static Remedy for_board(const Facts& facts) {
    return remedy(any_board(facts, split_by_mig)              ? "no_gpu_visible/mig"
                  : any_board(facts, is_vgpu)                 ? "no_gpu_visible/vgpu"
                  : any_board(facts, serves_virtual_machines) ? "no_gpu_visible/shared"
                                                              : "no_gpu_visible/board");
}

static Remedy without_board(const Facts& facts) {
    if (open_module_sees_no_board(facts)) return remedy("no_gpu_visible/open_module");
    return facts.host.pci_gpus.empty() ? check_machine(facts) : remedy("no_gpu_visible/rejected");
}

static std::vector<Remedy> remedies_without_gpu(const Facts& facts) {
    if (on_wsl(facts)) return {remedy("driver_missing/wsl")};
    if (facts.nvml_devices.empty() && bus_without_gpu(facts)) return {machine_without_gpu(facts)};
    std::vector<Remedy> remedies;
    if (!facts.nvml_devices.empty()) remedies.push_back(for_board(facts));
    if (!batch_system(facts).empty()) remedies.push_back(gpu_for_job(facts));
    if (in_container(facts)) remedies.push_back(gpu_for_container(facts));
    if (facts.nvml_devices.empty()) remedies.push_back(on_host(facts, without_board(facts)));
    return remedies;
}

static std::string message_without_gpu(const Facts& facts) {
    if (any_board(facts, split_by_mig))
        return "CUDA sees no GPU: the board is in MIG mode and no MIG instance is visible";
    if (any_board(facts, is_vgpu))
        return "CUDA sees no GPU: the type of this virtual machine's vGPU does not support CUDA";
    if (any_board(facts, serves_virtual_machines))
        return "CUDA sees no GPU: the driver shares the board among virtual machines";
    if (facts.nvml_devices.empty() && bus_without_gpu(facts))
        return "CUDA sees no GPU: none is on the PCI bus of this machine";
    if (const std::string job = batch_system(facts); !job.empty() && facts.nvml_devices.empty())
        return "CUDA sees no GPU in this " + job + " job";
    return "the driver works, but CUDA sees no GPU";
}

static std::string instances_in(const Facts& facts) {
    std::vector<std::string> nodes;
    for (const DeviceNode& node : facts.driver.device_nodes)
        if (node.path.starts_with("/dev/nvidia-caps/")) nodes.push_back(node.path);
    return nodes.empty() ? "none" : join_with_and(nodes);
}

static Finding no_gpu(const Facts& facts) {
    return {.subject = "GPU",
            .message = message_without_gpu(facts),
            .evidence = {{"GPUs that CUDA sees", "0", "cuda_devices"},
                         {"GPUs that NVML sees", std::to_string(facts.nvml_devices.size()), "nvml_devices"},
                         {"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
                         {"device nodes of MIG instances", any_board(facts, split_by_mig) ? instances_in(facts) : "",
                          "driver.device_nodes"},
                         {"kernel module", if_known(facts.driver.kernel_flavour), "driver.kernel_flavour"},
                         {"cuInit", if_known(facts.driver.init), "driver.init"}},
            .remedies = remedies_without_gpu(facts),
            .symptoms = {"cuda_devices"},
            .explains = {"driver.init"}};
}

/// The driver answers and offers no GPU, and nothing better explains it.
Verdict no_gpu_visible(const Facts& facts, const Matrix&) {
    if (!facts.cuda_devices.empty()) return pass("CUDA sees a GPU");
    if (nodes_made_on_demand(facts))
        return undecided("device nodes are missing until the first CUDA program creates them");
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not initialize");
    if (!probe_completed(facts, "driver_api") && driver_answers(facts))
        return undecided("querying the driver did not finish");
    return fault(no_gpu(facts));
}

static Finding not_listed(const Facts& facts, const ProbeRun& run, const CallResult& call, const Matrix& matrix) {
    const auto status = matrix.status("cuda", 0, call.code);
    return {.subject = "NVIDIA driver",
            .message = "the NVIDIA driver initializes but cannot list its GPUs: " + in_words(call) +
                       (status && !status->meaning.empty() ? ", " + status->meaning : ""),
            .evidence = {{"failed call", in_words(call), "probe_runs"},
                         {"meaning of " + std::to_string(call.code), status ? status->name : "",
                          status ? status->source.url : "matrix"}},
            .remedies = {on_host(facts, remedy("gpu_list_failed"))},
            .symptoms = {place_of(facts, run)},
            .explains = {"cuda_devices"}};
}

/// The driver starts, but refuses to say which GPUs there are.
Verdict gpu_list_failed(const Facts& facts, const Matrix& matrix) {
    if (!facts.cuda_devices.empty()) return pass("the driver lists its GPUs");
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!facts.driver.init->ok()) return not_applicable("the driver does not initialize");
    for (const ProbeRun* run : runs_of(facts, "driver_api"))
        for (const CallResult& call : run->failed_calls)
            if (call.call == "cuDeviceGetCount") return fault(not_listed(facts, *run, call, matrix));
    if (!probe_completed(facts, "driver_api")) return undecided("querying the driver did not finish");
    return pass("the driver reported the number of GPUs");
}

static Remedy remedy_for(const Facts& facts, const std::string& variable, Severity severity) {
    if (variable == "NVIDIA_VISIBLE_DEVICES") {
        Remedy remedy = gpu_for_container(facts);
        remedy.text = "This variable is set when the container is started. " + remedy.text;
        return remedy;
    }
    // The batch system sets it to the GPUs of the job, and to a word that names none where the job has none.
    if (severity == Severity::error && !batch_system(facts).empty()) return gpu_for_job(facts);
    return remedy("gpu_hidden_by_setting");
}

static Finding hidden(const Facts& facts, const std::string& variable, Severity severity, const std::string& effect) {
    const std::string& value = *environment(facts, variable);
    Finding finding;
    finding.severity = severity;
    finding.subject = variable;
    if (severity == Severity::error)
        finding.explains = {"container", "libcuda", "driver", "/dev", "cuda_devices", "driver.init"};
    finding.message = variable + "=\"" + escaped(value, 200) + "\" " + effect;
    finding.evidence = {{variable, value, "host.environment"},
                        {"GPUs that CUDA sees", std::to_string(facts.cuda_devices.size()), "cuda_devices"},
                        {"GPUs that NVML sees", std::to_string(facts.nvml_devices.size()), "nvml_devices"}};
    finding.remedies = {remedy_for(facts, variable, severity)};
    return finding;
}

/// Entries from the first one that names no GPU on are ignored by CUDA.
static Verdict part_hidden(const Facts& facts, const std::string& value) {
    auto named = split(value, ',');
    std::erase_if(named, [](const std::string& entry) { return trim(entry).empty(); });
    const auto entries = named.size();
    // Of several MIG instances CUDA gives a process one, whatever the variable names.
    if (facts.cuda_devices.size() < entries && !contains(value, "MIG-"))
        return fault(hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::warning,
                            "names " + pluralized(entries, "GPU", "GPUs") + ", but CUDA uses only the first " +
                                std::to_string(facts.cuda_devices.size()) +
                                ": the next entry is not a GPU of this machine"));
    if (facts.nvml_devices.size() > facts.cuda_devices.size())
        return fault(hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::note,
                            "limits CUDA to " + std::to_string(facts.cuda_devices.size()) + " of " +
                                std::to_string(facts.nvml_devices.size()) + " GPUs"));
    return pass("CUDA_VISIBLE_DEVICES names GPUs that exist");
}

/// An environment variable keeps CUDA from GPUs that are there.
Verdict gpu_hidden_by_setting(const Facts& facts, const Matrix&) {
    const std::string* value = environment(facts, "CUDA_VISIBLE_DEVICES");
    const bool no_gpu_given = container_without_gpu(facts) || (facts.driver.init && !kernel_side_absent(facts));
    if (container_hides_gpus(facts) && facts.cuda_devices.empty() && no_gpu_given)
        return fault(hidden(facts, "NVIDIA_VISIBLE_DEVICES", Severity::error, "requests a container without a GPU"));
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!value) return not_applicable("CUDA_VISIBLE_DEVICES is not set");
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not initialize");
    if (!facts.cuda_devices.empty()) return part_hidden(facts, *value);
    if (!probe_completed(facts, "driver_api") && driver_answers(facts))
        return undecided("querying the driver did not finish");
    Finding finding = hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::error, "hides every GPU from CUDA");
    if (facts.nvml_devices.empty()) finding.confidence = Confidence::likely;
    return fault(std::move(finding));
}

static std::vector<Evidence> signs(const Facts& facts) {
    std::vector<Evidence> evidence{{"container", *facts.host.container, "host.container"},
                                   {"driver library, device nodes", "none", "libraries"}};
    if (const auto* value = environment(facts, "NVIDIA_VISIBLE_DEVICES"))
        evidence.push_back({"NVIDIA_VISIBLE_DEVICES", *value, "host.environment"});
    if (facts.driver.module_loaded.value_or(false))
        evidence.push_back({"the host's kernel module", "loaded", "driver.module_loaded"});
    if (!facts.host.pci_gpus.empty())
        evidence.push_back(
            {"NVIDIA devices on the PCI bus", std::to_string(facts.host.pci_gpus.size()), "host.pci_gpus"});
    return evidence;
}

/// A container was started without access to the GPU of its host.
Verdict container_no_gpu_runtime(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (!in_container(facts)) return not_applicable("no container was detected");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (!container_without_gpu(facts))
        return not_applicable("the container has parts of the driver, or the host has no sign of a GPU");

    Finding finding;
    finding.subject = "container";
    finding.symptoms = {"container"};
    finding.explains = {"libcuda", "driver"};
    finding.message =
        "this container was started without GPU access: neither libcuda.so.1 nor a device node of the NVIDIA driver is "
        "available in it";
    finding.confidence = facts.driver.module_loaded.value_or(false) ? Confidence::certain : Confidence::likely;
    finding.evidence = signs(facts);
    finding.remedies = {gpu_for_container(facts)};
    if (!batch_system(facts).empty()) finding.remedies.push_back(gpu_for_job(facts));
    return fault(std::move(finding));
}

}  // namespace rnncheck::rules
