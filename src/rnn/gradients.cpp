// The derivatives of the forward equations, step by step from the last to the first.
#include <algorithm>

#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

/// `dh` is the gradient of h before projection. `dc` is that of c from later steps, and becomes that of the c before.
void lstm(const LayerPlace& place, const TapeStep<double>& at, const double* dh, double* dc) {
    const double clip = place.rnn_case.clip_bound();
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double i = at.gates[unit], f = at.gates[hidden + unit];
        const double g = at.gates[2 * hidden + unit], o = at.gates[3 * hidden + unit];
        const double before = or_zero(at.c_before, unit), squashed = at.squashed[unit];
        const double dc_here = dc[unit] + dh[unit] * o * (1 - squashed * squashed) * inside(at.cells[unit], clip);
        at.dc[unit] = dc_here;
        at.dsums[unit] = dc_here * g * i * (1 - i);
        at.dsums[hidden + unit] = dc_here * clipped(before, clip) * f * (1 - f);
        at.dsums[2 * hidden + unit] = dc_here * i * (1 - g * g);
        at.dsums[3 * hidden + unit] = dh[unit] * squashed * o * (1 - o);
        dc[unit] = dc_here * f * inside(before, clip);
    }
}

/// `directly` becomes the gradient of the h before, but for what goes through the sums.
void gru(const LayerPlace& place, const TapeStep<double>& at, const double* dh, double* directly) {
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double r = at.gates[unit], z = at.gates[hidden + unit];
        const double n = at.gates[2 * hidden + unit], recurrent = at.gates[3 * hidden + unit];
        const double dn = dh[unit] * (1 - z) * (1 - n * n);
        at.dsums[unit] = dn * recurrent * r * (1 - r);
        at.dsums[hidden + unit] = dh[unit] * (or_zero(at.h_before, unit) - n) * z * (1 - z);
        at.dsums[2 * hidden + unit] = dn;
        at.dsums[3 * hidden + unit] = dn * r;
        directly[unit] = dh[unit] * z;
    }
}

void plain(const LayerPlace& place, const TapeStep<double>& at, const double* dh, bool relu) {
    for (std::size_t unit = 0; unit < place.hidden(); ++unit) {
        const double sum = at.gates[unit], h = std::tanh(sum);
        at.dsums[unit] = dh[unit] * (relu ? (sum > 0 ? 1 : 0) : 1 - h * h);
    }
}

/// to[j] += factor * from[j]
void add_scaled(double* to, double factor, const double* from, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) to[j] += factor * from[j];
}

/// Gradients of one side's matrices and biases and of what the matrices multiplied, for one step. `gate_of` is a
/// group's gate.
void through_side(const LayerPlace& place, const double* dsums, int (*gate_of)(Cell, int),
                  const std::vector<double> (&matrices)[4], const double* values, std::size_t columns,
                  std::vector<double> (&dmatrices)[4], std::vector<double> (&dbiases)[4], double* dvalues) {
    const Cell cell = place.rnn_case.cell;
    for (int group = 0; group < groups_of(cell); ++group) {
        const int gate = gate_of(cell, group);
        if (gate < 0) continue;
        if (!dbiases[gate].empty())
            add_scaled(dbiases[gate].data(), 1, dsums + size(group) * place.hidden(), place.hidden());
        for (std::size_t unit = 0; unit < place.hidden(); ++unit) {
            const double dsum = dsums[size(group) * place.hidden() + unit];
            if (matrices[gate].empty()) {  // skip input: the unit's own x
                dvalues[unit] += dsum;
                continue;
            }
            if (values) add_scaled(dmatrices[gate].data() + unit * columns, dsum, values, columns);
            add_scaled(dvalues, dsum, matrices[gate].data() + unit * columns, columns);
        }
    }
}

/// The same shapes, all zero.
LayerWeights zeros_like(LayerWeights weights) {
    for_each_array(weights, [](std::vector<double>& values) { std::ranges::fill(values, 0); });
    return weights;
}

struct PseudoLayer {
    const LayerPlace place;
    const RnnInputs& inputs;
    Tape& tape;
    LayerWeights& gradients;
    const LayerWeights& weights = inputs.layers[size(place.pseudo_layer)];

    /// dh and dc begin as those of the final states and end as those of the initial ones.
    void run(double* dh, double* dc) {
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
            for (int tick = place.rnn_case.length_of(sequence) - 1; tick >= 0; --tick)
                step(step_at(place, sequence, tick, tape, inputs.hx, inputs.cx), dh + size(sequence) * place.output(),
                     dc ? dc + size(sequence) * place.hidden() : nullptr);
    }

    /// Leaves in dh and dc what reaches the h and c before.
    void step(const TapeStep<double>& at, double* dh, double* dc) {
        add_scaled(dh, 1, at.dabove, place.output());
        std::copy_n(dh, place.output(), at.dh);
        if (at.dm) through_projection(at);
        const double* const unprojected = at.dm ? at.dm : at.dh;
        std::fill_n(dh, place.output(), 0.0);
        by_cell(
            place.rnn_case.cell, [&] { lstm(place, at, unprojected, dc); }, [&] { gru(place, at, unprojected, dh); },
            [&](bool relu) { plain(place, at, unprojected, relu); });
        through_side(place, at.dsums, input_gate_of, weights.input, at.x, place.columns(), gradients.input,
                     gradients.input_bias, at.dx);
        through_side(place, at.dsums, recurrent_gate_of, weights.recurrent, at.h_before, place.output(),
                     gradients.recurrent, gradients.recurrent_bias, dh);
    }

    /// From the gradient of h to that of o tanh(c), h before projection.
    void through_projection(const TapeStep<double>& at) {
        const std::size_t hidden = place.hidden();
        const double* const output = at.gates + 3 * hidden;
        for (std::size_t row = 0; row < place.output(); ++row) {
            double* const gradient = gradients.projection.data() + row * hidden;
            for (std::size_t unit = 0; unit < hidden; ++unit)
                gradient[unit] += at.dh[row] * (output[unit] * at.squashed[unit]);
            add_scaled(at.dm, at.dh[row], weights.projection.data() + row * hidden, hidden);
        }
    }
};

}  // namespace

void add_gradients(const RnnCase& rnn_case, const RnnInputs& inputs, Tape& tape, RnnOutputs& outputs) {
    outputs.dhx = initial_states(inputs.dhy, outputs.hy.size());
    outputs.dcx = initial_states(inputs.dcy, outputs.cy.size());
    for (const LayerWeights& weights : inputs.layers) outputs.dweights.push_back(zeros_like(weights));
    tape.ddata.back() = inputs.dy;
    backwards(rnn_case, outputs, [&](const LayerPlace& place, double* dh, double* dc) {
        PseudoLayer{place, inputs, tape, outputs.dweights[size(place.pseudo_layer)]}.run(dh, dc);
    });
    outputs.dx = tape.ddata.front();
}

}  // namespace rnncheck
