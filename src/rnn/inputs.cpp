#include <cmath>

#include "rnn/number.hpp"
#include "rnn/sweep.hpp"

namespace rnncheck {

namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection whose output bits all depend on all input bits.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

/// Number n of a stream is a function of the stream's key and n alone: no state, and no std::distribution, whose
/// numbers differ between standard libraries.
struct Stream {
    std::uint64_t key;

    /// In (-1, 1), never 0: an odd count of 2^-53.
    double uniform(std::uint64_t n) const {
        const std::uint64_t bits = mixed(key + (n + 1) * 0x9E3779B97F4A7C15u) >> 11;
        return static_cast<double>(static_cast<std::int64_t>(bits | 1) - (std::int64_t{1} << 52)) * 0x1p-52;
    }

    /// About normal with variance 1 and never beyond 3.5: the sum of four uniform numbers of variance 1/3.
    double bell(std::uint64_t n) const {
        constexpr double half_root_of_3 = 0.86602540378443865;
        return ((uniform(4 * n) + uniform(4 * n + 1)) + (uniform(4 * n + 2) + uniform(4 * n + 3))) * half_root_of_3;
    }
};

/// Cases start from different keys, so that what one case left in memory is not right for the next.
class Streams {
  public:
    explicit Streams(const RnnCase& rnn_case) {
        for (const char letter : describe(rnn_case)) next_ = mixed(next_ ^ static_cast<unsigned char>(letter));
    }
    Stream next() { return {next_ = mixed(next_ + 1)}; }

  private:
    std::uint64_t next_ = 0;
};

std::vector<double> uniform(Stream stream, std::size_t count, double bound, Dtype dtype) {
    std::vector<double> values(count);
    for (std::size_t n = 0; n < count; ++n) values[n] = rounded(stream.uniform(n) * bound, dtype);
    return values;
}

std::vector<double> bell(Stream stream, std::size_t count, Dtype dtype) {
    std::vector<double> values(count);
    for (std::size_t n = 0; n < count; ++n) values[n] = rounded(stream.bell(n), dtype);
    return values;
}

LayerWeights make_weights(const RnnCase& rnn_case, int columns, Streams& streams) {
    const auto hidden = static_cast<std::size_t>(rnn_case.hidden);
    const double bound = 1 / std::sqrt(static_cast<double>(rnn_case.hidden));
    const auto draw = [&](std::size_t count) { return uniform(streams.next(), count, bound, rnn_case.dtype); };
    LayerWeights weights;
    weights.columns = columns;
    for (int gate = 0; gate < 4; ++gate) {
        weights.input[gate] = draw(hidden * static_cast<std::size_t>(columns));
        weights.recurrent[gate] = draw(hidden * hidden);
        weights.input_bias[gate] = draw(hidden);
        weights.recurrent_bias[gate] = draw(hidden);
    }
    return weights;
}

}  // namespace

RnnInputs make_inputs(const RnnCase& rnn_case) {
    Streams streams(rnn_case);
    RnnInputs inputs;
    const int directions = rnn_case.directions();
    for (int layer = 0; layer < rnn_case.layers; ++layer)
        for (int direction = 0; direction < directions; ++direction)
            inputs.layers.push_back(
                make_weights(rnn_case, layer == 0 ? rnn_case.input : directions * rnn_case.hidden, streams));
    const auto batch = static_cast<std::size_t>(rnn_case.batch);
    const std::size_t rows = batch * static_cast<std::size_t>(rnn_case.sequence_length);
    inputs.x = bell(streams.next(), rows * static_cast<std::size_t>(rnn_case.input), rnn_case.dtype);
    if (rnn_case.states) {
        const std::size_t count = inputs.layers.size() * batch * static_cast<std::size_t>(rnn_case.hidden);
        inputs.hx = uniform(streams.next(), count, 1, rnn_case.dtype);
        inputs.cx = uniform(streams.next(), count, 1, rnn_case.dtype);
    }
    return inputs;
}

}  // namespace rnncheck
