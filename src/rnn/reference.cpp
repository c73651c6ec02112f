#include <algorithm>
#include <cmath>
#include <cstring>

#include "rnn/sweep.hpp"

namespace rnncheck {

namespace {

/// Rows of the gate matrices that are summed side by side: eight SSE2 registers of two. One sum after the other in a
/// fixed order, so that the compiler may vectorise without changing a bit.
constexpr std::size_t block = 16;

/// [block of rows][column][row in block], input columns first, then recurrent ones. Rows are gate * hidden + unit,
/// the last block filled with zeros.
struct PackedWeights {
    std::size_t inputs = 0, hidden = 0, blocks = 0;
    std::vector<double> matrix, bias;

    std::size_t rows() const { return blocks * block; }
};

void pack_row(PackedWeights& packed, std::size_t row, const double* values, std::size_t from, std::size_t count) {
    const std::size_t columns = packed.inputs + packed.hidden;
    double* to = packed.matrix.data() + (row / block * columns + from) * block + row % block;
    for (std::size_t column = 0; column < count; ++column) to[column * block] = values[column];
}

PackedWeights packed(const LayerWeights& weights, std::size_t hidden) {
    PackedWeights packed;
    packed.inputs = static_cast<std::size_t>(weights.columns);
    packed.hidden = hidden;
    packed.blocks = (4 * hidden + block - 1) / block;
    packed.matrix.resize(packed.rows() * (packed.inputs + hidden));
    packed.bias.resize(packed.rows());
    for (std::size_t row = 0; row < 4 * hidden; ++row) {
        const std::size_t gate = row / hidden, unit = row % hidden;
        pack_row(packed, row, weights.input[gate].data() + unit * packed.inputs, 0, packed.inputs);
        pack_row(packed, row, weights.recurrent[gate].data() + unit * hidden, packed.inputs, hidden);
        packed.bias[row] = weights.input_bias[gate][unit] + weights.recurrent_bias[gate][unit];
    }
    return packed;
}

/// Two sums in one SSE2 register. Spelt out, because left to itself the compiler mixes columns and spills registers.
using Pair [[gnu::vector_size(16)]] = double;
constexpr std::size_t pairs = block / 2;

/// sums[row] += matrix[row] . values, for one block.
void accumulate(double* sums, const double* matrix, const double* values, std::size_t count) {
    Pair totals[pairs];
    std::memcpy(totals, sums, sizeof totals);
    for (std::size_t column = 0; column < count; ++column, matrix += block) {
        Pair weights[pairs];
        std::memcpy(weights, matrix, sizeof weights);
        for (std::size_t i = 0; i < pairs; ++i) totals[i] += weights[i] * values[column];
    }
    std::memcpy(sums, totals, sizeof totals);
}

double sigmoid(double value) {
    return 1 / (1 + std::exp(-value));
}

void cell(std::size_t hidden, const double* sums, double* h, double* c) {
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const double input = sigmoid(sums[unit]);
        const double forget = sigmoid(sums[hidden + unit]);
        const double candidate = std::tanh(sums[2 * hidden + unit]);
        const double output = sigmoid(sums[3 * hidden + unit]);
        c[unit] = forget * c[unit] + input * candidate;
        h[unit] = output * std::tanh(c[unit]);
    }
}

/// Rows of numbers, one per sequence and step.
struct Rows {
    std::size_t steps = 0, width = 0;
    std::vector<double> values;

    double* at(std::size_t sequence, std::size_t step) { return values.data() + (sequence * steps + step) * width; }
    const double* at(std::size_t sequence, std::size_t step) const {
        return values.data() + (sequence * steps + step) * width;
    }
};

/// One pseudo-layer over all sequences: reads `below`, writes its `half` of `above`, and leaves the final states in h
/// and c, [sequence][hidden].
class PseudoLayer {
  public:
    PseudoLayer(const RnnCase& rnn_case, const LayerWeights& weights, bool backward)
        : case_(rnn_case),
          backward_(backward),
          weights_(packed(weights, static_cast<std::size_t>(rnn_case.hidden))),
          sums_(weights_.rows() * static_cast<std::size_t>(rnn_case.batch)) {}

    void run(const Rows& below, Rows& above, double* h, double* c) {
        for (int tick = 0; tick < case_.sequence_length; ++tick) {
            add_up(below, tick, h);
            for (int sequence = 0; sequence < case_.batch; ++sequence) {
                if (tick >= case_.length_of(sequence)) continue;
                const std::size_t row = static_cast<std::size_t>(sequence);
                double* own_h = h + row * weights_.hidden;
                cell(weights_.hidden, sums_.data() + row * weights_.rows(), own_h, c + row * weights_.hidden);
                double* y = above.at(row, step_of(sequence, tick)) + (backward_ ? weights_.hidden : 0);
                std::copy_n(own_h, weights_.hidden, y);
            }
        }
    }

  private:
    /// The backward direction begins at each sequence's own last step.
    std::size_t step_of(int sequence, int tick) const {
        return static_cast<std::size_t>(backward_ ? case_.length_of(sequence) - 1 - tick : tick);
    }

    /// All gates' sums of one step; block by block, so that a block's weights serve all sequences while in cache.
    void add_up(const Rows& below, int tick, const double* h) {
        const std::size_t columns = weights_.inputs + weights_.hidden;
        for (std::size_t at = 0; at < weights_.blocks; ++at) {
            const double* matrix = weights_.matrix.data() + at * columns * block;
            for (int sequence = 0; sequence < case_.batch; ++sequence) {
                if (tick >= case_.length_of(sequence)) continue;
                const std::size_t row = static_cast<std::size_t>(sequence);
                double sums[block];
                std::copy_n(weights_.bias.data() + at * block, block, sums);
                accumulate(sums, matrix, below.at(row, step_of(sequence, tick)), weights_.inputs);
                accumulate(sums, matrix + weights_.inputs * block, h + row * weights_.hidden, weights_.hidden);
                std::copy_n(sums, block, sums_.data() + row * weights_.rows() + at * block);
            }
        }
    }

    const RnnCase& case_;
    bool backward_;
    PackedWeights weights_;
    std::vector<double> sums_;  ///< [sequence][row]
};

}  // namespace

RnnOutputs reference(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const auto batch = static_cast<std::size_t>(rnn_case.batch);
    const auto hidden = static_cast<std::size_t>(rnn_case.hidden);
    const auto steps = static_cast<std::size_t>(rnn_case.sequence_length);
    const auto directions = static_cast<std::size_t>(rnn_case.directions());
    RnnOutputs outputs{{}, inputs.hx, inputs.cx};
    outputs.hy.resize(inputs.layers.size() * batch * hidden);
    outputs.cy.resize(inputs.layers.size() * batch * hidden);
    Rows below{steps, static_cast<std::size_t>(rnn_case.input), inputs.x};
    for (std::size_t layer = 0; layer < inputs.layers.size(); layer += directions) {
        const std::size_t width = directions * hidden;
        Rows above{steps, width, std::vector<double>(batch * steps * width)};
        for (std::size_t direction = 0; direction < directions; ++direction) {
            const std::size_t pseudo_layer = layer + direction, states = pseudo_layer * batch * hidden;
            PseudoLayer(rnn_case, inputs.layers[pseudo_layer], direction == 1)
                .run(below, above, outputs.hy.data() + states, outputs.cy.data() + states);
        }
        below = std::move(above);
    }
    outputs.y = std::move(below.values);
    return outputs;
}

}  // namespace rnncheck
