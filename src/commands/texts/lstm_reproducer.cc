// @SEEN@
// Build and run (exit code 0: correct, 1: a number is incorrect, 2: a call failed):
//   g++ -std=c++17 repro.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudnn -lcudart -o repro && ./repro
#include <cuda_runtime.h>
#include <cudnn.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
@CASE@
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
