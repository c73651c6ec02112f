// Long because each error follows from those of the step behind it.
#include <algorithm>
#include <numeric>

#include "rnn/errors.hpp"

namespace rnncheck {

namespace {

/// The gradients of the sums of a side, or of h, with their errors, and what they are multiplied by
/// in a gradient of weights; by step, in the order in which that is summed. Errors null for none.
struct Factors {
    std::vector<const double*> d, d_errors, x, x_errors;
};

/// Adds the errors of matrix' d, what passes back through a matrix of `rows` rows.
struct WayBack {
    const std::vector<double>& matrix;
    std::size_t rows, columns;
    double relative;  ///< of each product, its place in the sum, and the sum's storage in two parts

    WayBack(
        const Rounding& rounding,
        const std::vector<double>& its_matrix,
        std::size_t its_rows,
        std::size_t its_columns)
        : matrix(its_matrix),
          rows(its_rows),
          columns(its_columns),
          relative(
              2 * rounding.operands + 2 * rounding.storage +
              rounding.sums * static_cast<double>(rows) / 2) {
    }

    double square_at(std::size_t row, std::size_t column) const {
        return short_above(square(matrix[row * columns + column]));
    }

    /// The squares of the whole matrix, for many uses.
    Panels squares(Team& team) const {
        return {team, matrix.empty() ? 0 : rows, columns, [&](std::size_t row, std::size_t column) {
                    return square_at(row, column);
                }};
    }

    double error_of(double d, double d_error) const {
        return d_error + d * d * relative;
    }

    /// `first` is the place in d of what the first row of `squares` multiplies.
    void add(
        Team& team,
        const std::vector<double*>& to,
        const Factors& factors,
        std::size_t first,
        const Panels& squares) const {
        const auto error = [&](std::size_t i, std::size_t row) {
            return short_above(
                error_of(factors.d[i][first + row], factors.d_errors[i][first + row]));
        };
        add_products(team, to, error, squares);
    }

    void add_once(
        Team& team,
        const std::vector<double*>& to,
        const Factors& factors,
        std::size_t first) const {
        for_each_part(
            team,
            rows,
            columns,
            [&](std::size_t row, std::size_t column) { return square_at(row, column); },
            [&](std::size_t begin, const Panels& part) {
                add(team, to, factors, first + begin, part);
            });
    }

    /// An empty matrix (skip input) is the unit matrix.
    void add_unit(const std::vector<double*>& to, const Factors& factors, std::size_t first) const {
        for (std::size_t i = 0; i < to.size(); ++i)
            for (std::size_t unit = 0; unit < rows; ++unit)
                to[i][unit] +=
                    error_of(factors.d[i][first + unit], factors.d_errors[i][first + unit]);
    }
};

/// use(the place of its first d, the way back), for each group that has a gate on the side; then
/// what each may err by for numbers below the type's normal range.
void back_through_groups(
    const Rounding& rounding, const Side& side, const std::vector<double*>& to, auto&& use) {
    for (int group = 0; group < groups_of(side.cell); ++group) {
        const int gate = side.gate_of(side.cell, group);
        if (gate < 0)
            continue;
        use(size(group) * side.hidden,
            WayBack(rounding, side.matrices[gate], side.hidden, side.columns),
            gate);
        for (double* const row : to)
            for (std::size_t column = 0; column < side.columns; ++column)
                row[column] += rounding.tiny;
    }
}

/// Errors of a weight gradient, a sum of outer products d x' over all steps: of d, and of x with
/// the rounding of the products.
class OuterProducts {
  public:
    OuterProducts(Team& team, const LayerPlace& place, const Rounding& rounding)
        : team_(team), rounding_(rounding) {
        // A device may keep the sum in the data type after every step, or after every sequence. A
        // partial sum is half of the whole on average.
        const double kept = std::max(place.rnn_case.sequence_length, place.rnn_case.batch);
        const std::vector<int> lengths = place.rnn_case.all_lengths();
        const double terms = std::accumulate(lengths.begin(), lengths.end(), 0.0);
        product_ = rounding.operands + rounding.storage +
                   (rounding.sums * terms + rounding.storage * kept) / 2;
        tiny_ = rounding.tiny * kept;
    }

