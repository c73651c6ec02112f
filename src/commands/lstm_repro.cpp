#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/lstm.hpp"
#include "facts/queries.hpp"
#include "rnn/case.hpp"
#include "rnn/compare.hpp"
#include "rnn/network.hpp"
#include "support/rnn.hpp"

namespace rnncheck {

namespace {

/// The program after the constants of its case.
constexpr std::string_view program = R"repro(
constexpr bool lstm = cell == CUDNN_LSTM, packed = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
constexpr bool batch_major = layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED;
constexpr auto mode = training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
constexpr int width = directions * output;
#define CUDA(call) check(#call, call, [](int e) { return cudaGetErrorString(cudaError_t(e)); })
#define CUDNN(call) check(#call, call, [](int e) { return cudnnGetErrorString(cudnnStatus_t(e)); })
template <class Text> void check(const char* call, int error, Text text) {
    if (error == 0) return;
    printf("FAILED: %d %s from %s\n", error, text(error), call), exit(2);
}
// All inputs: number n of a stream is the finalizer of SplitMix64 on the stream's key and n.
uint64_t mixed(uint64_t v) {
    v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9u, v = (v ^ (v >> 27)) * 0x94D049BB133111EBu;
    return v ^ (v >> 31);
}
double uniform(uint64_t n) {  // in (-1, 1)
    const uint64_t bits = mixed(key + (n + 1) * 0x9E3779B97F4A7C15u) >> 11;
    return double(int64_t(bits | 1) - (int64_t(1) << 52)) * 0x1p-52;
}
double bell(uint64_t n) {  // variance 1
    return ((uniform(4 * n) + uniform(4 * n + 1)) + (uniform(4 * n + 2) + uniform(4 * n + 3))) * 0.86602540378443865;
}
std::vector<Number> stream(size_t count, double bound) {  // uniform up to the bound; 0: bell
    key = mixed(key + 1);
    std::vector<Number> values(count);
    for (size_t n = 0; n < count; ++n) values[n] = narrow(bound > 0 ? uniform(n) * bound : bell(n));
    return values;
}
void* filled(size_t bytes, int fill = 0xFF) {
    void* memory = nullptr;
    CUDA(cudaMalloc(&memory, bytes));
    CUDA(cudaMemset(memory, fill, bytes));
    return memory;
}
template <class Value> void* copied(const std::vector<Value>& values) {
    void* memory = filled(values.size() * sizeof(Value));
    CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(Value), cudaMemcpyHostToDevice));
    return memory;
}
std::vector<size_t> rows;  // of x and y in memory, each as sequence * steps + step
void* in_memory_order(const std::vector<Number>& values, size_t columns) {
    std::vector<Number> all;
    for (size_t row : rows) all.insert(all.end(), &values[row * columns], &values[row * columns] + columns);
    return copied(all);
}
int main() {
    cudnnHandle_t handle; cudnnDropoutDescriptor_t dropout; cudnnRNNDescriptor_t rnn; cudnnRNNDataDescriptor_t x_is, y_is;
    CUDA(cudaSetDevice(device));
    CUDNN(cudnnCreate(&handle)); CUDNN(cudnnCreateDropoutDescriptor(&dropout)); CUDNN(cudnnCreateRNNDescriptor(&rnn));
    CUDNN(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
    CUDNN(cudnnSetRNNDescriptor_v8(rnn, algorithm, cell, bias_mode, direction, input_mode, type, sums, math, input, hidden,
        output, layers, dropout, packed ? 0 : CUDNN_RNN_PADDED_IO_ENABLED));
    if (clip > 0) CUDNN(cudnnRNNSetClip_v8(rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -clip, clip));
    for (int i = 0; i < batch * steps; ++i) {
        const int sequence = batch_major ? i / steps : i % batch, step = batch_major ? i % steps : i / batch;
        if (!packed || step < lengths[sequence]) rows.push_back(size_t(sequence) * steps + step);
    }
    CUDNN(cudnnCreateRNNDataDescriptor(&x_is)); CUDNN(cudnnCreateRNNDataDescriptor(&y_is));
    double zero = 0;  // in every type
    CUDNN(cudnnSetRNNDataDescriptor(x_is, type, layout, steps, batch, input, lengths.data(), &zero));
    CUDNN(cudnnSetRNNDataDescriptor(y_is, type, layout, steps, batch, width, lengths.data(), &zero));
    cudnnTensorDescriptor_t h_is, c_is, matrix_is, bias_is;
    for (auto* tensor : {&h_is, &c_is, &matrix_is, &bias_is}) CUDNN(cudnnCreateTensorDescriptor(tensor));
    const int h_sizes[] = {layers * directions, batch, output}, h_strides[] = {batch * output, output, 1};
    const int c_sizes[] = {layers * directions, batch, hidden}, c_strides[] = {batch * hidden, hidden, 1};
    CUDNN(cudnnSetTensorNdDescriptor(h_is, type, 3, h_sizes, h_strides));
    CUDNN(cudnnSetTensorNdDescriptor(c_is, type, 3, c_sizes, c_strides));
    if (!lstm) c_is = nullptr;
    size_t w_bytes, work_bytes, reserve_bytes;
    CUDNN(cudnnGetRNNWeightSpaceSize(handle, rnn, &w_bytes));
    CUDNN(cudnnGetRNNTempSpaceSizes(handle, rnn, mode, x_is, &work_bytes, &reserve_bytes));
    void *w = filled(w_bytes, 0), *work = filled(work_bytes), *reserve = filled(reserve_bytes);
    auto part = [&](void* space, int layer, int linear, bool bias) {
        void *matrix_at = nullptr, *bias_at = nullptr;
        CUDNN(cudnnGetRNNWeightParams(handle, rnn, layer, w_bytes, space, linear, matrix_is, &matrix_at, bias_is, &bias_at));
        return bias ? bias_at : matrix_at;
    };
    auto weights = [&](int layer, int linear, bool bias, size_t count) {
        const auto values = stream(count, 1 / std::sqrt(double(hidden)));
        CUDA(cudaMemcpy(part(w, layer, linear, bias), values.data(), count * sizeof(Number), cudaMemcpyHostToDevice));
    };
    for (int layer = 0; layer < layers * directions; ++layer) {
        for (int gate = 0; gate < gates; ++gate) {
            const bool first = layer < directions;
            if (!first || input_mode == CUDNN_LINEAR_INPUT) weights(layer, gate, false, size_t(hidden) * (first ? input : width));
            weights(layer, gate + gates, false, size_t(hidden) * output);
            if (input_bias) weights(layer, gate, true, hidden);
            if (recurrent_bias) weights(layer, gate + gates, true, hidden);
        }
        if (output != hidden) weights(layer, 8, false, size_t(output) * hidden);  // the projection
    }
    const size_t h_count = size_t(layers) * directions * batch * output, c_count = size_t(layers) * directions * batch * hidden;
    const double c_bound = clip > 0 && clip < 1 ? clip : 1;
    auto h_space = [&] { return filled(h_count * sizeof(Number)); };
    auto c_space = [&] { return lstm ? filled(c_count * sizeof(Number)) : nullptr; };
    auto h_values = [&] { return states ? copied(stream(h_count, 1)) : nullptr; };
    auto c_values = [&] { return states && lstm ? copied(stream(c_count, c_bound)) : nullptr; };
    void *hy = h_space(), *cy = c_space(), *y = filled(rows.size() * width * sizeof(Number));
    void *x = in_memory_order(stream(size_t(batch) * steps * input, 0), input), *hx = h_values(), *cx = c_values();
    const auto* length = static_cast<const int*>(copied(lengths));
    if (algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC) CUDNN(cudnnBuildRNNDynamic(handle, rnn, batch));
    CUDNN(cudnnRNNForward(handle, rnn, mode, length, x_is, x, y_is, y, h_is, hx, hy, c_is, cx, cy, w_bytes, w, work_bytes,
        work, reserve_bytes, reserve));
    void *dw = nullptr, *dx = nullptr, *dhx = nullptr, *dcx = nullptr;
    if (training) {
        auto dy_all = stream(size_t(batch) * steps * width, 0);
        for (size_t i = 0; i < dy_all.size(); ++i)
            if (int(i / width % steps) >= lengths[i / width / steps]) dy_all[i] = narrow(0);
        void *dy = in_memory_order(dy_all, width), *dhy = h_values(), *dcy = c_values();
        dw = filled(w_bytes, 0), dx = filled(rows.size() * input * sizeof(Number)), dhx = h_space(), dcx = c_space();
        CUDNN(cudnnRNNBackwardData_v8(handle, rnn, length, y_is, y, dy, x_is, dx, h_is, hx, dhy, dhx, c_is, cx, dcy, dcx,
            w_bytes, w, work_bytes, work, reserve_bytes, reserve));
        CUDNN(cudnnRNNBackwardWeights_v8(handle, rnn, CUDNN_WGRAD_MODE_ADD, length, x_is, x, h_is, hx, y_is, y, w_bytes, dw,
            work_bytes, work, reserve_bytes, reserve));
    }
    CUDA(cudaDeviceSynchronize());
    auto place = [](size_t index, size_t columns) {  // in memory; no columns: an array that is not one of sequences
        for (size_t row = 0; columns > 0 && row < rows.size(); ++row)
            if (rows[row] == index / columns) return row * columns + index % columns;
        return index;
    };
    int wrong = 0;
    for (const auto& c : checks) {
        const size_t at = place(c.index, CHECKED_COLUMNS);
        Number number;
        CUDA(cudaMemcpy(&number, static_cast<const Number*>(CHECKED) + at, sizeof number, cudaMemcpyDeviceToHost));
        const bool right = std::abs(wide(number) - c.expected) <= c.limit;
        printf("%s[%zu]: found %.9g, expected %.9g +- %.3g: %s\n", checked, at, wide(number), c.expected, c.limit,
            right ? "OK" : "WRONG");
        wrong += !right;
    }
    printf("%s\n", wrong ? "WRONG" : "OK");
    return wrong > 0;
}
)repro";

