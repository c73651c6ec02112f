// Single precision that is computed in TF32: the default, and worth knowing when results are compared.
#include "base/text.hpp"
#include "rnn/sweep.hpp"
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules {

static Finding reduced(const Facts& facts, const Sweep& sweep, const RnnRun& run) {
    const std::string* setting = environment(facts, "NVIDIA_TF32_OVERRIDE");
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = subject_of(facts, sweep);
    finding.message = name_of(facts, sweep) +
                      " computes fp32 networks in TF32 by default: results differ from a CPU's in the "
                      "third or fourth digit";
    finding.evidence = {
        evidence_of(facts, run, run.largest_error ? "error " + short_number(*run.largest_error) : "reduced precision"),
        {"NVIDIA_TF32_OVERRIDE", setting ? escaped(*setting, 100) : "not set", "host.environment"}};
    finding.remedies = {
        {.text = "Nothing, unless you need full single precision: then forbid TF32 in the framework, or for "
                 "every program of this shell",
         .commands = {"export NVIDIA_TF32_OVERRIDE=0"},
         .verify = "rnncheck doctor --only tf32_reduced_precision",
         .link = "https://pytorch.org/docs/stable/notes/cuda.html"}};
    return finding;
}

/// Cases that leave the arithmetic to cuDNN; those that forbid TF32 are judged by their result.
static bool leaves_it_to_cudnn(const RnnRun& run) {
    return run.rnn_case.dtype == Dtype::fp32 && run.rnn_case.math == MathType::standard;
}

static Verdict check(const Facts& facts, const Matrix&) {
    Answers answers;
    bool any_full = false;
    for (const auto& sweep : sweeps(facts)) {
        const RnnRun* first = nullptr;
        for (const RnnRun* run : runs_with(sweep, RunEnd::ok)) {
            if (!leaves_it_to_cudnn(*run)) continue;
            if (!run->reduced_precision)
                answers.unknown("how precisely a case was computed is not known");
            else if (*run->reduced_precision && !first)
                first = run;
            any_full |= run->reduced_precision == false;
        }
        if (first) answers.fault(reduced(facts, sweep, *first));
    }
    const Verdict otherwise = pass_if_tried(facts, "fp32 networks are computed in full single precision");
    if (otherwise.outcome == Outcome::pass && !any_full) return answers.close_or(undecided("no fp32 network ran"));
    return answers.close_or(otherwise);
}

extern const Rule tf32_reduced_precision{.title = "Single precision is computed in TF32",
                                         .layer = Layer::rnn,
                                         .worst = Severity::note,
                                         .needs = Stage::run,
                                         .check = check};

}  // namespace rnncheck::rules
