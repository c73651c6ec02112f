#include <algorithm>
#include <vector>

#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

double sigmoid(double value) {
    return 1 / (1 + std::exp(-value));
}

// One step of a cell. Its sums are where the tape keeps the gates that become of them; `h` is
// before projection.

void lstm(const LayerPlace& place, const TapeStep<double>& at, double* h) {
    const double clip = place.rnn_case.clip_bound();
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double i = at.gates[unit] = sigmoid(at.gates[unit]);
        const double f = at.gates[hidden + unit] = sigmoid(at.gates[hidden + unit]);
        const double g = at.gates[2 * hidden + unit] = std::tanh(at.gates[2 * hidden + unit]);
        const double o = at.gates[3 * hidden + unit] = sigmoid(at.gates[3 * hidden + unit]);
        const double c = at.cells[unit] = f * clipped(or_zero(at.c_before, unit), clip) + i * g;
        const double squashed = at.squashed[unit] = std::tanh(clipped(c, clip));
        h[unit] = o * squashed;
    }
}

void gru(const LayerPlace& place, const TapeStep<double>& at, double* h) {
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double r = at.gates[unit] = sigmoid(at.gates[unit]);
        const double z = at.gates[hidden + unit] = sigmoid(at.gates[hidden + unit]);
        const double recurrent = at.gates[3 * hidden + unit];
        const double n = at.gates[2 * hidden + unit] =
            std::tanh(at.gates[2 * hidden + unit] + r * recurrent);
        h[unit] = (1 - z) * n + z * or_zero(at.h_before, unit);
    }
}

void plain(const LayerPlace& place, const TapeStep<double>& at, double* h, bool relu) {
    for (std::size_t unit = 0; unit < place.hidden(); ++unit)
        h[unit] = relu ? std::max(0.0, at.gates[unit]) : std::tanh(at.gates[unit]);
}

/// The matrices of neighbouring groups.
struct SideWeights {
    Groups groups;
    Panels panels;  ///< [column of the matrices][group * hidden + unit]
};

std::vector<SideWeights> laid_out(const Side& side, Team& team) {
    std::vector<SideWeights> all;
    for (const Groups& groups : side.groups()) {
        const auto rows = side.matrix_rows(groups);
        const auto weight = [&](std::size_t column, std::size_t row) { return rows[row][column]; };
        all.push_back({groups, Panels(team, side.columns, rows.size(), weight)});
    }
    return all;
}

/// One pseudo-layer over all sequences: reads the layer's input from the tape and writes its half
/// of the output.
struct PseudoLayer {
    const LayerPlace place;
    const RnnInputs& inputs;
    Tape& tape;
    Team& team;
    const LayerWeights& own = inputs.layers[size(place.pseudo_layer)];
    const std::vector<SideWeights> recurrent = laid_out(recurrent_side(place, own), team);
    const Panels projection = projection_panels();
    std::vector<double> unprojected = {};  ///< [step][unit]

    void run() {
        begin_sums();
        for (int tick = 0; tick < place.rnn_case.sequence_length; ++tick) {
            std::vector<TapeStep<double>> steps;
            for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
                if (tick < place.rnn_case.length_of(sequence))
                    steps.push_back(step_at(place, sequence, tick, tape, inputs.hx, inputs.cx));
            add_recurrent(steps);
            finish(steps);
        }
    }

    Panels projection_panels() {
        const std::size_t hidden = place.hidden(), rows = own.projection.size() / hidden;
        return {team, hidden, rows, [&](std::size_t unit, std::size_t row) {
                    return own.projection[row * hidden + unit];
                }};
    }

    /// Of the sums all but the recurrent side, for all steps at once: none waits for another.
    void begin_sums() {
        const Side side = input_side(place, own);
        const std::vector<double> bias = biases();
        std::vector<const double*> x;
        std::vector<double*> sums;
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
            for (int tick = 0; tick < place.rnn_case.length_of(sequence); ++tick) {
                const auto step = step_at(place, sequence, tick, tape);
                x.push_back(step.x);
                sums.push_back(step.gates);
            }
        team.run_ranges(
            sums.size(), static_cast<double>(bias.size()), [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    std::ranges::copy(bias, sums[i]);
            });
        if (side.skips())
            add_skipped(side, x, sums);
        else
            add_input(side, x, sums);
    }

    void add_input(
        const Side& side, const std::vector<const double*>& x, const std::vector<double*>& sums) {
        for (const Groups& groups : side.groups()) {
            const auto rows = side.matrix_rows(groups);
            const auto to = shifted(sums, groups.first * place.hidden());
            for_each_part(
                team,
                side.columns,
                rows.size(),
                [&](std::size_t column, std::size_t row) { return rows[row][column]; },
                [&](std::size_t begin, const Panels& weights) {
                    add_products(
                        team,
                        to,
                        [&](std::size_t i, std::size_t column) { return x[i][begin + column]; },
                        weights);
                });
        }
    }

