#include "rnn/errors.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rnn/compare.hpp"

namespace rnncheck {

namespace {

/// Rounding to nearest errs evenly up to u / m for a significand m between 1 and 2: 0.41 u as root
/// mean square.
constexpr double nearest = 1.0 / 6;
/// Two operands, each cut to 10 bits: 0.76 * 2^-10 of a product.
constexpr double tf32_products = 0.76 * 0x1p-10;

/// An allowance for the device's functions; an error spread evenly up to it.
double spread(double most) {
    return most * most / 3;
}

double mean_square(const double* values, std::size_t count) {
    double sums[4] = {};
    std::size_t at = 0;
    for (; at + 4 <= count; at += 4)
        for (std::size_t lane = 0; lane < 4; ++lane)
            sums[lane] += square(values[at + lane]);
    for (; at < count; ++at)
        sums[0] += square(values[at]);
    if (count <= 0)
        return 0;
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<double>(count);
}

/// Of nothing, too: null means zeros.
double mean(const double* values, std::size_t count) {
    if (!values || count <= 0)
        return 0;
    return std::accumulate(values, values + count, 0.0) / static_cast<double>(count);
}

/// The second and third are of fp32 alone.
Rounding rounding_of(Dtype dtype, bool tf32, bool fast_math) {
    switch (dtype) {
        case Dtype::fp64:
            return {
                2 * nearest * 0x1p-106,
                2 * nearest * 0x1p-106,
                0,
                spread(0x1p-44),
                0};  // the reference errs, too
        case Dtype::fp32:
            return {
                nearest * 0x1p-48,
                nearest * 0x1p-48,
                tf32 ? square(tf32_products) : 0,
                spread(fast_math ? 0x1p-11 : 0x1p-19),
                0x1p-252};
        case Dtype::fp16:
            return {nearest * 0x1p-48, nearest * 0x1p-22, 0, spread(0x1p-11), 0x1p-50 / 3};
        case Dtype::bf16:
            return {nearest * 0x1p-48, nearest * 0x1p-16, 0, spread(0x1p-11), 0x1p-252};
    }
    return {};
}

/// Sums of squares of a matrix's rows.
std::vector<double> row_squares(
    Team& team, const std::vector<double>& matrix, std::size_t rows, std::size_t columns) {
    std::vector<double> squares(rows, 1.0);  // skip input: a single one
    if (matrix.empty())
        return squares;
    const double count = static_cast<double>(columns);
    team.run_ranges(rows, count, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            squares[row] = mean_square(matrix.data() + row * columns, columns) * count;
    });
    return squares;
}

/// Sums of squares by group and unit, [group * hidden + unit].
struct Squares {
    std::vector<double> input, recurrent, bias;
};

Squares squares_of(Team& team, const LayerPlace& place, const LayerWeights& weights) {
    Squares squares;
    for (auto* values : {&squares.input, &squares.recurrent, &squares.bias})
        values->resize(place.sums());
    const auto add =
        [&](int group, int gate, auto& matrices, auto& biases, std::size_t columns, auto& to) {
            if (gate < 0)
                return;
            const auto begin = static_cast<std::ptrdiff_t>(size(group) * place.hidden());
            std::ranges::copy(
                row_squares(team, matrices[gate], place.hidden(), columns), to.begin() + begin);
            for (std::size_t unit = 0; unit < biases[gate].size(); ++unit)
                squares.bias[size(group) * place.hidden() + unit] += square(biases[gate][unit]);
        };
    for (int group = 0; group < groups_of(place.rnn_case.cell); ++group) {
        add(group,
            input_gate_of(place.rnn_case.cell, group),
            weights.input,
            weights.input_bias,
            place.columns(),
            squares.input);
        add(group,
            recurrent_gate_of(place.rnn_case.cell, group),
            weights.recurrent,
            weights.recurrent_bias,
            place.output(),
            squares.recurrent);
    }
    return squares;
}

/// One step: its numbers, the errors of its sums, and where the errors of what becomes of them are
/// left.
struct Step {
    const Rounding& rounding;
    std::size_t hidden;
    TapeStep<const double> at;
    TapeStep<double> errors;
    const double* sum_errors;
    double* h_errors;  ///< before projection
};

double sigmoid_error(const Rounding& rounding, double s, double sum_error) {
    return square(s * (1 - s)) * sum_error + rounding.functions / 4 + rounding.stored(s);
}
double tanh_error(const Rounding& rounding, double t, double sum_error) {
    return square(1 - t * t) * sum_error + rounding.functions * t * t + rounding.stored(t);
}

void lstm(const Step& step, double clip) {
    const auto& [rounding, hidden, at, errors, sum_errors, h_errors] = step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        double value[4], error[4];
        for (std::size_t gate = 0; gate < 4; ++gate) {
            const std::size_t place = gate * hidden + unit;
            value[gate] = at.gates[place];
            const double of_sum = sum_errors[place];
            error[gate] = gate == 2 ? tanh_error(rounding, value[gate], of_sum)
                                    : sigmoid_error(rounding, value[gate], of_sum);
            errors.gates[place] = error[gate];
        }
        const auto& [i, f, g, o] = value;
        const double before = clipped(or_zero(at.c_before, unit), clip),
                     squashed = at.squashed[unit];
        const double now = before * before * error[1] + i * i * error[2] + g * g * error[0] +
                           rounding.stored(f * before) + rounding.stored(i * g) +
                           rounding.stored(at.cells[unit]);
        const double cell = errors.cells[unit] =
            propagated(f * f * or_zero(errors.c_before, unit), now);
        const double function = errors.squashed[unit] = tanh_error(rounding, squashed, cell);
        h_errors[unit] =
            o * o * function + squashed * squashed * error[3] + 2 * rounding.stored(o * squashed);
    }
}

