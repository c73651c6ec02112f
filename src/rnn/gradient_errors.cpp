#include <algorithm>
#include <numeric>
#include <span>

#include "rnn/errors.hpp"

namespace rnncheck {

namespace {

/// Adds the errors of matrix' d, what passes back through a matrix of `rows` rows; an empty one (skip input) is the
/// unit matrix.
void add_way_back(const Rounding& rounding, const std::vector<double>& matrix, const double* d, const double* d_errors,
                  std::size_t rows, std::span<double> errors) {
    // Of each product, its place in the sum, and the sum's storage in two parts.
    const double relative =
        2 * rounding.operands + 2 * rounding.storage + rounding.sums * static_cast<double>(rows) / 2;
    for (std::size_t row = 0; row < rows; ++row) {
        const double error = d_errors[row] + d[row] * d[row] * relative;
        if (matrix.empty()) {
            errors[row] += error;
            continue;
        }
        const double* const weights = matrix.data() + row * errors.size();
        for (std::size_t j = 0; j < errors.size(); ++j) errors[j] += weights[j] * weights[j] * error;
    }
}

/// Errors of a weight gradient, a sum of outer products d x' over all steps: of d, and of x with the rounding of the
/// products.
class OuterProducts {
  public:
    /// An empty matrix has no gradient.
    OuterProducts(const LayerPlace& place, const Rounding& rounding, std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), errors_(rows * columns), squares_(columns), column_errors_(columns) {
        // A device may keep the sum in the data type after every step, or after every sequence. A partial sum is half
        // of the whole on average.
        const double kept = std::max(place.rnn_case.sequence_length, place.rnn_case.batch);
        const std::vector<int> lengths = place.rnn_case.all_lengths();
        const double terms = std::accumulate(lengths.begin(), lengths.end(), 0.0);
        product_ = rounding.operands + rounding.storage + (rounding.sums * terms + rounding.storage * kept) / 2;
        tiny_ = rounding.tiny * kept;
    }

    /// `x` null means ones (biases), errors null for none.
    void add(const double* d, const double* d_errors, const double* x, const double* x_errors) {
        if (errors_.empty()) return;
        for (std::size_t j = 0; j < columns_; ++j) {
            squares_[j] = x ? x[j] * x[j] : 1;
            column_errors_[j] = or_zero(x_errors, j) + squares_[j] * product_;
            squares_[j] += or_zero(x_errors, j);  // second order: where both factors are near zero, it is all there is
        }
        for (std::size_t i = 0; i < rows_; ++i) {
            double* const row = errors_.data() + i * columns_;
            const double d_error = d_errors[i], d_square = d[i] * d[i];
            for (std::size_t j = 0; j < columns_; ++j) row[j] += d_error * squares_[j] + d_square * column_errors_[j];
        }
    }

    std::vector<double> errors(const std::vector<double>& gradient, const Rounding& rounding) const {
        std::vector<double> result = errors_;
        for (std::size_t at = 0; at < result.size(); ++at)
            result[at] +=
                rounding.stored(gradient[at]) + tiny_ + (rounding.operands + rounding.functions) * square(gradient[at]);
        return result;
    }

  private:
    std::size_t rows_, columns_;
    double product_ = 0;  ///< mean square of relative errors of one outer product
    double tiny_ = 0;
    std::vector<double> errors_;  ///< so far, [row][column]
    std::vector<double> squares_, column_errors_;
};

/// One side of a pseudo-layer: the gradients of its weights, and the way back to what its matrices multiply.
class Side {
  public:
    Side(const LayerPlace& place, int (*gate_of)(Cell, int), const std::vector<double> (&matrices)[4],
         const std::vector<double> (&biases)[4], std::size_t columns, const Rounding& rounding)
        : place_(place), gate_of_(gate_of), matrices_(matrices), columns_(columns), rounding_(rounding) {
        for (int gate = 0; gate < gates_of(place.rnn_case.cell); ++gate) {
            products_.emplace_back(place, rounding, matrices[gate].empty() ? 0 : place.hidden(), columns);
            biases_.emplace_back(place, rounding, biases[gate].size(), 1);
        }
    }

