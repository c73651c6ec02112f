#include <algorithm>
#include <cstring>
#include <vector>

#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

/// Rows that are summed side by side: eight SSE2 registers of two.
constexpr std::size_t block = 16;

/// Two sums in one SSE2 register. Spelt out, because left to itself the compiler mixes columns and spills registers.
using Pair [[gnu::vector_size(16)]] = double;
constexpr std::size_t pairs = block / 2;

/// A matrix laid out so that many rows are summed side by side.
class PackedMatrix {
  public:
    PackedMatrix(std::size_t rows, std::size_t columns)
        : columns_(columns), blocks_((rows + block - 1) / block), values_(blocks_ * block * columns) {}

    /// Columns from `from` on of a row. What is not placed is zero.
    void place(std::size_t row, std::size_t from, const double* values, std::size_t count) {
        double* to = values_.data() + (row / block * columns_ + from) * block + row % block;
        for (std::size_t column = 0; column < count; ++column) to[column * block] = values[column];
    }

    std::size_t blocks() const { return blocks_; }
    /// Rows with those that fill the last block.
    std::size_t padded_rows() const { return blocks_ * block; }

    /// sums[row] += matrix[row][from ...] . values, for the rows of one block. One sum after the other in a fixed
    /// order, so that no result depends on the compiler.
    void accumulate(std::size_t at, double* sums, std::size_t from, const double* values, std::size_t count) const {
        const double* matrix = values_.data() + (at * columns_ + from) * block;
        Pair totals[pairs];
        std::memcpy(totals, sums, sizeof totals);
        for (std::size_t column = 0; column < count; ++column, matrix += block) {
            Pair weights[pairs];
            std::memcpy(weights, matrix, sizeof weights);
            for (std::size_t i = 0; i < pairs; ++i) totals[i] += weights[i] * values[column];
        }
        std::memcpy(sums, totals, sizeof totals);
    }

  private:
    std::size_t columns_, blocks_;
    std::vector<double> values_;  ///< [block of rows][column][row in block]
};

double sigmoid(double value) {
    return 1 / (1 + std::exp(-value));
}

/// One pseudo-layer's sums: input columns first, then recurrent ones. Rows are group * hidden + unit.
struct PackedWeights {
    PackedMatrix matrix;
    std::vector<double> bias;
};

void place_group(PackedWeights& packed, const LayerPlace& place, const LayerWeights& weights, int group) {
    const int from_input = input_gate_of(place.rnn_case.cell, group);
    const int from_recurrent = recurrent_gate_of(place.rnn_case.cell, group);
    const std::size_t columns = place.columns(), output = place.output(), hidden = place.hidden();
    const auto add_bias = [&](std::size_t row, const std::vector<double>& bias, std::size_t unit) {
        if (!bias.empty()) packed.bias[row] += bias[unit];
    };
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const std::size_t row = size(group) * hidden + unit;
        if (from_input >= 0) {
            const std::vector<double>& matrix = weights.input[from_input];
            const double one = 1;  // skip input: the unit's own x
            if (matrix.empty())
                packed.matrix.place(row, unit, &one, 1);
            else
                packed.matrix.place(row, 0, matrix.data() + unit * columns, columns);
            add_bias(row, weights.input_bias[from_input], unit);
        }
        if (from_recurrent >= 0) {
            packed.matrix.place(row, columns, weights.recurrent[from_recurrent].data() + unit * output, output);
            add_bias(row, weights.recurrent_bias[from_recurrent], unit);
        }
    }
}

PackedWeights packed(const LayerPlace& place, const LayerWeights& weights) {
    PackedWeights packed{PackedMatrix(place.sums(), place.columns() + place.output()), {}};
    packed.bias.resize(packed.matrix.padded_rows());
    for (int group = 0; group < groups_of(place.rnn_case.cell); ++group) place_group(packed, place, weights, group);
    return packed;
}

PackedMatrix packed_projection(const LayerPlace& place, const LayerWeights& weights) {
    PackedMatrix matrix(weights.projection.size() / place.hidden(), place.hidden());
    for (std::size_t row = 0; row * place.hidden() < weights.projection.size(); ++row)
        matrix.place(row, 0, weights.projection.data() + row * place.hidden(), place.hidden());
    return matrix;
}

/// Where one step of one sequence leaves its numbers.
struct Step {
    std::size_t hidden;
    double *gates, *cells, *squashed;  ///< in the tape
    double* c;
    double* h;  ///< before projection
};

void lstm(const Step& at, const double* sums, double clip) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        double* const gate = at.gates + unit;
        const double i = gate[0] = sigmoid(sums[unit]);
        const double f = gate[at.hidden] = sigmoid(sums[at.hidden + unit]);
        const double g = gate[2 * at.hidden] = std::tanh(sums[2 * at.hidden + unit]);
        const double o = gate[3 * at.hidden] = sigmoid(sums[3 * at.hidden + unit]);
        const double c = at.c[unit] = at.cells[unit] = f * clipped(at.c[unit], clip) + i * g;
        const double squashed = at.squashed[unit] = std::tanh(clipped(c, clip));
        at.h[unit] = o * squashed;
    }
}

void gru(const Step& at, const double* sums) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        double* const gate = at.gates + unit;
        const double r = gate[0] = sigmoid(sums[unit]);
        const double z = gate[at.hidden] = sigmoid(sums[at.hidden + unit]);
        const double recurrent = gate[3 * at.hidden] = sums[3 * at.hidden + unit];
        const double n = gate[2 * at.hidden] = std::tanh(sums[2 * at.hidden + unit] + r * recurrent);
        at.h[unit] = (1 - z) * n + z * at.h[unit];
    }
}

