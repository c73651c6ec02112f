// The driver's kernel side: its module, its device nodes, and the directories that show them.
#include "base/if_any.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

/// Another driver that holds the GPU (nouveau, vfio-pci) keeps NVIDIA's module
/// from it, and without a GPU on the bus no module is loaded: those come first.
static std::vector<Remedy> without_module(const Facts& facts) {
    if (!foreign_kernel_driver(facts).empty())
        return {on_host(facts, against_foreign_driver(facts))};
    if (bus_without_gpu(facts))
        return {machine_without_gpu(facts)};
    std::vector<Remedy> remedies{on_host(facts, remedy("kernel_module_missing/load"))};
    if (in_container(facts))
        remedies.push_back(gpu_for_container(facts));
    return remedies;
}

/// nvidia-modprobe loads the module for the first CUDA program, where it is built for this kernel
/// and a GPU is there.
static std::optional<DecidingCheck> helper_may_load_it(const Facts& facts) {
    if (!facts.driver.modprobe_helper.value_or(false) || facts.tool.make_nodes.value_or(false) ||
        in_container(facts) || facts.host.pci_gpus.empty() || !foreign_kernel_driver(facts).empty())
        return std::nullopt;
    return DecidingCheck{
        "nvidia-modprobe is installed and loads the module for the first CUDA program, if it is "
        "built for this kernel; "
        "rnncheck prevents this unless run with --make-nodes",
        "rnncheck doctor --make-nodes"};
}

