#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "rnn/layer.hpp"
#include "vendor/rnn_runner.hpp"

namespace rnncheck::vendor {

namespace {

/// Rows of the case's x and y in memory order, each as its place in [sequence][step].
std::vector<std::size_t> rows_in_memory(const RnnCase& rnn_case) {
    std::vector<std::size_t> rows;
    const LayerPlace place{rnn_case, 0};
    if (rnn_case.layout == Layout::batch_major) {
        rows.resize(place.rows());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        return rows;
    }
    const bool packed = rnn_case.layout == Layout::sequence_major_packed;
    for (int step = 0; step < rnn_case.sequence_length; ++step)
        for (int sequence = 0; sequence < rnn_case.batch; ++sequence)
            if (!packed || step < rnn_case.length_of(sequence)) rows.push_back(place.row(sequence, step));
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

struct OutputBytes {
    std::vector<std::byte> y, hy, cy, dx, dhx, dcx, dweights;
    bool operator==(const OutputBytes&) const = default;
};

/// Not-a-number everywhere, but for the gradients of weights: those are added to what is there.
void poison(RnnRunner& runner, const DeviceData& data) {
    const auto& set = runner.session().cuda.cuMemsetD8_v2;
    for (const Memory* memory : all_results(data))
        if (memory->bytes > 0) runner.cuda(set, memory->at, static_cast<unsigned char>(0xFF), memory->bytes);
    if (data.dweights.bytes > 0) runner.cuda(set, data.dweights.at, static_cast<unsigned char>(0), data.dweights.bytes);
    runner.cuda(runner.session().cuda.cuCtxSynchronize);
}

OutputBytes run_once(RnnRunner& runner, const DeviceData& data, const std::function<void()>& calls,
                     double& milliseconds) {
    poison(runner, data);
    const auto start = std::chrono::steady_clock::now();
    calls();
    runner.cuda(runner.session().cuda.cuCtxSynchronize);
    milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    OutputBytes outputs;
    for (std::size_t i = 0; i < all_results(data).size(); ++i)
        *all_results(outputs)[i] = runner.download(*all_results(data)[i]);
    outputs.dweights = runner.download(data.dweights);
    return outputs;
}

/// FNV-1a of every output's size and bytes, eight at a time.
std::string digest_of(const OutputBytes& outputs) {
    constexpr std::uint64_t prime = 0x100000001B3;
    std::uint64_t digest = 0xCBF29CE484222325;
    const auto take = [&](std::uint64_t word) { digest = (digest ^ word) * prime; };
    const auto take_all = [&](const std::vector<std::byte>& bytes) {
        take(bytes.size());
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
            take(word);
            digest ^= digest >> 29;
        }
    };
    for (const auto* bytes : all_results(outputs)) take_all(*bytes);
    take_all(outputs.dweights);
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, digest);
    return text;
}

RnnOutputs decoded(const RnnCase& rnn_case, const OutputBytes& bytes, const WeightImage& weights) {
    RnnOutputs outputs;
    for (std::size_t i = 0; i < all_results(bytes).size(); ++i)
        *all_results(outputs)[i] = decode(*all_results(bytes)[i], rnn_case.dtype);
    outputs.y = from_layout(rnn_case, outputs.y, size(rnn_case.width()));
    outputs.dx = from_layout(rnn_case, outputs.dx, size(rnn_case.input));
    if (rnn_case.training) outputs.dweights = weights.read(rnn_case, bytes.dweights);
    return outputs;
}

/// The array of a part: gates on the input side, on the recurrent side, the projection.
std::vector<double>& array_of(const RnnCase& rnn_case, LayerWeights& weights, const WeightPart& part) {
    const int gates = gates_of(rnn_case.cell);
    if (part.linear == projection_layer) return weights.projection;
    if (part.bias)
        return part.linear < gates ? weights.input_bias[part.linear] : weights.recurrent_bias[part.linear - gates];
    return part.linear < gates ? weights.input[part.linear] : weights.recurrent[part.linear - gates];
}

}  // namespace

DataSizes sizes_of(const RnnCase& rnn_case) {
    std::size_t rows = LayerPlace{rnn_case, 0}.rows();
    if (rnn_case.layout == Layout::sequence_major_packed) {
        const std::vector<int> lengths = rnn_case.all_lengths();
        rows = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    }
    const std::size_t element = bytes_of(rnn_case.dtype);
    const std::size_t states = size(rnn_case.pseudo_layers()) * size(rnn_case.batch) * element;
    const std::size_t x = rows * size(rnn_case.input) * element, y = rows * size(rnn_case.width()) * element;
    const std::size_t h = states * size(rnn_case.output());
    const std::size_t c = rnn_case.cell == Cell::lstm ? states * size(rnn_case.hidden) : 0;
    const bool given = rnn_case.states, trained = rnn_case.training, both = given && trained;
    return {x, given * h, given * c, trained * y, both * h,    both * c,  // to the device
            y, h,         c,         trained * x, trained * h, trained * c};
}

DeviceData device_data(RnnRunner& runner, const RnnCase& rnn_case, const DeviceImage* image) {
    const DataSizes sizes = sizes_of(rnn_case);
    DeviceData data;
    for (std::size_t i = 0; i < all_inputs(data).size(); ++i)
        *all_inputs(data)[i] = image ? runner.upload(*all_inputs(*image)[i]) : runner.zeros(*all_inputs(sizes)[i]);
    const std::vector<std::int32_t> lengths = rnn_case.all_lengths();
    data.lengths = runner.upload(std::as_bytes(std::span(lengths)));
    for (std::size_t i = 0; i < all_results(data).size(); ++i)
        *all_results(data)[i] = {runner.allocate(*all_results(sizes)[i]), *all_results(sizes)[i]};
    return data;
}