void gru(const Step& step) {
    const auto& [rounding, hidden, at, errors, sum_errors, h_errors] = step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const std::size_t r_at = unit, z_at = hidden + unit, n_at = 2 * hidden + unit,
                          s_at = 3 * hidden + unit;
        const double r = at.gates[r_at], z = at.gates[z_at], n = at.gates[n_at],
                     recurrent = at.gates[s_at];
        const double before = or_zero(at.h_before, unit);
        const double r_error = errors.gates[r_at] = sigmoid_error(rounding, r, sum_errors[r_at]);
        const double z_error = errors.gates[z_at] = sigmoid_error(rounding, z, sum_errors[z_at]);
        errors.gates[s_at] = sum_errors[s_at];
        const double sum = sum_errors[n_at] + r * r * sum_errors[s_at] +
                           square(recurrent) * r_error + 2 * rounding.stored(r * recurrent);
        const double n_error = errors.gates[n_at] = tanh_error(rounding, n, sum);
        const double now = square(1 - z) * n_error + square(before - n) * z_error +
                           rounding.stored((1 - z) * n) + rounding.stored(z * before) +
                           rounding.stored((1 - z) * n + z * before);
        h_errors[unit] = propagated(z * z * or_zero(errors.h_before, unit), now);
    }
}

void plain(const Step& step, bool relu) {
    const auto& [rounding, hidden, at, errors, sum_errors, h_errors] = step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const double error = errors.gates[unit] = sum_errors[unit];
        const double sum = at.gates[unit], h = at.h[unit];
        const bool off = relu && sum < -limit_per_root_mean_square * std::sqrt(error);
        double h_error = tanh_error(rounding, h, error);
        if (relu)
            h_error = off ? 0 : error;
        h_errors[unit] = h_error + rounding.stored(h);
    }
}

/// The forward errors of one pseudo-layer.
struct PseudoLayer {
    const LayerPlace place;
    const RnnInputs& inputs;
    const Tape& tape;
    const Rounding& rounding;
    Errors& errors;
    Team& team;
    const LayerWeights& weights = inputs.layers[size(place.pseudo_layer)];
    const Squares squares = squares_of(team, place, weights);
    const std::vector<double> projection = row_squares(
        team, weights.projection, weights.projection.size() / place.hidden(), place.hidden());

    void run() {
        const double units = static_cast<double>(place.rows() * place.hidden());
        team.run(
            size(place.rnn_case.batch), units * operations_per_unit, [&](std::size_t sequence) {
                run(static_cast<int>(sequence));
            });
    }

    void run(int sequence) const {
        std::vector<double> sum_errors(place.sums()), unprojected(place.hidden());
        std::vector<double> gates(place.sums()), squashed(place.hidden());
        for (int tick = 0; tick < place.rnn_case.length_of(sequence); ++tick) {
            TapeStep<double> at_errors = step_at(place, sequence, tick, errors.tape);
            if (!at_errors.gates)
                at_errors.gates = gates.data(), at_errors.squashed = squashed.data();
            step(
                step_at(place, sequence, tick, tape, inputs.hx, inputs.cx),
                at_errors,
                sum_errors,
                unprojected);
        }
        keep_final(place, sequence, errors.tape, errors.outputs);
    }

    void step(
        const TapeStep<const double>& at,
        const TapeStep<double>& at_errors,
        std::vector<double>& sum_errors,
        std::vector<double>& unprojected) const {
        add_up(at, at_errors, sum_errors);
        const bool projects = !weights.projection.empty();
        const Step now{
            rounding,
            place.hidden(),
            at,
            at_errors,
            sum_errors.data(),
            projects ? unprojected.data() : at_errors.h};
        by_cell(
            place.rnn_case.cell,
            [&] { lstm(now, place.rnn_case.clip_bound()); },
            [&] { gru(now); },
            [&](bool relu) { plain(now, relu); });
        if (projects)
            project(at, unprojected, at_errors.h);
    }

