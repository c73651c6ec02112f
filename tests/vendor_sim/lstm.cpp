#include "lstm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace sim {

namespace {

std::size_t size(int number) {
    return static_cast<std::size_t>(number);
}

std::size_t matrix_elements(const Shape& shape, int pseudo_layer) {
    return 4 * size(shape.hidden) * (size(shape.columns(pseudo_layer)) + size(shape.hidden));
}

/// Eight sums side by side, as a vector unit would.
template <class Real>
Real dot(const Real* a, const Real* b, int count) {
    std::array<Real, 8> sums{};
    int i = 0;
    for (; i + 8 <= count; i += 8)
        for (int lane = 0; lane < 8; ++lane) sums[size(lane)] += a[i + lane] * b[i + lane];
    for (; i < count; ++i) sums[0] += a[i] * b[i];
    Real sum = 0;
    for (const Real part : sums) sum += part;
    return sum;
}

template <class Real>
Real sigmoid(Real value) {
    return 1 / (1 + std::exp(-value));
}

/// Gates of one pseudo-layer one below the other: W [4 hidden][columns], R [4 hidden][hidden], one bias for both.
template <class Real>
struct Gates {
    int columns = 0;
    std::vector<Real> input, recurrent, bias;
};

template <class Real>
class Pass {
  public:
    explicit Pass(const Forward& forward) : f_(forward), s_(forward.shape), lengths_(forward.lengths) {
        if (fault("padding_not_honoured") && std::ranges::find(f_.rows, -1) == f_.rows.end())
            std::ranges::fill(lengths_, s_.steps);
    }

    void run() {
        std::vector<Real> data = read_x();
        for (int layer = 0; layer < s_.layers; ++layer) data = run_layer(layer, data);
        write_y(data);
    }

  private:
    bool fault(const char* name) const { return f_.fault == name; }
    std::size_t place(int sequence, int step) const { return size(sequence) * size(s_.steps) + size(step); }

    void prepare_operands(std::vector<Real>& values) const {
        if constexpr (std::is_same_v<Real, float>)
            if (f_.tf32) std::ranges::transform(values, values.begin(), [](float value) { return sim::tf32(value); });
    }

    std::vector<Real> read_x() const {
        std::vector<Real> data(size(s_.batch) * size(s_.steps) * size(s_.input));
        for (std::size_t row = 0; row < f_.rows.size(); ++row) {
            if (f_.rows[row] < 0) continue;
            const auto values =
                load<Real>(f_.x, static_cast<std::size_t>(f_.rows[row]) * size(s_.input), size(s_.input), f_.storage);
            std::ranges::copy(values, data.begin() + static_cast<std::ptrdiff_t>(row * size(s_.input)));
        }
        return data;
    }

    Gates<Real> read_gates(int pseudo_layer) const {
        Gates<Real> gates;
        gates.columns = s_.columns(pseudo_layer);
        for (int gate = 0; gate < 4; ++gate) {
            const int from = fault("gates_swapped") && gate < 2 ? 1 - gate : gate;
            append(gates.input, matrix_part(s_, pseudo_layer, from));
            append(gates.recurrent, matrix_part(s_, pseudo_layer, from + 4));
            std::vector<Real> input_bias, recurrent_bias;
            append(input_bias, bias_part(s_, pseudo_layer, from));
            append(recurrent_bias, bias_part(s_, pseudo_layer, from + 4));
            const bool dropped = fault("bias_dropped") && gate == 3;
            for (std::size_t unit = 0; unit < input_bias.size(); ++unit)
                gates.bias.push_back(input_bias[unit] + (dropped ? 0 : recurrent_bias[unit]));
        }
        prepare_operands(gates.input);
        prepare_operands(gates.recurrent);
        return gates;
    }

    void append(std::vector<Real>& to, const Part& part) const {
        const auto values = load<Real>(f_.weights, part.offset, size(part.rows) * size(part.columns), f_.storage);
        to.insert(to.end(), values.begin(), values.end());
    }

    std::vector<Real> run_layer(int layer, std::vector<Real> input) {
        prepare_operands(input);
        std::vector<Real> output(size(s_.batch) * size(s_.steps) * size(s_.hidden * s_.directions));
        for (int direction = 0; direction < s_.directions; ++direction) {
            const int pseudo_layer = layer * s_.directions + direction;
            const Gates<Real> gates = read_gates(pseudo_layer);
            for (int sequence = 0; sequence < s_.batch; ++sequence)
                run_sequence(pseudo_layer, sequence, gates, input, output);
        }
        return output;
    }

    std::vector<Real> initial(const void* states, int pseudo_layer, int sequence) const {
        if (!states || fault("initial_state_ignored")) return std::vector<Real>(size(s_.hidden));
        return load<Real>(states, state_offset(pseudo_layer, sequence), size(s_.hidden), f_.storage);
    }

    std::size_t state_offset(int pseudo_layer, int sequence) const {
        return (size(pseudo_layer) * size(s_.batch) + size(sequence)) * size(s_.hidden);
    }

