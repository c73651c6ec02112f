// On machines with NVSwitch CUDA waits for the fabric manager, and it does not run.
#include "rules/rule.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::fabric_manager_not_running {

static Finding not_ready(const Facts& facts) {
    Finding finding;
    finding.message =
        "the system is not ready for CUDA (error 802): on machines with NVSwitch the fabric manager does not run";
    finding.confidence = Confidence::likely;
    if (const auto release = driver_library_version(facts))
        finding.evidence = {{"driver release", release->text, "driver.library_version"}};
    finding.remedies = {on_host(
        facts,
        {.text = "Install the fabric manager in exactly the driver's version and start it; in a virtual machine that "
                 "has only some of the GPUs it runs outside. Without NVSwitch look in the kernel log for the reason",
         .commands = {"sudo systemctl enable --now nvidia-fabricmanager", "sudo dmesg | grep NVRM"},
         .risk = Risk::needs_root,
         .verify = "systemctl status nvidia-fabricmanager",
         .link = "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"})};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    const auto failures = cuda_failures(facts, cuda_system_not_ready);
    if (!failures.empty()) return fault_or(findings_for(failures, not_ready(facts)), {});
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed, and the reason is not known");
    if (!facts.driver.init->ok()) return not_applicable("cuInit failed for another reason");
    return pass("no call found the system not ready");
}

extern const Rule rule{.title = "The system is not ready for CUDA: the fabric manager does not run",
                       .layer = Layer::driver,
                       .max_severity = Severity::error,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::fabric_manager_not_running