std::string one_line(const std::string& text, std::size_t most = 200) {
    std::string line = escaped(text, most);
    std::ranges::replace(line, '\\', '/');  // a backslash at the end would join the next line to the comment
    return line;
}

std::string what_happened(const RnnRun& run) {
    if (run.where) return *run.where;
    return run.result ? run.result->call + ": " + run.result->text : std::string(name_of(run.end));
}

std::string seen_with(const Facts& facts, const RnnRun& run) {
    std::vector<std::string> parts;
    for (const Cudnn& cudnn : facts.cudnns)
        if (cudnn.library == run.library && cudnn.version) parts.push_back("cuDNN " + cudnn.version->text);
    const Gpu* const gpu = gpu_at(facts, run.gpu);
    if (gpu && gpu->name) parts.push_back(*gpu->name);
    if (gpu && gpu->compute_capability) parts.push_back("compute capability " + gpu->compute_capability->text);
    if (facts.driver.library_version) parts.push_back("driver " + facts.driver.library_version->text);
    return parts.empty() ? "an unknown machine" : join(parts, ", ");
}

/// cuDNN's words for the values of our enumerations, in their order.
template <class E, std::size_t N>
std::string word(E value, const char* const (&words)[N]) {
    return words[static_cast<std::size_t>(value)];
}

