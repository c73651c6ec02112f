#include "rnn/errors.hpp"

#include <algorithm>
#include <numeric>

#include "rnn/compare.hpp"

namespace rnncheck {

namespace {

/// Rounding to nearest errs evenly up to u / m for a significand m between 1 and 2: 0.41 u as root mean square.
constexpr double nearest = 1.0 / 6;
/// Two operands, each cut to 10 bits: 0.76 * 2^-10 of a product.
constexpr double tf32_products = 0.76 * 0x1p-10;

/// An allowance for the device's functions; an error spread evenly up to it.
double spread(double most) {
    return most * most / 3;
}

/// Sums of squares of a matrix's rows.
std::vector<double> row_squares(const std::vector<double>& matrix, std::size_t rows, std::size_t columns) {
    std::vector<double> squares(rows, 1.0);  // skip input: a single one
    if (matrix.empty()) return squares;
    for (std::size_t row = 0; row < rows; ++row)
        squares[row] = mean_square(matrix.data() + row * columns, columns) * static_cast<double>(columns);
    return squares;
}

/// Sums of squares by group and unit, [group * hidden + unit].
struct Squares {
    std::vector<double> input, recurrent, bias;
};

Squares squares_of(const LayerPlace& place, const LayerWeights& weights) {
    Squares squares;
    for (auto* values : {&squares.input, &squares.recurrent, &squares.bias}) values->resize(place.sums());
    const auto add = [&](int group, int gate, auto& matrices, auto& biases, std::size_t columns, auto& to) {
        if (gate < 0) return;
        const auto begin = static_cast<std::ptrdiff_t>(size(group) * place.hidden());
        std::ranges::copy(row_squares(matrices[gate], place.hidden(), columns), to.begin() + begin);
        for (std::size_t unit = 0; unit < biases[gate].size(); ++unit)
            squares.bias[size(group) * place.hidden() + unit] += square(biases[gate][unit]);
    };
    for (int group = 0; group < groups_of(place.rnn_case.cell); ++group) {
        add(group, input_gate_of(place.rnn_case.cell, group), weights.input, weights.input_bias, place.columns(),
            squares.input);
        add(group, recurrent_gate_of(place.rnn_case.cell, group), weights.recurrent, weights.recurrent_bias,
            place.output(), squares.recurrent);
    }
    return squares;
}

/// One step's numbers and, in the second of each pair, their errors.
struct Step {
    std::size_t hidden;
    const double* sum_errors;
    const double* gates;
    double* gate_errors;
    const double *h_before, *h_before_errors, *c_before, *c_before_errors;  ///< null for exact zeros
    const double *cells, *squashed;
    double *cell_errors, *squashed_errors;
    double* h_errors;  ///< before projection
};

double sigmoid_error(const Rounding& rounding, double s, double sum_error) {
    return square(s * (1 - s)) * sum_error + rounding.functions / 4 + rounding.stored(s);
}
double tanh_error(const Rounding& rounding, double t, double sum_error) {
    return square(1 - t * t) * sum_error + rounding.functions * t * t + rounding.stored(t);
}

void lstm(const Rounding& rounding, const Step& at, double clip) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        const std::size_t place[4] = {unit, at.hidden + unit, 2 * at.hidden + unit, 3 * at.hidden + unit};
        double value[4], error[4];
        for (int gate = 0; gate < 4; ++gate) {
            value[gate] = at.gates[place[gate]];
            error[gate] = at.gate_errors[place[gate]] =
                gate == 2 ? tanh_error(rounding, value[gate], at.sum_errors[place[gate]])
                          : sigmoid_error(rounding, value[gate], at.sum_errors[place[gate]]);
        }
        const auto& [i, f, g, o] = value;
        const double before = clipped(or_zero(at.c_before, unit), clip), squashed = at.squashed[unit];
        const double now = before * before * error[1] + i * i * error[2] + g * g * error[0] +
                           rounding.stored(f * before) + rounding.stored(i * g) + rounding.stored(at.cells[unit]);
        const double cell = at.cell_errors[unit] = carried_on(f * f * or_zero(at.c_before_errors, unit), now);
        const double function = at.squashed_errors[unit] = tanh_error(rounding, squashed, cell);
        at.h_errors[unit] = o * o * function + squashed * squashed * error[3] + 2 * rounding.stored(o * squashed);
    }
}

