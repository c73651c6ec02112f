// Single precision that is computed in TF32: the default, and worth knowing when results are compared.
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules {

/// A property of a generation of GPUs, told once for the machine.
static Finding reduced(const Facts& facts, const Runs& examples) {
    const std::string* setting = environment(facts, "NVIDIA_TF32_OVERRIDE");
    std::vector<std::string> gpus;
    Finding finding;
    for (const RnnRun* run : examples) {
        const std::string gpu = gpu_subject(facts, run->gpu);
        if (std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
        const std::string error = run->largest_error ? ", error " + short_number(*run->largest_error) : "";
        finding.evidence.push_back(evidence_of(facts, *run, "reduced precision on " + gpu + error));
    }
    finding.severity = Severity::note;
    finding.subject = "fp32 networks";
    finding.message = "cuDNN computes fp32 networks in TF32 by default on " + listing(gpus) +
                      ": results differ from a CPU's in the third or fourth digit";
    finding.evidence.push_back(
        {"NVIDIA_TF32_OVERRIDE", setting ? escaped(*setting, 100) : "not set", "host.environment"});
    finding.remedies = {{.text =
                             "Nothing, unless you need full single precision: then forbid TF32 in the framework, or "
                             "for every program of this shell",
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
    Runs examples;
    bool any_full = false;
    for (const auto& sweep : sweeps(facts)) {
        bool shown = false;
        for (const RnnRun* run : runs_with(sweep, RunEnd::ok)) {
            if (!leaves_it_to_cudnn(*run)) continue;
            if (!run->reduced_precision) answers.unknown("how precisely a case was computed is not known");
            if (run->reduced_precision == true && !std::exchange(shown, true)) examples.push_back(run);
            any_full |= run->reduced_precision == false;
        }
    }
    if (!examples.empty()) return fault(reduced(facts, examples));
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
