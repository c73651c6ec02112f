#include "rules/support/kernel_support.hpp"

#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules {

static bool was_cut_short(const ProbeRun& run) {
    return run.end == ProbeEnd::crashed || run.end == ProbeEnd::quit_early || run.end == ProbeEnd::timed_out ||
           run.end == ProbeEnd::stuck;
}

std::optional<std::string> kernel_fails(const Facts& facts, int gpu) {
    for (const KernelRun& run : facts.kernel_runs) {
        if (run.gpu != gpu) continue;
        if (run.result && !run.result->ok()) return gpu_subject(facts, gpu) + " cannot run a test kernel";
        if (run.correct == false) return gpu_subject(facts, gpu) + " returns incorrect results from a test kernel";
    }
    for (const ProbeRun* run : runs_of(facts, "ptx_launch"))
        if (run->target == "GPU " + std::to_string(gpu) && was_cut_short(*run))
            return "a test kernel on " + gpu_subject(facts, gpu) + " did not finish";
    return std::nullopt;
}

}  // namespace rnncheck::rules
