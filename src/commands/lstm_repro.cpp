#include "commands/lstm_repro.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string_view>

#include "base/program.hpp"
#include "base/text.hpp"
#include "rnn/compare.hpp"
#include "rnn/network.hpp"
#include "rnn/options.hpp"
#include "support/rnn.hpp"

namespace rnncheck {

namespace {

/// The program: words between @ are filled in, and a line that begins with ?NAME is there only for a case that has
/// NAME.
constexpr std::string_view reproducer_text = R"repro(// @WHAT@
// Seen with @SEEN@. Written by rnncheck @VERSION@ for the case
//   @CASE@
// Build and run (exit code 0: right, 1: a number is wrong, 2: a call failed):
//   g++ -std=c++17 repro.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudnn -lcudart -o repro && ./repro
?FP16 #include <cuda_fp16.h>
?BF16 #include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cudnn.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
using Number = @NUMBER@;
Number narrow(double from) { return @NARROW@(from); }
constexpr cudnnDataType_t type = CUDNN_DATA_@TYPE@;
constexpr int layers = @LAYERS@, directions = @DIRECTIONS@, gates = @GATES@, batch = @BATCH@, steps = @STEPS@;
constexpr int input = @INPUT@, hidden = @HIDDEN@, output = @OUTPUT@, width = directions * output;
const std::vector<int> lengths@LENGTHS@;
// What must come out: cudnnRNNMode_t's equations in fp64 on the numbers below, and how far the device may be from it.
const struct { size_t index; double expected, limit; } checks[] = {
@CHECKS@};
#define CUDA(call) check(#call, call, [](int e) { return cudaGetErrorString(cudaError_t(e)); })
#define CUDNN(call) check(#call, call, [](int e) { return cudnnGetErrorString(cudnnStatus_t(e)); })
template <class Text> void check(const char* call, int error, Text text) {
    if (error == 0) return;
    printf("FAILED: %d %s from %s\n", error, text(error), call), exit(2);
}
// All inputs: number n of a stream is the finalizer of SplitMix64 on the stream's key and n.
uint64_t key = @KEY@u;
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
    CUDA(cudaSetDevice(@DEVICE@));
    CUDNN(cudnnCreate(&handle)); CUDNN(cudnnCreateDropoutDescriptor(&dropout)); CUDNN(cudnnCreateRNNDescriptor(&rnn));
    CUDNN(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
    CUDNN(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_@ALGORITHM@, @CELL@, CUDNN_RNN_@BIAS@, @DIRECTION@,
        CUDNN_@MODE@, type, CUDNN_DATA_@SUMS@, CUDNN_@MATH@_MATH, input, hidden, output, layers, dropout, @FLAGS@));
?CLIP     CUDNN(cudnnRNNSetClip_v8(rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -@CLIPPED@, @CLIPPED@));
    for (int i = 0; i < batch * steps; ++i) {
?BY_BATCH         const int sequence = i / steps, step = i % steps;
?BY_STEP         const int sequence = i % batch, step = i / batch;
?PACKED         if (step < lengths[sequence])
        rows.push_back(size_t(sequence) * steps + step);
    }
    CUDNN(cudnnCreateRNNDataDescriptor(&x_is)); CUDNN(cudnnCreateRNNDataDescriptor(&y_is));
    constexpr auto layout = CUDNN_RNN_DATA_LAYOUT_@LAYOUT@;
    double zero = 0;  // in every type
    CUDNN(cudnnSetRNNDataDescriptor(x_is, type, layout, steps, batch, input, lengths.data(), &zero));
    CUDNN(cudnnSetRNNDataDescriptor(y_is, type, layout, steps, batch, width, lengths.data(), &zero));
    cudnnTensorDescriptor_t h_is, c_is, matrix_is, bias_is;
    for (auto* tensor : {&h_is, &c_is, &matrix_is, &bias_is}) CUDNN(cudnnCreateTensorDescriptor(tensor));
    const int h_sizes[] = {layers * directions, batch, output}, h_strides[] = {batch * output, output, 1};
    const int c_sizes[] = {layers * directions, batch, hidden}, c_strides[] = {batch * hidden, hidden, 1};
    CUDNN(cudnnSetTensorNdDescriptor(h_is, type, 3, h_sizes, h_strides));
    CUDNN(cudnnSetTensorNdDescriptor(c_is, type, 3, c_sizes, c_strides));
    size_t w_bytes, work_bytes, reserve_bytes;
    CUDNN(cudnnGetRNNWeightSpaceSize(handle, rnn, &w_bytes));
    CUDNN(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_@PASS@, x_is, &work_bytes, &reserve_bytes));
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
?LINEAR             weights(layer, gate, false, size_t(hidden) * (layer < directions ? input : width));
?SKIP             if (layer >= directions) weights(layer, gate, false, size_t(hidden) * width);
            weights(layer, gate + gates, false, size_t(hidden) * output);
?INPUT_BIAS             weights(layer, gate, true, hidden);
?RECURRENT_BIAS             weights(layer, gate + gates, true, hidden);
        }
