// Neither a driver library nor the driver's kernel side is there.
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/packages.hpp"

namespace rnncheck::rules {

static std::vector<Remedy> remedies(const Facts& facts) {
    return {
        {.text = facts.host.pci_gpus.empty()
                     ? "If this machine has an NVIDIA GPU, install the driver for it, then restart. A container or "
                       "virtual machine needs access to a GPU of its host instead"
                     : "Install the NVIDIA driver for this GPU, then restart the machine. In a container or virtual "
                       "machine, give it access to the GPU instead",
         .commands = driver_install_commands(facts),
         .risk = Risk::disruptive,
         .verify = "nvidia-smi",
         .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"}};
}

static Finding nothing_installed(const Facts& facts) {
    const bool card = !facts.host.pci_gpus.empty();
    Finding finding;
    finding.subject = "NVIDIA driver";
    finding.message = card ? "this machine has an NVIDIA GPU but no NVIDIA driver: neither libcuda.so.1 nor the kernel "
                             "module was found"
                           : "no NVIDIA driver is installed: neither libcuda.so.1 nor the kernel module was found";
    finding.evidence = {
        {"driver library", "no usable libcuda.so.1 on the loader's path", "libraries"},
        {"kernel module", "not loaded", "driver.module_loaded"},
        {"NVIDIA devices on the PCI bus",
         facts.host.pci_listed.value_or(false) ? std::to_string(facts.host.pci_gpus.size()) : "not known",
         "host.pci_gpus"}};
    // A copy that only a toolkit or a package brings is no driver: say that it was seen and does not count.
    for (const Library* copy : usable_copies(facts, LibraryKind::cuda))
        finding.evidence.push_back({"copy off the loader's path", copy->path, "libraries"});
    finding.remedies = remedies(facts);
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver answers");
    if (!libraries_listed(facts)) return undecided("the library folders could not be searched");
    if (driver_library_seen(facts)) return not_applicable("a driver library is installed");
    if (container_without_gpu(facts)) return not_applicable("the container was started without GPU access");
    if (kernel_side_seen(facts)) return not_applicable("the driver's kernel module is there");
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    return fault(nothing_installed(facts));
}

extern const Rule driver_missing{.title = "No NVIDIA driver is installed",
                                 .layer = Layer::driver,
                                 .worst = Severity::error,
                                 .needs = Stage::look,
                                 .check = check};

}  // namespace rnncheck::rules