bool has_linear_layer(const RnnCase& rnn_case, int linear) {
    const int gates = gates_of(rnn_case.cell);
    return linear < 2 * gates || (linear == projection_layer && rnn_case.projection > 0);
}

DeviceImage device_image(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const auto bytes = [&](const std::vector<double>& values) { return encode(values, rnn_case.dtype); };
    DeviceImage image;
    image.x = bytes(to_layout(rnn_case, inputs.x, size(rnn_case.input)));
    image.dy = bytes(to_layout(rnn_case, inputs.dy, size(rnn_case.width())));
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

TensorDescriptor h_tensor(RnnRunner& runner, const RnnCase& rnn_case) {
    return runner.tensor(rnn_case.dtype, {rnn_case.pseudo_layers(), rnn_case.batch, rnn_case.output()});
}

TensorDescriptor c_tensor(RnnRunner& runner, const RnnCase& rnn_case) {
    if (rnn_case.cell != Cell::lstm) return nullptr;
    return runner.tensor(rnn_case.dtype, {rnn_case.pseudo_layers(), rnn_case.batch, rnn_case.hidden});
}

void ReadyCase::allocate_spaces(RnnRunner& runner) {
    if (rnn_case.training) data.dweights = {runner.allocate(weight_bytes), weight_bytes};
    work = runner.allocate(work_bytes);
    reserve = runner.allocate(reserve_bytes);
}

void run_twice(RnnRunner& runner, ReadyCase& ready, const DeviceImage& image, const WeightImage& weights,
               const std::function<void()>& calls, RnnRun& run, Outputs& outputs) {
    double first_ms = 0, repeat_ms = 0;
    ready.data = device_data(runner, ready.rnn_case, &image);
    ready.allocate_spaces(runner);
    const OutputBytes first = run_once(runner, ready.data, calls, first_ms);
    const OutputBytes again = run_once(runner, ready.data, calls, repeat_ms);
    if (runner.failed()) return;
    run.first_ms = first_ms;
    run.repeat_ms = repeat_ms;
    run.weight_bytes = static_cast<std::int64_t>(ready.weight_bytes);
    run.workspace_bytes = static_cast<std::int64_t>(ready.work_bytes);
    if (run.rnn_case.training) run.reserve_bytes = static_cast<std::int64_t>(ready.reserve_bytes);
    run.bitwise_repeatable = first == again;
    run.digest = digest_of(first);
    outputs.first = decoded(run.rnn_case, first, weights);
    if (!*run.bitwise_repeatable) outputs.again = decoded(run.rnn_case, again, weights);
}

WeightImage::WeightImage(RnnRunner& runner, Dtype dtype, std::size_t bytes)
    : runner_(runner), dtype_(dtype), base_(runner.allocate(bytes)), image_(runner.failed() ? 0 : bytes) {}

void WeightImage::place(const char* call, const void* where, long long elements, const WeightPart& part,
                        std::span<const std::byte> values) {
    if (runner_.failed() || values.empty()) return;
    const auto wanted = static_cast<long long>(values.size() / bytes_of(dtype_));
    if (elements != wanted)
        return runner_.impossible(
            call, "it described " + std::to_string(elements) + " weights where there are " + std::to_string(wanted));
    const auto begin = reinterpret_cast<DevicePointer>(where);
    if (begin < base_ || begin - base_ > image_.size() || values.size() > image_.size() - (begin - base_))
        return runner_.impossible(call, "it gave an address outside the weight space");
    std::ranges::copy(values, image_.begin() + static_cast<std::ptrdiff_t>(begin - base_));
    placed_.push_back({part, static_cast<std::size_t>(begin - base_), values.size()});
}

void WeightImage::upload() {
    runner_.cuda(runner_.session().cuda.cuMemcpyHtoD_v2, base_, image_.data(), image_.size());
}

std::vector<LayerWeights> WeightImage::read(const RnnCase& rnn_case, std::span<const std::byte> space) const {
    std::vector<LayerWeights> layers(static_cast<std::size_t>(rnn_case.pseudo_layers()));
    for (const Placed& placed : placed_)
        array_of(rnn_case, layers[placed.part.pseudo_layer], placed.part) =
            decode(space.subspan(placed.begin, placed.bytes), dtype_);
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i].columns = static_cast<int>(i) < rnn_case.directions() ? rnn_case.input : rnn_case.width();
    return layers;
}

void start(Session& session) {
    Calls calls;
    const auto& cudnn = session.cudnn;
    calls(cudnn, cudnn.cudnnCreate, &session.handle);
    calls(cudnn, cudnn.cudnnCreateDropoutDescriptor, &session.no_dropout);
    // Without dropout no random numbers are made, so no state is needed; PyTorch sets its descriptor the same way.
    calls(cudnn, cudnn.cudnnSetDropoutDescriptor, session.no_dropout, session.handle, 0.0F, nullptr, std::size_t{0},
          0ULL);
    session.failure = calls.failure();
}

Outputs run_lstm(const Session& session, const DeviceImage& image, RnnRun& run) {
    Outputs outputs;
    RnnRunner runner(session);
    (run.dialect == Dialect::v8 ? v8::run : legacy::run)(runner, image, run, outputs);
    run.result = runner.failure();
    return outputs;
}

}  // namespace rnncheck::vendor