    /// Adds one step; `errors` gets those of the gradient of x. `x` null means zeros.
    void add(const double* dsums, const double* dsum_errors, const double* x, const double* x_errors, double* errors) {
        const std::size_t hidden = place_.hidden();
        for (int group = 0; group < groups_of(place_.rnn_case.cell); ++group) {
            const int gate = gate_of_(place_.rnn_case.cell, group);
            if (gate < 0) continue;
            const std::size_t begin = size(group) * hidden;
            add_way_back(rounding_, matrices_[gate], dsums + begin, dsum_errors + begin, hidden, {errors, columns_});
            for (std::size_t j = 0; j < columns_; ++j) errors[j] += rounding_.tiny;
            if (x) products_[size(gate)].add(dsums + begin, dsum_errors + begin, x, x_errors);
            biases_[size(gate)].add(dsums + begin, dsum_errors + begin, nullptr, nullptr);
        }
    }

    void finish(const std::vector<double> (&gradients)[4], const std::vector<double> (&bias_gradients)[4],
                std::vector<double> (&errors)[4], std::vector<double> (&bias_errors)[4]) const {
        for (std::size_t gate = 0; gate < products_.size(); ++gate) {
            errors[gate] = products_[gate].errors(gradients[gate], rounding_);
            bias_errors[gate] = biases_[gate].errors(bias_gradients[gate], rounding_);
        }
    }

  private:
    LayerPlace place_;
    int (*gate_of_)(Cell, int);
    const std::vector<double> (&matrices_)[4];
    std::size_t columns_;
    Rounding rounding_;
    std::vector<OuterProducts> products_, biases_;
};

/// One step: its numbers and their errors. Null for exact zeros.
struct Step {
    const Rounding& rounding;
    std::size_t hidden;
    TapeStep<const double> at;
    TapeStep<double> errors;
    const double *dh, *dh_errors;  ///< of h before projection
    double* dc_errors;             ///< in: of c from later steps; out: of the c before
    double* dsum_errors;           ///< out
    double* directly_errors;       ///< out: of what reaches the h before without the sums (GRU)
};

/// Of factor * gate's derivative s (1 - s), the factor known up to `factor_error`.
double sigmoid_derivative_error(double factor, double factor_error, double s, double s_error) {
    return square(s * (1 - s)) * factor_error + square(factor * (1 - 2 * s)) * s_error;
}

void lstm(const Step& step, double clip) {
    const auto& [rounding, hidden, at, errors, dhs, dh_errors, dc_errors, dsum_errors, directly] = step;
    const auto product = [](double a, double a_error, double b, double b_error) {
        return a * a * b_error + b * b * a_error;
    };
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const std::size_t i_at = unit, f_at = hidden + unit, g_at = 2 * hidden + unit, o_at = 3 * hidden + unit;
        const double i = at.gates[i_at], f = at.gates[f_at], g = at.gates[g_at], o = at.gates[o_at];
        const double i_error = errors.gates[i_at], f_error = errors.gates[f_at], g_error = errors.gates[g_at],
                     o_error = errors.gates[o_at];
        const double before = clipped(or_zero(at.c_before, unit), clip), squashed = at.squashed[unit];
        const double before_error = or_zero(errors.c_before, unit), squashed_error = errors.squashed[unit];
        const double dh = dhs[unit], dh_error = dh_errors[unit], dc = at.dc[unit];
        const double slope = 1 - squashed * squashed;
        const double dc_now = square(o * slope) * dh_error + square(dh * slope) * o_error +
                              square(2 * dh * o * squashed) * squashed_error + rounding.stored(dh * o * slope) +
                              rounding.stored(dc);
        const double dc_error = carried_on(dc_errors[unit], dc_now);
        dsum_errors[i_at] = sigmoid_derivative_error(dc * g, product(dc, dc_error, g, g_error), i, i_error);
        dsum_errors[f_at] =
            sigmoid_derivative_error(dc * before, product(dc, dc_error, before, before_error), f, f_error);
        dsum_errors[g_at] = square(1 - g * g) * product(dc, dc_error, i, i_error) + square(2 * dc * i * g) * g_error;
        dsum_errors[o_at] =
            sigmoid_derivative_error(dh * squashed, product(dh, dh_error, squashed, squashed_error), o, o_error);
        for (const std::size_t place : {i_at, f_at, g_at, o_at})
            dsum_errors[place] += 3 * rounding.stored(at.dsums[place]);
        dc_errors[unit] = product(dc, dc_error, f, f_error) + rounding.stored(dc * f);
    }
}

void gru(const Step& step) {
    const auto& [rounding, hidden, at, errors, dhs, dh_errors, dc_errors, dsum_errors, directly] = step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const std::size_t r_at = unit, z_at = hidden + unit, n_at = 2 * hidden + unit, s_at = 3 * hidden + unit;
        const double r = at.gates[r_at], z = at.gates[z_at], n = at.gates[n_at], sum = at.gates[s_at];
        const double r_error = errors.gates[r_at], z_error = errors.gates[z_at], n_error = errors.gates[n_at];
        const double dh = dhs[unit], dh_error = dh_errors[unit], dn = at.dsums[n_at];
        const double change = or_zero(at.h_before, unit) - n;
        const double change_error = or_zero(errors.h_before, unit) + n_error;
        const double dn_error = square((1 - z) * (1 - n * n)) * dh_error + square(dh * (1 - n * n)) * z_error +
                                square(2 * dh * (1 - z) * n) * n_error + 3 * rounding.stored(dn);
        dsum_errors[n_at] = dn_error;
        dsum_errors[s_at] = r * r * dn_error + dn * dn * r_error + rounding.stored(dn * r);
        dsum_errors[r_at] =
            sigmoid_derivative_error(dn * sum, sum * sum * dn_error + dn * dn * errors.gates[s_at], r, r_error) +
            3 * rounding.stored(at.dsums[r_at]);
        dsum_errors[z_at] =
            sigmoid_derivative_error(dh * change, change * change * dh_error + dh * dh * change_error, z, z_error) +
            3 * rounding.stored(at.dsums[z_at]);
        directly[unit] = z * z * dh_error + dh * dh * z_error + rounding.stored(dh * z);
    }
}

