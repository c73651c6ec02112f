// A driver package inside the container hides the driver library that belongs to the host's kernel module.
#include "rules/rule.hpp"

namespace rnncheck::rules::driver_installed_inside_container {

static Finding foreign_driver(const Facts& facts) {
    const std::string path = libcuda_in_use(facts);
    return {
        .subject = path,
        .message = "the driver library in this container is version " + driver_library_version(facts)->text +
                   ", but the host's kernel module is version " + facts.driver.kernel_version->text,
        .evidence = {{"driver library", path + ", version " + driver_library_version(facts)->text,
                      "driver.library_version"},
                     {"kernel module", facts.driver.kernel_version->text, "driver.kernel_version"},
                     {"container", *facts.host.container, "host.container"}},
        .remedies =
            {{.action = Action::change_environment,
              .text =
                  "Remove the NVIDIA driver package from the image: the container runtime mounts the library that "
                  "matches the host. If the image contains none, the host's driver was updated: run nvidia-smi on the "
                  "host. If it works there, restart the container, else reboot the host",
              .commands = {"dpkg --list 'libnvidia-compute*' 'libcuda1' 'nvidia-driver*'"},
              .verify = "nvidia-smi",
              .link = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/index.html"}},
        .confidence = Confidence::likely,
        .explains = {"driver versions", "driver.init"}};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (!in_container(facts)) return not_applicable("no container was detected");
    if (driver_library_absent(facts)) return not_applicable("this container has no driver library");
    if (kernel_side_absent(facts)) return not_applicable("the kernel module is not loaded");
    const Library* library = driver_library(facts);
    if (library && library->compat)
        return not_applicable("the library is a forward-compatibility library, whose version may differ");
    if (!facts.driver.kernel_version || !driver_library_version(facts))
        return undecided("the version of the kernel module or of the driver library is unknown");
    if (!driver_versions_differ(facts)) return pass("the kernel module and the driver library are of the same version");
    return fault(foreign_driver(facts));
}

extern const Rule rule{.title = "The container image contains its own driver library",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::driver_installed_inside_container
