// A container was started without access to the GPU of its host.
#include "rules/rule.hpp"

namespace rnncheck::rules::container_no_gpu_runtime {

static std::vector<Evidence> signs(const Facts& facts) {
    std::vector<Evidence> evidence{{"container", *facts.host.container, "host.container"},
                                   {"driver library, device nodes", "none", "libraries"}};
    if (const auto* value = environment(facts, "NVIDIA_VISIBLE_DEVICES"))
        evidence.push_back({"NVIDIA_VISIBLE_DEVICES", *value, "host.environment"});
    if (facts.driver.module_loaded.value_or(false))
        evidence.push_back({"the host's kernel module", "loaded", "driver.module_loaded"});
    if (!facts.host.pci_gpus.empty())
        evidence.push_back(
            {"NVIDIA devices on the PCI bus", std::to_string(facts.host.pci_gpus.size()), "host.pci_gpus"});
    return evidence;
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (driver_answers(facts)) return pass("the driver works");
    if (!in_container(facts)) return not_applicable("no container was detected");
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (!container_without_gpu(facts))
        return not_applicable("the container has parts of the driver, or the host has no sign of a GPU");

    Finding finding;
    finding.subject = "container";
    finding.symptoms = {"container"};
    finding.explains = {"libcuda", "driver"};
    finding.message =
        "this container was started without GPU access: neither libcuda.so.1 nor a device node of the NVIDIA driver is "
        "available in it";
    finding.confidence = facts.driver.module_loaded.value_or(false) ? Confidence::certain : Confidence::likely;
    finding.evidence = signs(facts);
    finding.remedies = {gpu_for_container(facts)};
    if (!batch_system(facts).empty()) finding.remedies.push_back(gpu_for_job(facts));
    return fault(std::move(finding));
}

extern const Rule rule{.title = "The container was started without access to a GPU",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check,
                       .says_no_gpu = true,
                       .yields_to = {"gpu_hidden_by_setting"}};

}  // namespace rnncheck::rules::container_no_gpu_runtime
