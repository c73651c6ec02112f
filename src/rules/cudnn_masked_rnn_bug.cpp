// A release of cuDNN that corrupts padded sequences at random. A sweep that went well proves nothing: it strikes now
// and then.
#include "rules/rule.hpp"
#include "rules/support/defects.hpp"

namespace rnncheck::rules::cudnn_masked_rnn_bug {

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const bool told = facts.network && facts.network->masked;
    if (told && !*facts.network->masked) return not_applicable("its sequences are not masked");
    const Remedy remedy = {.action = Action::change_program,
                           .text = "Do not use padded or masked sequences with this version",
                           .commands = {"pip install \"nvidia-cudnn-cu12>=8.9.2,<9\""},
                           .link = "https://github.com/tensorflow/tensorflow/issues/60192"};
    Verdict verdict = documented_defects(facts, matrix, "cudnn_masked_rnn_bug", remedy, nullptr);
    for (Finding& finding : verdict.findings)
        if (told) finding.severity = Severity::error;  // what is affected is in use
    return verdict;
}

extern const Rule rule{.title = "This cuDNN version corrupts masked recurrent networks",
                       .layer = Layer::cudnn,
                       .stage = Stage::ask,
                       .check = check,
                       .what_if_inputs = "cudnn=, at times masked="};

}  // namespace rnncheck::rules::cudnn_masked_rnn_bug
