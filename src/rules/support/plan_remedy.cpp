#include "rules/support/plan_remedy.hpp"

#include "rules/support/driver_support.hpp"

namespace rnncheck::rules {

static std::optional<Version> capability_for(const Facts& facts, const std::string& subject) {
    std::optional<Version> first;
    for (const Gpu& gpu : facts.gpus) {
        if (subject_of(gpu) == subject) return gpu.compute_capability;
        if (!first) first = gpu.compute_capability;
    }
    return first;
}

std::optional<Version> release_of_driver(const Facts& facts) {
    if (const auto release = library_release(facts)) return release;
    if (facts.driver.library_version) return facts.driver.library_version;
    return facts.driver.nvml_version ? facts.driver.nvml_version : facts.driver.kernel_version;
}

std::string plan_command(const Facts& facts, const std::string& subject) {
    const auto gpu = capability_for(facts, subject);
    const auto driver = release_of_driver(facts);
    if (!gpu && !driver) return "";
    return "rnncheck matrix plan" + (gpu ? " gpu=" + gpu->text : "") + (driver ? " driver=" + driver->text : "");
}

Verdict with_plan(Verdict verdict, const Facts& facts) {
    for (Finding& finding : verdict.findings) {
        const std::string command = plan_command(facts, finding.subject);
        if (command.empty()) continue;
        finding.remedies.push_back({.text = "See which releases of each framework run with this GPU and driver",
                                    .commands = {command},
                                    .verify = "",
                                    .link = ""});
    }
    return verdict;
}

}  // namespace rnncheck::rules
