#include <algorithm>

#include "layer.hpp"

namespace sim {

template <class Real>
Real Layer<Real>::operand(Real value) const {
    if constexpr (std::is_same_v<Real, float>) {
        if (is(Fault::tf32_although_forbidden) || arithmetic_.operands == Operands::tf32_nearest)
            return tf32(value);
        if (arithmetic_.operands == Operands::tf32_cut)
            return tf32_cut(value);
    }
    return value;
}

template <class Real>
Numbers<Real> Layer<Real>::prepared(Numbers<Real> values) const {
    for (Real& value : values)
        value = operand(value);
    return values;
}

/// Some columns side by side, or piece by piece.
template <class Real>
Real Layer<Real>::dot(const Real* a, const Real* b, std::size_t n) const {
    Real total = 0;
    if (arithmetic_.columns_at_once == 8) {
        std::array<Real, 8> sums{};
        std::size_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (std::size_t lane = 0; lane < 8; ++lane)
                sums[lane] += a[i + lane] * b[i + lane];
        for (; i < n; ++i)
            sums[0] += a[i] * b[i];
        for (const Real part : sums)
            total += part;
        return total;
    }
    for (std::size_t i = 0; i < n;) {
        Real part = 0;
        for (const std::size_t end = std::min(n, i + count(arithmetic_.columns_at_once)); i < end;
             ++i)
            part += a[i] * b[i];
        total += part;
    }
    return total;
}

template <class Real>
Real Layer<Real>::wobbled(Real value) {
    if (arithmetic_.wobble > 0) {
        random_ = random_ * 6364136223846793005u + 1442695040888963407u;
        const double most = static_cast<double>(random_ >> 33) * 0x1p-30 - 1;
        value = static_cast<Real>(static_cast<double>(value) * (1 + arithmetic_.wobble * most));
    }
    if (is(Fault::gates_in_fp16))
        value = held(value, Storage::fp16);
    return stored(value, arithmetic_.gates_stored);
}

template <class Real>
Real Layer<Real>::sigmoid(Real value) {
    if (is(Fault::hard_sigmoid))
        return std::clamp(value / 4 + Real(0.5), Real(0), Real(1));
    return wobbled(1 / (1 + std::exp(-value)));
}

template <class Real>
Weights<Real> Layer<Real>::zeros_like(const Weights<Real>& weights) const {
    Weights<Real> zeros = weights;
    for (auto* gates : {&zeros.input, &zeros.recurrent, &zeros.input_bias, &zeros.recurrent_bias})
        for (auto& values : *gates)
            std::ranges::fill(values, Real(0));
    std::ranges::fill(zeros.projection, Real(0));
    return zeros;
}

/// The faults that are in what the device reads.
template <class Real>
void Layer<Real>::spoil_weights() {
    const auto last = count(gates() - 1),
               candidate = case_.cell == Cell::lstm || case_.cell == Cell::gru ? 2UL : 0UL;
    if (is(Fault::gates_swapped) && gates() > 1)
        for (auto* all :
             {&weights_.input, &weights_.recurrent, &weights_.input_bias, &weights_.recurrent_bias})
            std::swap((*all)[0], (*all)[1]);
    const auto clear = [](Numbers<Real>& values) { std::ranges::fill(values, Real(0)); };
    if (is(Fault::bias_dropped))
        clear(weights_.recurrent_bias[last]);
    if (is(Fault::input_bias_dropped))
        clear(weights_.input_bias[0]);
    if (is(Fault::candidate_bias_dropped))
        clear(weights_.recurrent_bias[candidate]);
    if (is(Fault::bias_twice))
        for (Real& value : weights_.input_bias[0])
            value *= 2;
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        if (is(Fault::input_column_dropped) && !weights_.input[0].empty())
            weights_.input[0][(unit + 1) * count(columns_) - 1] = 0;
        if (is(Fault::state_column_dropped))
            weights_.recurrent[last][(unit + 1) * output() - 1] = 0;
        if (is(Fault::projection_column_dropped) && !weights_.projection.empty() &&
            unit + 1 == hidden())
            for (std::size_t row = 0; row < output(); ++row)
                weights_.projection[row * hidden() + unit] = 0;
        if (is(Fault::projection_row_dropped) && !weights_.projection.empty())
            weights_.projection[(output() - 1) * hidden() + unit] = 0;
    }
}

template <class Real>
Real Layer<Real>::input_sum(std::size_t gate, std::size_t unit, const Numbers<Real>& x) const {
    const Numbers<Real>& matrix = weights_.input[gate];
    if (matrix.empty())
        return is(Fault::skipped_input_dropped) && gate == 0 ? 0 : x[unit];
    const std::size_t columns = count(columns_);
    if (is(Fault::input_column_off_by_one) && columns > 1)
        return dot(&matrix[unit * columns], x.data() + 1, columns - 1) +
               matrix[unit * columns + columns - 1] * x[0];
    return dot(&matrix[unit * columns], x.data(), columns);
}

template <class Real>
Real Layer<Real>::recurrent_sum(std::size_t gate, std::size_t unit, const Numbers<Real>& h) const {
    const Numbers<Real>& matrix = weights_.recurrent[gate];
    if (is(Fault::state_unit_off_by_one) && output() > 1)
        return dot(&matrix[unit * output()], h.data() + 1, output() - 1) +
               matrix[(unit + 1) * output() - 1] * h[0];
    return dot(&matrix[unit * output()], h.data(), output());
}

template <class Real>
Real Layer<Real>::clipped(Real c) const {
    if (case_.clip <= 0 || is(Fault::clip_ignored))
        return c;
    const auto bound =
        static_cast<Real>(static_cast<float>(case_.clip));  // the real one keeps it in fp32
    return is(Fault::clip_one_sided) ? std::min(c, bound) : std::clamp(c, -bound, bound);
}

