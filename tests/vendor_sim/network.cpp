#include "network.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <random>

#include "layer.hpp"

namespace sim {

using rnncheck::Direction;
using rnncheck::Dtype;
using rnncheck::RnnInputs;
using rnncheck::RnnOutputs;

namespace {

/// One run of a case through all layers and, for training, back.
template <class Real>
class Pass {
  public:
    Pass(
        const RnnCase& rnn_case, const RnnInputs& inputs, const Arithmetic& arithmetic, Fault fault)
        : case_(rnn_case),
          inputs_(inputs),
          arithmetic_(arithmetic),
          fault_(fault),
          random_(arithmetic.seed) {
        const std::size_t rows = count(case_.pseudo_layers()) * count(case_.batch);
        outputs_.hy.resize(rows * count(case_.output()));
        outputs_.cy.resize(case_.cell == Cell::lstm ? rows * count(case_.hidden) : 0);
        records_.resize(rows);
    }

    RnnOutputs run() {
        forward();
        if (case_.training)
            backward();
        return std::move(outputs_);
    }

  private:
    bool is(Fault fault) const {
        return fault_ == fault;
    }
    std::size_t width() const {
        return count(case_.directions() * case_.output());
    }
    std::size_t row(int sequence, int step) const {
        return count(sequence) * count(case_.sequence_length) + count(step);
    }
    std::size_t place(int pseudo_layer, int sequence) const {
        return count(pseudo_layer) * count(case_.batch) + count(sequence);
    }
    bool backwards(int pseudo_layer) const {
        return case_.directions() == 2 && pseudo_layer % 2 == 1;
    }
    std::size_t half(int pseudo_layer) const {
        return backwards(pseudo_layer) != is(Fault::halves_exchanged) && case_.directions() == 2
                   ? count(case_.output())
                   : 0;
    }

    std::vector<int> steps(int sequence, bool backward) const;
    void forward();
    void run_sequence(
        Layer<Real>& layer,
        int pseudo_layer,
        int sequence,
        const Numbers<Real>& below,
        Numbers<Real>& above);
    Numbers<Real> initial(
        const std::vector<double>& states, int pseudo_layer, int sequence, std::size_t size) const;
    void finish_y(const Numbers<Real>& y);
    void backward();
    void back_sequence(
        Layer<Real>& layer,
        int pseudo_layer,
        int sequence,
        const Numbers<Real>& dabove,
        Numbers<Real>& dbelow);
    void finish_gradients(const Numbers<Real>& dx);
    void drop(Numbers<Real>& values, int layer) const;

