// A recurrent network ran, and what it computed is not what the equations give.
#include <cmath>
#include <set>

#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::rnn_result_wrong {

/// Errors in units of what is allowed, so that data types compare; an error that is no number is the worst.
static double badness(const RnnRun& run) {
    const double error = run.largest_error.value_or(HUGE_VAL);
    const double limit = run.limit.value_or(0);
    return std::isfinite(error) ? (limit > 0 ? error / limit : error) : HUGE_VAL;
}

static std::string how_wrong(const RnnRun& run) {
    std::string text = "wrong";
    if (run.largest_error) text = "error " + short_number(*run.largest_error);
    if (run.largest_error && run.limit) text += " where " + short_number(*run.limit) + " is allowed";
    if (run.precision == Precision::tf32) text += ", which TF32 explains";
    return text + (run.where ? ", " + escaped(*run.where, 200) : "");
}

/// An algorithm of which every case is correct, where some case of another one is not.
static std::optional<Algorithm> algorithm_without_fault(const Sweep& sweep) {
    std::set<Algorithm> right, wrong;
    for (const RnnRun* run : sweep.runs) {
        if (run->end == RunEnd::ok) right.insert(run->rnn_case.algorithm);
        if (run->end == RunEnd::incorrect) wrong.insert(run->rnn_case.algorithm);
    }
    for (const Algorithm algorithm : right)
        if (!wrong.contains(algorithm)) return algorithm;
    return std::nullopt;
}

/// The same cuDNN on another GPU, or another cuDNN on the same one, shows which of the two is at fault.
static std::string what_to_suspect(const Facts& facts, const Sweep& wrong) {
    const auto is_right = [](const Sweep& sweep) {
        return !runs_with(sweep, RunEnd::ok).empty() && runs_with(sweep, RunEnd::incorrect).empty();
    };
    for (const Sweep& other : sweeps(facts)) {
        if (other.library == wrong.library && other.gpu != wrong.gpu && is_right(other))
            return gpu_subject(facts, other.gpu) +
                   " returns correct results with it, so test the memory of this GPU and replace the GPU";
        if (other.library != wrong.library && other.gpu == wrong.gpu && is_right(other))
            return "It returns correct results with " + name_of(cudnn_copy(facts, other.library)) +
                   ", so use another version of cuDNN";
    }
    if (const auto algorithm = algorithm_without_fault(wrong))
        return "Its cases with the algorithm " + std::string(name_of(*algorithm)) +
               " are correct, so use that one, or another version of cuDNN";
    return "Test the memory of the GPU; if it has no errors, use another version of cuDNN";
}

static Finding wrong(const Facts& facts, const Sweep& sweep, Runs runs) {
    std::ranges::stable_sort(runs, [](const RnnRun* a, const RnnRun* b) { return badness(*a) > badness(*b); });
    const RnnRun& worst = *runs.front();
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = pluralized(runs.size(), "RNN case", "RNN cases") + " of " + std::to_string(sweep.runs.size()) +
                      " returned incorrect results on " + name_of(facts, sweep) + ", worst '" +
                      describe(worst.rnn_case) + "': " + how_wrong(worst);
    finding.evidence = {
        {"incorrect cases", std::to_string(runs.size()) + " of " + std::to_string(sweep.runs.size()), "rnn_runs"}};
    add_cases(facts, runs, finding, how_wrong);
    finding.remedies = {{.action = Action::investigate,
                         .text = "Do not trust results of this GPU with this cuDNN. " + what_to_suspect(facts, sweep),
                         .commands = {"nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER"},
                         .verify = verify_command(facts, worst),
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/api/cudnn-adv-library.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    bool any_right = false;
    for (const auto& sweep : sweeps(facts)) {
        Runs runs = runs_with(sweep, RunEnd::incorrect);
        any_right |= !runs_with(sweep, RunEnd::ok).empty();
        if (runs.empty()) continue;
        answers.fault(wrong(facts, sweep, std::move(runs)));
    }
    const Verdict otherwise = pass_if_tried(facts, "every network that ran returned correct results");
    if (otherwise.outcome == Outcome::pass && !any_right)
        return answers.close_or(undecided("no network ran to completion"));
    return answers.close_or(otherwise);
}

extern const Rule rule{.title = "Recurrent networks return incorrect results",
                       .layer = Layer::rnn,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_below_cudnn()};

}  // namespace rnncheck::rules::rnn_result_wrong
