// The device nodes exist, and this user may not open them.
#include "rules/rule.hpp"

namespace rnncheck::rules::device_nodes_unreadable {

/// Of "0660 0:44": the group, where joining it helps: it may read and write, not everyone may, and it is not root's.
static std::string group_that_may(const DeviceNode& node) {
    const auto colon = node.mode.find(':');
    if (node.mode.size() < 4 || colon == std::string::npos) return "";
    const auto reads_and_writes = [&](std::size_t place) { return node.mode[place] == '6' || node.mode[place] == '7'; };
    const std::string group = node.mode.substr(colon + 1);
    return reads_and_writes(2) && !reads_and_writes(3) && group != "0" ? group : "";
}

static Remedy remedy(const Facts& facts, const DeviceNode& node) {
    const std::string group = group_that_may(node);
    constexpr const char* source = "https://github.com/NVIDIA/nvidia-modprobe";
    if (group.empty())
        return on_host(
            facts,
            {.action = Action::configure_driver,
             .text =
                 "Configure the driver to create the nodes for all users (NVreg_DeviceFileMode=0666, an option of "
                 "the nvidia module) or for a group, then reboot. The same applies to programs started by a service",
             .commands = {"ls -l " + node.path, "grep DeviceFile /proc/driver/nvidia/params"},
             .risk = Risk::needs_root,
             .verify = "nvidia-smi",
             .link = source});
    if (in_container(facts))
        return {.action = Action::request_gpu,
                .text = "Start the container with group " + group +
                        ", which owns the nodes, as an additional group (docker: --group-add " + group +
                        "; podman without root: --group-add keep-groups)",
                .commands = {"ls -ln " + node.path, "id"},
                .verify = "nvidia-smi",
                .link = source};
    return {.action = Action::change_environment,
            .text = "Add your user to group " + group +
                    ", which owns the nodes, then log in again. The same applies to programs started by a service",
            .commands = {"ls -l " + node.path,
                         "sudo usermod -aG \"$(getent group " + group + " | cut -d: -f1)\" \"$USER\""},
            .risk = Risk::needs_root,
            .verify = "nvidia-smi",
            .link = source};
}

static Finding nodes_closed(const Facts& facts, const std::vector<std::string>& closed) {
    Finding finding;
    finding.subject = closed.front();
    finding.message = "this user has no read and write permission for " + join_with_and(closed);
    for (const auto& path : closed)
        finding.evidence.push_back({path, "mode and owner " + node_at(facts, path)->mode, "driver.device_nodes"});
    finding.remedies = {remedy(facts, *node_at(facts, closed.front()))};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    const auto closed = closed_nodes(facts);
    if (!closed.empty()) return fault(nodes_closed(facts, closed));
    if (!probe_completed(facts, "driver_files")) return undecided("listing the device nodes did not finish");
    if (facts.driver.device_nodes.empty()) return not_applicable("there are no device nodes");
    return pass("this user has read and write permission for the device nodes");
}

extern const Rule rule{.title = "This user has no permission to open the NVIDIA device nodes",
                       .layer = Layer::driver,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::device_nodes_unreadable
