// A device that computes an LSTM in the arithmetic of a case: fp32 sums in some order, TF32 operands, states and gates
// stored in half or bfloat16, approximate sigmoid and tanh; and that can be made to do it wrongly. Step by step with
// columns outside, unlike the reference; shares no code with it.
#pragma once

#include <cmath>
#include <limits>

#include "rnn/number.hpp"
#include "rnn/sweep.hpp"

namespace rnncheck::test {

/// A small generator for choices of the test itself.
struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return state >> 33;
    }
    int below(int end) { return static_cast<int>(next() % static_cast<std::uint64_t>(end)); }
    double sign_and_size() { return static_cast<double>(next()) * 0x1p-30 - 1; }
};

enum class Operands { exact, tf32_nearest, tf32_cut };

struct Arithmetic {
    Operands operands = Operands::exact;
    bool half_sums_stored = false;  ///< W x and R h are stored in the data type before they are added
    bool gates_stored = false;      ///< sigmoid and tanh give numbers of the data type
    bool cell_stored = false;       ///< c is kept in the data type between steps
    int columns_at_once = 1;        ///< columns summed on their own before they join the total
    double wobble = 0;              ///< largest relative error of sigmoid and tanh
};

/// What a broken implementation does in its steps.
struct Behaviour {
    bool last_step_dropped = false;
    bool backward_not_reversed = false;
    bool backward_from_padding = false;
    bool h_not_carried = false, c_not_carried = false;
    bool padding_computed = false;  ///< every sequence runs to the longest length
    bool earlier_hy = false, earlier_cy = false;
    bool forward_half_only = false;  ///< layers above get zeros for the backward half
    bool halves_exchanged = false;   ///< [backward | forward]
};

inline double tf32(double value, Operands operands) {
    if (operands == Operands::exact || value == 0) return value;
    const double unit = std::ldexp(1.0, std::ilogb(value) - 10);
    return (operands == Operands::tf32_cut ? std::trunc(value / unit) : std::nearbyint(value / unit)) * unit;
}

/// One pseudo-layer in numbers of type Number (float for sums in fp32, double for fp64).
template <class Number>
class SimulatedLayer {
  public:
    SimulatedLayer(const RnnCase& rnn_case, const LayerWeights& weights, const Arithmetic& arithmetic, Random& random)
        : case_(rnn_case), arithmetic_(arithmetic), random_(random), columns_(weights.columns) {
        turn(weights.input, columns_, input_);
        turn(weights.recurrent, case_.hidden, recurrent_);
        for (int gate = 0; gate < 4; ++gate)
            for (std::size_t unit = 0; unit < hidden(); ++unit) {
                biases_.push_back(static_cast<Number>(weights.input_bias[gate][unit]));
                biases_.back() += static_cast<Number>(weights.recurrent_bias[gate][unit]);
            }
    }

    /// One step of one sequence: h and c in, h and c out.
    void step(const double* x, double* h, double* c) {
        const std::vector<Number> below = stored(product(input_, x, columns_));
        const std::vector<Number> before = stored(product(recurrent_, h, case_.hidden));
        std::vector<Number> sums(4 * hidden());
        for (std::size_t row = 0; row < sums.size(); ++row) sums[row] = below[row] + before[row] + biases_[row];
        sums = stored(sums);
        for (std::size_t unit = 0; unit < hidden(); ++unit) {
            const Number i = sigmoid(sums[unit]), f = sigmoid(sums[hidden() + unit]);
            const Number g = wobbled(std::tanh(sums[2 * hidden() + unit])), o = sigmoid(sums[3 * hidden() + unit]);
            const Number next = f * static_cast<Number>(c[unit]) + i * g;
            h[unit] = rounded(static_cast<double>(o * wobbled(std::tanh(next))), case_.dtype);
            c[unit] = static_cast<double>(next);
            if (arithmetic_.cell_stored) c[unit] = rounded(c[unit], case_.dtype);
        }
    }

  private:
    std::size_t hidden() const { return static_cast<std::size_t>(case_.hidden); }

    void turn(const std::vector<double> (&gates)[4], int columns, std::vector<Number>& turned) {
        const auto width = static_cast<std::size_t>(columns);
        turned.resize(width * 4 * hidden());
        for (std::size_t row = 0; row < 4 * hidden(); ++row)
            for (std::size_t column = 0; column < width; ++column)
                turned[column * 4 * hidden() + row] = static_cast<Number>(
                    tf32(gates[row / hidden()][row % hidden() * width + column], arithmetic_.operands));
    }

    std::vector<Number> product(const std::vector<Number>& matrix, const double* values, int columns) {
        const std::size_t rows = 4 * hidden();
        std::vector<Number> total(rows), part(rows);
        for (int column = 0; column < columns; ++column) {
            const Number value = static_cast<Number>(tf32(values[column], arithmetic_.operands));
            const Number* weights = matrix.data() + static_cast<std::size_t>(column) * rows;
            for (std::size_t row = 0; row < rows; ++row) part[row] += weights[row] * value;
            if ((column + 1) % arithmetic_.columns_at_once && column + 1 < columns) continue;
            for (std::size_t row = 0; row < rows; ++row) {
                total[row] += part[row];
                part[row] = 0;
            }
        }
        return total;
    }

    std::vector<Number> stored(std::vector<Number> sums) {
        if (arithmetic_.half_sums_stored)
            for (Number& sum : sums) sum = static_cast<Number>(rounded(static_cast<double>(sum), case_.dtype));
        return sums;
    }

