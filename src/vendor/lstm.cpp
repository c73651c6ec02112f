// Numbers between the reference's layout and cuDNN's, which differ in the order
// of rows and in whether padding has a place.
#include <algorithm>
#include <numeric>

#include "rnn/layer.hpp"
#include "vendor/case_run.hpp"

namespace rnncheck::vendor {

/// cuDNN's batch-major data are padded, sequence-major ones may be padded or
/// packed (cudnnRNNDataLayout_t in cudnn_adv.h).
/// Rows of the case's x and y in memory order, each as its place in [sequence][step].
static std::vector<std::size_t> rows_in_memory(const RnnCase& rnn_case) {
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
            if (!packed || step < rnn_case.length_of(sequence))
                rows.push_back(place.row(sequence, step));
    return rows;
}

/// from_layout() the other way.
static std::vector<double> to_layout(
    const RnnCase& rnn_case, const std::vector<double>& values, int width) {
    std::vector<double> ordered;
    if (values.empty())
        return ordered;
    for (const std::size_t row : rows_in_memory(rnn_case)) {
        const auto from = values.begin() + static_cast<std::ptrdiff_t>(row * size(width));
        ordered.insert(ordered.end(), from, from + width);
    }
    return ordered;
}

/// Linear layers 0 to 2 * gates - 1 exist in every cell; the projection is 8,
/// whatever the cell (cudnnGetRNNWeightParams).
bool has_linear_layer(const RnnCase& rnn_case, int linear) {
    return linear < 2 * gates_of(rnn_case.cell) ||
           (linear == projection_layer && rnn_case.projection > 0);
}

std::vector<double> from_layout(
    const RnnCase& rnn_case, const std::vector<double>& ordered, int width) {
    if (ordered.empty())
        return {};
    std::vector<double> values(LayerPlace{rnn_case, 0}.rows() * size(width));
    auto from = ordered.begin();
    for (const std::size_t row : rows_in_memory(rnn_case)) {
        std::copy_n(from, width, values.begin() + static_cast<std::ptrdiff_t>(row * size(width)));
        from += width;
    }
    return values;
}

/// The weights stay layer by layer: only cuDNN knows where they go, see CaseRun::place.
DeviceImage device_image(const RnnCase& rnn_case, const RnnInputs& inputs) {
    const auto bytes = [&](const std::vector<double>& values) {
        return encode(values, rnn_case.dtype);
    };
    DeviceImage image;
    image.x = bytes(to_layout(rnn_case, inputs.x, rnn_case.input));
    image.dy = bytes(to_layout(rnn_case, inputs.dy, rnn_case.width()));
    image.hx = bytes(inputs.hx);
    image.cx = bytes(inputs.cx);
    image.dhy = bytes(inputs.dhy);
    image.dcy = bytes(inputs.dcy);
    for (const LayerWeights& weights : inputs.layers) {
        DeviceImage::Layer& layer = image.layers.emplace_back();
        for (int linear = 0; linear < linear_layers; ++linear) {
            if (!has_linear_layer(rnn_case, linear))
                continue;
            layer.matrices[size(linear)] = bytes(weights_of(rnn_case, weights, linear, false));
            if (linear != projection_layer)
                layer.biases[size(linear)] = bytes(weights_of(rnn_case, weights, linear, true));
        }
    }
    return image;
}

void start(Session& session) {
    Calls calls;
    const auto& cudnn = session.cudnn;
    calls(cudnn, cudnn.cudnnCreate, &session.handle);
    calls(cudnn, cudnn.cudnnCreateDropoutDescriptor, &session.no_dropout);
    // Without dropout no random numbers are made, so no state is needed;
    // PyTorch sets its descriptor the same way.
    calls(
        cudnn,
        cudnn.cudnnSetDropoutDescriptor,
        session.no_dropout,
        session.handle,
        0.0F,
        nullptr,
        std::size_t{0},
        0ULL);
    session.failure = calls.failure();
}

Outputs run_lstm(const Session& session, const DeviceImage& image, RnnRun& run) {
    const auto make_run = run.rnn_api == RnnApi::v8 ? v8_run : legacy_run;
    return make_run(session, run.rnn_case)->run_twice(image, run);
}

Spaces spaces_of(const Session& session, const RnnCase& rnn_case) {
    return v8_run(session, rnn_case)->spaces();
}

std::optional<CallResult> run_on_zeros(const Session& session, const RnnCase& rnn_case) {
    const auto run = v8_run(session, rnn_case);
    run->run_on_zeros();
    return run->failure();
}

}  // namespace rnncheck::vendor
