#include "rnn/sweep.hpp"

namespace rnncheck {
std::vector<RnnCase> standard_sweep(Dialect) { return {RnnCase{}}; }  // PLACEHOLDER
}  // namespace rnncheck