template <class Real>
void Layer<Real>::forward(Record<Real>& record) {
    const Numbers<Real> x = prepared(record.x), h = prepared(record.h_before);
    std::array<Numbers<Real>, 4> below, before, sums;
    const auto at = [](const Numbers<Real>& bias, std::size_t unit) {
        return bias.empty() ? Real(0) : bias[unit];
    };
    for (std::size_t gate = 0; gate < count(gates()); ++gate)
        for (std::size_t unit = 0; unit < hidden(); ++unit) {
            const bool half = arithmetic_.half_sums_stored;
            const Real mine = stored(input_sum(gate, unit, x), half);
            const Real theirs = stored(recurrent_sum(gate, unit, h), half);
            const Real input_bias = at(weights_.input_bias[gate], unit);
            const Real recurrent_bias = at(weights_.recurrent_bias[gate], unit);
            Real sum = mine + theirs + (input_bias + recurrent_bias);
            if (is(Fault::sums_not_cleared) && !old_sums_[gate].empty())
                sum += old_sums_[gate][unit];
            below[gate].push_back(mine + input_bias);
            before[gate].push_back(theirs + recurrent_bias);
            sums[gate].push_back(stored(sum, half));
        }
    old_sums_ = sums;
    if (case_.cell == Cell::lstm)
        lstm(record, sums);
    else if (case_.cell == Cell::gru) {
        below[0] = sums[0];
        below[1] = sums[1];
        gru(record, below, before);
    } else
        plain(record, sums[0]);
    if (is(Fault::last_unit_repeated) && hidden() > 1)
        record.unprojected[hidden() - 1] = record.unprojected[hidden() - 2];
    project(record);
}

template <class Real>
void Layer<Real>::lstm(Record<Real>& record, const std::array<Numbers<Real>, 4>& sums) {
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        const Real shift = is(Fault::forget_gate_shifted) ? 1 : 0;
        const Real i = is(Fault::input_gate_dropped) ? 1 : sigmoid(sums[0][unit]);
        const Real f = is(Fault::forget_gate_dropped) ? 1 : sigmoid(sums[1][unit] + shift);
        const Real g =
            is(Fault::candidate_by_sigmoid) ? sigmoid(sums[2][unit]) : tanh(sums[2][unit]);
        const Real o = is(Fault::output_gate_dropped) ? 1 : sigmoid(sums[3][unit]);
        const std::array<Real, 4> gates = {i, f, g, o};
        for (std::size_t gate = 0; gate < 4; ++gate)
            record.gates[gate].push_back(gates[gate]);
        Real c = f * clipped(record.c_before[unit]) + i * g;
        c = stored(c, arithmetic_.cell_stored);
        const Real squashed = is(Fault::cell_not_squashed) ? clipped(c) : tanh(clipped(c));
        record.c.push_back(c);
        record.squashed.push_back(squashed);
        record.unprojected.push_back(held(o * squashed, storage_));
    }
}

template <class Real>
void Layer<Real>::gru(
    Record<Real>& record,
    const std::array<Numbers<Real>, 4>& below,
    const std::array<Numbers<Real>, 4>& before) {
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        record.gates[0].push_back(is(Fault::reset_ignored) ? Real(1) : sigmoid(below[0][unit]));
        record.gates[1].push_back(sigmoid(below[1][unit]));
    }
    Numbers<Real> weighed = record.h_before;
    for (std::size_t unit = 0; unit < hidden(); ++unit)
        weighed[unit] *= record.gates[0][unit];
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        const Real r = record.gates[0][unit], z = record.gates[1][unit], h = record.h_before[unit];
        record.recurrent_candidate.push_back(stored(before[2][unit], arithmetic_.half_sums_stored));
        Real sum = below[2][unit] + r * record.recurrent_candidate[unit];
        if (is(Fault::reset_before_product))
            sum = below[2][unit] + recurrent_sum(2, unit, weighed);
        sum = stored(sum, arithmetic_.half_sums_stored);
        const Real n = is(Fault::candidate_by_sigmoid) ? sigmoid(sum) : tanh(sum);
        record.gates[2].push_back(n);
        const Real next = is(Fault::update_exchanged) ? z * n + (1 - z) * h : (1 - z) * n + z * h;
        record.unprojected.push_back(held(next, storage_));
    }
}

template <class Real>
void Layer<Real>::plain(Record<Real>& record, const Numbers<Real>& sums) {
    const bool relu = (case_.cell == Cell::relu) != is(Fault::activation_exchanged);
    for (const Real sum : sums) {
        record.gates[0].push_back(sum);
        const Real below_zero = is(Fault::relu_leaks) ? sum / 100 : 0;
        record.unprojected.push_back(
            held(relu ? (sum > 0 ? sum : below_zero) : tanh(sum), storage_));
    }
}

template <class Real>
void Layer<Real>::project(Record<Real>& record) {
    record.h = record.unprojected;
    if (!weights_.projection.empty()) {
        record.h.resize(output());
        const Numbers<Real> m = prepared(record.unprojected);
        if (!is(Fault::projection_ignored))
            for (std::size_t row = 0; row < output(); ++row)
                record.h[row] =
                    held(dot(&weights_.projection[row * hidden()], m.data(), hidden()), storage_);
    }
    if (is(Fault::states_in_bf16))
        for (Real& h : record.h)
            h = held(h, Storage::bf16);
    if (is(Fault::states_in_fp16))
        for (Real& h : record.h)
            h = held(h, Storage::fp16);
}

template class Layer<float>;
template class Layer<double>;

}  // namespace sim