    const RnnCase& case_;
    const RnnInputs& inputs_;
    const Arithmetic& arithmetic_;
    Fault fault_;
    std::uint64_t random_;
    RnnOutputs outputs_;
    std::vector<Layer<Real>> layers_;
    std::vector<std::vector<Record<Real>>>
        records_;  ///< by pseudo-layer and sequence, in the order of the steps
};

template <class Real>
std::vector<int> Pass<Real>::steps(int sequence, bool backward) const {
    int length =
        is(Fault::padding_not_honoured) ? case_.sequence_length : case_.length_of(sequence);
    if (is(Fault::last_step_dropped) && length > 0)
        --length;
    if (is(Fault::last_sequence_not_computed) && sequence + 1 == case_.batch)
        length = 0;
    if (is(Fault::backward_from_padding) && backward)
        length = case_.sequence_length;
    std::vector<int> order;
    for (int step = 0; step < length; ++step)
        order.push_back(backward && !is(Fault::backward_not_reversed) ? length - 1 - step : step);
    return order;
}

template <class Real>
void Pass<Real>::forward() {
    Numbers<Real> below(inputs_.x.begin(), inputs_.x.end());
    layers_.reserve(inputs_.layers.size());
    for (int layer = 0; layer < case_.layers; ++layer) {
        Numbers<Real> above(count(case_.batch) * count(case_.sequence_length) * width());
        for (int direction = 0; direction < case_.directions(); ++direction) {
            const int pseudo_layer = layer * case_.directions() + direction;
            const int from =
                is(Fault::weights_of_forward_direction) ? layer * case_.directions() : pseudo_layer;
            layers_.emplace_back(case_, inputs_.layers[count(from)], arithmetic_, fault_, random_);
            if (is(Fault::weights_of_first_layer) && layer > 0)
                layers_.back().take_recurrent_from(layers_.front());
            for (int sequence = 0; sequence < case_.batch; ++sequence)
                run_sequence(layers_.back(), pseudo_layer, sequence, below, above);
        }
        if (is(Fault::forward_half_only) && layer + 1 < case_.layers && case_.directions() == 2)
            for (std::size_t i = 0; i < above.size(); ++i)
                if (i % width() >= count(case_.output()))
                    above[i] = 0;
        if (is(Fault::layer_below_late) && layer + 1 < case_.layers && above.size() > width())
            std::rotate(
                above.begin(), above.end() - static_cast<std::ptrdiff_t>(width()), above.end());
        if (arithmetic_.dropout > 0 && layer + 1 < case_.layers)
            drop(above, layer);
        below = std::move(above);
    }
    finish_y(below);
}

template <class Real>
void Pass<Real>::drop(Numbers<Real>& values, int layer) const {
    std::mt19937_64 random(arithmetic_.mask * 1000 + count(layer));
    std::bernoulli_distribution dropped(arithmetic_.dropout);
    for (Real& value : values)
        value = dropped(random) ? Real(0) : value * static_cast<Real>(arithmetic_.kept_times);
}

template <class Real>
Numbers<Real> Pass<Real>::initial(
    const std::vector<double>& states, int pseudo_layer, int sequence, std::size_t size) const {
    const bool of_c = &states == &inputs_.cx;
    if (states.empty() || is(Fault::initial_state_ignored) ||
        (of_c && is(Fault::initial_c_ignored)))
        return Numbers<Real>(size);
    const int of =
        is(Fault::initial_state_of_other_sequence) ? (sequence + 1) % case_.batch : sequence;
    const auto from = states.begin() + static_cast<std::ptrdiff_t>(place(pseudo_layer, of) * size);
    return Numbers<Real>(from, from + static_cast<std::ptrdiff_t>(size));
}

template <class Real>
void Pass<Real>::run_sequence(
    Layer<Real>& layer,
    int pseudo_layer,
    int sequence,
    const Numbers<Real>& below,
    Numbers<Real>& above) {
    const std::size_t columns = count(layer.columns()), hidden = count(case_.hidden),
                      output = count(case_.output());
    const bool lstm = case_.cell == Cell::lstm;
    const Numbers<Real> h0 = initial(inputs_.hx, pseudo_layer, sequence, output),
                        c0 = lstm ? initial(inputs_.cx, pseudo_layer, sequence, hidden)
                                  : Numbers<Real>();
    Numbers<Real> h = h0, c = c0, earlier_h = h, earlier_c = c;
    auto& records = records_[place(pseudo_layer, sequence)];
    for (const int step : steps(sequence, backwards(pseudo_layer))) {
        earlier_h = h, earlier_c = c;
        if (is(Fault::state_not_carried))
            h = h0, c = c0;
        if (is(Fault::h_not_carried))
            std::ranges::fill(h, Real(0));
        if (is(Fault::c_not_carried))
            std::ranges::fill(c, Real(0));
        Record<Real>& record = records.emplace_back();
        record.step = step;
        const int of = is(Fault::input_of_other_sequence) && sequence > 0 ? sequence - 1 : sequence;
        const auto x = below.begin() + static_cast<std::ptrdiff_t>(row(of, step) * columns);
        record.x.assign(x, x + static_cast<std::ptrdiff_t>(columns));
        record.h_before = h, record.c_before = c;
        layer.forward(record);
        h = record.h, c = record.c;
        std::ranges::copy(
            h,
            above.begin() +
                static_cast<std::ptrdiff_t>(row(sequence, step) * width() + half(pseudo_layer)));
    }
    if (is(Fault::hy_of_step_before))
        h = earlier_h;
    if (is(Fault::cy_of_step_before))
        c = earlier_c;
    if (is(Fault::hy_of_longest_step) && case_.length_of(sequence) < case_.sequence_length)
        std::ranges::fill(h, Real(0));
    std::ranges::copy(
        h,
        outputs_.hy.begin() + static_cast<std::ptrdiff_t>(place(pseudo_layer, sequence) * output));
    for (std::size_t unit = 0; unit < c.size(); ++unit)
        outputs_.cy[place(pseudo_layer, sequence) * hidden + unit] =
            static_cast<double>(held(c[unit], storage_of(case_.dtype)));
}

/// A bit of the upper half of the fraction: far above any limit, but for the coarsest type.
double with_flipped_bit(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 49);
}

template <class Real>
void Pass<Real>::finish_y(const Numbers<Real>& y) {
    outputs_.y.assign(y.begin(), y.end());
    const std::size_t last =
        row(case_.batch - 1, std::max(0, case_.length_of(case_.batch - 1) - 1)) * width();
    if (is(Fault::nan_lane))
        outputs_.y[last] = std::numeric_limits<double>::quiet_NaN();
    if (is(Fault::wrong_numbers))
        outputs_.y[last] += 0.1;
    if (is(Fault::bit_flipped))
        outputs_.y[last] = with_flipped_bit(outputs_.y[last]);
    if (is(Fault::stale_output))
        std::fill_n(outputs_.y.begin() + static_cast<std::ptrdiff_t>(last), width(), 0.0);
    if (is(Fault::padding_not_filled))
        for (int sequence = 0; sequence < case_.batch; ++sequence)
            for (int step = case_.length_of(sequence); step < case_.sequence_length; ++step)
                outputs_.y[row(sequence, step) * width()] =
                    std::numeric_limits<double>::quiet_NaN();
    if (is(Fault::batch_row_exchanged) && case_.batch > 1) {
        const auto first = outputs_.y.begin();
        const auto second = first + static_cast<std::ptrdiff_t>(row(1, 0) * width());
        std::swap_ranges(first, first + static_cast<std::ptrdiff_t>(width()), second);
    }
}

template <class Real>
void Pass<Real>::backward() {
    Numbers<Real> dabove(inputs_.dy.begin(), inputs_.dy.end());
    outputs_.dhx.resize(outputs_.hy.size());
    outputs_.dcx.resize(outputs_.cy.size());
    outputs_.dweights.resize(inputs_.layers.size());
    for (int layer = case_.layers - 1; layer >= 0; --layer) {
        const int columns = inputs_.layers[count(layer * case_.directions())].columns;
        Numbers<Real> dbelow(count(case_.batch) * count(case_.sequence_length) * count(columns));
        for (int direction = 0; direction < case_.directions(); ++direction) {
            const int pseudo_layer = layer * case_.directions() + direction;
            Numbers<Real> lost = dbelow;
            Numbers<Real>& to =
                direction == 1 && is(Fault::dx_without_backward_direction) ? lost : dbelow;
            for (int sequence = 0; sequence < case_.batch; ++sequence)
                back_sequence(layers_[count(pseudo_layer)], pseudo_layer, sequence, dabove, to);
            outputs_.dweights[count(pseudo_layer)] = layers_[count(pseudo_layer)].gradients();
        }
        if (is(Fault::dx_of_upper_layer_lost) && layer > 0)
            std::ranges::fill(dbelow, Real(0));
        dabove = std::move(dbelow);
    }
    finish_gradients(dabove);
}

template <class Real>
void Pass<Real>::back_sequence(
    Layer<Real>& layer,
    int pseudo_layer,
    int sequence,
    const Numbers<Real>& dabove,
    Numbers<Real>& dbelow) {
    const std::size_t output = count(case_.output()), hidden = count(case_.hidden),
                      columns = count(layer.columns());
    const auto given = [&](const std::vector<double>& states, std::size_t size, bool ignored) {
        if (states.empty() || ignored)
            return Numbers<Real>(size);
        const auto from =
            states.begin() + static_cast<std::ptrdiff_t>(place(pseudo_layer, sequence) * size);
        return Numbers<Real>(from, from + static_cast<std::ptrdiff_t>(size));
    };
    Numbers<Real> dh = given(inputs_.dhy, output, is(Fault::dhy_ignored));
    Numbers<Real> dc = case_.cell == Cell::lstm ? given(inputs_.dcy, hidden, is(Fault::dcy_ignored))
                                                : Numbers<Real>();
    auto& records = records_[place(pseudo_layer, sequence)];
    const bool last_lost = is(Fault::dw_last_sequence_missing) && sequence + 1 == case_.batch;
    const auto kept_when = [&](bool lost) {
        return lost ? std::optional(layer.sums()) : std::nullopt;
    };
    const auto before = kept_when(last_lost);
    for (std::size_t tick = records.size(); tick-- > 0;) {
        const std::size_t at = row(sequence, records[tick].step);
        const bool is_last = tick + 1 == records.size();
        if (!is_last || !is(Fault::dy_of_last_step_ignored))
            for (std::size_t unit = 0; unit < output; ++unit)
                dh[unit] += dabove[at * width() + half(pseudo_layer) + unit];
        const auto to = dbelow.begin() + static_cast<std::ptrdiff_t>(at * columns);
        Numbers<Real> dx(to, to + static_cast<std::ptrdiff_t>(columns));
        const auto kept = kept_when(
            (is(Fault::dw_last_step_missing) && is_last) ||
            (is(Fault::dw_first_step_missing) && tick == 0));
        layer.backward(records[tick], dh, dc, dx);
        if (kept)
            layer.set_sums(*kept);
        std::ranges::copy(dx, to);
    }
    layer.end_sequence();
    if (before)
        layer.set_sums(*before);
    for (std::size_t unit = 0; unit < dh.size(); ++unit)
        outputs_.dhx[place(pseudo_layer, sequence) * output + unit] =
            static_cast<double>(held(dh[unit], storage_of(case_.dtype)));
    for (std::size_t unit = 0; unit < dc.size(); ++unit)
        outputs_.dcx[place(pseudo_layer, sequence) * hidden + unit] =
            static_cast<double>(held(dc[unit], storage_of(case_.dtype)));
}

template <class Real>
void Pass<Real>::finish_gradients(const Numbers<Real>& dx) {
    outputs_.dx.clear();
    for (const Real value : dx)
        outputs_.dx.push_back(static_cast<double>(held(value, storage_of(case_.dtype))));
    const std::size_t columns = count(case_.input);
    for (int sequence = 0; sequence < case_.batch; ++sequence)
        for (int step = 0; step < case_.sequence_length; ++step) {
            const auto at =
                outputs_.dx.begin() + static_cast<std::ptrdiff_t>(row(sequence, step) * columns);
            const int length = case_.length_of(sequence);
            if ((is(Fault::dx_of_first_step_missing) && step == 0) ||
                (is(Fault::dx_of_last_step_missing) && step + 1 == length) ||
                (is(Fault::stale_dx) && sequence == 0 && step == 0))
                std::fill_n(at, columns, 0.0);
            if (is(Fault::dx_column_missing))
                at[static_cast<std::ptrdiff_t>(columns) - 1] = 0;
        }
    if (is(Fault::dhx_zero))
        std::ranges::fill(outputs_.dhx, 0.0);
    if (is(Fault::dcx_zero))
        std::ranges::fill(outputs_.dcx, 0.0);
    std::vector<double>& some = outputs_.dweights.back().recurrent[0];
    if (is(Fault::gradient_bit_flipped))
        some.front() = with_flipped_bit(some.front());
    if (is(Fault::stale_dw))
        some.back() = 0;
}

}  // namespace

Storage storage_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::fp64:
            return Storage::fp64;
        case Dtype::fp32:
            return Storage::fp32;
        case Dtype::fp16:
            return Storage::fp16;
        case Dtype::bf16:
            return Storage::bf16;
    }
    return Storage::fp32;
}

RnnOutputs simulate(
    const RnnCase& rnn_case, const RnnInputs& inputs, const Arithmetic& arithmetic, Fault fault) {
    if (rnn_case.dtype == Dtype::fp64 && fault != Fault::computed_in_float)
        return Pass<double>(rnn_case, inputs, arithmetic, fault).run();
    return Pass<float>(rnn_case, inputs, arithmetic, fault).run();
}

}  // namespace sim
