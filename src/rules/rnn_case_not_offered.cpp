// cuDNN says that it does not support a case which this version must support on this GPU.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::rnn_case_not_offered {

/// The tables list support for LSTMs of this form alone.
static bool is_plain(const RnnCase& c) {
    return c.cell == Cell::lstm && c.projection == 0 && c.clip == 0 && c.input_mode == InputMode::linear &&
           c.bias == BiasMode::both;
}

static Finding unsupported(const Facts& facts, const Sweep& sweep, const Runs& runs, const RnnRequiredSupport& row) {
    const RnnRun& first = *runs.front();
    const std::string reason = first.result ? ": " + in_words(*first.result) : "";
    Finding finding;
    finding.subject = subject_of(facts, sweep);
    finding.symptoms = places_of(facts, runs);
    finding.message = name_of(facts, sweep) + " does not support " + pluralized(runs.size(), "RNN case", "RNN cases") +
                      " that it should support, first '" + describe(first.rnn_case) + "'" + reason;
    add_cases(facts, runs, finding,
              [](const RnnRun& run) { return run.result ? in_words(*run.result) : "not supported"; });
    finding.evidence.push_back({std::string(row.dtype) + ' ' + row.algorithm + " is supported",
                                "since cuDNN " + row.first.text + ", compute capability " + row.capability_min.text,
                                row.source.url});
    finding.remedies = {
        {.action = Action::reinstall_package,
         .text = "Reinstall all of cuDNN, with NVRTC of its CUDA version; cuDNN's log shows what is missing",
         .commands = {"export CUDNN_LOGLEVEL_DBG=2 CUDNN_LOGERR_DBG=1 CUDNN_LOGWARN_DBG=1 CUDNN_LOGDEST_DBG=stderr"},
         .verify = verify_command(facts, first),
         .link = "https://docs.nvidia.com/deeplearning/cudnn/latest/api/cudnn-adv-library.html"}};
    return finding;
}

static void judge(const Facts& facts, const Matrix& matrix, const Sweep& sweep, VerdictBuilder& answers) {
    const auto version = cudnn_copy(facts, sweep.library).version;
    const Gpu* gpu = gpu_at(facts, sweep.gpu);
    Runs owed;
    std::optional<RnnRequiredSupport> first_row;
    for (const RnnRun* run : runs_with(sweep, RunEnd::not_supported)) {
        if (!is_plain(run->rnn_case) || not_promised(facts, *run)) continue;
        if (!version || !gpu || !gpu->compute_capability)
            return answers.unknown("the cases that " + name_of(facts, sweep) + " should support are unknown");
        const auto row = matrix.requires_support(*version, *gpu->compute_capability, name_of(run->rnn_case.dtype),
                                                 name_of(run->rnn_case.algorithm));
        if (row)
            owed.push_back(run);
        else if (row.coverage != Coverage::silent)
            answers.outside(outside_data("cuDNN " + version->text, row.coverage, matrix));
        if (row && !first_row) first_row = *row;
    }
    if (!owed.empty()) answers.fault(unsupported(facts, sweep, owed, *first_row));
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    for (const auto& sweep : sweeps(facts)) judge(facts, matrix, sweep, answers);
    return answers.close_or(pass_if_tried(facts, "cuDNN supports every case that it should support"));
}

extern const Rule rule{.title = "cuDNN does not support a recurrent network that it should support",
                       .layer = Layer::rnn,
                       .stage = Stage::run,
                       .check = check,
                       .yields_to = causes_of_failed_cases()};

}  // namespace rnncheck::rules::rnn_case_not_offered
