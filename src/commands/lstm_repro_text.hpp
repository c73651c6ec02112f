// The program that a reproducer is: words between @ are filled in, and a line that begins with ?NAME is there only for
// a case that has NAME.
#pragma once

#include <string_view>

namespace rnncheck {

inline constexpr std::string_view reproducer_text = R"repro(// @WHAT@
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
?FP32 Number narrow(double from) { return float(from); }
?FP64 Number narrow(double from) { return from; }
?FP16 Number narrow(double from) { return __double2half(from); }
?BF16 Number narrow(double from) { return __double2bfloat16(from); }
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

}  // namespace rnncheck
