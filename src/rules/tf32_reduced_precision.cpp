// TF32 forced on cases that ask for full single precision. That it is cuDNN's default from compute capability 8.0 on is
// how these GPUs are meant to work, and no fault.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::tf32_reduced_precision {

static Finding forced(const Facts& facts, const Sweep& sweep, const RnnRun& run) {
    const std::string* setting = environment(facts, "NVIDIA_TF32_OVERRIDE");
    return {
        .subject = subject_of(facts, sweep),
        .message = name_of(facts, sweep) +
                   " computes in TF32 although full single precision was requested: results differ from a CPU's in "
                   "the third or fourth digit",
        .evidence = {evidence_of(facts, run,
                                 run.largest_error ? "error " + short_number(*run.largest_error) : "reduced precision"),
                     {"NVIDIA_TF32_OVERRIDE", setting ? escaped(*setting, 100) : "not set", "host.environment"}},
        .remedies = {{.action = Action::change_environment,
                      .text = "Remove the setting, or disable TF32 for all programs of this shell",
                      .commands = {"unset NVIDIA_TF32_OVERRIDE", "export NVIDIA_TF32_OVERRIDE=0"},
                      .verify = verify_command(facts, run),
                      .link = "https://pytorch.org/docs/stable/notes/cuda.html"}}};
}

static bool is_fp32(const RnnRun& run) {
    return run.rnn_case.dtype == Dtype::fp32;
}
static bool asks_for_full_precision(const RnnRun& run) {
    return run.rnn_case.math == MathType::fma;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    bool by_default = false, fast_math = false, any_known = false;
    for (const auto& sweep : sweeps(facts)) {
        const RnnRun* first = nullptr;
        for (const RnnRun* run : runs_with(sweep, RunEnd::ok)) {
            if (!is_fp32(*run)) continue;
            any_known |= run->precision.has_value();
            fast_math |= run->precision == Precision::fast_math;
            if (!run->precision)
                answers.unknown("the precision of a case is unknown");
            else if (*run->precision == Precision::tf32 && !asks_for_full_precision(*run))
                by_default = true;
            else if (*run->precision == Precision::tf32 && !first)
                first = run;
        }
        if (first) answers.fault(forced(facts, sweep, *first));
    }
    std::string how = by_default  ? "TF32 is used only where it is allowed, not where full precision is requested "
                                    "(NVIDIA_TF32_OVERRIDE=0 disables it)"
                      : fast_math ? "no fp32 network uses TF32"
                                  : "fp32 networks use full single precision";
    if (fast_math) how += "; kernels of the persistent algorithms use fast math (tanh.approx)";
    const Verdict otherwise = pass_if_tried(facts, how);
    if (otherwise.outcome == Outcome::pass && !any_known) return answers.close_or(undecided("no fp32 network ran"));
    return answers.close_or(otherwise);
}

extern const Rule rule{.title = "TF32 is used although full single precision is requested",
                       .layer = Layer::rnn,
                       .max_severity = Severity::warning,
                       .stage = Stage::run,
                       .check = check};

}  // namespace rnncheck::rules::tf32_reduced_precision