/// Where an array of the outputs stands in the program.
struct Checked {
    std::string array;
    int layer = -1, linear = 0;
    bool bias = false;

    /// Its address.
    std::string from() const {
        if (layer < 0) return array;
        return "part(dw, " + std::to_string(layer) + ", " + std::to_string(linear) + (bias ? ", true)" : ", false)");
    }
};

Checked checked(const RnnCase& c, std::size_t number) {
    constexpr const char* names[] = {"y", "hy", "cy", "dx", "dhx", "dcx"};
    if (number < std::size(names)) return {names[number]};
    const int gates = gates_of(c.cell), parts = 4 * gates + 1, at = static_cast<int>(number - std::size(names));
    Checked place{"dw", at / parts, 8, false};
    if (const int part = at % parts; part < 4 * gates) {
        place.linear = part / 4 + (part % 2) * gates;
        place.bias = part % 4 >= 2;
    }
    return place;
}

struct Element {
    std::size_t array = 0, index = 0;
};

/// The element that the comparison named; without one, the first that there is.
Element worst_element(const RnnRun& run, const std::vector<OutputArray>& arrays) {
    const std::string where = run.where.value_or("");
    for (std::size_t array = 0; array < arrays.size(); ++array)
        for (std::size_t index = 0; index < arrays[array].values->size(); ++index)
            if (where.starts_with(place_of(run.rnn_case, arrays[array], index) + ":")) return {array, index};
    return {};
}

