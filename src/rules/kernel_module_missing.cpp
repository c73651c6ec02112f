// The driver's library is here, its kernel module is not loaded.
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"

namespace rnncheck::rules {

static Finding module_missing(const Facts& facts) {
    const auto release = library_release(facts);
    const Library* library = driver_library(facts);
    const std::string path = library ? library->path : facts.driver.library.value_or("libcuda.so.1");
    Finding finding;
    finding.subject = "NVIDIA kernel module";
    finding.message = "the NVIDIA kernel module is not loaded, although the driver library " + path +
                      (release ? " (release " + release->text + ")" : "") + " is installed";
    finding.evidence = {{"driver library", path, "libraries"}, {"kernel module", "not loaded", "driver.module_loaded"}};
    if (facts.driver.init) finding.evidence.push_back({"cuInit", in_words(*facts.driver.init), "driver.init"});
    finding.remedies = {{.text = "Load the module. If that fails, build it for the running kernel (package kernel "
                                 "headers, then dkms), sign "
                                 "it where Secure Boot is on, keep nouveau from taking the GPU, and restart",
                         .commands = {"sudo modprobe nvidia", "dkms status"},
                         .risk = Risk::needs_root,
                         .verify = "cat /proc/driver/nvidia/version",
                         .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"}};
    if (in_container(facts))
        finding.remedies.push_back(
            {.text = "In a container the module is the host's business: install the driver there and start the "
                     "container with GPU access",
             .commands = {"docker run --rm --gpus all ubuntu nvidia-smi"},
             .verify = "nvidia-smi",
             .link = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"});
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver answers");
    if (on_wsl(facts)) return not_applicable("under WSL the kernel side is Windows' own");
    if (facts.driver.module_loaded.value_or(false)) return pass("the kernel module is loaded");
    if (driver_library_absent(facts)) return not_applicable("no driver library was found either");
    if (!driver_library_seen(facts)) return undecided("whether there is a driver library is not known");
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    if (!kernel_module_gone(facts)) return undecided("no module is shown, but device nodes exist");
    return fault(module_missing(facts));
}

extern const Rule kernel_module_missing{.title = "The kernel module of the NVIDIA driver is not loaded",
                                        .layer = Layer::driver,
                                        .worst = Severity::error,
                                        .needs = Stage::look,
                                        .check = check};

}  // namespace rnncheck::rules