void plain(const Step& at, const double* sums, bool relu) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        at.gates[unit] = sums[unit];
        at.h[unit] = relu ? std::max(0.0, sums[unit]) : std::tanh(sums[unit]);
    }
}

void apply_cell(const RnnCase& rnn_case, const Step& at, const double* sums) {
    by_cell(
        rnn_case.cell, [&] { lstm(at, sums, rnn_case.clip); }, [&] { gru(at, sums); },
        [&](bool relu) { plain(at, sums, relu); });
}

/// One pseudo-layer over all sequences: reads `below`, writes its half of `above`, and leaves the final states in h
/// and c, [sequence][width].
class PseudoLayer {
  public:
    PseudoLayer(const LayerPlace& place, const LayerWeights& weights, Tape::PseudoLayer& tape)
        : place_(place),
          tape_(tape),
          weights_(packed(place, weights)),
          projection_(packed_projection(place, weights)),
          sums_(weights_.matrix.padded_rows() * size(place.rnn_case.batch)),
          unprojected_(projection_.padded_rows() > 0 ? place.hidden() : 0),
          projected_(projection_.padded_rows()) {
        tape_.gates.resize(place.rows() * place.sums());
        if (place.rnn_case.cell != Cell::lstm) return;
        tape_.cells.resize(place.rows() * place.hidden());
        tape_.squashed.resize(place.rows() * place.hidden());
    }

    void run(const std::vector<double>& below, std::vector<double>& above, double* h, double* c) {
        for (int tick = 0; tick < place_.rnn_case.sequence_length; ++tick) {
            add_up(below, tick, h);
            for (int sequence = 0; sequence < place_.rnn_case.batch; ++sequence)
                if (tick < place_.rnn_case.length_of(sequence))
                    finish(sequence, tick, h + size(sequence) * place_.output(),
                           c ? c + size(sequence) * place_.hidden() : nullptr, above);
        }
    }

  private:
    /// All sums of one step; block by block, so that a block's weights serve all sequences while in cache.
    void add_up(const std::vector<double>& below, int tick, const double* h) {
        const std::size_t columns = place_.columns(), output = place_.output();
        for (std::size_t at = 0; at < weights_.matrix.blocks(); ++at)
            for (int sequence = 0; sequence < place_.rnn_case.batch; ++sequence) {
                if (tick >= place_.rnn_case.length_of(sequence)) continue;
                double sums[block];
                std::copy_n(weights_.bias.data() + at * block, block, sums);
                weights_.matrix.accumulate(at, sums, 0, below.data() + place_.row_of(sequence, tick) * columns,
                                           columns);
                weights_.matrix.accumulate(at, sums, columns, h + size(sequence) * output, output);
                std::copy_n(sums, block, sums_of(sequence) + at * block);
            }
    }

    void finish(int sequence, int tick, double* h, double* c, std::vector<double>& above) {
        const std::size_t row = place_.row_of(sequence, tick);
        double* const cells = tape_.cells.empty() ? nullptr : tape_.cells.data() + row * place_.hidden();
        double* const squashed = tape_.cells.empty() ? nullptr : tape_.squashed.data() + row * place_.hidden();
        const bool projects = !unprojected_.empty();
        apply_cell(place_.rnn_case,
                   {place_.hidden(), tape_.gates.data() + row * place_.sums(), cells, squashed, c,
                    projects ? unprojected_.data() : h},
                   sums_of(sequence));
        if (projects) project(h);
        std::copy_n(h, place_.output(), above.data() + row * place_.width() + place_.half());
    }

    void project(double* h) {
        std::ranges::fill(projected_, 0);
        for (std::size_t at = 0; at < projection_.blocks(); ++at)
            projection_.accumulate(at, projected_.data() + at * block, 0, unprojected_.data(), place_.hidden());
        std::copy_n(projected_.data(), place_.output(), h);
    }

    double* sums_of(int sequence) { return sums_.data() + size(sequence) * weights_.matrix.padded_rows(); }

    const LayerPlace place_;
    Tape::PseudoLayer& tape_;
    PackedWeights weights_;
    PackedMatrix projection_;
    std::vector<double> sums_;  ///< [sequence][row]
    std::vector<double> unprojected_, projected_;
};

}  // namespace

Computation compute(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const std::size_t states = size(rnn_case.pseudo_layers()) * size(rnn_case.batch);
    const bool lstm_cell = rnn_case.cell == Cell::lstm;
    Computation computation;
    RnnOutputs& outputs = computation.outputs;
    Tape& tape = computation.tape;
    outputs.hy = initial_states(inputs.hx, states * size(rnn_case.output()));
    outputs.cy = initial_states(inputs.cx, lstm_cell ? states * size(rnn_case.hidden) : 0);
    tape.pseudo_layers.resize(inputs.layers.size());
    tape.data = {inputs.x};
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer) {
        const LayerPlace place{rnn_case, pseudo_layer};
        const auto layer = size(place.layer());
        if (!place.backward()) tape.data.emplace_back(place.rows() * place.width());
        double* const c = lstm_cell ? outputs.cy.data() + place.state(0, place.hidden()) : nullptr;
        PseudoLayer(place, inputs.layers[size(pseudo_layer)], tape.pseudo_layers[size(pseudo_layer)])
            .run(tape.data[layer], tape.data[layer + 1], outputs.hy.data() + place.state(0, place.output()), c);
    }
    outputs.y = tape.data.back();
    if (rnn_case.training) add_gradients(rnn_case, inputs, tape, outputs);
    return computation;
}

RnnOutputs reference(const RnnCase& rnn_case, const RnnInputs& inputs) {
    return compute(rnn_case, inputs).outputs;
}

}  // namespace rnncheck
