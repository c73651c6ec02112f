#include <algorithm>

#include "rnn/compare.hpp"
#include "rnn/errors.hpp"

namespace rnncheck {

namespace {

void become_limits(std::vector<double>& errors) {
    for (double& error : errors) error = limit_per_root_mean_square * std::sqrt(error);
}

RnnOutputs limits_of(const RnnCase& rnn_case, const RnnInputs& inputs, const Computation& computation, bool tf32) {
    const Rounding rounding = rounding_of(rnn_case.dtype, tf32);
    Errors errors = forward_errors(rnn_case, inputs, computation, rounding);
    if (rnn_case.training) add_gradient_errors(rnn_case, inputs, computation, rounding, errors);
    RnnOutputs& limits = errors.outputs;
    for (auto* values : {&limits.y, &limits.hy, &limits.cy, &limits.dx, &limits.dhx, &limits.dcx})
        become_limits(*values);
    for (LayerWeights& weights : limits.dweights) {
        for (auto* gates : {&weights.input, &weights.recurrent, &weights.input_bias, &weights.recurrent_bias})
            std::ranges::for_each(*gates, become_limits);
        become_limits(weights.projection);
    }
    return std::move(limits);
}

}  // namespace

Limits limits_for(const RnnCase& rnn_case, const RnnInputs& inputs, const Computation& computation,
                  bool tf32_possible) {
    Limits limits;
    limits.full = limits_of(rnn_case, inputs, computation, false);
    if (rnn_case.dtype != Dtype::fp32) return limits;
    limits.tf32 = limits_of(rnn_case, inputs, computation, true);
    limits.tf32_allowed = tf32_possible;
    return limits;
}

}  // namespace rnncheck