    void run_sequence(int pseudo_layer, int sequence, const Gates<Real>& gates, const std::vector<Real>& input,
                      std::vector<Real>& output) {
        const int direction = pseudo_layer % s_.directions;
        const std::vector<Real> h0 = initial(f_.hx, pseudo_layer, sequence),
                                c0 = initial(f_.cx, pseudo_layer, sequence);
        std::vector<Real> h = h0, c = c0;
        const int length = lengths_[size(sequence)];
        for (int turn = 0; turn < length - (fault("last_step_dropped") ? 1 : 0); ++turn) {
            const int step = direction == 1 && !fault("backward_not_reversed") ? length - 1 - turn : turn;
            if (fault("state_not_carried")) h = h0, c = c0;
            one_step(gates, input.data() + place(sequence, step) * size(gates.columns), h, c);
            const std::size_t row = place(sequence, step) * size(s_.directions) + size(direction);
            std::ranges::copy(h, output.begin() + static_cast<std::ptrdiff_t>(row * size(s_.hidden)));
        }
        if (f_.hy) store(f_.hy, state_offset(pseudo_layer, sequence), h, f_.storage);
        if (f_.cy) store(f_.cy, state_offset(pseudo_layer, sequence), c, f_.storage);
    }

    void one_step(const Gates<Real>& gates, const Real* x, std::vector<Real>& h, std::vector<Real>& c) const {
        const int hidden = s_.hidden;
        std::vector<Real> operand = h;
        prepare_operands(operand);
        std::vector<Real> sums(gates.bias);
        for (int row = 0; row < 4 * hidden; ++row)
            sums[size(row)] += dot(&gates.input[size(row) * size(gates.columns)], x, gates.columns) +
                               dot(&gates.recurrent[size(row) * size(hidden)], operand.data(), hidden);
        for (int unit = 0; unit < hidden; ++unit) {
            const auto gate = [&](int number) { return sums[size(number * hidden + unit)]; };
            Real& cell = c[size(unit)];
            cell = held(sigmoid(gate(1)) * cell + sigmoid(gate(0)) * std::tanh(gate(2)), f_.storage);
            h[size(unit)] = held(sigmoid(gate(3)) * std::tanh(cell), f_.storage);
        }
    }

    void write_y(std::vector<Real>& data) {
        const std::size_t width = size(s_.hidden * s_.directions);
        spoil(data, width);
        for (int sequence = 0; sequence < s_.batch; ++sequence)
            for (int step = 0; step < s_.steps; ++step) {
                const std::ptrdiff_t row = f_.rows[place(sequence, step)];
                const bool stale =
                    fault("stale_output") && sequence == s_.batch - 1 && step == lengths_[size(sequence)] - 1;
                if (row < 0 || stale) continue;
                const auto from = data.begin() + static_cast<std::ptrdiff_t>(place(sequence, step) * width);
                const std::size_t to = static_cast<std::size_t>(row) * width;
                if (step < lengths_[size(sequence)])
                    store(f_.y, to, std::vector<Real>(from, from + static_cast<std::ptrdiff_t>(width)), f_.storage);
                else
                    fill(to, width);
            }
    }

    void fill(std::size_t first, std::size_t count) const {
        if (fault("padding_not_filled")) return;
        for (std::size_t i = 0; i < count; ++i)
            std::copy(f_.fill.begin(), f_.fill.end(),
                      static_cast<std::byte*>(f_.y) + (first + i) * bytes_of(f_.storage));
    }

    /// The planted faults that change finished numbers.
    void spoil(std::vector<Real>& data, std::size_t width) const {
        if (fault("nan_lane")) data[(place(s_.batch - 1, 0) + 1) * width - 1] = std::numeric_limits<Real>::quiet_NaN();
        if (fault("wrong_numbers")) data[0] += static_cast<Real>(0.1);
        if (fault("unrepeatable")) {
            static bool again = false;
            if (again) data[0] += data[0] / 1024;
            again = !again;
        }
        if (fault("batch_row_exchanged") && s_.batch > 1) {
            const auto second = data.begin() + static_cast<std::ptrdiff_t>(place(1, 0) * width);
            std::swap_ranges(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(width), second);
        }
    }

    const Forward& f_;
    const Shape& s_;
    std::vector<int> lengths_;
};

}  // namespace

Part matrix_part(const Shape& shape, int pseudo_layer, int linear) {
    Part part{0, shape.hidden, linear < 4 ? shape.columns(pseudo_layer) : shape.hidden};
    for (int before = 0; before < pseudo_layer; ++before) part.offset += matrix_elements(shape, before);
    const std::size_t input_matrix = size(shape.hidden) * size(shape.columns(pseudo_layer));
    part.offset += size(std::min(linear, 4)) * input_matrix +
                   size(std::max(linear - 4, 0)) * size(shape.hidden) * size(shape.hidden);
    return part;
}

Part bias_part(const Shape& shape, int pseudo_layer, int linear) {
    Part part{0, shape.hidden, 1};
    for (int before = 0; before < shape.pseudo_layers(); ++before) part.offset += matrix_elements(shape, before);
    part.offset += size(pseudo_layer * 8 + linear) * size(shape.hidden);
    return part;
}

std::size_t weight_elements(const Shape& shape) {
    return bias_part(shape, shape.pseudo_layers() - 1, 7).offset + size(shape.hidden);
}

void compute(const Forward& forward) {
    if (forward.storage == Storage::fp64)
        Pass<double>(forward).run();
    else
        Pass<float>(forward).run();
}

}  // namespace sim
