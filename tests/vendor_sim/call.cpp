#include "call.hpp"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "fault.hpp"

namespace sim {

using rnncheck::LayerWeights;
using rnncheck::RnnInputs;
using rnncheck::RnnOutputs;

namespace {

bool is(const Call& call, const char* fault) {
    return call.fault == fault;
}

/// The last bit of a number near 1.
double last_bit(const Call& call) {
    using rnncheck::Dtype;
    switch (call.shape.dtype) {
        case Dtype::fp64:
            return 0x1p-52;
        case Dtype::fp32:
            return 0x1p-23;
        case Dtype::fp16:
            return 0x1p-10;
        case Dtype::bf16:
            break;
    }
    return 0x1p-7;
}

Storage storage(const Call& call) {
    return storage_of(call.shape.dtype);
}

std::size_t steps(const RnnCase& shape) {
    return count(shape.batch) * count(shape.sequence_length);
}
std::size_t states(const RnnCase& shape) {
    return count(shape.pseudo_layers()) * count(shape.batch);
}
std::size_t y_width(const RnnCase& shape) {
    return count(shape.directions() * shape.output());
}
std::size_t c_elements(const RnnCase& shape) {
    return shape.cell == Cell::lstm ? states(shape) * count(shape.hidden) : 0;
}
std::size_t h_elements(const RnnCase& shape) {
    return states(shape) * count(shape.output());
}

std::vector<double> read_states(const Call& call, const void* from, std::size_t elements) {
    return from ? load<double>(from, 0, elements, storage(call)) : std::vector<double>();
}

std::vector<double> read_rows(const Call& call, const void* from, std::size_t width) {
    std::vector<double> values(call.rows.size() * width);
    for (std::size_t row = 0; row < call.rows.size(); ++row)
        if (call.rows[row] >= 0)
            std::ranges::copy(
                load<double>(
                    from, static_cast<std::size_t>(call.rows[row]) * width, width, storage(call)),
                values.begin() + static_cast<std::ptrdiff_t>(row * width));
    return values;
}

void write_states(const Call& call, void* to, const std::vector<double>& values) {
    if (to)
        store(to, 0, values, storage(call));
}

/// Visits every array of weights with its part.
template <class Visit>
void each_part(const RnnCase& shape, std::vector<LayerWeights>& layers, Visit&& visit) {
    const int gates = shape.cell == Cell::lstm ? 4 : shape.cell == Cell::gru ? 3 : 1;
    for (int layer = 0; layer < shape.pseudo_layers(); ++layer) {
        LayerWeights& weights = layers[count(layer)];
        for (int gate = 0; gate < gates; ++gate) {
            visit(weights.input[gate], matrix_part(shape, layer, gate));
            visit(weights.recurrent[gate], matrix_part(shape, layer, gate + gates));
            visit(weights.input_bias[gate], bias_part(shape, layer, gate));
            visit(weights.recurrent_bias[gate], bias_part(shape, layer, gate + gates));
        }
        visit(weights.projection, matrix_part(shape, layer, 8));
    }
}

std::size_t elements(const Part& part) {
    return count(part.rows) * count(part.columns);
}

std::vector<LayerWeights> read_weights(const Call& call) {
    std::vector<LayerWeights> layers(count(call.shape.pseudo_layers()));
    for (int layer = 0; layer < call.shape.pseudo_layers(); ++layer)
        layers[count(layer)].columns = layer < call.shape.directions()
                                           ? call.shape.input
                                           : static_cast<int>(y_width(call.shape));
    each_part(call.shape, layers, [&](std::vector<double>& values, const Part& part) {
        values = load<double>(call.weights, part.offset, elements(part), storage(call));
    });
    return layers;
}

/// Masks drawn by a device that does not heed the seed.
std::uint64_t& masks_wandered() {
    static std::uint64_t count = 0;
    return count;
}

Arithmetic arithmetic_of(const Call& call) {
    Arithmetic arithmetic;
    arithmetic.operands = call.tf32 ? Operands::tf32_nearest : Operands::exact;
    arithmetic.wobble = call.fast_math || is(call, "fast_math") ? 0x1p-11 : 0;
    arithmetic.cell_stored = true;
    arithmetic.dropout = is(call, "dropout_inverted")  ? 1 - call.dropout
                         : is(call, "dropout_ignored") ? 0
                                                       : call.dropout;
    arithmetic.kept_times = is(call, "dropout_not_scaled") ? 1 : 1 / (1 - call.dropout);
    arithmetic.mask = 1000 * call.seed + (is(call, "dropout_mask_stays") ? 0 : call.drawn);
    if (is(call, "dropout_mask_wanders"))
        arithmetic.mask += ++masks_wandered();
    return arithmetic;
}

Fault fault_of(const Call& call) {
    return fault_named(call.fault).value_or(Fault::none);
}

void write_y(const Call& call, const std::vector<double>& y) {
    const std::size_t width = y_width(call.shape), element = bytes_of(storage(call));
    for (std::size_t row = 0; row < call.rows.size(); ++row) {
        const int sequence = static_cast<int>(row / count(call.shape.sequence_length));
        const int step = static_cast<int>(row % count(call.shape.sequence_length)),
                  length = call.shape.length_of(sequence);
        const bool stale =
            is(call, "stale_output") && sequence + 1 == call.shape.batch && step + 1 == length;
        if (call.rows[row] < 0 || stale)
            continue;
        const std::size_t to = static_cast<std::size_t>(call.rows[row]) * width;
        const auto from = y.begin() + static_cast<std::ptrdiff_t>(row * width);
        if (step < length || is(call, "padding_not_honoured"))
            store(
                call.y,
                to,
                std::vector<double>(from, from + static_cast<std::ptrdiff_t>(width)),
                storage(call));
        else if (!is(call, "padding_not_filled"))
            for (std::size_t i = to; i < to + width; ++i)
                std::ranges::copy(call.fill, static_cast<std::byte*>(call.y) + i * element);
    }
}

void write_dx(const Call& call, const std::vector<double>& dx) {
    const std::size_t width = count(call.shape.input);
    for (std::size_t row = 0; row < call.rows.size(); ++row) {
        if (call.rows[row] < 0)
            continue;
        const auto from = dx.begin() + static_cast<std::ptrdiff_t>(row * width);
        store(
            call.dx,
            static_cast<std::size_t>(call.rows[row]) * width,
            std::vector<double>(from, from + static_cast<std::ptrdiff_t>(width)),
            storage(call));
    }
}

/// The reserve: x, hx, cx, then the gradients of the weights, all as doubles.
double* reserved(const Call& call, std::size_t& at, std::size_t elements) {
    double* const begin = static_cast<double*>(call.reserve) + at;
    at += elements;
    return begin;
}

void keep(
    const Call& call, std::size_t& at, const std::vector<double>& values, std::size_t elements) {
    double* const to = reserved(call, at, elements);
    std::fill_n(to, elements, 0.0);
    std::ranges::copy(values, to);
}

std::vector<double> kept(const Call& call, std::size_t& at, std::size_t elements) {
    const double* const from = reserved(call, at, elements);
    return {from, from + elements};
}

/// Adds the time of a call to that of all earlier ones and writes the sum to which `work_ms_to`
/// points.
class Work {
  public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() {
        static const std::string file = setting("work_ms_to", "");
        static const int to =
            file.empty() ? -1 : open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        static double all = 0;
        all += std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
        if (to >= 0)
            dprintf(to, "%.3f\n", all);
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point begun_ = Clock::now();
};

}  // namespace

std::size_t reserve_bytes(const RnnCase& shape) {
    return sizeof(double) * (steps(shape) * count(shape.input) + h_elements(shape) +
                             c_elements(shape) + weight_elements(shape));
}

void compute_forward(const Call& call) {
    const Work work;
    RnnInputs inputs;
    inputs.layers = read_weights(call);
    inputs.x = read_rows(call, call.x, count(call.shape.input));
    inputs.hx = read_states(call, call.hx, h_elements(call.shape));
    inputs.cx = read_states(call, call.cx, c_elements(call.shape));
    RnnOutputs outputs = simulate(call.shape, inputs, arithmetic_of(call), fault_of(call));
    if (is(call, "unrepeatable")) {
        static bool again = false;
        if (again)
            outputs.y[0] += outputs.y[0] / 1024;
        again = !again;
    }
    if (is(call, "other_bits"))
        outputs.y[0] += outputs.y[0] * last_bit(call);
    write_y(call, outputs.y);
    write_states(call, call.hy, outputs.hy);
    write_states(call, call.cy, outputs.cy);
    if (!call.reserve)
        return;
    std::size_t at = 0;
    keep(call, at, inputs.x, steps(call.shape) * count(call.shape.input));
    keep(call, at, inputs.hx, h_elements(call.shape));
    keep(call, at, inputs.cx, c_elements(call.shape));
}

void compute_backward_data(const Call& call) {
    const Work work;
    Call training = call;
    training.shape.training = true;
    RnnInputs inputs;
    std::size_t at = 0;
    inputs.layers = read_weights(call);
    inputs.x = kept(call, at, steps(call.shape) * count(call.shape.input));
    inputs.hx = kept(call, at, h_elements(call.shape));
    inputs.cx = kept(call, at, c_elements(call.shape));
    inputs.dy = read_rows(call, call.dy, y_width(call.shape));
    inputs.dhy = read_states(call, call.dhy, h_elements(call.shape));
    inputs.dcy = read_states(call, call.dcy, c_elements(call.shape));
    RnnOutputs outputs = simulate(training.shape, inputs, arithmetic_of(call), fault_of(call));
    write_dx(call, outputs.dx);
    write_states(call, call.dhx, outputs.dhx);
    write_states(call, call.dcx, outputs.dcx);
    double* const gradients = reserved(call, at, weight_elements(call.shape));
    each_part(
        call.shape, outputs.dweights, [&](const std::vector<double>& values, const Part& part) {
            std::ranges::copy(values, gradients + part.offset);
        });
}

void compute_backward_weights(const Call& call) {
    const Work work;
    const std::size_t elements = weight_elements(call.shape);
    std::size_t at = steps(call.shape) * count(call.shape.input) + h_elements(call.shape) +
                     c_elements(call.shape);
    std::vector<double> sums = load<double>(call.dweights, 0, elements, storage(call));
    const double* const gradients = reserved(call, at, elements);
    for (std::size_t i = 0; i < elements; ++i)
        sums[i] += gradients[i];
    store(call.dweights, 0, sums, storage(call));
}

}  // namespace sim