    /// Of matrices that share their factors: `errors[i]` of the one whose first row has d from
    /// `first[i]` on.
    void add(
        const Factors& factors,
        std::size_t columns,
        const std::vector<std::size_t>& first,
        const std::vector<std::vector<double>*>& errors) const {
        // (d² + d error) (x² + x error) less d² x² and with the rounding of the products, as two
        // products, of which the second is zero where x has no errors. The errors' second order
        // matters where d and x are near zero.
        const bool x_errs =
            std::ranges::any_of(factors.x_errors, [](const double* of_step) { return of_step; });
        const std::size_t products = x_errs ? 2 : 1;
        const auto of_column = [&](std::size_t at, std::size_t column) {
            const std::size_t step = at / products;
            if (at % products)
                return short_above(or_zero(factors.x_errors[step], column));
            return short_above(square(factors.x[step][column]));
        };
        for_each_part(
            team_,
            factors.d.size() * products,
            columns,
            of_column,
            [&](std::size_t begin, const Panels& part) {
                for (std::size_t i = 0; i < errors.size(); ++i) {
                    const auto of_row = [&](std::size_t row, std::size_t at) {
                        const std::size_t step = (begin + at) / products;
                        const double d = square(factors.d[step][first[i] + row]),
                                     d_error = factors.d_errors[step][first[i] + row];
                        return short_above(d_error + ((begin + at) % products ? d : d * product_));
                    };
                    add_products(team_, rows_of(*errors[i], columns), of_row, part);
                }
            });
    }

    /// Of a bias, which is multiplied by one.
    void add_bias(const Factors& factors, std::size_t first, std::vector<double>& errors) const {
        const auto add = [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = 0; i < factors.d.size(); ++i)
                for (std::size_t unit = begin; unit < end; ++unit)
                    errors[unit] += factors.d_errors[i][first + unit] +
                                    square(factors.d[i][first + unit]) * product_;
        };
        team_.run_ranges(errors.size(), static_cast<double>(factors.d.size()), add);
    }

    /// Adds what the whole sum errs by.
    void finish(const std::vector<double>& gradient, std::vector<double>& errors) const {
        const auto add = [&](std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; ++at)
                errors[at] += rounding_.stored(gradient[at]) + tiny_ +
                              (rounding_.operands + rounding_.functions) * square(gradient[at]);
        };
        team_.run_ranges(errors.size(), operations_per_number, add);
    }

  private:
    Team& team_;
    const Rounding& rounding_;
    double product_ = 0;  ///< mean square of relative errors of one outer product
    double tiny_ = 0;
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
    const auto& [rounding, hidden, at, errors, dhs, dh_errors, dc_errors, dsum_errors, directly] =
        step;
    const auto product = [](double a, double a_error, double b, double b_error) {
        return a * a * b_error + b * b * a_error;
    };
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const std::size_t i_at = unit, f_at = hidden + unit, g_at = 2 * hidden + unit,
                          o_at = 3 * hidden + unit;
        const double i = at.gates[i_at], f = at.gates[f_at], g = at.gates[g_at], o = at.gates[o_at];
        const double i_error = errors.gates[i_at], f_error = errors.gates[f_at],
                     g_error = errors.gates[g_at], o_error = errors.gates[o_at];
        const double before = clipped(or_zero(at.c_before, unit), clip),
                     squashed = at.squashed[unit];
        const double before_error = or_zero(errors.c_before, unit),
                     squashed_error = errors.squashed[unit];
        const double dh = dhs[unit], dh_error = dh_errors[unit], dc = at.dc[unit];
        const double slope = 1 - squashed * squashed;
        const double dc_now = square(o * slope) * dh_error + square(dh * slope) * o_error +
                              square(2 * dh * o * squashed) * squashed_error +
                              rounding.stored(dh * o * slope) + rounding.stored(dc);
        const double dc_error = propagated(dc_errors[unit], dc_now);
        dsum_errors[i_at] =
            sigmoid_derivative_error(dc * g, product(dc, dc_error, g, g_error), i, i_error);
        dsum_errors[f_at] = sigmoid_derivative_error(
            dc * before, product(dc, dc_error, before, before_error), f, f_error);
        dsum_errors[g_at] = square(1 - g * g) * product(dc, dc_error, i, i_error) +
                            square(2 * dc * i * g) * g_error;
        dsum_errors[o_at] = sigmoid_derivative_error(
            dh * squashed, product(dh, dh_error, squashed, squashed_error), o, o_error);
        for (const std::size_t place : {i_at, f_at, g_at, o_at})
            dsum_errors[place] += 3 * rounding.stored(at.dsums[place]);
        dc_errors[unit] = product(dc, dc_error, f, f_error) + rounding.stored(dc * f);
    }
}

