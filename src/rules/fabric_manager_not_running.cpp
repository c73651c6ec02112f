// On machines with NVSwitch CUDA waits for the fabric manager, and it does not run.
#include "rules/rule.hpp"

namespace rnncheck::rules::fabric_manager_not_running {

static Finding not_ready(const Facts& facts) {
    return {.message =
                "the system is not ready for CUDA (error 802): on systems with NVSwitch, Fabric Manager is not running",
            .evidence = {{"driver version", if_known(driver_library_version(facts)), "driver.library_version"}},
            .remedies = {on_host(
                facts, {.action = Action::configure_driver,
                        .text = "Install Fabric Manager in exactly the driver's version, then start it; for a virtual "
                                "machine that has only some of the GPUs, it runs on the host. On systems without "
                                "NVSwitch, check the kernel log for the reason",
                        .commands = {"sudo systemctl enable --now nvidia-fabricmanager", "sudo dmesg | grep NVRM"},
                        .risk = Risk::needs_root,
                        .verify = "systemctl status nvidia-fabricmanager",
                        .link = "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"})},
            .confidence = Confidence::likely};
}

static Verdict check(const Facts& facts, const Matrix&) {
    const auto failures = cuda_failures(facts, cuda_system_not_ready);
    if (!failures.empty()) return fault_or(findings_for(failures, not_ready(facts)), {});
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.driver.init->ok()) return not_applicable("cuInit failed for another reason");
    return pass("no call reported that the system is not ready");
}

extern const Rule rule{.title = "The system is not ready for CUDA: Fabric Manager is not running",
                       .layer = Layer::driver,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::fabric_manager_not_running
