// The cuDNN that a framework opens is installed, and the loader does not find it.
#include "rules/rule.hpp"
#include "rules/support/loader_path.hpp"

namespace rnncheck::rules::cudnn_not_on_loader_path {

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return judge_loader_path(facts, matrix, "libcudnn", "cudnn_not_on_loader_path");
}

extern const Rule rule{.title = "cuDNN is installed outside the loader's search path",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::cudnn_not_on_loader_path
