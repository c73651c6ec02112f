// The cuDNN that a framework opens is installed, and the loader does not find it.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_not_on_loader_path {

extern const Rule rule{
    .title = "cuDNN is installed outside the loader's search path",
    .layer = Layer::cudnn,
    .stage = Stage::look,
    .check = [](const Facts& facts, const Matrix& matrix) { return judge_loader_path(facts, matrix, "libcudnn"); }};

}  // namespace rnncheck::rules::cudnn_not_on_loader_path