/// The worst element first, then others spread over its array.
std::vector<std::size_t> checked_elements(const Element& worst, std::size_t count) {
    constexpr std::size_t others = 3;
    std::vector<std::size_t> chosen = {worst.index};
    for (std::size_t i = 0; i < others; ++i) add_once(chosen, i * count / others);
    return chosen;
}

std::string checks_of(const Facts& facts, const RnnRun& run, Checked& place) {
    const RnnCase& c = run.rnn_case;
    const RnnInputs inputs = make_inputs(c);
    const Computation computation = compute(c, inputs);
    const Limits limits = limits_for(c, inputs, computation, probes::reduced_precision(facts, run.gpu, c));
    const auto expected = arrays_of(c, computation.outputs), allowed = arrays_of(c, limits.allowed());
    const Element worst = worst_element(run, expected);
    place = checked(c, worst.array);
    std::string lines;
    for (const std::size_t index : checked_elements(worst, expected[worst.array].values->size()))
        lines += "    {" + std::to_string(index) + ", " + exact_number((*expected[worst.array].values)[index]) + ", " +
                 exact_number((*allowed[worst.array].values)[index]) + "},  // " +
                 place_of(c, expected[worst.array], index) + "\n";
    return lines;
}

/// Of a std::vector, as it is made.
std::string lengths_of(const RnnCase& c) {
    if (c.lengths.empty()) return "(batch, steps)";
    constexpr std::size_t numbers_in_line = 20;
    std::string text;
    for (std::size_t i = 0; i < c.lengths.size(); ++i)
        text += (i == 0 ? "" : i % numbers_in_line == 0 ? ",\n    " : ", ") + std::to_string(c.lengths[i]);
    return " = {" + text + "}";
}

/// cuDNN's names for the values of the case.
std::string choices_of(const RnnCase& c) {
    const auto constant = [](const char* name, const std::string& value) {
        return std::string("constexpr auto ") + name + " = CUDNN_" + value + ";\n";
    };
    return constant("type", "DATA_" + word(c.dtype, {"DOUBLE", "FLOAT", "HALF", "BFLOAT16"})) +
           constant("sums", c.dtype == Dtype::fp64 ? "DATA_DOUBLE" : "DATA_FLOAT") +
           constant("cell", word(c.cell, {"LSTM", "GRU", "RNN_TANH", "RNN_RELU"})) +
           constant("math", word(c.math, {"DEFAULT", "TENSOR_OP", "FMA"}) + "_MATH") +
           constant("algorithm", "RNN_ALGO_" + word(c.algorithm, {"STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC",
                                                                  "PERSIST_STATIC_SMALL_H"})) +
           constant("direction", word(c.direction, {"UNIDIRECTIONAL", "BIDIRECTIONAL"})) +
           constant("layout", "RNN_DATA_LAYOUT_" +
                                  word(c.layout, {"SEQ_MAJOR_UNPACKED", "SEQ_MAJOR_PACKED", "BATCH_MAJOR_UNPACKED"})) +
           constant("bias_mode",
                    "RNN_" + word(c.bias, {"NO_BIAS", "SINGLE_INP_BIAS", "SINGLE_REC_BIAS", "DOUBLE_BIAS"})) +
           constant("input_mode", word(c.input_mode, {"LINEAR_INPUT", "SKIP_INPUT"}));
}

