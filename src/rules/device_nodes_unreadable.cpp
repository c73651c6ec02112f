// The device nodes exist, and this user may not open them.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"

namespace rnncheck::rules {

static Finding nodes_closed(const Facts& facts, const std::vector<std::string>& closed) {
    Finding finding;
    finding.subject = closed.front();
    finding.message = "this user may not read and write " + listing(closed);
    for (const auto& path : closed)
        finding.evidence.push_back({path, "mode and owner " + node_at(facts, path)->mode, "driver.device_nodes"});
    finding.remedies = {
        {.text = "Join the group that owns the nodes (often video or render) and log in again, or have the driver make "
                 "them "
                 "for everyone (module option NVreg_DeviceFileMode=0666). Programs started by a service need the same",
         .commands = {"ls -l /dev/nvidia*", "sudo usermod -aG video \"$USER\""},
         .risk = Risk::needs_root,
         .verify = "nvidia-smi",
         .link = "https://github.com/NVIDIA/nvidia-modprobe"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver answers");
    const auto closed = closed_nodes(facts);
    if (!closed.empty()) return fault(nodes_closed(facts, closed));
    if (!probe_completed(facts, "driver_files")) return undecided("the device nodes were not listed to the end");
    if (facts.driver.device_nodes.empty()) return not_applicable("there are no device nodes");
    return pass("this user may read and write the device nodes");
}

extern const Rule device_nodes_unreadable{.title = "This user may not open the device nodes of the NVIDIA driver",
                                          .layer = Layer::driver,
                                          .worst = Severity::error,
                                          .needs = Stage::look,
                                          .check = check};

}  // namespace rnncheck::rules
