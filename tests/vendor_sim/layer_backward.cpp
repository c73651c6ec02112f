#include <algorithm>

#include "layer.hpp"

namespace sim {

namespace {

template <class Real>
[[maybe_unused]] Real at(const Numbers<Real>& values, std::size_t unit) {
    return values.empty() ? Real(0) : values[unit];
}

}  // namespace

/// From the gradient of h to that of h before projection.
template <class Real>
Numbers<Real> Layer<Real>::through_projection(const Record<Real>& record, const Numbers<Real>& dh) {
    if (weights_.projection.empty())
        return dh;
    const Numbers<Real> m = prepared(record.unprojected), d = prepared(dh);
    Numbers<Real> dm(hidden());
    for (std::size_t row = 0; row < output(); ++row)
        for (std::size_t unit = 0; unit < hidden(); ++unit) {
            const Real factor = is(Fault::dprojection_by_h) ? record.h[unit % output()] : m[unit];
            if (!is(Fault::dprojection_missing))
                gradients_.projection[row * hidden() + unit] += d[row] * factor;
            if (!is(Fault::dm_row_missing) || row > 0)
                dm[unit] += d[row] * weights_.projection[row * hidden() + unit];
        }
    for (Real& value : dm)
        value = kept(value);
    return dm;
}

template <class Real>
void Layer<Real>::lstm_back(
    const Record<Real>& record, const Numbers<Real>& dm, Numbers<Real>& dc, Gates& dgates) const {
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        const Real i = record.gates[0][unit], f = record.gates[1][unit], g = record.gates[2][unit],
                   o = record.gates[3][unit], squashed = record.squashed[unit];
        const Real open = clipped(record.c[unit]) == record.c[unit] ? 1 : 0;
        const Real open_before = clipped(record.c_before[unit]) == record.c_before[unit] ? 1 : 0;
        const Real slope = is(Fault::dc_without_squash_slope) ? 1 : tanh_slope(squashed);
        const Real of_output =
            is(Fault::dc_of_output_missing) ? 0 : kept(dm[unit] * o * slope * open);
        const Real total = kept(dc[unit] + of_output);
        const Real before = is(Fault::dforget_by_new_c) ? record.c[unit] : record.c_before[unit];
        const Real candidate = is(Fault::dinput_without_candidate) ? 1 : g;
        const Real squash = is(Fault::doutput_by_raw_c) ? record.c[unit] : squashed;
        dgates[0].push_back(kept(total * candidate * sigmoid_slope(i)));
        dgates[1].push_back(kept(total * clipped(before) * sigmoid_slope(f)));
        dgates[2].push_back(
            kept(total * (is(Fault::dcandidate_without_input_gate) ? 1 : i) * tanh_slope(g)));
        dgates[3].push_back(kept(dm[unit] * squash * sigmoid_slope(o)));
        dc[unit] = kept(total * (is(Fault::dc_not_through_forget) ? 1 : f) * open_before);
    }
}

template <class Real>
void Layer<Real>::gru_back(
    const Record<Real>& record,
    const Numbers<Real>& dh,
    Gates& dbelow,
    Gates& dbefore,
    Numbers<Real>& directly) const {
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        const Real r = record.gates[0][unit], z = record.gates[1][unit], n = record.gates[2][unit];
        const Real dn = kept(dh[unit] * (1 - z) * tanh_slope(n));
        Real dr = kept(dn * record.recurrent_candidate[unit] * sigmoid_slope(r));
        if (is(Fault::dreset_missing))
            dr = 0;
        Real change = record.h_before[unit] - n;
        if (is(Fault::dupdate_reversed))
            change = -change;
        if (is(Fault::dupdate_by_h_alone))
            change = record.h_before[unit];
        const Real dz = kept(dh[unit] * change * sigmoid_slope(z));
        dbelow[0].push_back(dr);
        dbelow[1].push_back(dz);
        dbelow[2].push_back(dn);
        dbefore[0].push_back(dr);
        dbefore[1].push_back(dz);
        dbefore[2].push_back(is(Fault::dcandidate_without_reset) ? dn : kept(dn * r));
        directly[unit] = is(Fault::dh_not_direct) ? 0 : kept(dh[unit] * z);
    }
}

template <class Real>
void Layer<Real>::plain_back(
    const Record<Real>& record, const Numbers<Real>& dh, Gates& dgates) const {
    for (std::size_t unit = 0; unit < hidden(); ++unit) {
        const bool on = record.gates[0][unit] > 0 || is(Fault::relu_mask_ignored);
        const Real slope =
            case_.cell == Cell::relu ? (on ? 1 : 0) : tanh_slope(record.unprojected[unit]);
        dgates[0].push_back(kept(dh[unit] * slope));
    }
}

