// The RNN interface of cuDNN 7 and 8.
#include <algorithm>

#include "vendor/lstm_common.hpp"

namespace rnncheck::vendor {

namespace {

/// One description per step, {sequences still alive, width, 1}. The interface for padded data (...Ex) takes these
/// for its size queries alone, and there every sequence counts at every step.
std::vector<TensorDescriptor> step_tensors(Bench& bench, const RnnCase& rnn_case, int width) {
    std::vector<TensorDescriptor> steps;
    int previous = -1;
    for (int step = 0; step < rnn_case.sequence_length; ++step) {
        int alive = rnn_case.batch;
        if (rnn_case.layout == Layout::sequence_major_packed && !rnn_case.lengths.empty())
            alive =
                static_cast<int>(std::ranges::count_if(rnn_case.lengths, [&](int length) { return step < length; }));
        steps.push_back(alive == previous ? steps.back() : bench.tensor(rnn_case.dtype, {alive, width, 1}));
        previous = alive;
    }
    return steps;
}

/// Equal lengths one step after the other, and packed data, are what the plain call takes.
bool wants_padding(const RnnCase& rnn_case) {
    return rnn_case.layout == Layout::batch_major ||
           (rnn_case.layout == Layout::sequence_major && !rnn_case.lengths.empty());
}

RnnDescriptor describe_rnn(Bench& bench, const RnnCase& rnn_case) {
    const Session& session = bench.session();
    const CudnnApi& cudnn = session.cudnn;
    const RnnDescriptor rnn = bench.rnn_descriptor();
    bench.cudnn(cudnn.cudnnSetRNNDescriptor_v6, session.handle, rnn, rnn_case.hidden, rnn_case.layers,
                session.no_dropout, linear_input, direction_number(rnn_case.direction), mode_lstm,
                algorithm_number(rnn_case.algorithm), precision_number(rnn_case.dtype));
    bench.cudnn(cudnn.cudnnSetRNNMatrixMathType, rnn, math_number(rnn_case.math));
    if (wants_padding(rnn_case)) bench.cudnn(cudnn.cudnnSetRNNPaddingMode, rnn, padded_io);
    return rnn;
}

void plan_dynamic(Bench& bench, RnnDescriptor rnn, const RnnCase& rnn_case) {
    const CudnnApi& cudnn = bench.session().cudnn;
    PersistentPlan plan = nullptr;
    bench.cudnn(cudnn.cudnnCreatePersistentRNNPlan, rnn, rnn_case.batch, data_type_number(rnn_case.dtype), &plan);
    bench.cudnn(cudnn.cudnnSetPersistentRNNPlan, rnn, plan);
}

long long elements(Bench& bench, FilterDescriptor filter) {
    int type = 0, format = 0, dimensions = 0, sizes[3] = {};
    bench.cudnn(bench.session().cudnn.cudnnGetFilterNdDescriptor, filter, 3, &type, &format, &dimensions, sizes);
    return static_cast<long long>(sizes[0]) * sizes[1] * sizes[2];
}

/// The weight space as a filter {elements, 1, 1}.
FilterDescriptor weight_filter(Bench& bench, const RnnCase& rnn_case, std::size_t bytes) {
    const FilterDescriptor filter = bench.filter();
    const int sizes[3] = {static_cast<int>(bytes / bytes_of(rnn_case.dtype)), 1, 1};
    constexpr int nchw = 0;  // cudnnTensorFormat_t
    bench.cudnn(bench.session().cudnn.cudnnSetFilterNdDescriptor, filter, data_type_number(rnn_case.dtype), nchw, 3,
                sizes);
    return filter;
}

void place_weights(Bench& bench, RnnDescriptor rnn, TensorDescriptor x, FilterDescriptor filter,
                   const DeviceImage& image, WeightImage& space) {
    const Session& session = bench.session();
    const FilterDescriptor part = bench.filter();
    const auto place = [&](const auto& ask, int layer, int linear, std::span<const std::byte> values) {
        void* where = nullptr;
        bench.cudnn(ask, session.handle, rnn, layer, x, filter, address(space.base()), linear, part, &where);
        space.place(ask.name, where, elements(bench, part), values);
    };
    for (std::size_t layer = 0; layer < image.layers.size() && !bench.failed(); ++layer)
        for (int linear = 0; linear < linear_layers; ++linear) {
            const int pseudo_layer = static_cast<int>(layer);
            const DeviceImage::Layer& parts = image.layers[layer];
            const auto index = static_cast<std::size_t>(linear);
            place(session.cudnn.cudnnGetRNNLinLayerMatrixParams, pseudo_layer, linear, parts.matrices[index]);
            place(session.cudnn.cudnnGetRNNLinLayerBiasParams, pseudo_layer, linear, parts.biases[index]);
        }
    space.upload();
}

/// Descriptions and memory of one case, ready to run.
struct Prepared {
    RnnDescriptor rnn;
    std::vector<TensorDescriptor> x_steps, y_steps;
    TensorDescriptor states;
    FilterDescriptor filter;
    DevicePointer weights, work;
    std::size_t work_bytes;
    DeviceData data;
};

void run_plain(Bench& bench, const RnnCase& rnn_case, const Prepared& ready, LstmRun& run) {
    const DeviceData& data = ready.data;
    run_twice(
        bench, rnn_case, data,
        [&] {
            bench.cudnn(bench.session().cudnn.cudnnRNNForwardInference, bench.session().handle, ready.rnn,
                        rnn_case.sequence_length, ready.x_steps.data(), address(data.x), ready.states, address(data.hx),
                        ready.states, address(data.cx), ready.filter, address(ready.weights), ready.y_steps.data(),
                        address(data.y), ready.states, address(data.hy), ready.states, address(data.cy),
                        address(ready.work), ready.work_bytes);
        },
        run);
}

void run_padded(Bench& bench, const RnnCase& rnn_case, const Prepared& ready, LstmRun& run) {
    const DeviceData& data = ready.data;
    const RnnDataDescriptor x = bench.sequences(rnn_case, rnn_case.input);
    const RnnDataDescriptor y = bench.sequences(rnn_case, rnn_case.directions() * rnn_case.hidden);
    run_twice(
        bench, rnn_case, data,
        [&] {
            bench.cudnn(bench.session().cudnn.cudnnRNNForwardInferenceEx, bench.session().handle, ready.rnn, x,
                        address(data.x), ready.states, address(data.hx), ready.states, address(data.cx), ready.filter,
                        address(ready.weights), y, address(data.y), ready.states, address(data.hy), ready.states,
                        address(data.cy), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        address(ready.work), ready.work_bytes);
        },
        run);
}

}  // namespace

void run_legacy(Bench& bench, const RnnCase& rnn_case, const DeviceImage& image, LstmRun& run) {
    const Session& session = bench.session();
    Prepared ready{};
    ready.rnn = describe_rnn(bench, rnn_case);
    ready.x_steps = step_tensors(bench, rnn_case, rnn_case.input);
    ready.y_steps = step_tensors(bench, rnn_case, rnn_case.directions() * rnn_case.hidden);
    ready.states =
        bench.tensor(rnn_case.dtype, {rnn_case.layers * rnn_case.directions(), rnn_case.batch, rnn_case.hidden});
    if (rnn_case.algorithm == Algorithm::persist_dynamic) plan_dynamic(bench, ready.rnn, rnn_case);

    std::size_t weight_bytes = 0;
    bench.cudnn(session.cudnn.cudnnGetRNNParamsSize, session.handle, ready.rnn, ready.x_steps.front(), &weight_bytes,
                data_type_number(rnn_case.dtype));
    bench.cudnn(session.cudnn.cudnnGetRNNWorkspaceSize, session.handle, ready.rnn, rnn_case.sequence_length,
                ready.x_steps.data(), &ready.work_bytes);
    run.workspace_bytes = ready.work_bytes;

    WeightImage weights(bench, rnn_case.dtype, weight_bytes);
    ready.weights = weights.base();
    ready.filter = weight_filter(bench, rnn_case, weight_bytes);
    place_weights(bench, ready.rnn, ready.x_steps.front(), ready.filter, image, weights);
    ready.data = put_data(bench, rnn_case, image);
    ready.work = bench.allocate(ready.work_bytes);
    if (wants_padding(rnn_case))
        run_padded(bench, rnn_case, ready, run);
    else
        run_plain(bench, rnn_case, ready, run);
}

}  // namespace rnncheck::vendor
