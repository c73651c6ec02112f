// The derivatives of the forward equations, step by step from the last to the first.
#include <algorithm>

#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

/// One step of one sequence: what the forward pass left, and the gradients that pass through.
struct Step {
    std::size_t hidden;
    const double *gates, *cells, *squashed;  ///< of this step
    const double *h_before, *c_before;       ///< null for zeros
    const double* dh;                        ///< of h before projection
    double* dc;                              ///< in: of c from later steps; out: of the c before
    double* dc_here;                         ///< out: of this step's c
    double* dsums;                           ///< out: [group][hidden]
    double* dh_directly;                     ///< out: of the h before, besides what goes through the sums (GRU)
};

void lstm(const Step& at, double clip) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        const double i = at.gates[unit], f = at.gates[at.hidden + unit];
        const double g = at.gates[2 * at.hidden + unit], o = at.gates[3 * at.hidden + unit];
        const double before = or_zero(at.c_before, unit), squashed = at.squashed[unit];
        const double dc = at.dc[unit] + at.dh[unit] * o * (1 - squashed * squashed) * inside(at.cells[unit], clip);
        at.dc_here[unit] = dc;
        at.dsums[unit] = dc * g * i * (1 - i);
        at.dsums[at.hidden + unit] = dc * clipped(before, clip) * f * (1 - f);
        at.dsums[2 * at.hidden + unit] = dc * i * (1 - g * g);
        at.dsums[3 * at.hidden + unit] = at.dh[unit] * squashed * o * (1 - o);
        at.dc[unit] = dc * f * inside(before, clip);
    }
}

void gru(const Step& at) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        const double r = at.gates[unit], z = at.gates[at.hidden + unit];
        const double n = at.gates[2 * at.hidden + unit], recurrent = at.gates[3 * at.hidden + unit];
        const double dn = at.dh[unit] * (1 - z) * (1 - n * n);
        at.dsums[unit] = dn * recurrent * r * (1 - r);
        at.dsums[at.hidden + unit] = at.dh[unit] * (or_zero(at.h_before, unit) - n) * z * (1 - z);
        at.dsums[2 * at.hidden + unit] = dn;
        at.dsums[3 * at.hidden + unit] = dn * r;
        at.dh_directly[unit] = at.dh[unit] * z;
    }
}

void plain(const Step& at, bool relu) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        const double sum = at.gates[unit], h = std::tanh(sum);
        at.dsums[unit] = at.dh[unit] * (relu ? (sum > 0 ? 1 : 0) : 1 - h * h);
    }
}

void apply_cell(const RnnCase& rnn_case, const Step& at) {
    by_cell(
        rnn_case.cell, [&] { lstm(at, rnn_case.clip); }, [&] { gru(at); }, [&](bool relu) { plain(at, relu); });
}

/// to[j] += factor * from[j]
void add_scaled(double* to, double factor, const double* from, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) to[j] += factor * from[j];
}

