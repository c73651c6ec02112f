// The same network on the same numbers returned results that are not bitwise identical the second time.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::rnn_not_repeatable {

static Finding not_repeatable(const Facts& facts, const Sweep& sweep, const Runs& runs) {
    const std::string* setting = environment(facts, "CUBLAS_WORKSPACE_CONFIG");
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.message = pluralized(runs.size(), "RNN case", "RNN cases") +
                      " returned results that are not bitwise identical when repeated on " + name_of(facts, sweep) +
                      ", first '" + describe(runs.front()->rnn_case) + "'";
    add_cases(facts, runs, finding, [](const RnnRun&) { return "correct, but not bitwise identical when repeated"; });
    finding.evidence.push_back(
        {"CUBLAS_WORKSPACE_CONFIG", setting ? escaped(*setting, 100) : "not set", "host.environment"});
    finding.remedies = {
        {.action = Action::change_environment,
         .text = "If you need bitwise identical results, set one cuBLAS workspace size before the program starts. If "
                 "results still differ, they depend on timing: use another version of cuDNN",
         .commands = {"export CUBLAS_WORKSPACE_CONFIG=:16:8"},
         .verify = verify_command(facts, *runs.front()),
         .link = "https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    bool any_twice = false;
    for (const auto& sweep : sweeps(facts)) {
        Runs different;
        for (const RnnRun* run : runs_with(sweep, RunEnd::ok)) {
            if (!run->bitwise_repeatable)
                answers.unknown("whether a case is bitwise repeatable is unknown");
            else if (!*run->bitwise_repeatable)
                different.push_back(run);
            any_twice |= run->bitwise_repeatable.value_or(false);
        }
        if (!different.empty()) answers.fault(not_repeatable(facts, sweep, different));
    }
    const Verdict otherwise = pass_if_tried(facts, "every network returned bitwise identical results when repeated");
    if (otherwise.outcome == Outcome::pass && !any_twice) return answers.close_or(undecided("no network ran twice"));
    return answers.close_or(otherwise);
}

extern const Rule rule{.title = "Recurrent networks are not bitwise repeatable",
                       .layer = Layer::rnn,
                       .max_severity = Severity::warning,
                       .stage = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::rnn_not_repeatable