?PROJECTED         weights(layer, 8, false, size_t(output) * hidden);
    }
    const size_t states = size_t(layers) * directions * batch;
    void *hx = nullptr, *cx = nullptr, *hy = filled(states * output * sizeof(Number)), *cy = @C_SPACE@;
    void *x = in_memory_order(stream(size_t(batch) * steps * input, 0), input), *y = filled(rows.size() * width * sizeof(Number));
?STATES     hx = copied(stream(states * output, 1));
?CELLS     cx = copied(stream(states * hidden, @BOUND@));
?TRAINING     void *dhy = nullptr, *dcy = nullptr, *dw = filled(w_bytes, 0), *dx = filled(rows.size() * input * sizeof(Number));
?TRAINING     void *dhx = filled(states * output * sizeof(Number)), *dcx = @C_SPACE@;
?TRAINING     auto dy_all = stream(size_t(batch) * steps * width, 0);
?TRAINING ?RAGGED     for (size_t i = 0; i < dy_all.size(); ++i)
?TRAINING ?RAGGED         if (int(i / width % steps) >= lengths[i / width / steps]) dy_all[i] = narrow(0);
?TRAINING     void* dy = in_memory_order(dy_all, width);
?TRAINING ?STATES     dhy = copied(stream(states * output, 1));
?TRAINING ?CELLS     dcy = copied(stream(states * hidden, @BOUND@));
    const auto* length = static_cast<const int*>(copied(lengths));
?DYNAMIC     CUDNN(cudnnBuildRNNDynamic(handle, rnn, batch));
    CUDNN(cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_@PASS@, length, x_is, x, y_is, y, h_is, hx, hy, @C_IS@, cx, cy,
        w_bytes, w, work_bytes, work, reserve_bytes, reserve));
?TRAINING     CUDNN(cudnnRNNBackwardData_v8(handle, rnn, length, y_is, y, dy, x_is, dx, h_is, hx, dhy, dhx, @C_IS@, cx, dcy,
?TRAINING         dcx, w_bytes, w, work_bytes, work, reserve_bytes, reserve));
?TRAINING     CUDNN(cudnnRNNBackwardWeights_v8(handle, rnn, CUDNN_WGRAD_MODE_ADD, length, x_is, x, h_is, hx, y_is, y,
?TRAINING         w_bytes, dw, work_bytes, work, reserve_bytes, reserve));
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (const auto& c : checks) {
        size_t at = c.index;
?SEQUENCES         for (size_t row = 0; row < rows.size(); ++row)
?SEQUENCES             if (rows[row] == c.index / @COLUMNS@) at = row * @COLUMNS@ + c.index % @COLUMNS@;
        Number number;
        CUDA(cudaMemcpy(&number, static_cast<const Number*>(@FROM@) + at, sizeof number, cudaMemcpyDeviceToHost));
        const double found = @WIDE@(number);
        const bool right = std::abs(found - c.expected) <= c.limit;
        printf("@ARRAY@[%zu]: found %.9g, expected %.9g +- %.3g: %s\n", at, found, c.expected, c.limit, right ? "OK" : "WRONG");
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
    for (const Gpu& gpu : facts.cuda_devices) {
        if (gpu.index != run.gpu) continue;
        if (gpu.name) parts.push_back(*gpu.name);
        if (gpu.compute_capability) parts.push_back("compute capability " + gpu.compute_capability->text);
    }
    if (facts.driver.library_version) parts.push_back("driver " + facts.driver.library_version->text);
    return parts.empty() ? "a machine that was not told" : join(parts, ", ");
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
std::vector<std::size_t> told_elements(const Element& worst, std::size_t count) {
    constexpr std::size_t others = 3;
    std::vector<std::size_t> told = {worst.index};
    for (std::size_t i = 0; i < others; ++i)
        if (const std::size_t at = i * count / others; std::ranges::find(told, at) == told.end()) told.push_back(at);
    return told;
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
    for (const std::size_t index : told_elements(worst, expected[worst.array].values->size()))
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

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(value));
    return text;
}

using Words = std::vector<std::pair<std::string, std::string>>;

Words sizes_of(const RnnCase& c) {
    const auto number = [](int value) { return std::to_string(value); };
    const bool lstm = c.cell == Cell::lstm;
    return {{"LAYERS", number(c.layers)},
            {"DIRECTIONS", number(c.directions())},
            {"GATES", number(gates_of(c.cell))},
            {"INPUT", number(c.input)},
            {"HIDDEN", number(c.hidden)},
            {"OUTPUT", number(c.output())},
            {"BATCH", number(c.batch)},
            {"STEPS", number(c.sequence_length)},
            {"CLIPPED", exact_number(c.clip)},
            {"LENGTHS", lengths_of(c)},
            {"BOUND", exact_number(c.clip > 0 ? std::min(1.0, c.clip) : 1)},
            {"C_IS", lstm ? "c_is" : "nullptr"},
            {"C_SPACE", lstm ? "filled(states * hidden * sizeof(Number))" : "nullptr"},
            {"FLAGS", c.layout == Layout::sequence_major_packed ? "0" : "CUDNN_RNN_PADDED_IO_ENABLED"},
            {"PASS", c.training ? "TRAINING" : "INFERENCE"}};
}

