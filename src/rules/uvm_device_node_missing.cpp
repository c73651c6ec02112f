// The driver's other nodes are here, the one of unified memory is not, and CUDA cannot start.
#include "rules/rule.hpp"

namespace rnncheck::rules::uvm_device_node_missing {

static Remedy make_it(const Facts& facts) {
    return on_host(facts, {.action = Action::configure_driver,
                           .text = "Load the unified-memory module and create its device node with nvidia-modprobe",
                           .commands = {"sudo modprobe nvidia-uvm", "sudo nvidia-modprobe -c 0 -u"},
                           .risk = Risk::needs_root,
                           .verify = "ls -l /dev/nvidia-uvm",
                           .link = "https://github.com/NVIDIA/nvidia-modprobe"});
}

static Finding uvm_missing(const Facts& facts) {
    const bool to_come = nodes_made_on_demand(facts);
    Finding finding;
    finding.severity = to_come ? Severity::note : Severity::error;
    finding.subject = "/dev/nvidia-uvm";
    finding.explains = {"driver.init"};
    finding.message =
        to_come
            ? "/dev/nvidia-uvm, which CUDA needs, will be created by nvidia-modprobe when the first CUDA program "
              "starts; rnncheck prevents this without --make-nodes, so nothing was run on a GPU"
            : "/dev/nvidia-uvm does not exist, and CUDA cannot initialize without it: " + in_words(*facts.driver.init) +
                  (facts.tool.make_nodes.value_or(false) ? ", although --make-nodes allowed the driver to create it"
                                                         : "");
    finding.confidence = Confidence::likely;
    finding.evidence = {{"/dev/nvidia-uvm", "missing, although /dev/nvidiactl exists", "driver.device_nodes"},
                        {"failed call", in_words(*facts.driver.init), "driver.init"}};
    if (to_come)
        finding.remedies = {let_helper_make_nodes()};
    else if (in_container(facts)) {
        finding.remedies = {gpu_for_container(facts)};
        finding.remedies.front().text += ". Restart containers that were started before the host had this node";
    }
    finding.remedies.push_back(make_it(facts));
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (on_wsl(facts)) return not_applicable("WSL uses /dev/dxg instead of this node");
    if (!probe_completed(facts, "driver_files")) return undecided("listing the device nodes did not finish");
    if (is_hidden(facts, "/dev")) return undecided("/dev is hidden from this process");
    if (node_at(facts, "/dev/nvidia-uvm")) return pass("/dev/nvidia-uvm exists");
    if (!node_at(facts, "/dev/nvidiactl")) return not_applicable("the other device nodes are missing too");
    if (!facts.driver.init)
        return undecided("the result of cuInit is unknown, and CUDA programs may create the node themselves");
    if (!uvm_node_to_blame(facts)) return not_applicable("cuInit failed for another reason");
    return fault(uvm_missing(facts));
}

extern const Rule rule{.title = "The unified-memory device node (/dev/nvidia-uvm) is missing",
                       .layer = Layer::driver,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::uvm_device_node_missing