void gru(const Rounding& rounding, const Step& at) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        const std::size_t r_at = unit, z_at = at.hidden + unit, n_at = 2 * at.hidden + unit,
                          s_at = 3 * at.hidden + unit;
        const double r = at.gates[r_at], z = at.gates[z_at], n = at.gates[n_at], recurrent = at.gates[s_at];
        const double before = or_zero(at.h_before, unit);
        const double r_error = at.gate_errors[r_at] = sigmoid_error(rounding, r, at.sum_errors[r_at]);
        const double z_error = at.gate_errors[z_at] = sigmoid_error(rounding, z, at.sum_errors[z_at]);
        at.gate_errors[s_at] = at.sum_errors[s_at];
        const double sum = at.sum_errors[n_at] + r * r * at.sum_errors[s_at] + square(recurrent) * r_error +
                           2 * rounding.stored(r * recurrent);
        const double n_error = at.gate_errors[n_at] = tanh_error(rounding, n, sum);
        const double now = square(1 - z) * n_error + square(before - n) * z_error + rounding.stored((1 - z) * n) +
                           rounding.stored(z * before) + rounding.stored((1 - z) * n + z * before);
        at.h_errors[unit] = carried_on(z * z * or_zero(at.h_before_errors, unit), now);
    }
}

void plain(const Rounding& rounding, const Step& at, bool relu) {
    for (std::size_t unit = 0; unit < at.hidden; ++unit) {
        const double error = at.gate_errors[unit] = at.sum_errors[unit];
        const double sum = at.gates[unit], h = relu ? std::fmax(0, sum) : std::tanh(sum);
        const bool off = relu && sum < -limit_per_root_mean_square * std::sqrt(error);
        at.h_errors[unit] = (relu ? (off ? 0 : error) : tanh_error(rounding, h, error)) + rounding.stored(h);
    }
}

/// The forward errors of one pseudo-layer.
class PseudoLayer {
  public:
    PseudoLayer(const LayerPlace& place, const RnnInputs& inputs, const Computation& computation,
                const Rounding& rounding, Errors& errors)
        : place_(place),
          inputs_(inputs),
          weights_(inputs.layers[size(place.pseudo_layer)]),
          tape_(computation.tape.pseudo_layers[size(place.pseudo_layer)]),
          below_(computation.tape.data[size(place.layer())]),
          above_(computation.tape.data[size(place.layer()) + 1]),
          below_errors_(errors.tape.data[size(place.layer())]),
          above_errors_(errors.tape.data[size(place.layer()) + 1]),
          rounding_(rounding),
          errors_(errors.tape.pseudo_layers[size(place.pseudo_layer)]),
          outputs_(errors.outputs),
          squares_(squares_of(place, weights_)),
          projection_(row_squares(weights_.projection, weights_.projection.size() / place.hidden(), place.hidden())),
          sum_errors_(place.sums()),
          unprojected_(place.hidden()) {
        errors_.gates.resize(tape_.gates.size());
        errors_.cells.resize(tape_.cells.size());
        errors_.squashed.resize(tape_.squashed.size());
    }

    void run() {
        for (int sequence = 0; sequence < place_.rnn_case.batch; ++sequence) {
            const int length = place_.rnn_case.length_of(sequence);
            for (int tick = 0; tick < length; ++tick) step(sequence, tick);
            if (length > 0) keep_final(sequence, place_.row_of(sequence, length - 1));
        }
    }

