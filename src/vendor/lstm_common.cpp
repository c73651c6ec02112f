#include "vendor/lstm_common.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

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
    if (values.empty()) return ordered;
    for (const std::size_t row : rows_in_memory(rnn_case)) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(row * width);
        ordered.insert(ordered.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
    return ordered;
}

/// And back; what a packed layout does not hold is zero.
std::vector<double> from_layout(const RnnCase& rnn_case, const std::vector<double>& ordered, std::size_t width) {
    if (ordered.empty()) return {};
    std::vector<double> values(size(rnn_case.batch) * size(rnn_case.sequence_length) * width);
    auto from = ordered.begin();
    for (const std::size_t row : rows_in_memory(rnn_case)) {
        std::copy_n(from, width, values.begin() + static_cast<std::ptrdiff_t>(row * width));
        from += static_cast<std::ptrdiff_t>(width);
    }
    return values;
}

std::size_t output_width(const RnnCase& rnn_case) {
    return size(rnn_case.directions()) * size(rnn_case.output());
}

struct OutputBytes {
    std::vector<std::byte> y, hy, cy, dx, dhx, dcx, dweights;
    bool operator==(const OutputBytes&) const = default;
};

/// Not-a-number everywhere, but for the gradients of weights: those are added to what is there.
void poison(Bench& bench, const DeviceData& data) {
    const auto& set = bench.session().cuda.cuMemsetD8_v2;
    for (const Memory* memory : {&data.y, &data.hy, &data.cy, &data.dx, &data.dhx, &data.dcx})
        if (memory->bytes > 0) bench.cuda(set, memory->at, static_cast<unsigned char>(0xFF), memory->bytes);
    if (data.dweights.bytes > 0) bench.cuda(set, data.dweights.at, static_cast<unsigned char>(0), data.dweights.bytes);
    bench.cuda(bench.session().cuda.cuCtxSynchronize);
}

OutputBytes run_once(Bench& bench, const DeviceData& data, const std::function<void()>& calls, double& milliseconds) {
    poison(bench, data);
    const auto start = std::chrono::steady_clock::now();
    calls();
    bench.cuda(bench.session().cuda.cuCtxSynchronize);
    milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const auto get = [&](const Memory& memory) {
        return memory.bytes > 0 ? bench.download(memory.at, memory.bytes) : std::vector<std::byte>();
    };
    return {get(data.y), get(data.hy), get(data.cy), get(data.dx), get(data.dhx), get(data.dcx), get(data.dweights)};
}

/// FNV-1a of every output's size and bytes, eight at a time.
std::uint64_t digest_of(const OutputBytes& outputs) {
    constexpr std::uint64_t prime = 0x100000001B3;
    std::uint64_t digest = 0xCBF29CE484222325;
    const auto take = [&](std::uint64_t word) { digest = (digest ^ word) * prime; };
    for (const auto* bytes :
         {&outputs.y, &outputs.hy, &outputs.cy, &outputs.dx, &outputs.dhx, &outputs.dcx, &outputs.dweights}) {
        take(bytes->size());
        for (std::size_t at = 0; at < bytes->size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes->data() + at, std::min(sizeof word, bytes->size() - at));
            take(word);
            digest ^= digest >> 29;
        }
    }
    return digest;
}

RnnOutputs decoded(const RnnCase& rnn_case, const OutputBytes& bytes, const WeightImage& weights) {
    const auto numbers = [&](const std::vector<std::byte>& from) { return decode(from, rnn_case.dtype); };
    RnnOutputs outputs;
    outputs.y = from_layout(rnn_case, numbers(bytes.y), output_width(rnn_case));
    outputs.hy = numbers(bytes.hy);
    outputs.cy = numbers(bytes.cy);
    if (!rnn_case.training) return outputs;
    outputs.dx = from_layout(rnn_case, numbers(bytes.dx), size(rnn_case.input));
    outputs.dhx = numbers(bytes.dhx);
    outputs.dcx = numbers(bytes.dcx);
    outputs.dweights = weights.read(rnn_case, bytes.dweights);
    return outputs;
}

}  // namespace