    /// Errors of all sums of a step. What is stored on the way: both sides, and the whole.
    void add_up(
        const TapeStep<const double>& step,
        const TapeStep<double>& at_errors,
        std::vector<double>& sum_errors) const {
        const std::size_t columns = place.columns(), output = place.output();
        const double x = mean_square(step.x, columns), x_error = mean(at_errors.x, columns);
        const double state = step.h_before ? mean_square(step.h_before, output) : 0;
        const double state_error = at_errors.h_before ? mean(at_errors.h_before, output) : 0;
        const bool known =
            groups_of(place.rnn_case.cell) == 1;  // else the tape holds what became of the sum
        for (std::size_t at = 0; at < sum_errors.size(); ++at) {
            const double whole =
                squares.input[at] * x + squares.recurrent[at] * state + squares.bias[at];
            const double sum = known ? square(step.gates[at]) : whole;
            sum_errors[at] =
                squares.input[at] * (x_error + x * rounding.operands) +
                squares.recurrent[at] * (state_error + state * rounding.operands) +
                rounding.sums * static_cast<double>(columns + output) * (sum / 3 + whole / 6) +
                rounding.operands * sum + rounding.storage * (whole + sum) + 2 * rounding.tiny;
        }
    }

    void project(
        const TapeStep<const double>& step,
        const std::vector<double>& unprojected,
        double* to) const {
        const std::size_t hidden = place.hidden();
        const double* const output = step.gates + 3 * hidden;
        double value = 0;
        for (std::size_t unit = 0; unit < hidden; ++unit)
            value += square(output[unit] * step.squashed[unit]);
        value /= static_cast<double>(hidden);
        const double error = mean(unprojected.data(), hidden);
        for (std::size_t at = 0; at < place.output(); ++at)
            to[at] = rounding.product(projection[at], value, error, hidden) +
                     (2 * rounding.storage + rounding.operands) * projection[at] * value +
                     rounding.tiny;
    }
};

Errors forward_errors(
    const RnnCase& rnn_case,
    const RnnInputs& inputs,
    const Computation& computation,
    const Rounding& rounding,
    Team& team) {
    Errors errors{{}, empty_tape(rnn_case, false, rnn_case.training)};
    errors.tape.data.front() = {};
    errors.outputs.hy.resize(computation.outputs.hy.size());
    errors.outputs.cy.resize(computation.outputs.cy.size());
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer)
        PseudoLayer{{rnn_case, pseudo_layer}, inputs, computation.tape, rounding, errors, team}
            .run();
    return errors;
}

void become_limits(Team& team, std::vector<double>& errors) {
    team.run_ranges(errors.size(), operations_per_number, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at)
            errors[at] = limit_per_root_mean_square * std::sqrt(errors[at]);
    });
}

RnnOutputs limits_of(
    const RnnCase& rnn_case,
    const RnnInputs& inputs,
    const Computation& computation,
    const Rounding& rounding,
    Team& team) {
    Errors errors = forward_errors(rnn_case, inputs, computation, rounding, team);
    if (rnn_case.training)
        add_gradient_errors(rnn_case, inputs, computation, rounding, errors, team);
    RnnOutputs& limits = errors.outputs;
    limits.y = std::move(errors.tape.data.back());
    if (rnn_case.training)
        limits.dx = std::move(errors.tape.ddata.front());
    for (auto* values : {&limits.y, &limits.hy, &limits.cy, &limits.dx, &limits.dhx, &limits.dcx})
        become_limits(team, *values);
    for (LayerWeights& weights : limits.dweights)
        for_each_array(weights, [&](std::vector<double>& values) { become_limits(team, values); });
    return std::move(limits);
}

}  // namespace

Limits limits_for(
    const RnnCase& rnn_case,
    const RnnInputs& inputs,
    const Computation& computation,
    const ReducedPrecision& reduced,
    int threads) {
    Team team(threads_for(rnn_case, threads));
    Limits limits;
    const auto keep = [&](Precision precision, bool tf32, bool fast_math) {
        limits.kept.push_back(
            {precision,
             limits_of(
                 rnn_case,
                 inputs,
                 computation,
                 rounding_of(rnn_case.dtype, tf32, fast_math),
                 team)});
    };
    keep(Precision::full, false, false);
    if (rnn_case.dtype != Dtype::fp32)
        return limits;
    const bool fast_math =
        reduced.fast_math && rnn_case.cell != Cell::relu;  // which has no functions
    if (fast_math)
        keep(Precision::fast_math, false, true);
    limits.widest = limits.kept.size() - 1;
    if (!reduced.tf32_exists)
        return limits;
    keep(Precision::tf32, true, fast_math);
    if (reduced.tf32_allowed)
        ++limits.widest;
    return limits;
}

}  // namespace rnncheck
