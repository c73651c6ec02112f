// A release of cuDNN with a defect in recurrent networks that NVIDIA or a framework has documented, training included.
#include "rules/rule.hpp"
#include "rules/support/defects.hpp"

namespace rnncheck::rules::cudnn_bug {

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const Remedy remedy = {.action = Action::investigate,
                           .text = "Check whether your networks use the affected feature",
                           .link = "https://docs.nvidia.com/deeplearning/cudnn/release-notes/index.html"};
    return documented_defects(facts, matrix, "cudnn_bug", remedy, nullptr);
}

extern const Rule rule{.title = "This cuDNN version has a documented defect in recurrent networks",
                       .layer = Layer::cudnn,
                       .max_severity = Severity::warning,
                       .stage = Stage::ask,
                       .check = check,
                       .what_if_inputs = "cudnn="};

}  // namespace rnncheck::rules::cudnn_bug
