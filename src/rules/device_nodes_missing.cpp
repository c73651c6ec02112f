// The kernel module is loaded, but the files in /dev through which programs reach it do not exist.
#include "rules/rule.hpp"

namespace rnncheck::rules::device_nodes_missing {

/// nvidia-modprobe creates the nodes of the numbers it is given, 255 for /dev/nvidiactl, and with -u only the nodes of
/// unified memory: https://github.com/NVIDIA/nvidia-modprobe/blob/main/nvidia-modprobe.c
static std::string nodes_of_gpus(const Facts& facts) {
    std::string command = "sudo nvidia-modprobe -c 255";
    for (std::size_t gpu = 0; gpu < std::max<std::size_t>(facts.host.pci_gpus.size(), 1); ++gpu)
        command += " -c " + std::to_string(gpu);
    return command;
}

static Remedy make_them(const Facts& facts) {
    return on_host(facts,
                   {.action = Action::configure_driver,
                    .text = "Create the device nodes with nvidia-modprobe, which is in the package of that name; "
                            "nvidia-persistenced creates those of the GPUs at every boot",
                    .commands = {nodes_of_gpus(facts), "sudo nvidia-modprobe -c 0 -u"},
                    .risk = Risk::needs_root,
                    .verify = "ls -l /dev/nvidia*",
                    .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"});
}

static std::vector<Evidence> seen(const Facts& facts, const std::vector<std::string>& missing) {
    return {{"missing device nodes", join_with_and(missing), "driver.device_nodes"},
            {"kernel module", "loaded", "driver.module_loaded"},
            {"nvidia-modprobe, set-user-id",
             facts.driver.modprobe_helper ? (*facts.driver.modprobe_helper ? "installed" : "not installed") : "unknown",
             "driver.modprobe_helper"},
            {"--make-nodes", facts.tool.make_nodes ? "used" : "", "tool.make_nodes"},
            {"cuInit", if_known(facts.driver.init), "driver.init"}};
}

static Finding nodes_missing(const Facts& facts, const std::vector<std::string>& missing) {
    Finding finding;
    finding.subject = "/dev";
    finding.message =
        "the kernel module is loaded, but " + join_with_and(missing) + (missing.size() == 1 ? " does" : " do") +
        " not exist" +
        (facts.tool.make_nodes.value_or(false) ? ", although --make-nodes allowed the driver to create them" : "");
    finding.evidence = seen(facts, missing);
    if (in_container(facts)) finding.remedies = {gpu_for_container(facts)};
    finding.remedies.push_back(make_them(facts));
    return finding;
}

/// As it should be on a machine without a display, until the first CUDA program runs.
static Finding nodes_to_come(const Facts& facts, const std::vector<std::string>& missing) {
    return {.severity = Severity::note,
            .subject = "/dev",
            .message = join_with_and(missing) +
                       " will be created by nvidia-modprobe when the first CUDA program starts; rnncheck prevents this "
                       "without --make-nodes, so nothing was run on a GPU",
            .evidence = seen(facts, missing),
            .remedies = {let_helper_make_nodes()}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (on_wsl(facts)) return not_applicable("WSL uses /dev/dxg instead of these nodes");
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    if (!*facts.driver.module_loaded) return not_applicable("the kernel module is not loaded");
    if (!probe_completed(facts, "driver_files")) return undecided("listing the device nodes did not finish");
    if (driver_library_absent(facts)) return not_applicable("no driver library was found");
    if (is_hidden(facts, "/dev")) return undecided("/dev is hidden from this process");
    const auto missing = missing_nodes(facts);
    if (missing.empty()) return pass("/dev/nvidiactl and a node of a GPU exist");
    return fault(nodes_made_on_demand(facts) ? nodes_to_come(facts, missing) : nodes_missing(facts, missing));
}

extern const Rule rule{.title = "Device nodes of the NVIDIA driver are missing",
                       .layer = Layer::driver,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"gpu_hidden_by_setting"}};

}  // namespace rnncheck::rules::device_nodes_missing
