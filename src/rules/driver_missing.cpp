// Neither a driver library nor the driver's kernel side is there.
#include "rules/rule.hpp"
#include "rules/support/seen.hpp"

namespace rnncheck::rules {

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver answers");
    if (!libraries_listed(facts)) return undecided("the library folders could not be searched");
    if (!usable_copies(facts, LibraryKind::cuda).empty()) return not_applicable("a driver library is installed");
    if (kernel_side_seen(facts)) return not_applicable("the driver's kernel module is there");
    if (!facts.driver.module_loaded) return undecided("the kernel could not be asked for its modules");

    const bool card = !facts.host.pci_gpus.empty();
    Finding finding;
    finding.subject = "NVIDIA driver";
    finding.message = card ? "this machine has an NVIDIA GPU but no NVIDIA driver: neither libcuda.so.1 nor the kernel module was found"
                           : "no NVIDIA driver is installed: neither libcuda.so.1 nor the kernel module was found";
    finding.evidence = {{"driver library", "no usable libcuda.so.1 on the loader's path", "libraries"},
                        {"kernel module", "not loaded", "driver.module_loaded"},
                        {"NVIDIA devices on the PCI bus", std::to_string(facts.host.pci_gpus.size()), "host.pci_gpus"}};
    finding.remedies = {{.text = "Install the NVIDIA driver for this GPU, then restart the machine. In a container or virtual machine, "
                                 "give it access to the GPU instead",
                         .commands = {"sudo ubuntu-drivers install"},
                         .risk = Risk::disruptive,
                         .verify = "nvidia-smi",
                         .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"}};
    return fault(std::move(finding));
}

extern const Rule driver_missing{.title = "No NVIDIA driver is installed",
                                 .layer = Layer::driver,
                                 .worst = Severity::error,
                                 .needs = Stage::look,
                                 .check = check};

}  // namespace rnncheck::rules
