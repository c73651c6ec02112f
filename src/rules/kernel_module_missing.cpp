// The driver's library is here, its kernel module is not loaded.
#include "rules/rule.hpp"

namespace rnncheck::rules::kernel_module_missing {

static constexpr const char* guide = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/";

static Remedy load_it() {
    return {.action = Action::configure_driver,
            .text =
                "Load the module. If that fails, install the headers of the running kernel and build the module for it "
                "(sudo "
                "dkms autoinstall), sign it if Secure Boot is enabled (mokutil --sb-state), and reboot",
            .commands = {"sudo modprobe nvidia", "sudo dkms status"},
            .risk = Risk::needs_root,
            .verify = "cat /proc/driver/nvidia/version",
            .link = guide};
}

static std::vector<Remedy> remedies(const Facts& facts) {
    if (!foreign_kernel_driver(facts).empty()) return {on_host(facts, against_foreign_driver(facts))};
    if (bus_without_gpu(facts)) return {machine_without_gpu(facts)};
    std::vector<Remedy> remedies{on_host(facts, load_it())};
    if (in_container(facts)) remedies.push_back(gpu_for_container(facts));
    return remedies;
}

/// nvidia-modprobe loads the module for the first CUDA program, where it is built for this kernel and a GPU is there.
static std::optional<DecidingCheck> helper_may_load_it(const Facts& facts) {
    if (!facts.driver.modprobe_helper.value_or(false) || facts.tool.make_nodes.value_or(false) || in_container(facts) ||
        facts.host.pci_gpus.empty() || !foreign_kernel_driver(facts).empty())
        return std::nullopt;
    return DecidingCheck{
        "nvidia-modprobe is installed and loads the module for the first CUDA program, if it is built for this kernel; "
        "rnncheck prevents this unless run with --make-nodes",
        "rnncheck doctor --make-nodes"};
}

static Finding module_missing(const Facts& facts) {
    const auto release = driver_library_version(facts);
    const std::string path = libcuda_in_use(facts);
    Finding finding;
    finding.subject = "NVIDIA kernel module";
    finding.explains = {"driver.init"};
    finding.message = "the NVIDIA kernel module is not loaded, although the driver library " + path +
                      (release ? " (version " + release->text + ")" : "") + " is installed" +
                      (bus_without_gpu(facts) ? "; no NVIDIA GPU is on the PCI bus" : "");
    finding.evidence = {{"driver library", path, "libraries"},
                        {"kernel module", "not loaded", "driver.module_loaded"},
                        {"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
                        {"kernel driver of the GPU", foreign_kernel_driver(facts), "host.pci_gpus"},
                        {"cuInit", if_known(facts.driver.init), "driver.init"}};
    finding.remedies = remedies(facts);
    finding.decided_by = helper_may_load_it(facts);
    if (finding.decided_by) finding.confidence = Confidence::likely;
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (on_wsl(facts)) return not_applicable("under WSL, Windows provides the kernel driver");
    if (facts.driver.module_loaded.value_or(false)) return pass("the kernel module is loaded");
    if (driver_library_absent(facts)) return not_applicable("no driver library was found either");
    if (!driver_library_seen(facts)) return undecided("whether a driver library is installed is unknown");
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    if (!kernel_module_gone(facts)) return undecided("no module is listed, but device nodes exist");
    return fault(module_missing(facts));
}

extern const Rule rule{.title = "The NVIDIA kernel module is not loaded",
                       .layer = Layer::driver,
                       .stage = Stage::look,
                       .check = check,
                       .says_no_gpu = true};

}  // namespace rnncheck::rules::kernel_module_missing
