// A large recurrent network takes far longer than a simple model of the GPU says.
#include "facts/rnn_runs.hpp"
#include "report/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::rnn_slow {

/// The model is rough: docs/speed.md.
static constexpr double slow_factor = 10;

/// The case of one GPU with most work, of those large enough to show its clocks.
struct Largest {
    const RnnRun* run = nullptr;
    double modelled_ms = 0, ratio = 0;
    double extra_ms = 0;  ///< of the first runs of all cases over the second ones
    bool any_timed = false;
};

static Largest largest_of(const Facts& facts, const Gpu& gpu, const std::optional<Peak>& peak) {
    Largest largest;
    for (const RnnRun& run : facts.rnn_runs) {
        if (run.gpu != gpu.index || !run.repeat_ms || !run.first_ms) continue;
        largest.any_timed = true;
        largest.extra_ms += std::max(0.0, *run.first_ms - *run.repeat_ms);
        if (!peak || !shows_clocks(run.rnn_case, *peak)) continue;
        const double modelled_ms = model_ms(run.rnn_case, *peak);
        if (modelled_ms <= largest.modelled_ms) continue;
        largest = {&run, modelled_ms, *run.repeat_ms / modelled_ms, largest.extra_ms, true};
    }
    return largest;
}

static std::string ratio_in_words(const Gpu& gpu, const Largest& largest) {
    return subject_of(gpu) + " takes " + short_number(largest.ratio) + " times the modeled time in case " +
           std::to_string(largest.run->number) + " (hidden " + std::to_string(largest.run->rnn_case.hidden) + ")";
}

static Finding slow(const Facts& facts, const Gpu& gpu, const Largest& largest) {
    return {
        .subject = subject_of(gpu),
        .message = ratio_in_words(gpu, largest) +
                   ": it is throttled because of heat or power, in a low power state or shared with other programs, "
                   "or cuDNN uses a slow kernel",
        .evidence = {evidence_of(
            facts, *largest.run,
            short_number(*largest.run->repeat_ms) + " ms, modeled: " + short_number(largest.modelled_ms) + " ms")},
        .remedies = {{.action = Action::investigate,
                      .text = "Check the clocks and their limits while the case runs, and which processes use the GPU",
                      .commands = {"nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE", "nvidia-smi"},
                      .verify = rerun_command(facts, *largest.run),
                      .link = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"}}};
}

static void judge(const Facts& facts, const Gpu& gpu, VerdictBuilder& answers) {
    const auto peak = peak_of(gpu);
    const Largest largest = largest_of(facts, gpu, peak);
    if (!largest.any_timed) return answers.irrelevant("no case was timed");
    if (!peak)
        return answers.unknown("the driver does not report the clocks and memory bus of " + subject_of(gpu) +
                               ", or the arithmetic of its compute capability is not in the table");
    if (!largest.run)
        return answers.irrelevant(
            "the cases consist mainly of kernel launches, whose time hardly depends on clock rates; to measure speed, "
            "run 'rnncheck lstm --input 2048 --hidden 2048 --batch 64 --length 16'");
    if (largest.ratio > slow_factor) return answers.fault(slow(facts, gpu, largest));
    answers.passed(ratio_in_words(gpu, largest), {{"first runs of all cases took longer than second ones by",
                                                   short_number(largest.extra_ms) + " ms", "rnn_runs"}});
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (!facts.rnn_request) return not_applicable("the doctor command's cases are too small to measure speed");
    VerdictBuilder answers;
    for (const Gpu& gpu : facts.cuda_devices) judge(facts, gpu, answers);
    answers.irrelevant("no case was timed");
    return answers.close();
}

extern const Rule rule{.title = "Recurrent networks run far slower than expected on this GPU",
                       .layer = Layer::rnn,
                       .max_severity = Severity::warning,
                       .stage = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::rnn_slow
