#include "rules/support/versions.hpp"

namespace rnncheck::rules {

std::string words_of(const Gpu& gpu) {
    const std::string capability = "compute capability " + gpu.compute_capability->text;
    if (gpu.name)
        return *gpu.name + " (" + capability + ")";
    return capability;
}

stack::Framework as_named(const Framework& framework) {
    return {framework.name, framework.version, framework.build};
}

std::string words_of(const Framework& framework) {
    return words_of(as_named(framework));
}

stack::Part part_of(const Gpu& gpu) {
    return {stack::PartKind::gpu, std::to_string(gpu.index), subject_of(gpu)};
}

stack::Part part_of(const Framework& framework) {
    return {stack::PartKind::framework, framework.name, words_of(framework)};
}

bool on_arm(const Facts& facts, const Matrix& matrix) {
    if (facts.host.machine)
        return facts.host.machine == "aarch64";
    stack::Stack machine;
    for (const Gpu& gpu : facts.cuda_devices)
        machine.gpus.push_back({.name = gpu.name});
    return stack::on_arm(machine, matrix);
}

Builds builds_of(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    return stack::builds_of(
        as_named(framework), facts.host.platform, on_arm(facts, matrix), matrix);
}

/// Under WSL the driver is that of Windows, with Windows' version numbers.
stack::Driver driver_of(const Facts& facts) {
    std::string os = facts.host.platform.value_or("linux");
    if (on_wsl(facts))
        os = "windows";
    return {driver_version(facts), facts.driver.cuda_version, os};
}

}  // namespace rnncheck::rules