    std::vector<double> biases() const {
        std::vector<double> bias(place.sums());
        for (const Side& side : {input_side(place, own), recurrent_side(place, own)})
            for (int group = 0; group < groups_of(place.rnn_case.cell); ++group) {
                const int gate = side.gate_of(place.rnn_case.cell, group);
                if (gate < 0 || side.biases[gate].empty())
                    continue;
                for (std::size_t unit = 0; unit < place.hidden(); ++unit)
                    bias[size(group) * place.hidden() + unit] += side.biases[gate][unit];
            }
        return bias;
    }

    void add_skipped(
        const Side& side,
        const std::vector<const double*>& x,
        const std::vector<double*>& sums) const {
        for (const Groups& groups : side.groups())
            for (std::size_t row = 0; row < sums.size(); ++row)
                for (std::size_t group = groups.first; group < groups.first + groups.count; ++group)
                    for (std::size_t unit = 0; unit < place.hidden(); ++unit)
                        sums[row][group * place.hidden() + unit] += x[row][unit];
    }

    void add_recurrent(const std::vector<TapeStep<double>>& steps) {
        if (steps.empty() || !steps.front().h_before)
            return;  // all of a tick have one, or none
        std::vector<double*> sums;
        for (const TapeStep<double>& step : steps)
            sums.push_back(step.gates);
        for (const auto& [groups, weights] : recurrent)
            add_products(
                team,
                shifted(sums, groups.first * place.hidden()),
                [&](std::size_t i, std::size_t column) { return steps[i].h_before[column]; },
                weights);
    }

    void finish(const std::vector<TapeStep<double>>& steps) {
        const std::size_t hidden = place.hidden();
        const bool projects = !own.projection.empty();
        if (projects)
            unprojected.resize(steps.size() * hidden);
        team.run(
            steps.size(),
            static_cast<double>(steps.size() * hidden) * operations_per_unit,
            [&](std::size_t i) {
                const TapeStep<double>& at = steps[i];
                double* const h = projects ? unprojected.data() + i * hidden : at.h;
                by_cell(
                    place.rnn_case.cell,
                    [&] { lstm(place, at, h); },
                    [&] { gru(place, at, h); },
                    [&](bool relu) { plain(place, at, h, relu); });
            });
        if (!projects)
            return;
        std::vector<double*> to;
        for (const TapeStep<double>& step : steps)
            to.push_back(step.h);
        add_products(
            team,
            to,
            [&](std::size_t row, std::size_t unit) { return unprojected[row * hidden + unit]; },
            projection);
    }
};

}  // namespace

Tape empty_tape(const RnnCase& rnn_case, bool with_gradients, bool with_gates) {
    Tape tape;
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer) {
        const LayerPlace place{rnn_case, pseudo_layer};
        const std::size_t rows = place.rows(),
                          cells = rnn_case.cell == Cell::lstm ? rows * place.hidden() : 0;
        Tape::PseudoLayer& own = tape.pseudo_layers.emplace_back();
        own.gates.resize(with_gates ? rows * place.sums() : 0);
        own.cells.resize(cells);
        own.squashed.resize(with_gates ? cells : 0);
        if (!place.backward())
            tape.data.emplace_back(rows * place.columns());
        if (!with_gradients)
            continue;
        own.dh.resize(rows * place.output());
        own.dsums.resize(rows * place.sums());
        own.dc.resize(cells);
        own.dm.resize(rnn_case.projection > 0 ? rows * place.hidden() : 0);
    }
    const LayerPlace any{rnn_case, 0};
    tape.data.emplace_back(any.rows() * any.width());
    if (rnn_case.training)
        tape.ddata = tape.data;
    return tape;
}

int threads_for(const RnnCase& rnn_case, int threads) {
    constexpr double worth_starting = 5e7;  // multiply-adds, some milliseconds
    const double rows = static_cast<double>(LayerPlace{rnn_case, 0}.rows());
    return rows * static_cast<double>(gate_weights(rnn_case)) < worth_starting ? 1 : threads;
}

Computation compute(const RnnCase& rnn_case, const RnnInputs& inputs, int threads) {
    Team team(threads_for(rnn_case, threads));
    const std::size_t states = size(rnn_case.pseudo_layers()) * size(rnn_case.batch);
    Computation computation{{}, empty_tape(rnn_case, rnn_case.training)};
    auto& [outputs, tape] = computation;
    outputs.hy = initial_states(inputs.hx, states * size(rnn_case.output()));
    outputs.cy =
        initial_states(inputs.cx, rnn_case.cell == Cell::lstm ? states * size(rnn_case.hidden) : 0);
    tape.data.front() = inputs.x;
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer) {
        const LayerPlace place{rnn_case, pseudo_layer};
        PseudoLayer{place, inputs, tape, team}.run();
        for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
            keep_final(place, sequence, tape, outputs);
    }
    outputs.y = tape.data.back();
    if (rnn_case.training)
        add_gradients(rnn_case, inputs, tape, outputs, team);
    return computation;
}

RnnOutputs reference(const RnnCase& rnn_case, const RnnInputs& inputs) {
    return compute(rnn_case, inputs).outputs;
}

}  // namespace rnncheck
