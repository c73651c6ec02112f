// The derivatives of the forward equations, step by step from the last to the first.
#include <algorithm>
#include <utility>

#include "rnn/layer.hpp"

namespace rnncheck {

namespace {

/// `dh` is the gradient of h before projection. `dc` is that of c from later steps, and becomes
/// that of the c before.
void lstm(const LayerPlace& place, const TapeStep<double>& at, const double* dh, double* dc) {
    const double clip = place.rnn_case.clip_bound();
    for (std::size_t unit = 0, hidden = place.hidden(); unit < hidden; ++unit) {
        const double i = at.gates[unit], f = at.gates[hidden + unit];
        const double g = at.gates[2 * hidden + unit], o = at.gates[3 * hidden + unit];
        const double before = or_zero(at.c_before, unit), squashed = at.squashed[unit];
        const double dc_here =
            dc[unit] + dh[unit] * o * (1 - squashed * squashed) * inside(at.cells[unit], clip);
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
        at.dsums[unit] = dh[unit] * slope_of(relu, at.gates[unit], at.h[unit]);
    }
}

void add_to(double* to, const double* from, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j)
        to[j] += from[j];
}

/// The same shapes, all zero.
LayerWeights zeros_like(const LayerWeights& weights) {
    LayerWeights same;
    same.columns = weights.columns;
    for (int gate = 0; gate < 4; ++gate) {
        same.input[gate].resize(weights.input[gate].size());
        same.recurrent[gate].resize(weights.recurrent[gate].size());
        same.input_bias[gate].resize(weights.input_bias[gate].size());
        same.recurrent_bias[gate].resize(weights.recurrent_bias[gate].size());
    }
    same.projection.resize(weights.projection.size());
    return same;
}

/// One step of one sequence, and what reaches its h and c from later steps.
struct Step {
    TapeStep<double> at;
    double *dh, *dc;
};

/// The factors of a gradient of weights, step by step in the order in which it is summed: sequence
/// by sequence, from the last step to the first.
struct Factors {
    std::vector<const double*> d, values;
};

struct PseudoLayer {
    const LayerPlace place;
    const RnnInputs& inputs;
    Tape& tape;
    LayerWeights& gradients;
    Team& team;
    const LayerWeights& weights = inputs.layers[size(place.pseudo_layer)];
    const Side input = input_side(place, weights), recurrent = recurrent_side(place, weights);
    const std::size_t hidden = place.hidden(), output = place.output();

    /// dh and dc begin as those of the final states and end as those of the initial ones.
    void run(double* dh, double* dc) {
        go_back(dh, dc);
        Factors of_input, of_recurrent;
        std::vector<double*> dx;
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
            for (int tick = place.rnn_case.length_of(sequence) - 1; tick >= 0; --tick) {
                const auto step = step_at(place, sequence, tick, tape, inputs.hx);
                of_input.d.push_back(step.dsums);
                of_input.values.push_back(step.x);
                dx.push_back(step.dx);
                if (!step.h_before)
                    continue;  // zeros
                of_recurrent.d.push_back(step.dsums);
                of_recurrent.values.push_back(step.h_before);
            }
        add_dx(of_input.d, dx);
        add_to_matrices(input, of_input, gradients.input);
        add_to_matrices(recurrent, of_recurrent, gradients.recurrent);
        add_to_biases(input, of_input.d, gradients.input_bias);
        add_to_biases(recurrent, of_input.d, gradients.recurrent_bias);
        add_to_projection();
    }

    /// Neighbouring groups, from the gradients of whose sums those of what the matrices multiply
    /// come.
    struct WayBack {
        Groups groups;
        Panels weights;  ///< [group * hidden + unit][column of the matrices]
    };

    std::vector<WayBack> ways_back(const Side& side) {
        std::vector<WayBack> ways;
        for (const Groups& groups : side.groups()) {
            const auto rows = side.matrix_rows(groups);
            const auto weight = [&](std::size_t row, std::size_t column) {
                return rows[row][column];
            };
            ways.push_back({groups, Panels(team, rows.size(), side.columns, weight)});
        }
        return ways;
    }

    void go_back(double* dh, double* dc) {
        const std::vector<WayBack> ways = ways_back(recurrent);
        const Panels projection(
            team,
            weights.projection.size() / hidden,
            hidden,
            [&](std::size_t row, std::size_t unit) {
                return weights.projection[row * hidden + unit];
            });
        for (int tick = place.rnn_case.sequence_length - 1; tick >= 0; --tick) {
            std::vector<Step> steps;
            for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
                if (tick < place.rnn_case.length_of(sequence))
                    steps.push_back(
                        {step_at(place, sequence, tick, tape, inputs.hx, inputs.cx),
                         dh + size(sequence) * output,
                         dc ? dc + size(sequence) * hidden : nullptr});
            for_each(steps, [&](const Step& step) {
                add_to(step.dh, step.at.dabove, output);
                std::copy_n(step.dh, output, step.at.dh);
            });
            if (!weights.projection.empty())
                through_projection(steps, projection);
            for_each(steps, [&](const Step& step) { through_cell(step); });
            through_recurrent(steps, ways);
        }
    }

    void for_each(const std::vector<Step>& steps, auto&& use) {
        team.run(
            steps.size(),
            static_cast<double>(steps.size() * hidden) * operations_per_unit,
            [&](std::size_t i) { use(steps[i]); });
    }