/// Names of the lines that the case needs.
std::set<std::string, std::less<>> lines_of(const RnnCase& c, const Checked& place) {
    const bool skip = c.input_mode == InputMode::skip, both = c.bias == BiasMode::both;
    const bool packed = c.layout == Layout::sequence_major_packed;
    const std::pair<const char*, bool> lines[] = {{"FP16", c.dtype == Dtype::fp16},
                                                  {"BF16", c.dtype == Dtype::bf16},
                                                  {"CLIP", c.clip > 0},
                                                  {"BY_BATCH", c.layout == Layout::batch_major},
                                                  {"BY_STEP", c.layout != Layout::batch_major},
                                                  {"PACKED", packed},
                                                  {"RAGGED", !c.lengths.empty()},
                                                  {"LINEAR", !skip},
                                                  {"SKIP", skip},
                                                  {"INPUT_BIAS", both || c.bias == BiasMode::input},
                                                  {"RECURRENT_BIAS", both || c.bias == BiasMode::recurrent},
                                                  {"PROJECTED", c.projection > 0},
                                                  {"STATES", c.states},
                                                  {"CELLS", c.states && c.cell == Cell::lstm},
                                                  {"TRAINING", c.training},
                                                  {"DYNAMIC", c.algorithm == Algorithm::persist_dynamic},
                                                  {"SEQUENCES", place.array == "y" || place.array == "dx"}};
    std::set<std::string, std::less<>> needed;
    for (const auto& [name, wanted] : lines)
        if (wanted) needed.insert(name);
    return needed;
}

/// The lines of the text that are needed, without their marks.
std::string chosen_lines(const std::set<std::string, std::less<>>& needed) {
    std::string source;
    for (const std::string& line : split(reproducer_text, '\n')) {
        std::string_view rest = line;
        bool wanted = true;
        while (rest.starts_with('?')) {
            const auto space = rest.find(' ');
            wanted &= needed.contains(rest.substr(1, space - 1));
            rest.remove_prefix(space + 1);
        }
        if (wanted) source += std::string(rest) + '\n';
    }
    while (source.ends_with("\n\n")) source.pop_back();
    return source;
}

Words choices_of(const RnnCase& c) {
    return {
        {"NUMBER", word(c.dtype, {"double", "float", "__half", "__nv_bfloat16"})},
        {"NARROW", word(c.dtype, {"double", "float", "__double2half", "__double2bfloat16"})},
        {"WIDE", word(c.dtype, {"double", "double", "__half2float", "__bfloat162float"})},
        {"TYPE", word(c.dtype, {"DOUBLE", "FLOAT", "HALF", "BFLOAT16"})},
        {"SUMS", c.dtype == Dtype::fp64 ? "DOUBLE" : "FLOAT"},
        {"CELL", word(c.cell, {"CUDNN_LSTM", "CUDNN_GRU", "CUDNN_RNN_TANH", "CUDNN_RNN_RELU"})},
        {"MATH", word(c.math, {"DEFAULT", "TENSOR_OP", "FMA"})},
        {"ALGORITHM", word(c.algorithm, {"STANDARD", "PERSIST_STATIC", "PERSIST_DYNAMIC", "PERSIST_STATIC_SMALL_H"})},
        {"DIRECTION", word(c.direction, {"CUDNN_UNIDIRECTIONAL", "CUDNN_BIDIRECTIONAL"})},
        {"LAYOUT", word(c.layout, {"SEQ_MAJOR_UNPACKED", "SEQ_MAJOR_PACKED", "BATCH_MAJOR_UNPACKED"})},
        {"BIAS", word(c.bias, {"NO_BIAS", "SINGLE_INP_BIAS", "SINGLE_REC_BIAS", "DOUBLE_BIAS"})},
        {"MODE", word(c.input_mode, {"LINEAR_INPUT", "SKIP_INPUT"})}};
}

}  // namespace

std::string reproducer(const Facts& facts, const RnnRun& run) {
    Checked place;
    const std::string checks = checks_of(facts, run, place);
    Words words = sizes_of(run.rnn_case);
    std::ranges::move(choices_of(run.rnn_case), std::back_inserter(words));
    std::ranges::move(Words{{"WHAT", one_line(what_happened(run))},
                            {"SEEN", one_line(seen_with(facts, run))},
                            {"CASE", one_line(options_of(run.rnn_case), 400)},
                            {"VERSION", std::string(version_of_rnncheck())},
                            {"KEY", hexadecimal(key_of(run.rnn_case))},
                            {"DEVICE", std::to_string(run.gpu)},
                            {"CHECKS", checks},
                            {"ARRAY", place.array},
                            {"FROM", place.from()},
                            {"COLUMNS", place.array == "dx" ? "input" : "width"}},
                      std::back_inserter(words));
    std::string source = chosen_lines(lines_of(run.rnn_case, place));
    for (const auto& [name, value] : words)
        for (auto at = source.find('@' + name + '@'); at != std::string::npos;
             at = source.find('@' + name + '@', at + value.size()))
            source.replace(at, name.size() + 2, value);
    return source;
}

}  // namespace rnncheck