  private:
    void step(int sequence, int tick) {
        const std::size_t row = place_.row_of(sequence, tick), hidden = place_.hidden();
        const double* const h = h_before(place_, sequence, tick, above_, inputs_.hx);
        const double* const h_errors = h_before(place_, sequence, tick, above_errors_);
        add_up(row, h, h_errors);
        double* const to = above_errors_.data() + row * place_.width() + place_.half();
        const auto at = [&](auto& values) { return values.empty() ? nullptr : values.data() + row * hidden; };
        const Step now{hidden,
                       sum_errors_.data(),
                       tape_.gates.data() + row * place_.sums(),
                       errors_.gates.data() + row * place_.sums(),
                       h,
                       h_errors,
                       c_before(place_, sequence, tick, tape_.cells, inputs_.cx),
                       c_before(place_, sequence, tick, errors_.cells),
                       at(tape_.cells),
                       at(tape_.squashed),
                       at(errors_.cells),
                       at(errors_.squashed),
                       weights_.projection.empty() ? to : unprojected_.data()};
        const RnnCase& rnn_case = place_.rnn_case;
        by_cell(
            rnn_case.cell, [&] { lstm(rounding_, now, rnn_case.clip); }, [&] { gru(rounding_, now); },
            [&](bool relu) { plain(rounding_, now, relu); });
        if (!weights_.projection.empty()) project(row, to);
    }

    /// Errors of all sums of a step. What is stored on the way: both sides, and the whole.
    void add_up(std::size_t row, const double* h, const double* h_errors) {
        const std::size_t columns = place_.columns(), output = place_.output();
        const double x = mean_square(below_.data() + row * columns, columns);
        const double x_error = mean(below_errors_.data() + row * columns, columns);
        const double state = h ? mean_square(h, output) : 0, state_error = h_errors ? mean(h_errors, output) : 0;
        const bool known = groups_of(place_.rnn_case.cell) == 1;  // else the tape holds what became of the sum
        for (std::size_t at = 0; at < sum_errors_.size(); ++at) {
            const double whole = squares_.input[at] * x + squares_.recurrent[at] * state + squares_.bias[at];
            const double sum = known ? square(tape_.gates[row * place_.sums() + at]) : whole;
            sum_errors_[at] = squares_.input[at] * (x_error + x * rounding_.operands) +
                              squares_.recurrent[at] * (state_error + state * rounding_.operands) +
                              rounding_.sums * static_cast<double>(columns + output) * (sum / 3 + whole / 6) +
                              rounding_.operands * sum + rounding_.storage * (whole + sum) + 2 * rounding_.tiny;
        }
    }

    void project(std::size_t row, double* to) {
        const std::size_t hidden = place_.hidden();
        const double* const output = tape_.gates.data() + row * place_.sums() + 3 * hidden;
        const double* const squashed = tape_.squashed.data() + row * hidden;
        double value = 0;
        for (std::size_t unit = 0; unit < hidden; ++unit) value += square(output[unit] * squashed[unit]);
        value /= static_cast<double>(hidden);
        const double error = mean(unprojected_.data(), hidden);
        for (std::size_t at = 0; at < place_.output(); ++at)
            to[at] = rounding_.product(projection_[at], value, error, hidden) +
                     (2 * rounding_.storage + rounding_.operands) * projection_[at] * value + rounding_.tiny;
    }

    void keep_final(int sequence, std::size_t row) {
        const auto copy = [&](const std::vector<double>& from, std::size_t begin, std::size_t count, auto& to) {
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin), count,
                        to.begin() + static_cast<std::ptrdiff_t>(place_.state(sequence, count)));
        };
        copy(above_errors_, row * place_.width() + place_.half(), place_.output(), outputs_.hy);
        if (!errors_.cells.empty()) copy(errors_.cells, row * place_.hidden(), place_.hidden(), outputs_.cy);
    }

    const LayerPlace place_;
    const RnnInputs& inputs_;
    const LayerWeights& weights_;
    const Tape::PseudoLayer& tape_;
    const std::vector<double>&below_, &above_, &below_errors_;
    std::vector<double>& above_errors_;
    const Rounding& rounding_;
    Tape::PseudoLayer& errors_;
    RnnOutputs& outputs_;
    Squares squares_;
    std::vector<double> projection_;
    std::vector<double> sum_errors_, unprojected_;
};

}  // namespace

