// A driver package inside the container hides the driver library that belongs to the host's kernel module.
#include "facts/queries.hpp"
#include "rules/rule.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::driver_installed_inside_container {

static Finding foreign_driver(const Facts& facts) {
    const Library* library = driver_library(facts);
    const std::string path = library ? library->path : facts.driver.library.value_or("libcuda.so.1");
    Finding finding;
    finding.subject = path;
    finding.explains = {"driver versions", "driver.init"};
    finding.message = "the driver library in this container is of release " + driver_library_version(facts)->text +
                      ", but the host's kernel module is " + facts.driver.kernel_version->text;
    finding.confidence = Confidence::likely;
    finding.evidence = {
        {"driver library", path + ", release " + driver_library_version(facts)->text, "driver.library_version"},
        {"kernel module", facts.driver.kernel_version->text, "driver.kernel_version"},
        {"container", *facts.host.container, "host.container"}};
    finding.remedies = {
        {.text =
             "Remove the NVIDIA driver package from the image: the container runtime brings in the library that fits "
             "the host. If the image holds none, start the container anew: the host's driver was updated since",
         .commands = {"dpkg --list 'libnvidia-compute*' 'libcuda1' 'nvidia-driver*'"},
         .verify = "nvidia-smi",
         .link = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/index.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver answers");
    if (!in_container(facts)) return not_applicable("no container was recognised");
    if (driver_library_absent(facts)) return not_applicable("there is no driver library in this container");
    if (kernel_side_absent(facts)) return not_applicable("the kernel module is not loaded");
    const Library* library = driver_library(facts);
    if (library && library->compat)
        return not_applicable("the library is a forward-compatibility one, which may differ");
    if (!facts.driver.kernel_version || !driver_library_version(facts))
        return undecided("the release of the kernel module or of the driver library is not known");
    if (!driver_versions_differ(facts)) return pass("kernel module and driver library are of one release");
    return fault(foreign_driver(facts));
}

extern const Rule rule{.title = "The container brings a driver library of its own",
                       .layer = Layer::host,
                       .max_severity = Severity::error,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::driver_installed_inside_container
