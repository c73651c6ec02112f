// A release of cuDNN that fails on certain sequence lengths.
#include "rules/rule.hpp"
#include "rules/support/defects.hpp"

namespace rnncheck::rules::cudnn_varlen_rnn_bug {

/// Cases with lengths of their own passed, and none failed, on every GPU that ran this version.
static bool lengths_went_well(const Facts& facts, const Version& release) {
    bool any = false;
    for (const auto& run : facts.rnn_runs) {
        if (run.rnn_case.lengths.empty() || run.end == RunEnd::not_supported) continue;
        if (cudnn_copy(facts, run.library).version != release) continue;
        if (run.end != RunEnd::ok) return false;
        any = true;
    }
    return any;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const Remedy remedy = {.action = Action::change_program,
                           .text = "Calls with variable sequence lengths may fail with this version",
                           .commands = {"export TF_CUDNN_RESET_RND_GEN_STATE=1"},
                           .link = "https://github.com/tensorflow/tensorflow/issues/41630"};
    return documented_defects(facts, matrix, "cudnn_varlen_rnn_bug", remedy, lengths_went_well);
}

extern const Rule rule{.title = "This cuDNN version fails on variable sequence lengths",
                       .layer = Layer::cudnn,
                       .max_severity = Severity::warning,
                       .stage = Stage::run,
                       .check = check,
                       .what_if_inputs = "cudnn="};

}  // namespace rnncheck::rules::cudnn_varlen_rnn_bug
