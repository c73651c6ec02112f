// The GPUs that a profile expects.
#include "rules/rule.hpp"

namespace rnncheck::rules {

namespace {

/// The GPUs that CUDA lists against the profile, value by value. What the
/// profile leaves out is not compared, and what the facts lack leaves the
/// verdict open.
struct Comparison {
    const Facts& facts;
    const ExpectedMachine& expected;
    VerdictBuilder result = {};

    void fault(std::string subject, const std::string& what, const std::string& wanted) {
        const std::string& profile = expected.profile;
        result.fault({
            .subject = std::move(subject),
            .message = what + ", but '" + profile + "' expects " + wanted,
            .evidence = {{"expected", wanted, "expected"}},
            .remedies = {remedy("gpus_not_expected", {profile, shell_quoted(profile)})},
        });
    }

    void compare_number() {
        const auto seen = std::ssize(facts.cuda_devices);
        if (!expected.gpus)
            return;
        if (seen == *expected.gpus)
            return result.passed("the number of GPUs is as expected");
        fault(
            "GPUs",
            "CUDA programs see " + pluralized(seen, "GPU", "GPUs"),
            std::to_string(*expected.gpus));
    }

    /// "A100" expects any model with these letters in its name, in any case.
    void compare_name(const Gpu& gpu) {
        if (!expected.gpu)
            return;
        if (!gpu.name)
            return result.unknown("the name of " + gpu_name(gpu) + " is unknown");
        if (contains(lower(*gpu.name), lower(*expected.gpu)))
            return result.passed("the GPUs are as expected");
        fault(
            gpu_name(gpu), "GPU " + std::to_string(gpu.index) + " is " + *gpu.name, *expected.gpu);
    }

    /// In MiB as CUDA reports it, which is somewhat less than the board is sold
    /// with.
    void compare_memory(const Gpu& gpu) {
        if (!expected.gpu_memory_mib)
            return;
        if (!gpu.memory_total_mib)
            return result.unknown("the memory of " + gpu_name(gpu) + " is unknown");
        if (*gpu.memory_total_mib >= *expected.gpu_memory_mib)
            return result.passed("the memory is as expected");
        fault(
            gpu_name(gpu),
            concat(gpu_name(gpu), " has ", *gpu.memory_total_mib, " MiB of memory"),
            concat("at least ", *expected.gpu_memory_mib, " MiB"));
    }

    static std::string gpu_name(const Gpu& gpu) {
        return "GPU " + std::to_string(gpu.index);
    }
};

}  // namespace

/// The GPUs are not those that a profile expects, by number, name or memory. As
/// CUDA programs see them: a job gets these, whatever else is in the machine.
Verdict gpus_not_expected(const Facts& facts, const Matrix&) {
    if (!facts.expected || !facts.expected->names_gpus())
        return not_applicable("no profile expects GPUs");
    if (!facts.driver.init || !facts.driver.init->ok())
        return undecided("the GPUs that CUDA programs see are unknown");
    Comparison comparison{facts, *facts.expected};
    comparison.compare_number();
    for (const Gpu& gpu : facts.cuda_devices) {
        comparison.compare_name(gpu);
        comparison.compare_memory(gpu);
    }
    if (facts.cuda_devices.empty() && !facts.expected->gpus)
        comparison.result.unknown("CUDA programs see no GPU, so that it cannot be compared");
    return comparison.result.finish();
}

}  // namespace rnncheck::rules
