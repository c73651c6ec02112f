#include "vendor/lstm_common.hpp"

#include <algorithm>
#include <chrono>

namespace rnncheck::vendor {

namespace {

std::size_t size(int number) {
    return static_cast<std::size_t>(number);
}

/// Rows of the case's x and y in memory order, each as its place in [sequence][step].
std::vector<std::size_t> rows_in_memory(const RnnCase& rnn_case) {
    std::vector<std::size_t> rows;
    const auto row = [&](int sequence, int step) {
        return size(sequence) * size(rnn_case.sequence_length) + size(step);
    };
    if (rnn_case.layout == Layout::batch_major) {
        for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
            for (int step = 0; step < rnn_case.sequence_length; ++step) rows.push_back(row(sequence, step));
        return rows;
    }
    const bool packed = rnn_case.layout == Layout::sequence_major_packed;
    for (int step = 0; step < rnn_case.sequence_length; ++step)
        for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
            if (!packed || step < rnn_case.length_of(sequence)) rows.push_back(row(sequence, step));
    return rows;
}

/// From [sequence][step][width] to the case's layout.
std::vector<double> to_layout(const RnnCase& rnn_case, const std::vector<double>& values, std::size_t width) {
    std::vector<double> ordered;
    for (const std::size_t row : rows_in_memory(rnn_case)) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(row * width);
        ordered.insert(ordered.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
    return ordered;
}

/// And back; what a packed layout does not hold is zero.
std::vector<double> from_layout(const RnnCase& rnn_case, const std::vector<double>& ordered, std::size_t width) {
    std::vector<double> values(size(rnn_case.batch) * size(rnn_case.sequence_length) * width);
    auto from = ordered.begin();
    for (const std::size_t row : rows_in_memory(rnn_case)) {
        std::copy_n(from, width, values.begin() + static_cast<std::ptrdiff_t>(row * width));
        from += static_cast<std::ptrdiff_t>(width);
    }
    return values;
}

std::size_t output_width(const RnnCase& rnn_case) {
    return size(rnn_case.directions()) * size(rnn_case.hidden);
}

struct OutputBytes {
    std::vector<std::byte> y, hy, cy;
    bool operator==(const OutputBytes&) const = default;
};

void poison(Bench& bench, const DeviceData& data) {
    const CudaApi& cuda = bench.session().cuda;
    bench.cuda(cuda.cuMemsetD8_v2, data.y, static_cast<unsigned char>(0xFF), data.y_bytes);
    bench.cuda(cuda.cuMemsetD8_v2, data.hy, static_cast<unsigned char>(0xFF), data.state_bytes);
    bench.cuda(cuda.cuMemsetD8_v2, data.cy, static_cast<unsigned char>(0xFF), data.state_bytes);
    bench.cuda(cuda.cuCtxSynchronize);
}

OutputBytes run_once(Bench& bench, const DeviceData& data, const std::function<void()>& forward, double& milliseconds) {
    poison(bench, data);
    const auto start = std::chrono::steady_clock::now();
    forward();
    bench.cuda(bench.session().cuda.cuCtxSynchronize);
    milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return {bench.download(data.y, data.y_bytes), bench.download(data.hy, data.state_bytes),
            bench.download(data.cy, data.state_bytes)};
}

}  // namespace

DeviceImage device_image(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const auto bytes = [&](const std::vector<double>& values) { return encode(values, rnn_case.dtype); };
    DeviceImage image;
    image.x = bytes(to_layout(rnn_case, inputs.x, size(rnn_case.input)));
    image.hx = bytes(inputs.hx);
    image.cx = bytes(inputs.cx);
    for (const LayerWeights& weights : inputs.layers) {
        DeviceImage::Layer& layer = image.layers.emplace_back();
        for (std::size_t gate = 0; gate < 4; ++gate) {
            layer.matrices[gate] = bytes(weights.input[gate]);
            layer.matrices[gate + 4] = bytes(weights.recurrent[gate]);
            layer.biases[gate] = bytes(weights.input_bias[gate]);
            layer.biases[gate + 4] = bytes(weights.recurrent_bias[gate]);
        }
    }
    return image;
}

DeviceData put_data(Bench& bench, const RnnCase& rnn_case, const DeviceImage& image) {
    DeviceData data;
    data.x = bench.upload(image.x);
    data.hx = bench.upload(image.hx);
    data.cx = bench.upload(image.cx);
    std::vector<std::int32_t> lengths;
    for (int sequence = 0; sequence < rnn_case.batch; ++sequence) lengths.push_back(rnn_case.length_of(sequence));
    data.lengths = bench.upload(std::as_bytes(std::span(lengths)));

    const std::size_t element = bytes_of(rnn_case.dtype);
    data.y_bytes = rows_in_memory(rnn_case).size() * output_width(rnn_case) * element;
    data.state_bytes = size(rnn_case.layers) * output_width(rnn_case) * size(rnn_case.batch) * element;
    data.y = bench.allocate(data.y_bytes);
    data.hy = bench.allocate(data.state_bytes);
    data.cy = bench.allocate(data.state_bytes);
    return data;
}

WeightImage::WeightImage(Bench& bench, Dtype dtype, std::size_t bytes)
    : bench_(bench), dtype_(dtype), base_(bench.allocate(bytes)), image_(bench.failed() ? 0 : bytes) {}

void WeightImage::place(const char* call, const void* where, long long elements, std::span<const std::byte> values) {
    if (bench_.failed()) return;
    const auto wanted = static_cast<long long>(values.size() / bytes_of(dtype_));
    if (elements != wanted)
        return bench_.impossible(
            call, "it described " + std::to_string(elements) + " weights where there are " + std::to_string(wanted));
    const auto begin = reinterpret_cast<DevicePointer>(where);
    if (begin < base_ || begin - base_ > image_.size() || values.size() > image_.size() - (begin - base_))
        return bench_.impossible(call, "it gave an address outside the weight space");
    std::copy(values.begin(), values.end(), image_.begin() + static_cast<std::ptrdiff_t>(begin - base_));
}

void WeightImage::upload() {
    bench_.cuda(bench_.session().cuda.cuMemcpyHtoD_v2, base_, image_.data(), image_.size());
}

void run_twice(Bench& bench, const RnnCase& rnn_case, const DeviceData& data, const std::function<void()>& forward,
               LstmRun& run) {
    const OutputBytes first = run_once(bench, data, forward, run.first_ms);
    const OutputBytes again = run_once(bench, data, forward, run.again_ms);
    if (bench.failed()) return;
    run.repeatable = first == again;
    run.outputs.y = from_layout(rnn_case, decode(first.y, rnn_case.dtype), output_width(rnn_case));
    run.outputs.hy = decode(first.hy, rnn_case.dtype);
    run.outputs.cy = decode(first.cy, rnn_case.dtype);
}

}  // namespace rnncheck::vendor