std::string sizes_of(const RnnCase& c, int device) {
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    const bool both = c.bias == BiasMode::both;
    std::ostringstream out;
    out << "constexpr bool input_bias = " << flag(both || c.bias == BiasMode::input)
        << ", recurrent_bias = " << flag(both || c.bias == BiasMode::recurrent) << ";\n"
        << "constexpr bool states = " << flag(c.states) << ", training = " << flag(c.training) << ";\n"
        << "constexpr int device = " << device << ", layers = " << c.layers << ", directions = " << c.directions()
        << ", gates = " << gates_of(c.cell) << ", batch = " << c.batch << ", steps = " << c.sequence_length << ";\n"
        << "constexpr int input = " << c.input << ", hidden = " << c.hidden << ", output = " << c.output() << ";\n"
        << "constexpr double clip = " << exact_number(c.clip) << ";\n"
        << "const std::vector<int> lengths" << lengths_of(c) << ";\n"
        << "uint64_t key = 0x" << std::hex << key_of(c) << "u;\n";
    return out.str();
}

/// What the case needs to hold its numbers.
std::string number_type(Dtype dtype) {
    const std::string type = word(dtype, {"double", "float", "__half", "__nv_bfloat16"});
    return "using Number = " + type + ";\nNumber narrow(double from) { return " +
           word(dtype, {"double", "float", "__double2half", "__double2bfloat16"}) +
           "(from); }\ndouble wide(Number from) { return " +
           word(dtype, {"double", "double", "__half2float", "__bfloat162float"}) + "(from); }\n";
}

}  // namespace

std::string reproducer(const Facts& facts, const RnnRun& run) {
    const RnnCase& c = run.rnn_case;
    Checked place;
    const std::string checks = checks_of(facts, run, place);
    const bool sequences = place.array == "y" || place.array == "dx";
    std::ostringstream out;
    out << "// " << one_line(what_happened(run)) << "\n// Seen with " << one_line(seen_with(facts, run))
        << ". Written by rnncheck " << version_of_rnncheck() << " for the case\n//   " << one_line(options_of(c), 400)
        << "\n// Build and run (exit code 0: correct, 1: a number is incorrect, 2: a call failed):\n"
           "//   g++ -std=c++17 repro.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudnn -lcudart -o repro "
           "&& ./repro\n"
        << word(c.dtype, {"", "", "#include <cuda_fp16.h>\n", "#include <cuda_bf16.h>\n"})
        << "#include <cuda_runtime.h>\n#include <cudnn.h>\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n"
           "#include <cstdlib>\n#include <vector>\n"
        << number_type(c.dtype) << choices_of(c) << sizes_of(c, run.gpu)
        << "// What must come out: cudnnRNNMode_t's equations in fp64 on the numbers below, and how far the device may "
           "be "
           "from it.\n"
           "const struct { size_t index; double expected, limit; } checks[] = {\n"
        << checks << "};\nconst char* const checked = \"" << place.array << "\";\n#define CHECKED " << place.from()
        << "\n#define CHECKED_COLUMNS "
        << (!sequences            ? "0"
            : place.array == "dx" ? "input"
                                  : "width")
        << program;
    return out.str();
}

}  // namespace rnncheck