void gru(const Step& step) {
    const auto& [rounding, hidden, at, errors, dhs, dh_errors, dc_errors, dsum_errors, directly] =
        step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const std::size_t r_at = unit, z_at = hidden + unit, n_at = 2 * hidden + unit,
                          s_at = 3 * hidden + unit;
        const double r = at.gates[r_at], z = at.gates[z_at], n = at.gates[n_at],
                     sum = at.gates[s_at];
        const double r_error = errors.gates[r_at], z_error = errors.gates[z_at],
                     n_error = errors.gates[n_at];
        const double dh = dhs[unit], dh_error = dh_errors[unit], dn = at.dsums[n_at];
        const double change = or_zero(at.h_before, unit) - n;
        const double change_error = or_zero(errors.h_before, unit) + n_error;
        const double dn_error = square((1 - z) * (1 - n * n)) * dh_error +
                                square(dh * (1 - n * n)) * z_error +
                                square(2 * dh * (1 - z) * n) * n_error + 3 * rounding.stored(dn);
        dsum_errors[n_at] = dn_error;
        dsum_errors[s_at] = r * r * dn_error + dn * dn * r_error + rounding.stored(dn * r);
        dsum_errors[r_at] =
            sigmoid_derivative_error(
                dn * sum, sum * sum * dn_error + dn * dn * errors.gates[s_at], r, r_error) +
            3 * rounding.stored(at.dsums[r_at]);
        dsum_errors[z_at] =
            sigmoid_derivative_error(
                dh * change, change * change * dh_error + dh * dh * change_error, z, z_error) +
            3 * rounding.stored(at.dsums[z_at]);
        directly[unit] = z * z * dh_error + dh * dh * z_error + rounding.stored(dh * z);
    }
}

/// A sum so near to zero that a device may find it on the other side: its gradient is there or not,
/// a difference of dh itself. It is spread by later weights like any error, so that the largest
/// effect is five times its root mean square.
double kink_error(double sum, double sum_error, double dh) {
    if (std::abs(sum) > limit_per_root_mean_square * std::sqrt(sum_error))
        return 0;
    return square(5 / limit_per_root_mean_square * dh);
}