/// The driver's libraries are installed and the kernel has no nvidia module,
/// most often after a kernel update for which it was not built (DKMS) or
/// signed.
Verdict kernel_module_missing(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (on_wsl(facts))
        return not_applicable("under WSL, Windows provides the kernel driver");
    if (facts.driver.module_loaded.value_or(false))
        return pass("the kernel module is loaded");
    if (driver_library_absent(facts))
        return not_applicable("no driver library was found either");
    if (!driver_library_seen(facts))
        return undecided("whether a driver library is installed is unknown");
    if (!facts.driver.module_loaded)
        return undecided(why_kernel_unknown(facts));
    if (!kernel_module_gone(facts))
        return undecided("no module is listed, but device nodes exist");
    const auto version = driver_library_version(facts);
    const std::string path = libcuda_in_use(facts);
    const auto decided_by = helper_may_load_it(facts);
    std::string no_gpu;
    if (bus_without_gpu(facts))
        no_gpu = "; no NVIDIA GPU is on the PCI bus";
    return fault({
        .subject = "NVIDIA kernel module",
        .message = "the NVIDIA kernel module is not loaded, although the driver library " + path +
                   if_any(" (version ", version, ")") + " is installed" + no_gpu,
        .evidence =
            {{"driver library", path, "libraries"},
             {"kernel module", "not loaded", "driver.module_loaded"},
             {"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
             {"kernel driver of the GPU", foreign_kernel_driver(facts), "host.pci_gpus"},
             {"cuInit", if_known(facts.driver.init), "driver.init"}},
        .remedies = without_module(facts),
        .confidence = certain_if(!decided_by),
        .decided_by = decided_by,
        .explains = {"driver.init"},
    });
}

/// nvidia-modprobe creates the nodes of the numbers it is given, 255 for /dev/nvidiactl, and with
/// -u only the nodes of unified memory:
/// https://github.com/NVIDIA/nvidia-modprobe/blob/main/nvidia-modprobe.c
static std::string nodes_of_gpus(const Facts& facts) {
    std::string command = "sudo nvidia-modprobe -c 255";
    for (std::size_t gpu = 0; gpu < std::max<std::size_t>(facts.host.pci_gpus.size(), 1); ++gpu)
        command += " -c " + std::to_string(gpu);
    return command;
}

/// With --make-nodes the driver could have created it and did not.
static std::string although_allowed(const Facts& facts, const std::string& what) {
    if (!facts.tool.make_nodes.value_or(false))
        return "";
    return ", although --make-nodes allowed the driver to create " + what;
}

/// Only with the set-user-id bit can it create nodes for a user's program.
static std::string helper_in_words(const std::optional<bool>& is_installed) {
    if (!is_installed)
        return "unknown";
    if (*is_installed)
        return "installed";
    return "not installed";
}

/// The kernel module is loaded, but the files in /dev through which programs reach it do not exist.
/// So it should be on a machine without a display, until the first CUDA program runs.
Verdict device_nodes_missing(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (on_wsl(facts))
        return not_applicable("WSL uses /dev/dxg instead of these nodes");
    if (!facts.driver.module_loaded)
        return undecided(why_kernel_unknown(facts));
    if (!*facts.driver.module_loaded)
        return not_applicable("the kernel module is not loaded");
    if (!probe_completed(facts, "driver_files"))
        return undecided("listing the device nodes did not finish");
    if (driver_library_absent(facts))
        return not_applicable("no driver library was found");
    if (is_hidden(facts, "/dev"))
        return undecided("/dev is hidden from this process");
    const auto nodes = missing_nodes(facts);
    const std::string missing = join_with_and(nodes);
    if (nodes.empty())
        return pass("/dev/nvidiactl and a node of a GPU exist");
    const std::string helper = helper_in_words(facts.driver.modprobe_helper);
    std::string option;
    if (facts.tool.make_nodes)
        option = "used";
    Finding finding = {
        .subject = "/dev",
        .evidence =
            {{"missing device nodes", missing, "driver.device_nodes"},
             {"kernel module", "loaded", "driver.module_loaded"},
             {"nvidia-modprobe, set-user-id", helper, "driver.modprobe_helper"},
             {"--make-nodes", option, "tool.make_nodes"},
             {"cuInit", if_known(facts.driver.init), "driver.init"}},
    };
    if (nodes_created_lazily(facts)) {
        finding.severity = Severity::note;
        finding.message = missing +
                          " will be created by nvidia-modprobe when the first CUDA program starts; "
                          "rnncheck prevents "
                          "this without --make-nodes, so nothing was run on a GPU";
        finding.remedies = {remedy("device_nodes_missing/helper")};
        return fault(std::move(finding));
    }
    const std::string do_not_exist = nodes.size() == 1 ? " does not exist" : " do not exist";
    finding.message = "the kernel module is loaded, but " + missing + do_not_exist +
                      although_allowed(facts, "them");
    if (in_container(facts))
        finding.remedies = {gpu_for_container(facts)};
    finding.remedies.push_back(
        on_host(facts, remedy("device_nodes_missing", {nodes_of_gpus(facts)})));
    return fault(std::move(finding));
}

/// Of "0660 0:44": the group, where joining it helps: it may read and write, not everyone may, and
/// it is not root's.
static std::string group_that_may(const DeviceNode& node) {
    const auto colon = node.mode.find(':');
    if (node.mode.size() < 4 || colon == std::string::npos)
        return "";
    const auto reads_and_writes = [&](std::size_t place) {
        return node.mode[place] == '6' || node.mode[place] == '7';
    };
    const std::string group = node.mode.substr(colon + 1);
    if (reads_and_writes(2) && !reads_and_writes(3) && group != "0")
        return group;
    return "";
}

/// Joining the group of the node where that is enough, else its mode, which is
/// an option of the nvidia module (NVreg_DeviceFileMode).
static Remedy open_nodes(const Facts& facts, const DeviceNode& node) {
    const std::string group = group_that_may(node);
    if (group.empty())
        return on_host(facts, remedy("device_nodes_unreadable/mode", {node.path}));
    if (in_container(facts))
        return remedy("device_nodes_unreadable/container", {group, node.path});
    return remedy("device_nodes_unreadable/group", {group, node.path});
}

/// The nodes exist, and this user may not open them for reading and writing, as
/// cuInit does. Usual where an administrator limits GPUs to a group.
Verdict device_nodes_unreadable(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    const auto closed = inaccessible_nodes(facts);
    if (!closed.empty())
        return fault({
            .subject = closed.front(),
            .message = "this user has no read and write permission for " + join_with_and(closed),
            .evidence = mapped(
                closed,
                [&](const std::string& path) {
                    return Evidence{
                        path,
                        "mode and owner " + node_at(facts, path)->mode,
                        "driver.device_nodes"};
                }),
            .remedies = {open_nodes(facts, *node_at(facts, closed.front()))},
        });
    if (!probe_completed(facts, "driver_files"))
        return undecided("listing the device nodes did not finish");
    if (facts.driver.device_nodes.empty())
        return not_applicable("there are no device nodes");
    return pass("this user has read and write permission for the device nodes");
}

/// Only a note where nvidia-modprobe creates the node for the first CUDA
/// program.
static Finding uvm_missing(const Facts& facts) {
    const bool to_come = nodes_created_lazily(facts);
    Finding finding = {
        .severity = Severity::error,
        .subject = "/dev/nvidia-uvm",
        .message = "/dev/nvidia-uvm does not exist, and CUDA cannot initialize without it: " +
                   in_words(*facts.driver.init) + although_allowed(facts, "it"),
        .evidence =
            {{"/dev/nvidia-uvm", "missing, although /dev/nvidiactl exists", "driver.device_nodes"},
             {"failed call", in_words(*facts.driver.init), "driver.init"}},
        .confidence = Confidence::likely,
        .explains = {"driver.init"},
    };
    if (to_come) {
        finding.severity = Severity::note;
        finding.message =
            "/dev/nvidia-uvm, which CUDA needs, will be created by nvidia-modprobe when the first "
            "CUDA program starts; rnncheck prevents this without --make-nodes, so nothing was run "
            "on a GPU";
        finding.remedies = {remedy("device_nodes_missing/helper")};
    } else if (in_container(facts)) {
        finding.remedies = {gpu_for_container(facts)};
        finding.remedies.front().text +=
            ". Restart containers that were started before the host had this node";
    }
    finding.remedies.push_back(on_host(facts, remedy("uvm_device_node_missing")));
    return finding;
}

/// /dev/nvidia-uvm belongs to a module of its own, which nothing loads at boot
/// on a machine without a display; without it cuInit usually returns
/// CUDA_ERROR_UNKNOWN (999).
Verdict uvm_device_node_missing(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    if (on_wsl(facts))
        return not_applicable("WSL uses /dev/dxg instead of this node");
    if (!probe_completed(facts, "driver_files"))
        return undecided("listing the device nodes did not finish");
    if (is_hidden(facts, "/dev"))
        return undecided("/dev is hidden from this process");
    if (node_at(facts, "/dev/nvidia-uvm"))
        return pass("/dev/nvidia-uvm exists");
    if (!node_at(facts, "/dev/nvidiactl"))
        return not_applicable("the other device nodes are missing too");
    if (!facts.driver.init)
        return undecided(
            "the result of cuInit is unknown, and CUDA programs may create the node themselves");
    if (uvm_node_is_cause(facts))
        return fault(uvm_missing(facts));
    return not_applicable("cuInit failed for another reason");
}

/// What the kernel shows of a driver is in /proc, /sys and /dev, and this
/// process does not see them: in a chroot without mounts, or in a sandbox. A
/// missing file there then shows nothing, so that other rules stay undecided.
Verdict proc_sys_hidden(const Facts& facts, const Matrix&) {
    if (driver_responds(facts))
        return pass("the driver works");
    const bool kernel_hidden = is_hidden(facts, "/proc") && is_hidden(facts, "/sys") &&
                               !facts.driver.module_loaded.value_or(false);
    const bool nodes_hidden = is_hidden(facts, "/dev") && facts.driver.device_nodes.empty();
    const std::string hidden = join_with_and(facts.host.hidden_directories);
    std::string verb = " are";
    if (facts.host.hidden_directories.size() == 1)
        verb = " is";
    if (kernel_hidden || nodes_hidden)
        return fault({
            .subject = hidden,
            .message = hidden + verb +
                       " empty or not readable for this process, so the driver's files there "
                       "could not be "
                       "examined",
            .evidence = {{"directories that appear empty", hidden, "host.hidden_directories"}},
            .remedies = {remedy("proc_sys_hidden")},
        });
    if (!probe_completed(facts, "host_system"))
        return undecided("examining the system did not finish");
    return pass("/proc or /sys, and /dev, are readable");
}

}  // namespace rnncheck::rules
