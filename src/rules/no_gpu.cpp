// The driver starts and lists no GPU, or not all.
#include "base/if_any.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

namespace {

/// Why CUDA finds no GPU although there is a board, with the remedy; the first that applies to a
/// board counts.
struct Reason {
    bool (*holds)(const Board&);
    const char *remedy, *message;
};
constexpr Reason reasons[] = {
    {[](const Board& board) { return board.mig.value_or(false); },
     "no_gpu_visible/mig",
     "CUDA sees no GPU: the board is in MIG mode and no MIG instance is visible"},
    {[](const Board& board) { return board.virtualization == "vgpu"; },
     "no_gpu_visible/vgpu",
     "CUDA sees no GPU: the type of this virtual machine's vGPU does not support CUDA"},
    {[](const Board& board) {
         return board.virtualization == "host_vgpu" || board.virtualization == "host_vsga";
     },
     "no_gpu_visible/shared",
     "CUDA sees no GPU: the driver shares the board among virtual machines"}};

/// Null where no board shows why CUDA lists no GPU.
const Reason* reason_of(const Facts& facts) {
    return find_where(reasons, [&](const Reason& one) {
        return std::ranges::any_of(facts.nvml_devices, one.holds);
    });
}

}  // namespace

/// By how far a GPU is visible: to NVML, on the PCI bus only, or nowhere.
static std::vector<Remedy> remedies_without_gpu(const Facts& facts) {
    const bool no_board = facts.nvml_devices.empty();
    if (on_wsl(facts))
        return {remedy("driver_missing/wsl")};
    if (no_board && bus_without_gpu(facts))
        return {machine_without_gpu(facts)};
    std::vector<Remedy> remedies = requests_for_gpu(facts);
    if (!no_board) {
        const char* place = "no_gpu_visible/board";
        if (const Reason* reason = reason_of(facts))
            place = reason->remedy;
        remedies.insert(remedies.begin(), remedy(place));
    } else if (facts.host.pci_gpus.empty()) {
        remedies.push_back(on_host(facts, check_machine(facts)));
    } else {
        const char* place = "no_gpu_visible/rejected";
        // The open kernel module supports only GPUs from Turing on.
        if (facts.driver.kernel_flavour == "open")
            place = "no_gpu_visible/open_module";
        remedies.push_back(on_host(facts, remedy(place)));
    }
    return remedies;
}

/// A batch system gives a job only the GPUs that it requested, so it is named.
static std::string message_without_gpu(const Facts& facts) {
    if (const Reason* reason = reason_of(facts))
        return reason->message;
    if (!facts.nvml_devices.empty())
        return "the driver works, but CUDA sees no GPU";
    if (bus_without_gpu(facts))
        return "CUDA sees no GPU: none is on the PCI bus of this machine";
    const std::string job = batch_system(facts);
    if (job.empty())
        return "the driver works, but CUDA sees no GPU";
    return "CUDA sees no GPU in this " + job + " job";
}

/// The nodes through which a program opens MIG instances; a container has those
/// that it was given.
static std::string instances_in(const Facts& facts) {
    std::vector<std::string> nodes = mapped(facts.driver.device_nodes, &DeviceNode::path);
    std::erase_if(
        nodes, [](const std::string& path) { return !path.starts_with("/dev/nvidia-caps/"); });
    if (nodes.empty())
        return "none";
    return join_with_and(nodes);
}

