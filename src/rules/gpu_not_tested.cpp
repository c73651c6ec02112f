// A GPU answers and a cuDNN is there for it, yet no recurrent network was tried on it.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::gpu_not_tested {

static bool has_working_cudnn(const Facts& facts) {
    return std::ranges::any_of(facts.cudnns, [](const Cudnn& cudnn) { return cudnn.rnn_usable.value_or(false); });
}

/// The call that kept every case of a sweep from being tried; null when none is on record.
static const RnnRun* obstacle(const Sweep& sweep) {
    for (const RnnRun* run : sweep.runs)
        if (run->end == RunEnd::skipped && run->result && !run->result->ok() && run->result->code != -1) return run;
    return nullptr;
}

/// What helps against the call that failed.
static Remedy remedy_for(const Facts& facts, const CallResult& call) {
    if (call.code == cuda_device_unavailable)
        return {.action = Action::free_resources,
                .text = "Make the GPU available: check which processes use it and its compute mode",
                .commands = {"nvidia-smi"},
                .link = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html"};
    return on_host(facts, {.action = Action::investigate,
                           .text = "Check the kernel log for the driver's Xid messages about the failed call. If it "
                                   "fails again, reboot, then update the driver to one that still supports the GPU",
                           .commands = {"sudo dmesg | grep -i -E 'nvrm|xid'"},
                           .risk = Risk::needs_root,
                           .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"});
}

static Finding not_tested(const Facts& facts, const Gpu& gpu, const RnnRun& run) {
    return {.subject = subject_of(gpu),
            .message = "no recurrent network could be run on " + subject_of(gpu) + " with " +
                       name_of(cudnn_copy(facts, run.library)) + ": " + in_words(*run.result),
            .evidence = {evidence_of(facts, run, in_words(*run.result))},
            .remedies = {remedy_for(facts, *run.result)},
            .symptoms = {place_of(facts, run)}};
}

/// How the probe of this GPU ended, where it did not go well; else what the request leaves out.
static std::string why_not(const Facts& facts, const Gpu& gpu) {
    for (const ProbeRun* run : runs_of(facts, "rnn_forward"))
        if (gpu_of_target(run->target) == gpu.index && !run->completed()) return "its probe " + ending_of(*run);
    for (const auto& run : facts.rnn_runs)
        if (run.gpu == gpu.index && run.result) return escaped(run.result->text, 200);
    if (facts.rnn_request)
        return "no cuDNN installation matches the request, or the requested interface cannot express the case";
    return "the reason is unknown";
}

static bool is_requested(const Facts& facts, const Gpu& gpu) {
    return !facts.rnn_request || facts.rnn_request->gpu.value_or(gpu.index) == gpu.index;
}

static void judge_sweep(const Facts& facts, const Gpu& gpu, const Sweep& sweep, VerdictBuilder& answers) {
    const std::size_t skipped = runs_with(sweep, RunEnd::skipped).size();
    if (skipped == 0) return answers.passed("every case was run on every GPU");
    if (skipped < sweep.runs.size())
        return answers.unknown(pluralized(skipped, "case", "cases") + " of " + std::to_string(sweep.runs.size()) +
                               " not run on " + subject_of(gpu) + ": " + why_not(facts, gpu));
    const RnnRun* run = obstacle(sweep);
    if (!run) return answers.unknown("no recurrent network was run on " + subject_of(gpu) + ": " + why_not(facts, gpu));
    Finding finding = not_tested(facts, gpu, *run);
    finding.severity = severity_of(cudnn_copy(facts, sweep.library));
    answers.fault(std::move(finding));
}

/// Why the test kernel does not run on this GPU or returns incorrect results: no recurrent network can work there.
static std::optional<std::string> kernel_fails(const Facts& facts, int gpu) {
    for (const KernelRun& run : facts.kernel_runs) {
        if (run.gpu != gpu) continue;
        if (run.result && !run.result->ok()) return gpu_subject(facts, gpu) + " cannot run a test kernel";
        if (run.correct == false) return gpu_subject(facts, gpu) + " returns incorrect results from a test kernel";
    }
    for (const ProbeRun* run : runs_of(facts, "ptx_launch"))
        if (gpu_of_target(run->target) == gpu && was_cut_short(*run))
            return "a test kernel on " + gpu_subject(facts, gpu) + " did not finish";
    return std::nullopt;
}

static void judge(const Facts& facts, const Gpu& gpu, VerdictBuilder& answers) {
    if (const auto cause = kernel_fails(facts, gpu.index)) return answers.no_pass(*cause);
    bool any = false;
    for (const Sweep& sweep : sweeps(facts)) {
        if (sweep.gpu != gpu.index) continue;
        any = true;
        judge_sweep(facts, gpu, sweep, answers);
    }
    if (!any) answers.unknown("no recurrent network was run on " + subject_of(gpu) + ": " + why_not(facts, gpu));
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (nodes_made_on_demand(facts))
        return undecided(
            "device nodes are missing until the first CUDA program creates them: run rnncheck doctor --make-nodes");
    if (const auto verdict = without_gpu(facts)) return *verdict;
    if (!has_working_cudnn(facts)) {
        const Verdict otherwise = pass_if_tried(facts, "recurrent networks were run");
        return otherwise.outcome == Outcome::pass ? undecided("whether cuDNN's RNN API works is unknown") : otherwise;
    }
    VerdictBuilder answers;
    for (const auto& gpu : facts.cuda_devices)
        if (is_requested(facts, gpu)) judge(facts, gpu, answers);
    if (facts.rnn_request && facts.rnn_request->gpu && !gpu_at(facts, *facts.rnn_request->gpu))
        answers.unknown("there is no GPU " + std::to_string(*facts.rnn_request->gpu));
    return answers.close();
}

extern const Rule rule{.title = "No recurrent network was run on a GPU",
                       .layer = Layer::rnn,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_cases()};

}  // namespace rnncheck::rules::gpu_not_tested