    Number wobbled(Number value) {
        const double near = static_cast<double>(value) * (1 + arithmetic_.wobble * random_.sign_and_size());
        return static_cast<Number>(arithmetic_.gates_stored ? rounded(near, case_.dtype) : near);
    }
    Number sigmoid(Number value) { return wobbled(1 / (1 + std::exp(-value))); }

    const RnnCase& case_;
    const Arithmetic& arithmetic_;
    Random& random_;
    int columns_;
    std::vector<Number> input_, recurrent_;  ///< [column][gate * hidden + unit]
    std::vector<Number> biases_;
};

/// A whole device run of one case.
class SimulatedDevice {
  public:
    SimulatedDevice(const RnnCase& rnn_case, const Arithmetic& arithmetic, const Behaviour& behaviour)
        : case_(rnn_case), arithmetic_(arithmetic), behaviour_(behaviour) {}

    RnnOutputs run(const RnnInputs& inputs) {
        const std::size_t states = inputs.layers.size() * size(case_.batch) * size(case_.hidden);
        RnnOutputs outputs{{}, std::vector<double>(states), std::vector<double>(states)};
        std::vector<double> below = inputs.x;
        const int directions = case_.directions();
        for (int layer = 0; layer < case_.layers; ++layer) {
            std::vector<double> above(size(case_.batch * case_.sequence_length * directions * case_.hidden));
            for (int direction = 0; direction < directions; ++direction)
                run_layer(inputs, layer * directions + direction, below, above, outputs);
            below = std::move(above);
            if (behaviour_.forward_half_only && layer + 1 < case_.layers) drop_backward_half(below);
        }
        outputs.y = std::move(below);
        for (double& c : outputs.cy) c = rounded(c, case_.dtype);
        return outputs;
    }

  private:
    static std::size_t size(int number) { return static_cast<std::size_t>(number); }

    void run_layer(const RnnInputs& inputs, int pseudo_layer, const std::vector<double>& below,
                   std::vector<double>& above, RnnOutputs& outputs) {
        const LayerWeights& weights = inputs.layers[size(pseudo_layer)];
        if (case_.dtype == Dtype::fp64)
            run_sequences(SimulatedLayer<double>(case_, weights, arithmetic_, random_), inputs, pseudo_layer, below,
                          above, outputs);
        else
            run_sequences(SimulatedLayer<float>(case_, weights, arithmetic_, random_), inputs, pseudo_layer, below,
                          above, outputs);
    }

    template <class Layer>
    void run_sequences(Layer layer, const RnnInputs& inputs, int pseudo_layer, const std::vector<double>& below,
                       std::vector<double>& above, RnnOutputs& outputs) {
        const bool backward = case_.directions() == 2 && pseudo_layer % 2 == 1;
        const int columns = inputs.layers[size(pseudo_layer)].columns, hidden = case_.hidden;
        const int half = backward != behaviour_.halves_exchanged ? hidden : 0;
        for (int sequence = 0; sequence < case_.batch; ++sequence) {
            const std::size_t state = size((pseudo_layer * case_.batch + sequence) * hidden);
            std::vector<double> h = begin(inputs.hx, state), c = begin(inputs.cx, state), old_h = h, old_c = c;
            for (const int step : steps(sequence, backward)) {
                old_h = h;
                old_c = c;
                if (behaviour_.h_not_carried) h.assign(h.size(), 0);
                if (behaviour_.c_not_carried) c.assign(c.size(), 0);
                const std::size_t row = size(sequence * case_.sequence_length + step);
                layer.step(below.data() + row * size(columns), h.data(), c.data());
                std::copy(h.begin(), h.end(),
                          above.begin() + static_cast<long>(row * size(case_.directions() * hidden)) + half);
            }
            const auto to = static_cast<long>(state);
            std::copy_n((behaviour_.earlier_hy ? old_h : h).begin(), hidden, outputs.hy.begin() + to);
            std::copy_n((behaviour_.earlier_cy ? old_c : c).begin(), hidden, outputs.cy.begin() + to);
        }
    }

    std::vector<double> begin(const std::vector<double>& states, std::size_t at) const {
        if (states.empty()) return std::vector<double>(size(case_.hidden));
        return {states.begin() + static_cast<long>(at), states.begin() + static_cast<long>(at) + case_.hidden};
    }

    std::vector<int> steps(int sequence, bool backward) const {
        int length = behaviour_.padding_computed ? case_.sequence_length : case_.length_of(sequence);
        if (behaviour_.last_step_dropped) --length;
        if (behaviour_.backward_from_padding && backward) length = case_.sequence_length;
        std::vector<int> order;
        for (int step = 0; step < length; ++step)
            order.push_back(backward && !behaviour_.backward_not_reversed ? length - 1 - step : step);
        return order;
    }

    void drop_backward_half(std::vector<double>& values) const {
        const std::size_t hidden = size(case_.hidden);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (case_.directions() == 2 && i % (2 * hidden) >= hidden) values[i] = 0;
    }

    const RnnCase& case_;
    Arithmetic arithmetic_;
    Behaviour behaviour_;
    Random random_{20};
};

inline RnnOutputs simulate(const RnnCase& rnn_case, const RnnInputs& inputs, const Arithmetic& arithmetic,
                           const Behaviour& behaviour = {}) {
    return SimulatedDevice(rnn_case, arithmetic, behaviour).run(inputs);
}

}  // namespace rnncheck::test
