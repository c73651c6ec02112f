// What the simulated cuDNN takes and what it rejects, after the measured table of cuDNN 9.19 and
// the documents of 7 and 8; and the sizes that follow from a description.
#include "cudnn_state.hpp"

using namespace rnncheck::vendor;

namespace sim {

namespace {

constexpr int standard = 0, persist_static = 1, persist_dynamic = 2, small_h = 3;
constexpr int fp32 = 0, fp64 = 1, fp16 = 2, bf16 = 9;

bool has_bf16_networks() {
    return coded_version() >= 91300;
}
bool has_small_h() {
    return coded_version() >= 8100;
}

bool known_pair(int type, int precision, int algorithm) {
    if (type == fp32 || type == fp16 || (type == bf16 && has_bf16_networks()))
        if (precision == fp32)
            return true;
    if (type == fp64 && precision == fp64)
        return algorithm == standard || algorithm == persist_dynamic;
    return type == fp16 && precision == fp16 && algorithm == standard;
}

}  // namespace

std::optional<int> rejected_descriptor(const OpaqueRnnDescriptor& rnn) {
    constexpr int double_bias = 2, lstm = 2;
    const int algorithms = has_small_h() ? 4 : 3;
    const bool projects = rnn.projection != 0 && rnn.projection != rnn.hidden;
    if (rnn.input < 1 || rnn.hidden < 1 || rnn.layers < 1 || rnn.algorithm < 0 ||
        rnn.algorithm >= algorithms)
        return reject(bad_param, "a size below 1 or an unknown algorithm");
    if (rnn.direction < 0 || rnn.direction > 1 || rnn.math < 0 ||
        rnn.math > (SIM_MAJOR == 7 ? 2 : 3))
        return reject(bad_param, "an unknown direction or math type");
    if (rnn.cell < 0 || rnn.cell > 3 || rnn.bias < 0 || rnn.bias > 3 || rnn.input_mode < 0 ||
        rnn.input_mode > 1)
        return reject(bad_param, "an unknown cell, bias mode or input mode");
    if (!known_pair(rnn.type, rnn.precision, rnn.algorithm))
        return reject(not_supported, "dataType, mathPrec and algo are not compatible");
    if (rnn.algorithm != standard && (projects || rnn.bias != double_bias))
        return reject(not_supported, "projection or bias mode with a persistent algorithm");
    if (projects && (rnn.cell != lstm || rnn.projection > rnn.hidden))
        return reject(not_supported, "projSize != hiddenSize");
    return std::nullopt;
}

std::optional<int> rejected_run(const OpaqueRnnDescriptor& rnn, bool lengths_differ) {
    const int capability = capability_here();
    constexpr int skip_input = 1;
    if (capability == 0)
        return reject(execution_failed, "the CUDA context cannot be used");
    if (rnn.input_mode == skip_input && rnn.input != rnn.hidden)
        return reject(bad_param, "skip input with inputSize != hiddenSize");
    if (lengths_differ && rnn.algorithm != standard)
        return reject(not_supported, "variable sequence lengths with algo != STANDARD");
    if (rnn.algorithm != standard && capability < 60)
        return reject(not_supported, "persistent algorithms need compute capability 6.0");
    if (rnn.type == bf16 && capability < 80)
        return reject(not_supported, "BFLOAT16 needs compute capability 8.0");
    if (rnn.algorithm == small_h && rnn.hidden > 192)
        return reject(not_supported, "hiddenSize > 192");
    if (rnn.algorithm == persist_static && rnn.hidden > 1024)
        return reject(not_supported, "hiddenSize > 1024");
    return std::nullopt;
}

RnnCase shape_of(const OpaqueRnnDescriptor& rnn, int batch, int steps) {
    using namespace rnncheck;
    constexpr Cell cells[] = {Cell::relu, Cell::tanh, Cell::lstm, Cell::gru};
    constexpr BiasMode biases[] = {
        BiasMode::none, BiasMode::input, BiasMode::both, BiasMode::recurrent};
    RnnCase shape;
    shape.cell = cells[rnn.cell];
    shape.dtype = rnn.type == fp64   ? Dtype::fp64
                  : rnn.type == fp16 ? Dtype::fp16
                  : rnn.type == bf16 ? Dtype::bf16
                                     : Dtype::fp32;
    shape.direction = static_cast<Direction>(rnn.direction);
    shape.layers = rnn.layers;
    shape.input = rnn.input;
    shape.hidden = rnn.hidden;
    shape.projection = rnn.projection == rnn.hidden ? 0 : rnn.projection;
    shape.bias = biases[rnn.bias];
    shape.input_mode = static_cast<InputMode>(rnn.input_mode);
    shape.clip = rnn.clip;
    shape.batch = batch;
    shape.sequence_length = steps;
    return shape;
}

std::size_t work_bytes(const RnnCase& shape) {
    return 4 * count(shape.hidden) * count(shape.batch) * count(shape.sequence_length) *
           count(shape.directions()) * bytes_of(storage_of(shape.dtype));
}

/// Some more than the parts need, as the real one may request.
std::size_t weight_bytes(const RnnCase& shape) {
    return weight_elements(shape) * bytes_of(storage_of(shape.dtype)) + 256;
}

static bool describes(TensorDescriptor tensor, const RnnCase& shape, int width) {
    return tensor && tensor->sizes == std::vector{shape.pseudo_layers(), shape.batch, width} &&
           tensor->strides == std::vector{shape.batch * width, width, 1};
}

bool describes_h(TensorDescriptor tensor, const RnnCase& shape) {
    return describes(tensor, shape, shape.output());
}

bool describes_c(TensorDescriptor tensor, const RnnCase& shape) {
    return shape.cell != Cell::lstm || describes(tensor, shape, shape.hidden);
}

std::vector<std::ptrdiff_t> memory_rows(int layout, int steps, const std::vector<int>& lengths) {
    constexpr int packed = 1, batch_major = 2;
    const std::size_t batch = lengths.size();
    const auto step_count = static_cast<std::size_t>(steps);
    std::vector<std::ptrdiff_t> rows(batch * step_count, -1);
    std::ptrdiff_t next = 0;
    for (std::size_t step = 0; step < step_count; ++step)
        for (std::size_t sequence = 0; sequence < batch; ++sequence) {
            std::ptrdiff_t& row = rows[sequence * step_count + step];
            if (layout == batch_major)
                row = static_cast<std::ptrdiff_t>(sequence * step_count + step);
            else if (layout != packed || static_cast<int>(step) < lengths[sequence])
                row = next++;
        }
    return rows;
}

}  // namespace sim