    /// From the gradient of h to that of o tanh(c), h before projection.
    void through_projection(const std::vector<Step>& steps, const Panels& projection) {
        std::vector<double*> to;
        for (const Step& step : steps)
            to.push_back(step.at.dm);
        add_products(
            team,
            to,
            [&](std::size_t i, std::size_t row) { return steps[i].at.dh[row]; },
            projection);
    }

    /// Leaves in dh and dc what reaches the h and c before without the sums.
    void through_cell(const Step& step) {
        const double* const unprojected = step.at.dm ? step.at.dm : step.at.dh;
        std::fill_n(step.dh, output, 0.0);
        by_cell(
            place.rnn_case.cell,
            [&] { lstm(place, step.at, unprojected, step.dc); },
            [&] { gru(place, step.at, unprojected, step.dh); },
            [&](bool relu) { plain(place, step.at, unprojected, relu); });
    }

    void through_recurrent(const std::vector<Step>& steps, const std::vector<WayBack>& ways) {
        std::vector<double*> to;
        for (const Step& step : steps)
            to.push_back(step.dh);
        for (const WayBack& way : ways)
            add_products(
                team,
                to,
                [&](std::size_t i, std::size_t row) {
                    return steps[i].at.dsums[way.groups.first * hidden + row];
                },
                way.weights);
    }

    void add_dx(const std::vector<const double*>& dsums, const std::vector<double*>& dx) {
        for (const Groups& groups : input.groups())
            if (input.skips())
                add_skipped(groups, dsums, dx);
            else
                add_dx(groups, dsums, dx);
    }

    void add_dx(
        const Groups& groups,
        const std::vector<const double*>& dsums,
        const std::vector<double*>& dx) {
        const auto rows = input.matrix_rows(groups);
        for_each_part(
            team,
            rows.size(),
            input.columns,
            [&](std::size_t row, std::size_t column) { return rows[row][column]; },
            [&](std::size_t begin, const Panels& part) {
                const std::size_t first = groups.first * hidden + begin;
                add_products(
                    team,
                    dx,
                    [&](std::size_t i, std::size_t row) { return dsums[i][first + row]; },
                    part);
            });
    }

    void add_skipped(
        const Groups& groups,
        const std::vector<const double*>& dsums,
        const std::vector<double*>& dx) {
        for (std::size_t group = groups.first; group < groups.first + groups.count; ++group)
            for (std::size_t i = 0; i < dx.size(); ++i)
                add_to(dx[i], dsums[i] + group * hidden, hidden);
    }

    void add_to_matrices(const Side& side, const Factors& factors, std::vector<double> (&to)[4]) {
        if (side.skips())
            return;
        add_outer_products(factors, side.columns, [&](auto&& add) {
            for (int group = 0; group < groups_of(side.cell); ++group)
                if (const int gate = side.gate_of(side.cell, group); gate >= 0)
                    add(size(group) * hidden, to[gate]);
        });
    }

    void add_to_projection() {
        if (weights.projection.empty())
            return;
        Factors factors;
        std::vector<double> unprojected(place.rows() * hidden);
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
            for (int tick = place.rnn_case.length_of(sequence) - 1; tick >= 0; --tick) {
                const auto step = step_at(place, sequence, tick, tape);
                double* const values = unprojected.data() + factors.d.size() * hidden;
                for (std::size_t unit = 0; unit < hidden; ++unit)
                    values[unit] = step.gates[3 * hidden + unit] * step.squashed[unit];
                factors.d.push_back(step.dh);
                factors.values.push_back(values);
            }
        add_outer_products(factors, hidden, [&](auto&& add) { add(0, gradients.projection); });
    }

    /// matrix[row][...] += d[first + row] * values[...], step after step, for each add(first,
    /// matrix) that `matrices` calls.
    void add_outer_products(const Factors& factors, std::size_t columns, auto&& matrices) {
        for_each_part(
            team,
            factors.d.size(),
            columns,
            [&](std::size_t step, std::size_t column) { return factors.values[step][column]; },
            [&](std::size_t begin, const Panels& values) {
                matrices([&](std::size_t first, std::vector<double>& matrix) {
                    const auto d = [&](std::size_t row, std::size_t step) {
                        return factors.d[begin + step][first + row];
                    };
                    add_products(team, rows_of(matrix, columns), d, values);
                });
            });
    }

    void add_to_biases(
        const Side& side, const std::vector<const double*>& dsums, std::vector<double> (&to)[4]) {
        for (int group = 0; group < groups_of(side.cell); ++group) {
            const int gate = side.gate_of(side.cell, group);
            if (gate < 0 || to[gate].empty())
                continue;
            const auto add = [&](std::size_t begin, std::size_t end) {
                for (const double* const d : dsums)
                    add_to(to[gate].data() + begin, d + size(group) * hidden + begin, end - begin);
            };
            team.run_ranges(hidden, static_cast<double>(dsums.size()), add);
        }
    }
};

}  // namespace

void add_gradients(
    const RnnCase& rnn_case, const RnnInputs& inputs, Tape& tape, RnnOutputs& outputs, Team& team) {
    outputs.dhx = initial_states(inputs.dhy, outputs.hy.size());
    outputs.dcx = initial_states(inputs.dcy, outputs.cy.size());
    for (const LayerWeights& weights : inputs.layers)
        outputs.dweights.push_back(zeros_like(weights));
    tape.ddata.back() = inputs.dy;
    backwards(rnn_case, outputs, [&](const LayerPlace& place, double* dh, double* dc) {
        PseudoLayer{place, inputs, tape, outputs.dweights[size(place.pseudo_layer)], team}.run(
            dh, dc);
    });
    outputs.dx = std::move(tape.ddata.front());
}

}  // namespace rnncheck
