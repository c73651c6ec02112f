// The kernel module is loaded, but the files in /dev through which programs reach it do not exist.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/situation.hpp"

namespace rnncheck::rules::device_nodes_missing {

static Remedy make_them(const Facts& facts) {
    return on_host(facts, {.text = "Let the driver's helper make the nodes, now and after every start of the machine",
                           .commands = {"sudo nvidia-modprobe -c 0 -u"},
                           .risk = Risk::needs_root,
                           .verify = "ls -l /dev/nvidia*",
                           .link = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"});
}

static std::vector<Evidence> seen(const Facts& facts, const std::vector<std::string>& missing) {
    std::vector<Evidence> evidence = {
        {"missing device nodes", join_with_and(missing), "driver.device_nodes"},
        {"kernel module", "loaded", "driver.module_loaded"},
        {"nvidia-modprobe, set-user-id",
         facts.driver.modprobe_helper ? (*facts.driver.modprobe_helper ? "installed" : "not installed") : "not known",
         "driver.modprobe_helper"}};
    if (facts.tool.make_nodes) evidence.push_back({"--make-nodes", "used", "tool.make_nodes"});
    if (facts.driver.init) evidence.push_back({"cuInit", in_words(*facts.driver.init), "driver.init"});
    return evidence;
}

static Finding nodes_missing(const Facts& facts, const std::vector<std::string>& missing) {
    Finding finding;
    finding.subject = "/dev";
    finding.message = "the kernel module is loaded, but " + join_with_and(missing) +
                      (missing.size() == 1 ? " does" : " do") + " not exist" +
                      (facts.tool.make_nodes.value_or(false) ? ", although --make-nodes let the driver make them" : "");
    finding.evidence = seen(facts, missing);
    if (in_container(facts)) finding.remedies = {gpu_for_container(facts)};
    finding.remedies.push_back(make_them(facts));
    return finding;
}

/// As it should be on a machine without a display, until the first CUDA program runs.
static Finding nodes_to_come(const Facts& facts, const std::vector<std::string>& missing) {
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = "/dev";
    finding.message = join_with_and(missing) +
                      " will be made by nvidia-modprobe when the first CUDA program starts; rnncheck prevents this "
                      "without --make-nodes, so nothing could be run on a GPU";
    finding.evidence = seen(facts, missing);
    finding.remedies = {let_helper_make_nodes()};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver answers");
    if (on_wsl(facts)) return not_applicable("WSL has /dev/dxg in place of these nodes");
    if (!facts.driver.module_loaded) return undecided(kernel_not_asked(facts));
    if (!*facts.driver.module_loaded) return not_applicable("the kernel module is not loaded");
    if (!probe_completed(facts, "driver_files")) return undecided("the device nodes were not listed to the end");
    if (driver_library_absent(facts)) return not_applicable("no driver library was found");
    if (container_hides_gpus(facts)) return not_applicable("NVIDIA_VISIBLE_DEVICES asks for no GPU");
    if (is_hidden(facts, "/dev")) return undecided("/dev is hidden from this process");
    const auto missing = missing_nodes(facts);
    if (missing.empty()) return pass("/dev/nvidiactl and a node of a GPU exist");
    return fault(nodes_made_on_demand(facts) ? nodes_to_come(facts, missing) : nodes_missing(facts, missing));
}

extern const Rule rule{.title = "Device nodes of the NVIDIA driver are missing",
                       .layer = Layer::driver,
                       .worst = Severity::error,
                       .needs = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::device_nodes_missing