/// Gradients of one side's matrices and of what they multiplied.
template <class Real>
void Layer<Real>::matrices_back(
    const Gates& dgates,
    const Gates& matrices,
    const Numbers<Real>& values,
    Gates& gradients,
    Numbers<Real>& dvalues,
    bool of_state) {
    const Fault gate_left_out =
        of_state ? Fault::dh_without_last_gate : Fault::dx_without_last_gate;
    for (int number = 0; number < gates(); ++number) {
        const std::size_t gate = count(number), width = values.size();
        const Numbers<Real> d = prepared(dgates[gate]), operands = prepared(values);
        const bool passes = number + 1 < gates() || !is(gate_left_out);
        for (std::size_t unit = 0; unit < hidden(); ++unit) {
            if (matrices[gate].empty()) {
                if (passes)
                    dvalues[unit] += dgates[gate][unit];
                continue;
            }
            const std::size_t row = unit * width;
            const std::size_t to =
                is(Fault::dw_row_off_by_one) ? (unit + 1) % hidden() * width : row;
            for (std::size_t column = 0; column < width; ++column) {
                if (passes)
                    dvalues[column] += d[unit] * matrices[gate][row + column];
                if (is(Fault::dw_column_missing) && column == 0)
                    continue;
                if (is(Fault::dw_recurrent_missing) && of_state)
                    continue;
                gradients[gate][to + column] += d[unit] * operands[column];
            }
        }
    }
    for (Real& value : dvalues)
        value = kept(value);
}

template <class Real>
void Layer<Real>::biases_back(const Gates& dgates, Gates& gradients, bool of_state) const {
    if (is(Fault::db_missing) && of_state)
        return;
    const Real factor = is(Fault::db_twice) ? 2 : 1;
    for (std::size_t gate = 0; gate < count(gates()); ++gate)
        for (std::size_t unit = 0; unit < gradients[gate].size(); ++unit)
            gradients[gate][unit] += factor * dgates[gate][unit];
}

template <class Real>
void Layer<Real>::end_sequence() {
    if (!arithmetic_.dweights_stored)
        return;
    for (auto* gates :
         {&gradients_.input,
          &gradients_.recurrent,
          &gradients_.input_bias,
          &gradients_.recurrent_bias})
        for (auto& values : *gates)
            for (Real& value : values)
                value = held(value, storage_);
    for (Real& value : gradients_.projection)
        value = held(value, storage_);
}

template <class Real>
void Layer<Real>::backward(
    const Record<Real>& record, Numbers<Real>& dh, Numbers<Real>& dc, Numbers<Real>& dx) {
    if (is(Fault::dw_of_last_step_alone))
        gradients_ = zeros_like(gradients_);
    const Numbers<Real> dm = through_projection(record, dh);
    Gates dbelow, dbefore;
    Numbers<Real> directly(output());
    if (case_.cell == Cell::lstm)
        lstm_back(record, dm, dc, dbelow);
    else if (case_.cell == Cell::gru)
        gru_back(record, dm, dbelow, dbefore, directly);
    else
        plain_back(record, dm, dbelow);
    if (case_.cell != Cell::gru)
        dbefore = dbelow;
    matrices_back(dbelow, weights_.input, record.x, gradients_.input, dx, false);
    matrices_back(
        dbefore,
        weights_.recurrent,
        is(Fault::dw_by_state_after) ? record.h : record.h_before,
        gradients_.recurrent,
        directly,
        true);
    biases_back(dbelow, gradients_.input_bias, false);
    biases_back(
        is(Fault::db_recurrent_of_input) ? dbelow : dbefore, gradients_.recurrent_bias, true);
    dh = directly;
    if (is(Fault::dh_not_carried))
        std::ranges::fill(dh, Real(0));
    if (is(Fault::dc_not_carried))
        std::ranges::fill(dc, Real(0));
}

template <class Real>
LayerWeights Layer<Real>::gradients() const {
    const auto doubles = [&](const Numbers<Real>& values) {
        std::vector<double> result;
        for (const Real value : values)
            result.push_back(static_cast<double>(held(value, storage_)));
        return result;
    };
    LayerWeights result;
    result.columns = columns_;
    for (std::size_t gate = 0; gate < 4; ++gate) {
        result.input[gate] = doubles(gradients_.input[gate]);
        result.recurrent[gate] = doubles(gradients_.recurrent[gate]);
        result.input_bias[gate] = doubles(gradients_.input_bias[gate]);
        result.recurrent_bias[gate] = doubles(gradients_.recurrent_bias[gate]);
    }
    if (is(Fault::dw_gates_swapped) && gates() > 1)
        std::swap(result.input[0], result.input[1]);
    result.projection = doubles(gradients_.projection);
    return result;
}

template class Layer<float>;
template class Layer<double>;

}  // namespace sim