/// Gradients of one side's matrices and of what they multiplied, for one step. `gate_of` tells a group's gate.
void through_matrices(const LayerPlace& place, const double* dsums, int (*gate_of)(Cell, int),
                      const std::vector<double> (&matrices)[4], const double* values, std::size_t columns,
                      std::vector<double> (&dmatrices)[4], double* dvalues) {
    const Cell cell = place.rnn_case.cell;
    for (int group = 0; group < groups_of(cell); ++group) {
        const int gate = gate_of(cell, group);
        if (gate < 0) continue;
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

void add_biases(const LayerPlace& place, const double* dsums, int (*gate_of)(Cell, int),
                std::vector<double> (&dbiases)[4]) {
    const Cell cell = place.rnn_case.cell;
    for (int group = 0; group < groups_of(cell); ++group) {
        const int gate = gate_of(cell, group);
        if (gate >= 0 && !dbiases[gate].empty())
            add_scaled(dbiases[gate].data(), 1, dsums + size(group) * place.hidden(), place.hidden());
    }
}

/// The same shapes, all zero.
LayerWeights zeros_like(LayerWeights weights) {
    for_each_array(weights, [](std::vector<double>& values) { std::ranges::fill(values, 0); });
    return weights;
}

class PseudoLayer {
  public:
    PseudoLayer(const LayerPlace& place, const RnnInputs& inputs, Tape& tape, LayerWeights& gradients)
        : place_(place),
          inputs_(inputs),
          weights_(inputs.layers[size(place.pseudo_layer)]),
          tape_(tape.pseudo_layers[size(place.pseudo_layer)]),
          below_(tape.data[size(place.layer())]),
          above_(tape.data[size(place.layer()) + 1]),
          gradients_(gradients) {
        tape_.dh.resize(place.rows() * place.output());
        tape_.dsums.resize(place.rows() * place.sums());
        if (!weights_.projection.empty()) tape_.dm.resize(place.rows() * place.hidden());
        if (place.rnn_case.cell == Cell::lstm) tape_.dc.resize(place.rows() * place.hidden());
    }

    /// `dabove` is the gradient of the layer's output, `dbelow` that of its input so far; dh and dc begin as those of
    /// the final states and end as those of the initial ones.
    void run(const std::vector<double>& dabove, std::vector<double>& dbelow, double* dh, double* dc) {
        for (int sequence = 0; sequence < place_.rnn_case.batch; ++sequence)
            for (int tick = place_.rnn_case.length_of(sequence) - 1; tick >= 0; --tick)
                step(sequence, tick, dabove, dbelow, dh + size(sequence) * place_.output(),
                     dc ? dc + size(sequence) * place_.hidden() : nullptr);
    }

  private:
    void step(int sequence, int tick, const std::vector<double>& dabove, std::vector<double>& dbelow, double* dh,
              double* dc) {
        const std::size_t row = place_.row_of(sequence, tick), columns = place_.columns();
        const double* const state = h_before(place_, sequence, tick, above_, inputs_.hx);
        add_scaled(dh, 1, dabove.data() + row * place_.width() + place_.half(), place_.output());
        std::copy_n(dh, place_.output(), tape_.dh.data() + row * place_.output());
        if (!weights_.projection.empty()) through_projection(row, dh);
        through_cell(sequence, tick, row, state, dh, dc);
        const double* const dsums = tape_.dsums.data() + row * place_.sums();
        through_matrices(place_, dsums, input_gate_of, weights_.input, below_.data() + row * columns, columns,
                         gradients_.input, dbelow.data() + row * columns);
        through_matrices(place_, dsums, recurrent_gate_of, weights_.recurrent, state, place_.output(),
                         gradients_.recurrent, dh);
        add_biases(place_, dsums, input_gate_of, gradients_.input_bias);
        add_biases(place_, dsums, recurrent_gate_of, gradients_.recurrent_bias);
    }

    /// From the gradient of h to that of o tanh(c), h before projection.
    void through_projection(std::size_t row, const double* dh) {
        const std::size_t hidden = place_.hidden();
        const double* const output = tape_.gates.data() + row * place_.sums() + 3 * hidden;
        const double* const squashed = tape_.squashed.data() + row * hidden;
        double* const dm = tape_.dm.data() + row * hidden;
        for (std::size_t at = 0; at < place_.output(); ++at) {
            double* const gradient = gradients_.projection.data() + at * hidden;
            for (std::size_t unit = 0; unit < hidden; ++unit)
                gradient[unit] += dh[at] * (output[unit] * squashed[unit]);
            add_scaled(dm, dh[at], weights_.projection.data() + at * hidden, hidden);
        }
    }

    /// Leaves in dh what reaches the h before without the matrices.
    void through_cell(int sequence, int tick, std::size_t row, const double* state, double* dh, double* dc) {
        const std::size_t hidden = place_.hidden();
        const bool projects = !weights_.projection.empty();
        std::vector<double> directly(place_.output());
        const auto at = [&](auto& values) { return values.empty() ? nullptr : values.data() + row * hidden; };
        apply_cell(place_.rnn_case,
                   {hidden, tape_.gates.data() + row * place_.sums(), at(tape_.cells), at(tape_.squashed), state,
                    c_before(place_, sequence, tick, tape_.cells, inputs_.cx), projects ? at(tape_.dm) : dh, dc,
                    at(tape_.dc), tape_.dsums.data() + row * place_.sums(), directly.data()});
        std::ranges::copy(directly, dh);
    }

    const LayerPlace place_;
    const RnnInputs& inputs_;
    const LayerWeights& weights_;
    Tape::PseudoLayer& tape_;
    const std::vector<double>&below_, &above_;
    LayerWeights& gradients_;
};

}  // namespace

void add_gradients(const RnnCase& rnn_case, const RnnInputs& inputs, Tape& tape, RnnOutputs& outputs) {
    outputs.dhx = initial_states(inputs.dhy, outputs.hy.size());
    outputs.dcx = initial_states(inputs.dcy, outputs.cy.size());
    for (const LayerWeights& weights : inputs.layers) outputs.dweights.push_back(zeros_like(weights));
    for (const auto& values : tape.data) tape.ddata.emplace_back(values.size());
    tape.ddata.back() = inputs.dy;
    backwards(rnn_case, outputs, [&](const LayerPlace& place, double* dh, double* dc) {
        const auto layer = size(place.layer());
        PseudoLayer(place, inputs, tape, outputs.dweights[size(place.pseudo_layer)])
            .run(tape.ddata[layer + 1], tape.ddata[layer], dh, dc);
    });
    outputs.dx = tape.ddata.front();
}

}  // namespace rnncheck
