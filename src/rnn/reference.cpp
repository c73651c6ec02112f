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

// One step of a cell, from its sums; `h` is before projection.

void lstm(const LayerPlace& place, const TapeStep<double>& at, const double* sums, double* h) {
    const double clip = place.rnn_case.clip_bound();
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double i = at.gates[unit] = sigmoid(sums[unit]);
        const double f = at.gates[hidden + unit] = sigmoid(sums[hidden + unit]);
        const double g = at.gates[2 * hidden + unit] = std::tanh(sums[2 * hidden + unit]);
        const double o = at.gates[3 * hidden + unit] = sigmoid(sums[3 * hidden + unit]);
        const double c = at.cells[unit] = f * clipped(or_zero(at.c_before, unit), clip) + i * g;
        const double squashed = at.squashed[unit] = std::tanh(clipped(c, clip));
        h[unit] = o * squashed;
    }
}

void gru(const LayerPlace& place, const TapeStep<double>& at, const double* sums, double* h) {
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double r = at.gates[unit] = sigmoid(sums[unit]);
        const double z = at.gates[hidden + unit] = sigmoid(sums[hidden + unit]);
        const double recurrent = at.gates[3 * hidden + unit] = sums[3 * hidden + unit];
        const double n = at.gates[2 * hidden + unit] = std::tanh(sums[2 * hidden + unit] + r * recurrent);
        h[unit] = (1 - z) * n + z * or_zero(at.h_before, unit);
    }
}

void plain(const LayerPlace& place, const TapeStep<double>& at, const double* sums, double* h, bool relu) {
    for (std::size_t unit = 0; unit < place.hidden(); ++unit) {
        at.gates[unit] = sums[unit];
        h[unit] = relu ? std::max(0.0, sums[unit]) : std::tanh(sums[unit]);
    }
}

/// One pseudo-layer over all sequences: reads the layer's input from the tape and writes its half of the output.
struct PseudoLayer {
    const LayerPlace place;
    const RnnInputs& inputs;
    Tape& tape;
    const LayerWeights& own = inputs.layers[size(place.pseudo_layer)];
    const PackedWeights weights = packed(place, own);
    const PackedMatrix projection = packed_projection(place, own);
    std::vector<double> sums = {}, unprojected = {}, projected = {};  ///< sums are [step][row]

    void run() {
        sums.resize(weights.matrix.padded_rows() * size(place.rnn_case.batch));
        unprojected.resize(place.hidden());
        projected.resize(projection.padded_rows());
        for (int tick = 0; tick < place.rnn_case.sequence_length; ++tick) {
            std::vector<TapeStep<double>> steps;
            for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
                if (tick < place.rnn_case.length_of(sequence))
                    steps.push_back(step_at(place, sequence, tick, tape, inputs.hx, inputs.cx));
            add_up(steps);
            for (std::size_t i = 0; i < steps.size(); ++i) finish(steps[i], sums_of(i));
        }
    }

    /// All sums of one step; block by block, so that a block's weights serve all sequences while in cache.
    void add_up(const std::vector<TapeStep<double>>& steps) {
        const std::size_t columns = place.columns(), output = place.output();
        for (std::size_t at = 0; at < weights.matrix.blocks(); ++at)
            for (std::size_t i = 0; i < steps.size(); ++i) {
                double* const of_block = sums_of(i) + at * block;
                std::copy_n(weights.bias.data() + at * block, block, of_block);
                weights.matrix.accumulate(at, of_block, 0, steps[i].x, columns);
                if (steps[i].h_before) weights.matrix.accumulate(at, of_block, columns, steps[i].h_before, output);
            }
    }

    void finish(const TapeStep<double>& at, const double* of_step) {
        const bool projects = !projected.empty();
        double* const h = projects ? unprojected.data() : at.h;
        by_cell(
            place.rnn_case.cell, [&] { lstm(place, at, of_step, h); }, [&] { gru(place, at, of_step, h); },
            [&](bool relu) { plain(place, at, of_step, h, relu); });
        if (!projects) return;
        std::ranges::fill(projected, 0);
        for (std::size_t i = 0; i < projection.blocks(); ++i)
            projection.accumulate(i, projected.data() + i * block, 0, h, place.hidden());
        std::copy_n(projected.data(), place.output(), at.h);
    }

    double* sums_of(std::size_t step) { return sums.data() + step * weights.matrix.padded_rows(); }
};

}  // namespace

Tape empty_tape(const RnnCase& rnn_case, bool with_gradients) {
    Tape tape;
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer) {
        const LayerPlace place{rnn_case, pseudo_layer};
        const std::size_t rows = place.rows(), cells = rnn_case.cell == Cell::lstm ? rows * place.hidden() : 0;
        Tape::PseudoLayer& own = tape.pseudo_layers.emplace_back();
        own.gates.resize(rows * place.sums());
        own.cells.resize(cells);
        own.squashed.resize(cells);
        if (!place.backward()) tape.data.emplace_back(rows * place.columns());
        if (!with_gradients) continue;
        own.dh.resize(rows * place.output());
        own.dsums.resize(rows * place.sums());
        own.dc.resize(cells);
        own.dm.resize(rnn_case.projection > 0 ? rows * place.hidden() : 0);
    }
    const LayerPlace any{rnn_case, 0};
    tape.data.emplace_back(any.rows() * any.width());
    if (rnn_case.training) tape.ddata = tape.data;
    return tape;
}

Computation compute(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const std::size_t states = size(rnn_case.pseudo_layers()) * size(rnn_case.batch);
    Computation computation{{}, empty_tape(rnn_case, rnn_case.training)};
    auto& [outputs, tape] = computation;
    outputs.hy = initial_states(inputs.hx, states * size(rnn_case.output()));
    outputs.cy = initial_states(inputs.cx, rnn_case.cell == Cell::lstm ? states * size(rnn_case.hidden) : 0);
    tape.data.front() = inputs.x;
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer) {
        const LayerPlace place{rnn_case, pseudo_layer};
        PseudoLayer{place, inputs, tape}.run();
        for (int sequence = 0; sequence < rnn_case.batch; ++sequence) keep_final(place, sequence, tape, outputs);
    }
    outputs.y = tape.data.back();
    if (rnn_case.training) add_gradients(rnn_case, inputs, tape, outputs);
    return computation;
}

RnnOutputs reference(const RnnCase& rnn_case, const RnnInputs& inputs) {
    return compute(rnn_case, inputs).outputs;
}

}  // namespace rnncheck