bool has_linear_layer(const RnnCase& rnn_case, int linear) {
    const int gates = gates_of(rnn_case.cell);
    return linear < 2 * gates || (linear == projection_layer && rnn_case.projection > 0);
}

DeviceImage device_image(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const auto bytes = [&](const std::vector<double>& values) { return encode(values, rnn_case.dtype); };
    DeviceImage image;
    image.x = bytes(to_layout(rnn_case, inputs.x, size(rnn_case.input)));
    image.dy = bytes(to_layout(rnn_case, inputs.dy, output_width(rnn_case)));
    image.hx = bytes(inputs.hx);
    image.cx = bytes(inputs.cx);
    image.dhy = bytes(inputs.dhy);
    image.dcy = bytes(inputs.dcy);
    const auto gates = size(gates_of(rnn_case.cell));
    for (const LayerWeights& weights : inputs.layers) {
        DeviceImage::Layer& layer = image.layers.emplace_back();
        for (std::size_t gate = 0; gate < gates; ++gate) {
            layer.matrices[gate] = bytes(weights.input[gate]);
            layer.matrices[gate + gates] = bytes(weights.recurrent[gate]);
            layer.biases[gate] = bytes(weights.input_bias[gate]);
            layer.biases[gate + gates] = bytes(weights.recurrent_bias[gate]);
        }
        if (rnn_case.projection > 0) layer.matrices[projection_layer] = bytes(weights.projection);
    }
    return image;
}

DeviceData put_data(Bench& bench, const RnnCase& rnn_case, const DeviceImage& image) {
    DeviceData data;
    data.x = bench.upload(image.x);
    data.hx = bench.upload(image.hx);
    data.cx = bench.upload(image.cx);
    data.dy = bench.upload(image.dy);
    data.dhy = bench.upload(image.dhy);
    data.dcy = bench.upload(image.dcy);
    std::vector<std::int32_t> lengths;
    for (int sequence = 0; sequence < rnn_case.batch; ++sequence) lengths.push_back(rnn_case.length_of(sequence));
    data.lengths = bench.upload(std::as_bytes(std::span(lengths)));

    const std::size_t element = bytes_of(rnn_case.dtype);
    const std::size_t states = size(rnn_case.pseudo_layers()) * size(rnn_case.batch) * element;
    const auto make = [&](std::size_t bytes) { return Memory{bench.allocate(bytes), bytes}; };
    const bool lstm = rnn_case.cell == Cell::lstm;
    data.y = make(rows_in_memory(rnn_case).size() * output_width(rnn_case) * element);
    data.hy = make(states * size(rnn_case.output()));
    if (lstm) data.cy = make(states * size(rnn_case.hidden));
    if (!rnn_case.training) return data;
    data.dx = make(image.x.size());
    data.dhx = make(data.hy.bytes);
    if (lstm) data.dcx = make(data.cy.bytes);
    return data;
}

TensorDescriptor h_tensor(Bench& bench, const RnnCase& rnn_case) {
    return bench.tensor(rnn_case.dtype, {rnn_case.pseudo_layers(), rnn_case.batch, rnn_case.output()});
}

TensorDescriptor c_tensor(Bench& bench, const RnnCase& rnn_case) {
    if (rnn_case.cell != Cell::lstm) return nullptr;
    return bench.tensor(rnn_case.dtype, {rnn_case.pseudo_layers(), rnn_case.batch, rnn_case.hidden});
}

void run_twice(Bench& bench, const RnnCase& rnn_case, const DeviceData& data, const WeightImage& weights,
               const std::function<void()>& calls, LstmRun& run) {
    const OutputBytes first = run_once(bench, data, calls, run.first_ms);
    const OutputBytes again = run_once(bench, data, calls, run.repeat_ms);
    if (bench.failed()) return;
    run.repeatable = first == again;
    run.digest = digest_of(first);
    run.outputs = decoded(rnn_case, first, weights);
    if (!run.repeatable) run.outputs_again = decoded(rnn_case, again, weights);
}

}  // namespace rnncheck::vendor
