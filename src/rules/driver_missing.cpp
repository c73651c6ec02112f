// Neither a driver library nor the driver's kernel side is there.
#include "rules/rule.hpp"

namespace rnncheck::rules::driver_missing {

static Remedy install(const Facts& facts) {
    const bool debian = contains(facts.host.os.value_or(""), "Debian");
    return {.action = Action::install_driver,
            .text = std::string("Install the NVIDIA driver for this GPU, then reboot. RTX 50 and other Blackwell GPUs "
                                "require the open kernel modules (nvidia-open, or on Ubuntu nvidia-driver-NNN-open)") +
                    (debian ? ". The package is in the components contrib, non-free and non-free-firmware" : ""),
            .commands = driver_install_commands(facts),
            .risk = Risk::disruptive,
            .verify = "nvidia-smi",
            .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"};
}

static Remedy no_gpu_is_right() {
    return {.action = Action::none,
            .text = "If this machine is not expected to have an NVIDIA GPU, run the check with --allow-no-gpu",
            .commands = {"rnncheck doctor --allow-no-gpu"},
            .verify = "rnncheck doctor --allow-no-gpu",
            .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"};
}

static std::vector<Remedy> remedies(const Facts& facts) {
    if (on_wsl(facts)) return {update_windows_driver()};
    if (!foreign_kernel_driver(facts).empty()) return {against_foreign_driver(facts)};
    if (!facts.host.pci_gpus.empty()) return {install(facts)};
    if (bus_without_gpu(facts)) return {machine_without_gpu(facts), no_gpu_is_right()};
    std::vector<Remedy> remedies;
    if (!batch_system(facts).empty()) remedies.push_back(gpu_for_job(facts));
    if (in_container(facts)) remedies.push_back(gpu_for_container(facts));
    remedies.push_back(install(facts));
    remedies.back().text = "If this machine has an NVIDIA GPU, install its driver, then reboot";
    remedies.push_back(no_gpu_is_right());
    return remedies;
}

static std::string message_for(const Facts& facts) {
    const std::string nothing_found = "neither libcuda.so.1 nor the kernel module was found";
    if (on_wsl(facts))
        return "no NVIDIA driver is available in WSL: neither /dev/dxg nor a usable libcuda.so.1 was found";
    if (!facts.host.pci_gpus.empty()) return "this machine has an NVIDIA GPU but no NVIDIA driver: " + nothing_found;
    if (bus_without_gpu(facts))
        return std::string("no NVIDIA GPU is on the PCI bus of ") +
               (in_container(facts) ? "this container's host" : "this machine") + ", and no NVIDIA driver is installed";
    return "no NVIDIA driver is installed: " + nothing_found;
}

static Finding nothing_installed(const Facts& facts) {
    Finding finding;
    finding.subject = "NVIDIA driver";
    finding.symptoms = {"driver"};
    finding.message = message_for(facts);
    finding.evidence = {{"NVIDIA GPUs on the PCI bus", gpus_on_bus(facts), "host.pci_gpus"},
                        {"driver library", "no usable libcuda.so.1 in the loader's search path", "libraries"},
                        {"kernel module", "not loaded", "driver.module_loaded"},
                        {"kernel driver of the GPU", foreign_kernel_driver(facts), "host.pci_gpus"},
                        {"container", if_known(facts.host.container), "host.container"}};
    // A copy that only a toolkit or a package brings is no driver: say that it was seen and does not count.
    for (const Library* copy : usable_copies(facts, LibraryKind::cuda))
        finding.evidence.push_back({"libcuda outside the loader's search path", copy->path, "libraries"});
    finding.remedies = remedies(facts);
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (driver_library_seen(facts)) return not_applicable("a driver library is installed");
    if (kernel_side_seen(facts)) return not_applicable("the driver's kernel module is installed");
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    return fault(nothing_installed(facts));
}

extern const Rule rule{.title = "No NVIDIA driver is installed",
                       .layer = Layer::driver,
                       .stage = Stage::look,
                       .check = check,
                       .says_no_gpu = true,
                       .yields_to = {"container_no_gpu_runtime", "gpu_hidden_by_setting"}};

}  // namespace rnncheck::rules::driver_missing
