#include <algorithm>
#include <cmath>

#include "rnn/case.hpp"
#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose output bits all depend
/// on all input bits.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

/// Number n of a stream is a function of the stream's key and n alone: no state, and no
/// std::distribution, whose numbers differ between standard libraries.
struct Stream {
    std::uint64_t key;

    /// In (-1, 1), never 0: an odd count of 2^-53.
    double uniform(std::uint64_t n) const {
        const std::uint64_t bits = mixed(key + (n + 1) * 0x9E3779B97F4A7C15u) >> 11;
        return static_cast<double>(static_cast<std::int64_t>(bits | 1) - (std::int64_t{1} << 52)) *
               0x1p-52;
    }

    /// About normal with variance 1 and never beyond 3.5: the sum of four uniform numbers of
    /// variance 1/3.
    double bell(std::uint64_t n) const {
        constexpr double half_root_of_3 = 0.86602540378443865;
        return ((uniform(4 * n) + uniform(4 * n + 1)) + (uniform(4 * n + 2) + uniform(4 * n + 3))) *
               half_root_of_3;
    }
};

/// The numbers of a case, each array from a stream of its own. Cases start from different keys, so
/// that what one case left in memory is not right for the next.
struct Source {
    const RnnCase& rnn_case;
    std::uint64_t key = key_of(rnn_case);

    std::vector<double> next(std::size_t count, auto&& number) {
        const Stream stream{key = mixed(key + 1)};
        std::vector<double> values(count);
        for (std::size_t n = 0; n < count; ++n)
            values[n] = rounded(number(stream, n), rnn_case.dtype);
        return values;
    }
    std::vector<double> uniform(std::size_t count, double bound) {
        return next(count, [bound](const Stream& stream, std::size_t n) {
            return stream.uniform(n) * bound;
        });
    }
    std::vector<double> bell(std::size_t count) {
        return next(count, [](const Stream& stream, std::size_t n) { return stream.bell(n); });
    }
};

LayerWeights make_weights(const LayerPlace& place, Source& source) {
    const RnnCase& rnn_case = place.rnn_case;
    const std::size_t hidden = place.hidden(), output = place.output();
    const double bound = 1 / std::sqrt(static_cast<double>(rnn_case.hidden));
    const auto draw = [&](std::size_t count) { return source.uniform(count, bound); };
    const bool skip = place.layer() == 0 && rnn_case.input_mode == InputMode::skip;
    const bool both = rnn_case.bias == BiasMode::both;
    LayerWeights weights;
    weights.columns = static_cast<int>(place.columns());
    for (int gate = 0; gate < gates_of(rnn_case.cell); ++gate) {
        if (!skip)
            weights.input[gate] = draw(hidden * place.columns());
        weights.recurrent[gate] = draw(hidden * output);
        if (both || rnn_case.bias == BiasMode::input)
            weights.input_bias[gate] = draw(hidden);
        if (both || rnn_case.bias == BiasMode::recurrent)
            weights.recurrent_bias[gate] = draw(hidden);
    }
    if (rnn_case.projection > 0)
        weights.projection = draw(output * hidden);
    return weights;
}

/// hx and cx, or dhy and dcy. A clipped cell state begins within its bounds: where cuDNN clips what
/// it is given is not documented.
void make_states(Source& source, std::vector<double>& h, std::vector<double>& c) {
    const RnnCase& rnn_case = source.rnn_case;
    if (!rnn_case.states)
        return;
    const std::size_t rows = size(rnn_case.pseudo_layers()) * size(rnn_case.batch);
    h = source.uniform(rows * size(rnn_case.output()), 1);
    if (rnn_case.cell != Cell::lstm)
        return;
    double bound = 1;
    if (rnn_case.clip > 0)
        bound = std::min(bound, rnn_case.clip_bound());
    c = source.uniform(rows * size(rnn_case.hidden), bound);
}

/// Zero in the padding: whether it is read there is not documented.
std::vector<double> make_dy(Source& source) {
    const RnnCase& rnn_case = source.rnn_case;
    const LayerPlace place{rnn_case, 0};
    std::vector<double> dy = source.bell(place.rows() * place.width());
    for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
        for (int step = rnn_case.length_of(sequence); step < rnn_case.sequence_length; ++step)
            std::fill_n(dy.data() + place.row(sequence, step) * place.width(), place.width(), 0.0);
    return dy;
}

}  // namespace

std::uint64_t key_of(const RnnCase& rnn_case) {
    std::uint64_t key = 0;
    for (const char letter : describe(rnn_case))
        key = mixed(key ^ static_cast<unsigned char>(letter));
    return key;
}

RnnInputs make_inputs(const RnnCase& rnn_case) {
    Source source{rnn_case};
    RnnInputs inputs;
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer)
        inputs.layers.push_back(make_weights({rnn_case, pseudo_layer}, source));
    inputs.x =
        source.bell(size(rnn_case.batch) * size(rnn_case.sequence_length) * size(rnn_case.input));
    make_states(source, inputs.hx, inputs.cx);
    if (!rnn_case.training)
        return inputs;
    inputs.dy = make_dy(source);
    make_states(source, inputs.dhy, inputs.dcy);
    return inputs;
}

bool use_weights(const RnnCase& rnn_case, const std::vector<double>& numbers, RnnInputs& inputs) {
    std::size_t wanted = 0, taken = 0;
    for (const LayerWeights& layer : inputs.layers)
        for_each_array(layer, [&](const auto& values) { wanted += values.size(); });
    if (numbers.size() != wanted)
        return false;
    for (LayerWeights& layer : inputs.layers)
        for_each_array(layer, [&](auto& values) {
            for (double& value : values)
                value = rounded(numbers[taken++], rnn_case.dtype);
        });
    return true;
}

}  // namespace rnncheck