void plain(const Step& step, bool relu) {
    const auto& [rounding, hidden, at, errors, dhs, dh_errors, dc_errors, dsum_errors, directly] =
        step;
    for (std::size_t unit = 0; unit < hidden; ++unit) {
        const double h = at.h[unit], dh = dhs[unit];
        const double slope = slope_of(relu, at.gates[unit], h);
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
    Team& team;
    const LayerWeights& weights = inputs.layers[size(place.pseudo_layer)];
    const Side input = input_side(place, weights), recurrent = recurrent_side(place, weights);
    const std::size_t hidden = place.hidden(), output = place.output();
    const bool projects = !weights.projection.empty();
    /// Of all steps: [row][group][hidden], written before they are read, and, with projection, of h
    /// [row][output].
    const AlignedNumbers dsum_errors = AlignedNumbers(place.rows() * place.sums());
    std::vector<double> projected_errors =
        std::vector<double>(projects ? place.rows() * output : 0);
    /// Of the steps of a tick, [sequence][unit].
    std::vector<double> dm_errors =
                            std::vector<double>(projects ? size(place.rnn_case.batch) * hidden : 0),
                        directly = std::vector<double>(size(place.rnn_case.batch) * output),
                        through_sums = directly;

    /// The errors of dh and dc begin as those of the final states, none, and end as those of the
    /// initial ones.
    void run(double* dh_errors, double* dc_errors, LayerWeights& weight_errors) {
        go_back(dh_errors, dc_errors);
        Factors of_input, of_recurrent;
        std::vector<double*> dx_errors;
        for_each_step(
            [&](std::size_t row, const TapeStep<const double>& at, const TapeStep<double>& errors) {
                const double* const d_errors = dsum_errors.get() + row * place.sums();
                add_factors(of_input, at.dsums, d_errors, at.x, errors.x);
                dx_errors.push_back(errors.dx);
                if (at.h_before)
                    add_factors(of_recurrent, at.dsums, d_errors, at.h_before, errors.h_before);
            });
        back_through_groups(
            rounding, input, dx_errors, [&](std::size_t first, const WayBack& way, int) {
                if (input.skips())
                    way.add_unit(dx_errors, of_input, first);
                else
                    way.add_once(team, dx_errors, of_input, first);
            });
        const LayerWeights& gradients = computation.outputs.dweights[size(place.pseudo_layer)];
        add_side(
            input,
            of_input,
            of_input,
            gradients.input,
            gradients.input_bias,
            weight_errors.input,
            weight_errors.input_bias);
        add_side(
            recurrent,
            of_recurrent,
            of_input,
            gradients.recurrent,
            gradients.recurrent_bias,
            weight_errors.recurrent,
            weight_errors.recurrent_bias);
        if (projects)
            add_projection(gradients.projection, weight_errors.projection);
    }

    /// The steps in the order of Factors: use(row of the tape, numbers, errors).
    void for_each_step(auto&& use) {
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence)
            for (int tick = place.rnn_case.length_of(sequence) - 1; tick >= 0; --tick)
                use(place.row_of(sequence, tick),
                    step_at(place, sequence, tick, computation.tape, inputs.hx, inputs.cx),
                    step_at(place, sequence, tick, tape_errors));
    }

    static void add_factors(
        Factors& factors,
        const double* d,
        const double* d_errors,
        const double* x,
        const double* x_errors) {
        factors.d.push_back(d);
        factors.d_errors.push_back(d_errors);
        factors.x.push_back(x);
        factors.x_errors.push_back(x_errors);
    }

    void go_back(double* dh_errors, double* dc_errors) {
        std::vector<Panels> recurrent_squares(4);  // by gate
        for (int gate = 0; gate < gates_of(place.rnn_case.cell); ++gate)
            recurrent_squares[size(gate)] =
                WayBack(rounding, weights.recurrent[gate], hidden, output).squares(team);
        const WayBack through_projection(rounding, weights.projection, output, hidden);
        const Panels projection_squares = through_projection.squares(team);
        for (int tick = place.rnn_case.sequence_length - 1; tick >= 0; --tick) {
            const std::vector<Now> steps = steps_of(tick, dh_errors, dc_errors);
            for_each(steps, [&](const Now& now) { begin(now); });
            if (projects)
                go_through_projection(steps, through_projection, projection_squares);
            for_each(steps, [&](const Now& now) { through_cell(now.in_cell); });
            go_through_recurrent(steps, recurrent_squares);
            for_each(steps, [&](const Now& now) {
                for (std::size_t j = 0; j < output; ++j)
                    now.dh_errors[j] =
                        propagated(now.in_cell.directly_errors[j], now.through_sums[j]);
            });
        }
    }

    /// One step of a tick, and where the errors of dh are, where those are kept for the gradient of
    /// the projection, those of dm, and those of what reaches the h before through the sums.
    struct Now {
        Step in_cell;
        double *dh_errors, *kept_dh_errors, *dm_errors, *through_sums;
    };

    std::vector<Now> steps_of(int tick, double* dh_errors, double* dc_errors) {
        std::vector<Now> steps;
        for (int sequence = 0; sequence < place.rnn_case.batch; ++sequence) {
            if (tick >= place.rnn_case.length_of(sequence))
                continue;
            const std::size_t at = size(sequence), row = place.row_of(sequence, tick);
            const auto numbers =
                step_at(place, sequence, tick, computation.tape, inputs.hx, inputs.cx);
            double* const dh = dh_errors + at * output;
            double* const dm = projects ? dm_errors.data() + at * hidden : nullptr;
            steps.push_back(
                {{rounding,
                  hidden,
                  numbers,
                  step_at(place, sequence, tick, tape_errors),
                  projects ? numbers.dm : numbers.dh,
                  projects ? dm : dh,
                  dc_errors ? dc_errors + at * hidden : nullptr,
                  dsum_errors.get() + row * place.sums(),
                  directly.data() + at * output},
                 dh,
                 projects ? projected_errors.data() + row * output : nullptr,
                 dm,
                 through_sums.data() + at * output});
        }
        return steps;
    }

    void for_each(const std::vector<Now>& steps, auto&& use) {
        team.run(
            steps.size(),
            static_cast<double>(steps.size() * hidden) * operations_per_unit,
            [&](std::size_t i) { use(steps[i]); });
    }

    void begin(const Now& now) {
        const auto& [in_cell, dh_errors, kept, dm, to] = now;
        for (std::size_t j = 0; j < output; ++j)
            dh_errors[j] += in_cell.errors.dabove[j] + rounding.stored(in_cell.at.dh[j]);
        if (kept)
            std::copy_n(dh_errors, output, kept);
        std::fill_n(to, output, 0.0);
    }

    void go_through_projection(
        const std::vector<Now>& steps, const WayBack& way, const Panels& squares) {
        std::ranges::fill(dm_errors, rounding.tiny);
        std::vector<double*> to;
        Factors factors;
        for (const Now& now : steps) {
            to.push_back(now.dm_errors);
            add_factors(factors, now.in_cell.at.dh, now.dh_errors, nullptr, nullptr);
        }
        way.add(team, to, factors, 0, squares);
    }

    void go_through_recurrent(const std::vector<Now>& steps, const std::vector<Panels>& squares) {
        std::vector<double*> to;
        Factors factors;
        for (const Now& now : steps) {
            to.push_back(now.through_sums);
            add_factors(factors, now.in_cell.at.dsums, now.in_cell.dsum_errors, nullptr, nullptr);
        }
        back_through_groups(
            rounding, recurrent, to, [&](std::size_t first, const WayBack& way, int gate) {
                way.add(team, to, factors, first, squares[size(gate)]);
            });
    }

    void through_cell(const Step& step) const {
        by_cell(
            place.rnn_case.cell,
            [&] { lstm(step, place.rnn_case.clip_bound()); },
            [&] { gru(step); },
            [&](bool relu) { plain(step, relu); });
    }

    /// `of_all` has the steps with nothing before them, too, whose sums have biases.
    void add_side(
        const Side& side,
        const Factors& factors,
        const Factors& of_all,
        const std::vector<double> (&gradients)[4],
        const std::vector<double> (&bias_gradients)[4],
        std::vector<double> (&errors)[4],
        std::vector<double> (&bias_errors)[4]) {
        const OuterProducts products(team, place, rounding);
        std::vector<std::size_t> first;
        std::vector<std::vector<double>*> matrices;
        for (int group = 0; group < groups_of(side.cell); ++group) {
            const int gate = side.gate_of(side.cell, group);
            if (gate < 0)
                continue;
            first.push_back(size(group) * hidden);
            matrices.push_back(&errors[gate]);
            errors[gate].resize(gradients[gate].size());
            bias_errors[gate].resize(bias_gradients[gate].size());
            products.add_bias(of_all, first.back(), bias_errors[gate]);
        }
        if (!side.skips())
            products.add(factors, side.columns, first, matrices);
        for (int gate = 0; gate < gates_of(side.cell); ++gate) {
            products.finish(gradients[gate], errors[gate]);
            products.finish(bias_gradients[gate], bias_errors[gate]);
        }
    }

    void add_projection(const std::vector<double>& gradient, std::vector<double>& errors) {
        std::vector<double> m(place.rows() * hidden), m_errors(place.rows() * hidden);
        Factors factors;
        for_each_step([&](std::size_t row,
                          const TapeStep<const double>& at,
                          const TapeStep<double>& at_errors) {
            double *const of_m = m.data() + row * hidden, *const errors_of_m =
                                                              m_errors.data() + row * hidden;
            const double *const o = at.gates + 3 * hidden, *const o_errors =
                                                               at_errors.gates + 3 * hidden;
            for (std::size_t unit = 0; unit < hidden; ++unit) {
                of_m[unit] = o[unit] * at.squashed[unit];
                errors_of_m[unit] = square(o[unit]) * at_errors.squashed[unit] +
                                    square(at.squashed[unit]) * o_errors[unit] +
                                    2 * rounding.stored(of_m[unit]);
            }
            add_factors(factors, at.dh, projected_errors.data() + row * output, of_m, errors_of_m);
        });
        errors.resize(gradient.size());
        const OuterProducts products(team, place, rounding);
        products.add(factors, hidden, {0}, {&errors});
        products.finish(gradient, errors);
    }
};

}  // namespace

void add_gradient_errors(
    const RnnCase& rnn_case,
    const RnnInputs& inputs,
    const Computation& computation,
    const Rounding& rounding,
    Errors& errors,
    Team& team) {
    errors.outputs.dhx.resize(computation.outputs.dhx.size());
    errors.outputs.dcx.resize(computation.outputs.dcx.size());
    errors.outputs.dweights.resize(inputs.layers.size());
    backwards(rnn_case, errors.outputs, [&](const LayerPlace& place, double* dh, double* dc) {
        PseudoLayer{place, inputs, computation, rounding, errors.tape, team}.run(
            dh, dc, errors.outputs.dweights[size(place.pseudo_layer)]);
    });
}

}  // namespace rnncheck
