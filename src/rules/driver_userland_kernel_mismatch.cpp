// The driver's libraries and its kernel module are of different releases.
#include "rules/rule.hpp"

namespace rnncheck::rules::driver_userland_kernel_mismatch {

static std::vector<Evidence> releases(const Facts& facts) {
    return {{"kernel module", if_known(facts.driver.kernel_version), "driver.kernel_version"},
            {"libcuda", if_known(driver_library_version(facts)), "driver.library_version"},
            {"NVML", if_known(facts.driver.nvml_version), "driver.nvml_version"}};
}

static Remedy restart(const Facts& facts) {
    return on_host(facts, {.action = Action::restart_node,
                           .text = "Reboot: after a driver update, the old module stays loaded until the next boot. If "
                                   "the problem persists, remove the libraries left over from the other version",
                           .commands = {"cat /proc/driver/nvidia/version",
                                        "/sbin/ldconfig -p | grep -E 'libcuda|libnvidia-ml'", "sudo reboot"},
                           .risk = Risk::disruptive,
                           .verify = "nvidia-smi",
                           .link = "https://docs.nvidia.com/deploy/cuda-compatibility/"});
}

static Remedy restart_container() {
    return {.action = Action::request_gpu,
            .text =
                "Restart the container so that it gets the host's current driver libraries; remove driver libraries "
                "that the image contains",
            .commands = {"cat /proc/driver/nvidia/version", "/sbin/ldconfig -p | grep -E 'libcuda|libnvidia-ml'"},
            .verify = "nvidia-smi",
            .link = "https://docs.nvidia.com/deploy/cuda-compatibility/"};
}

static Finding mismatch(const Facts& facts, const std::vector<FailedCall>& failures, bool nvml_says_so) {
    Finding finding;
    finding.severity = driver_answers(facts) ? Severity::warning : Severity::error;
    finding.subject = "NVIDIA driver";
    finding.symptoms = {"driver versions"};
    if (!driver_answers(facts)) finding.explains = {"driver.init"};
    const std::string which = driver_versions_differ(facts)
                                  ? " (" + facts.driver.kernel_version->text + " in the kernel, " +
                                        driver_library_version(facts)->text + " in libcuda)"
                                  : "";
    finding.message = driver_answers(facts)
                          ? "NVML (libnvidia-ml.so.1) and the loaded kernel module are of different driver versions"
                          : "the driver's libraries and its loaded kernel module are of different versions" + which;
    finding.evidence = releases(facts);
    if (!failures.empty()) finding.evidence.push_back(evidence_of(failures.front()));
    for (const FailedCall& failure : failures) append(finding.explains, failure.explains);
    if (nvml_says_so) finding.evidence.push_back({"NVML", in_words(*facts.driver.nvml_init), "driver.nvml_init"});
    finding.remedies = {in_container(facts) ? restart_container() : restart(facts)};
    return finding;
}

static std::optional<std::string> not_known(const Facts& facts) {
    const bool nvml_there = !libraries_listed(facts) || !usable_copies(facts, LibraryKind::nvml).empty();
    if (nvml_there && !facts.driver.nvml_init) return "NVML did not respond";
    if (driver_answers(facts)) return std::nullopt;
    if (!facts.driver.init) return "the result of cuInit is unknown";
    if (!driver_library_version(facts) || !facts.driver.kernel_version)
        return "the version of libcuda or of the kernel module is unknown";
    return std::nullopt;
}

static Verdict check(const Facts& facts, const Matrix&) {
    const Library* library = driver_library(facts);
    const auto failures = cuda_failures(facts, cuda_system_driver_mismatch);
    const bool nvml_says_so = facts.driver.nvml_init && facts.driver.nvml_init->code == nvml_version_mismatch;
    const bool differ = driver_versions_differ(facts) && !driver_answers(facts);
    if (library && library->compat && !driver_answers(facts))
        return not_applicable("a forward-compatibility library is in use");
    if (!failures.empty() || nvml_says_so || differ) return fault(mismatch(facts, failures, nvml_says_so));
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (const auto why = not_known(facts)) return undecided(*why);
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    return pass("the driver's libraries and kernel module match");
}

extern const Rule rule{.title = "The driver's libraries and kernel module are of different versions",
                       .layer = Layer::driver,
                       .stage = Stage::ask,
                       .check = check,
                       .yields_to = {"driver_installed_inside_container"}};

}  // namespace rnncheck::rules::driver_userland_kernel_mismatch
