#include "rnn/frozen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rnn/compare.hpp"

namespace rnncheck {

namespace {

RnnCase small_case(const char* words) {
    return parse_case(
        words,
        {.dtype = Dtype::fp64,
         .input = 3,
         .hidden = 2,
         .batch = 3,
         .sequence_length = 4,
         .states = true,
         .training = true});
}

}  // namespace

std::span<const FrozenCase> frozen_cases() {
    static const FrozenCase cases[] = {
        {small_case("bidirectional L=3 P=1"), 14, 9.0555408041973813},
        {small_case("H=3 clip=0.25"), 99, -0.4484369088848591},
        {small_case("gru bidirectional L=4 lengths=4,2,1"), 23, -1.3250331579205663},
        {small_case("tanh bidirectional L=4 lengths=2,4,1"), 31, -6.4133939751551949},
        {small_case("relu bidirectional L=3 lengths=2,4,1"), 38, -2.7207159493271886}};
    return cases;
}

RnnInputs frozen_inputs(const RnnCase& rnn_case, long number) {
    RnnInputs inputs = make_inputs(rnn_case);
    long n = 0;
    const auto fill = [&](std::vector<double>& values, double scale = 1) {
        for (double& value : values) {
            value =
                static_cast<double>((n * n * 31 + n * 17 + number * 101) % 251 - 125) / 128 * scale;
            ++n;
        }
    };
    for (LayerWeights& weights : inputs.layers)
        for_each_array(weights, [&](std::vector<double>& values) { fill(values); });
    double bound = 1;
    if (rnn_case.clip > 0)
        bound = std::min(bound, rnn_case.clip_bound());
    fill(inputs.x);
    fill(inputs.hx);
    fill(inputs.cx, bound);
    std::vector<double> dy = inputs.dy;
    fill(dy);
    for (std::size_t i = 0; i < dy.size(); ++i)
        if (inputs.dy[i] != 0)
            inputs.dy[i] = dy[i];  // the padding stays 0
    fill(inputs.dhy);
    fill(inputs.dcy, bound);
    return inputs;
}

double weighted_sum(const RnnCase& rnn_case, const RnnOutputs& outputs) {
    double sum = 0;
    long n = 0;
    for (const OutputArray& array : arrays_of(rnn_case, outputs))
        for (const double value : *array.values) {
            sum += value * static_cast<double>((n * n * 31 + n * 17) % 251 + 1) / 256;
            ++n;
        }
    return sum;
}

double largest_frozen_difference() {
    double largest = 0;
    for (const FrozenCase& frozen : frozen_cases()) {
        const RnnOutputs outputs =
            reference(frozen.rnn_case, frozen_inputs(frozen.rnn_case, frozen.number));
        const double difference = std::abs(weighted_sum(frozen.rnn_case, outputs) - frozen.sum);
        if (!(difference <= std::numeric_limits<double>::max()))
            return std::numeric_limits<double>::infinity();
        largest = std::max(largest, difference);
    }
    return largest;
}

}  // namespace rnncheck