/// A sum so near to zero that a device may find it on the other side: its gradient is there or not, a difference of
/// dh itself. It is spread by later weights like any error, so that the largest effect is five times its root mean
/// square.
double kink_error(double sum, double sum_error, double dh) {
    if (std::abs(sum) > limit_per_root_mean_square * std::sqrt(sum_error)) return 0;
    return square(5 / limit_per_root_mean_square * dh);
}

void plain(const Step& step, bool relu) {
    const auto& [rounding, hidden, at, errors, dhs, dh_errors, dc_errors, dsum_errors, directly] = step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const double h = at.h[unit], dh = dhs[unit];
        const double slope = relu ? (at.gates[unit] > 0 ? 1 : 0) : 1 - h * h;
        const double slope_error = relu ? 0 : square(2 * dh * h) * errors.h[unit];
        dsum_errors[unit] = slope * slope * dh_errors[unit] + slope_error +
                            (relu ? kink_error(at.gates[unit], errors.gates[unit], dh) : 0) +
                            2 * rounding.stored(at.dsums[unit]);
    }
}

struct PseudoLayer {
    const LayerPlace place;
    const RnnInputs& inputs;
    const Computation& computation;
    const Rounding& rounding;
    Tape& tape_errors;
    const LayerWeights& weights = inputs.layers[size(place.pseudo_layer)];
    Side input = Side(place, input_gate_of, weights.input, weights.input_bias, place.columns(), rounding);
    Side recurrent =
        Side(place, recurrent_gate_of, weights.recurrent, weights.recurrent_bias, place.output(), rounding);
    OuterProducts projection =
        OuterProducts(place, rounding, weights.projection.size() / place.hidden(), place.hidden());
    std::vector<double> dsum_errors = std::vector<double>(place.sums()),
                        dm_errors = std::vector<double>(place.hidden());