/// The driver responds and reports no GPU: cuInit returns CUDA_ERROR_NO_DEVICE
/// (100), or cuDeviceGetCount 0. Only where nothing better explains it.
Verdict no_gpu_visible(const Facts& facts, const Matrix&) {
    if (!facts.cuda_devices.empty())
        return pass("CUDA sees a GPU");
    if (nodes_created_lazily(facts))
        return undecided("device nodes are missing until the first CUDA program creates them");
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not initialize");
    if (!probe_completed(facts, "driver_api") && driver_responds(facts))
        return undecided("querying the driver did not finish");
    std::string instances;
    if (std::ranges::any_of(facts.nvml_devices, reasons[0].holds))
        instances = instances_in(facts);
    return fault({
        .subject = "GPU",
        .message = message_without_gpu(facts),
        .evidence =
            {{"GPUs that CUDA sees", "0", "cuda_devices"},
             {"GPUs that NVML sees", std::to_string(facts.nvml_devices.size()), "nvml_devices"},
             {"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
             {"device nodes of MIG instances", instances, "driver.device_nodes"},
             {"kernel module", if_known(facts.driver.kernel_flavour), "driver.kernel_flavour"},
             {"cuInit", if_known(facts.driver.init), "driver.init"}},
        .remedies = remedies_without_gpu(facts),
        .symptoms = {"cuda_devices"},
        .explains = {"driver.init"},
    });
}

/// cuInit succeeded, but cuDeviceGetCount returned an error, which is neither
/// "no GPU" nor a driver that does not start.
Verdict gpu_list_failed(const Facts& facts, const Matrix& matrix) {
    if (!facts.cuda_devices.empty())
        return pass("the driver lists its GPUs");
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    if (!facts.driver.init->ok())
        return not_applicable("the driver does not initialize");
    for (const ProbeRun* run : runs_of(facts, "driver_api")) {
        const CallResult* call = find_by(run->failed_calls, &CallResult::call, "cuDeviceGetCount");
        if (!call)
            continue;
        std::string message =
            "the NVIDIA driver initializes but cannot list its GPUs: " + in_words(*call);
        Evidence meaning = {"meaning of " + std::to_string(call->code), "", "matrix"};
        if (const auto status = matrix.status("cuda", 0, call->code)) {
            message += if_any(", ", status->meaning);
            meaning.value = status->name;
            meaning.source = status->source.url;
        }
        return fault({
            .subject = "NVIDIA driver",
            .message = std::move(message),
            .evidence = {{"failed call", in_words(*call), "probe_runs"}, std::move(meaning)},
            .remedies = {on_host(facts, remedy("gpu_list_failed"))},
            .symptoms = {place_of(facts, *run)},
            .explains = {"cuda_devices"},
        });
    }
    if (!probe_completed(facts, "driver_api"))
        return undecided("querying the driver did not finish");
    return pass("the driver reported the number of GPUs");
}

/// Who sets the variable has to change it: the container runtime reads
/// NVIDIA_VISIBLE_DEVICES at start, a batch system or the user sets the other.
static Remedy remedy_for(const Facts& facts, const std::string& variable, Severity severity) {
    if (variable == "NVIDIA_VISIBLE_DEVICES") {
        Remedy remedy = gpu_for_container(facts);
        remedy.text = "This variable is set when the container is started. " + remedy.text;
        return remedy;
    }
    // The batch system sets it to the GPUs of the job, and to a word that names none where the job
    // has none.
    if (severity == Severity::error && !batch_system(facts).empty())
        return gpu_for_job(facts);
    return remedy("gpu_hidden_by_setting");
}

/// An error where all GPUs are hidden, which then explains what else is
/// missing.
static Finding hidden(
    const Facts& facts, const std::string& variable, Severity severity, const std::string& effect) {
    const std::string& value = *environment(facts, variable);
    Finding finding = {
        .severity = severity,
        .subject = variable,
        .message = variable + "=\"" + escaped(value, 200) + "\" " + effect,
        .evidence =
            {{variable, value, "host.environment"},
             {"GPUs that CUDA sees", std::to_string(facts.cuda_devices.size()), "cuda_devices"},
             {"GPUs that NVML sees", std::to_string(facts.nvml_devices.size()), "nvml_devices"}},
        .remedies = {remedy_for(facts, variable, severity)},
    };
    if (severity == Severity::error)
        finding.explains = {
            "container", "libcuda", "driver", "/dev", "cuda_devices", "driver.init"};
    return finding;
}

/// Entries from the first one that names no GPU on are ignored by CUDA.
static Verdict part_hidden(const Facts& facts, const std::string& value) {
    auto named = split(value, ',');
    std::erase_if(named, [](const std::string& entry) { return trim(entry).empty(); });
    const auto entries = named.size();
    // Of several MIG instances CUDA gives a process one, whatever the variable names.
    if (facts.cuda_devices.size() < entries && !contains(value, "MIG-"))
        return fault(hidden(
            facts,
            "CUDA_VISIBLE_DEVICES",
            Severity::warning,
            "names " + pluralized(entries, "GPU", "GPUs") + ", but CUDA uses only the first " +
                std::to_string(facts.cuda_devices.size()) +
                ": the next entry is not a GPU of this machine"));
    if (facts.nvml_devices.size() > facts.cuda_devices.size())
        return fault(hidden(
            facts,
            "CUDA_VISIBLE_DEVICES",
            Severity::note,
            "limits CUDA to " + std::to_string(facts.cuda_devices.size()) + " of " +
                std::to_string(facts.nvml_devices.size()) + " GPUs"));
    return pass("CUDA_VISIBLE_DEVICES names GPUs that exist");
}

/// CUDA lists the GPUs of CUDA_VISIBLE_DEVICES in its order, up to the first
/// entry that names none. An empty value, -1 or a typing error hides all of
/// them:
/// https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars
Verdict gpu_hidden_by_setting(const Facts& facts, const Matrix&) {
    const std::string* value = environment(facts, "CUDA_VISIBLE_DEVICES");
    const bool no_gpu_given =
        container_without_gpu(facts) || (facts.driver.init && !kernel_side_absent(facts));
    if (container_hides_gpus(facts) && facts.cuda_devices.empty() && no_gpu_given)
        return fault(hidden(
            facts,
            "NVIDIA_VISIBLE_DEVICES",
            Severity::error,
            "requests a container without a GPU"));
    if (const auto verdict = without_cuinit(facts))
        return *verdict;
    if (!value)
        return not_applicable("CUDA_VISIBLE_DEVICES is not set");
    if (!facts.driver.init->ok() && init_code(facts) != cuda_no_device)
        return not_applicable("the driver does not initialize");
    if (!facts.cuda_devices.empty())
        return part_hidden(facts, *value);
    if (!probe_completed(facts, "driver_api") && driver_responds(facts))
        return undecided("querying the driver did not finish");
    Finding finding =
        hidden(facts, "CUDA_VISIBLE_DEVICES", Severity::error, "hides every GPU from CUDA");
    if (facts.nvml_devices.empty())
        finding.confidence = Confidence::likely;
    return fault(std::move(finding));
}

/// A container gets the driver's libraries and device nodes only if its runtime
/// is requested to add them (docker run --gpus all). A host that shows no sign
/// of a GPU may have none, so that is no fault.
Verdict container_no_gpu_runtime(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (!in_container(facts))
        return not_applicable("no container was detected");
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    if (!container_without_gpu(facts))
        return not_applicable(
            "the container has parts of the driver, or the host has no sign of a GPU");
    const std::string* visible = environment(facts, "NVIDIA_VISIBLE_DEVICES");
    const bool module_loaded = facts.driver.module_loaded.value_or(false);
    std::string variable, module, devices;
    if (visible)
        variable = *visible;
    if (module_loaded)
        module = "loaded";
    if (!facts.host.pci_gpus.empty())
        devices = std::to_string(facts.host.pci_gpus.size());
    std::vector<Remedy> remedies{gpu_for_container(facts)};
    if (!batch_system(facts).empty())
        remedies.push_back(gpu_for_job(facts));
    return fault({
        .subject = "container",
        .message = "this container was started without GPU access: neither libcuda.so.1 nor a "
                   "device node of the "
                   "NVIDIA driver is available in it",
        .evidence =
            {{"container", *facts.host.container, "host.container"},
             {"driver library, device nodes", "none", "libraries"},
             {"NVIDIA_VISIBLE_DEVICES", variable, "host.environment"},
             {"the host's kernel module", module, "driver.module_loaded"},
             {"NVIDIA devices on the PCI bus", devices, "host.pci_gpus"}},
        .remedies = std::move(remedies),
        .confidence = certain_if(module_loaded),
        .symptoms = {"container"},
        .explains = {"libcuda", "driver"},
    });
}

}  // namespace rnncheck::rules