double mean_square(const double* values, std::size_t count) {
    double sums[4] = {};
    std::size_t at = 0;
    for (; at + 4 <= count; at += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += square(values[at + lane]);
    for (; at < count; ++at) sums[0] += square(values[at]);
    return count > 0 ? ((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<double>(count) : 0;
}

double mean(const double* values, std::size_t count) {
    return count > 0 ? std::accumulate(values, values + count, 0.0) / static_cast<double>(count) : 0;
}

Rounding rounding_of(Dtype dtype, bool tf32, bool fast_math) {
    switch (dtype) {
        case Dtype::fp64:
            return {2 * nearest * 0x1p-106, 2 * nearest * 0x1p-106, 0, spread(0x1p-44), 0};  // the reference errs, too
        case Dtype::fp32:
            return {nearest * 0x1p-48, nearest * 0x1p-48, tf32 ? square(tf32_products) : 0,
                    spread(fast_math ? 0x1p-11 : 0x1p-19), 0x1p-252};
        case Dtype::fp16:
            return {nearest * 0x1p-48, nearest * 0x1p-22, 0, spread(0x1p-11), 0x1p-50 / 3};
        case Dtype::bf16:
            return {nearest * 0x1p-48, nearest * 0x1p-16, 0, spread(0x1p-11), 0x1p-252};
    }
    return {};
}

Errors forward_errors(const RnnCase& rnn_case, const RnnInputs& inputs, const Computation& computation,
                      const Rounding& rounding) {
    Errors errors;
    errors.outputs.hy.resize(computation.outputs.hy.size());
    errors.outputs.cy.resize(computation.outputs.cy.size());
    errors.tape.pseudo_layers.resize(inputs.layers.size());
    for (const auto& values : computation.tape.data) errors.tape.data.emplace_back(values.size());
    for (int pseudo_layer = 0; pseudo_layer < rnn_case.pseudo_layers(); ++pseudo_layer)
        PseudoLayer({rnn_case, pseudo_layer}, inputs, computation, rounding, errors).run();
    errors.outputs.y = errors.tape.data.back();
    return errors;
}

static void become_limits(std::vector<double>& errors) {
    for (double& error : errors) error = limit_per_root_mean_square * std::sqrt(error);
}

static RnnOutputs limits_of(const RnnCase& rnn_case, const RnnInputs& inputs, const Computation& computation,
                            const Rounding& rounding) {
    Errors errors = forward_errors(rnn_case, inputs, computation, rounding);
    if (rnn_case.training) add_gradient_errors(rnn_case, inputs, computation, rounding, errors);
    RnnOutputs& limits = errors.outputs;
    for (auto* values : {&limits.y, &limits.hy, &limits.cy, &limits.dx, &limits.dhx, &limits.dcx})
        become_limits(*values);
    for (LayerWeights& weights : limits.dweights) for_each_array(weights, become_limits);
    return std::move(limits);
}

Limits limits_for(const RnnCase& rnn_case, const RnnInputs& inputs, const Computation& computation,
                  const ReducedPrecision& reduced) {
    Limits limits;
    const auto keep = [&](Precision precision, bool tf32, bool fast_math) {
        limits.kept.push_back(
            {precision, limits_of(rnn_case, inputs, computation, rounding_of(rnn_case.dtype, tf32, fast_math))});
    };
    keep(Precision::full, false, false);
    if (rnn_case.dtype != Dtype::fp32) return limits;
    const bool fast_math = reduced.fast_math && rnn_case.cell != Cell::relu;  // which has no functions
    if (fast_math) keep(Precision::fast_math, false, true);
    limits.widest = limits.kept.size() - 1;
    if (!reduced.tf32_exists) return limits;
    keep(Precision::tf32, true, fast_math);
    if (reduced.tf32_allowed) ++limits.widest;
    return limits;
}

}  // namespace rnncheck