    /// The errors of dh and dc begin as those of the final states, none, and end as those of the initial ones.
    void run(double* dh_errors, double* dc_errors, LayerWeights& weight_errors) {
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
            for (int tick = place.rnn_case.length_of(sequence) - 1; tick >= 0; --tick)
                step(step_at(place, sequence, tick, computation.tape, inputs.hx, inputs.cx),
                     step_at(place, sequence, tick, tape_errors), dh_errors + size(sequence) * place.output(),
                     dc_errors ? dc_errors + size(sequence) * place.hidden() : nullptr);
        const LayerWeights& gradients = computation.outputs.dweights[size(place.pseudo_layer)];
        input.finish(gradients.input, gradients.input_bias, weight_errors.input, weight_errors.input_bias);
        recurrent.finish(gradients.recurrent, gradients.recurrent_bias, weight_errors.recurrent,
                         weight_errors.recurrent_bias);
        weight_errors.projection = projection.errors(gradients.projection, rounding);
    }

    void step(const TapeStep<const double>& at, const TapeStep<double>& errors, double* dh_errors, double* dc_errors) {
        const std::size_t output = place.output();
        for (std::size_t j = 0; j < output; ++j) dh_errors[j] += errors.dabove[j] + rounding.stored(at.dh[j]);
        if (at.dm) through_projection(at, errors, dh_errors);
        std::vector<double> directly(output), now(output);
        const Step in_cell{rounding,  place.hidden(),        at,
                           errors,    at.dm ? at.dm : at.dh, at.dm ? dm_errors.data() : dh_errors,
                           dc_errors, dsum_errors.data(),    directly.data()};
        by_cell(
            place.rnn_case.cell, [&] { lstm(in_cell, place.rnn_case.clip_bound()); }, [&] { gru(in_cell); },
            [&](bool relu) { plain(in_cell, relu); });
        input.add(at.dsums, dsum_errors.data(), at.x, errors.x, errors.dx);
        recurrent.add(at.dsums, dsum_errors.data(), at.h_before, errors.h_before, now.data());
        for (std::size_t j = 0; j < output; ++j) dh_errors[j] = carried_on(directly[j], now[j]);
    }

    void through_projection(const TapeStep<const double>& at, const TapeStep<double>& errors, const double* dh_errors) {
        const std::size_t hidden = place.hidden();
        const double *const o = at.gates + 3 * hidden, *const o_errors = errors.gates + 3 * hidden;
        std::vector<double> m(hidden), m_errors(hidden);
        for (std::size_t unit = 0; unit < hidden; ++unit) {
            m[unit] = o[unit] * at.squashed[unit];
            m_errors[unit] = square(o[unit]) * errors.squashed[unit] + square(at.squashed[unit]) * o_errors[unit] +
                             2 * rounding.stored(m[unit]);
        }
        projection.add(at.dh, dh_errors, m.data(), m_errors.data());
        std::ranges::fill(dm_errors, rounding.tiny);
        add_way_back(rounding, weights.projection, at.dh, dh_errors, place.output(), dm_errors);
    }
};

}  // namespace

void add_gradient_errors(const RnnCase& rnn_case, const RnnInputs& inputs, const Computation& computation,
                         const Rounding& rounding, Errors& errors) {
    errors.outputs.dhx.resize(computation.outputs.dhx.size());
    errors.outputs.dcx.resize(computation.outputs.dcx.size());
    errors.outputs.dweights.resize(inputs.layers.size());
    backwards(rnn_case, errors.outputs, [&](const LayerPlace& place, double* dh, double* dc) {
        PseudoLayer{place, inputs, computation, rounding, errors.tape}.run(
            dh, dc, errors.outputs.dweights[size(place.pseudo_layer)]);
    });
    errors.outputs.dx = errors.tape.ddata.front();
}

}  // namespace rnncheck
