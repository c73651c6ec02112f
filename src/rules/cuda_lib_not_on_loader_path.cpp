// The cuBLAS that a framework opens is installed, and the loader does not find it.
#include "rules/rule.hpp"

namespace rnncheck::rules::cuda_lib_not_on_loader_path {

extern const Rule rule{
    .title = "A CUDA library is installed outside the loader's search path",
    .layer = Layer::runtime,
    .stage = Stage::look,
    .check = [](const Facts& facts, const Matrix& matrix) { return judge_loader_path(facts, matrix, "libcublas.so"); }};

}  // namespace rnncheck::rules::cuda_lib_not_on_loader_path
