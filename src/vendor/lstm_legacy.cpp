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

/// What came after 7.0 is only asked for where the case needs it.
RnnDescriptor describe_rnn(Bench& bench, const RnnCase& rnn_case) {
    const Session& session = bench.session();
    const CudnnApi& cudnn = session.cudnn;
    const RnnDescriptor rnn = bench.rnn_descriptor();
    bench.cudnn(cudnn.cudnnSetRNNDescriptor_v6, session.handle, rnn, rnn_case.hidden, rnn_case.layers,
                session.no_dropout, input_mode_number(rnn_case.input_mode), direction_number(rnn_case.direction),
                mode_number(rnn_case.cell), algorithm_number(rnn_case.algorithm), precision_number(rnn_case.dtype));
    bench.cudnn(cudnn.cudnnSetRNNMatrixMathType, rnn, math_number(rnn_case.math));
    if (rnn_case.bias != BiasMode::both) bench.cudnn(cudnn.cudnnSetRNNBiasMode, rnn, bias_number(rnn_case.bias));
    if (rnn_case.projection > 0)
        bench.cudnn(cudnn.cudnnSetRNNProjectionLayers, session.handle, rnn, rnn_case.projection, 0);
    if (rnn_case.clip > 0)
        bench.cudnn(cudnn.cudnnRNNSetClip, session.handle, rnn, clip_minmax, pass_on_nan, -rnn_case.clip,
                    rnn_case.clip);
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
                   const RnnCase& rnn_case, const DeviceImage& image, WeightImage& space) {
    const Session& session = bench.session();
    const FilterDescriptor found = bench.filter();
    const auto place = [&](const auto& ask, const WeightPart& part, std::span<const std::byte> values) {
        if (values.empty()) return;
        void* where = nullptr;
        bench.cudnn(ask, session.handle, rnn, static_cast<int>(part.pseudo_layer), x, filter, address(space.base()),
                    part.linear, found, &where);
        space.place(ask.name, where, elements(bench, found), part, values);
    };
    for (std::size_t layer = 0; layer < image.layers.size() && !bench.failed(); ++layer)
        for (int linear = 0; linear < linear_layers; ++linear) {
            if (!has_linear_layer(rnn_case, linear)) continue;
            const DeviceImage::Layer& parts = image.layers[layer];
            const auto index = static_cast<std::size_t>(linear);
            place(session.cudnn.cudnnGetRNNLinLayerMatrixParams, {layer, linear, false}, parts.matrices[index]);
            place(session.cudnn.cudnnGetRNNLinLayerBiasParams, {layer, linear, true}, parts.biases[index]);
        }
    space.upload();
}

/// Descriptions and memory of one case, ready to run.
struct Prepared {
    const RnnCase& rnn_case;
    RnnDescriptor rnn{};
    std::vector<TensorDescriptor> x_steps, y_steps;
    TensorDescriptor h{}, c{};
    FilterDescriptor filter{};
    DevicePointer weights = 0, work = 0, reserve = 0;
    std::size_t work_bytes = 0, reserve_bytes = 0;
    DeviceData data;
};

void run_plain(Bench& bench, const Prepared& ready) {
    const DeviceData& data = ready.data;
    bench.cudnn(bench.session().cudnn.cudnnRNNForwardInference, bench.session().handle, ready.rnn,
                ready.rnn_case.sequence_length, ready.x_steps.data(), address(data.x), ready.h, address(data.hx),
                ready.c, address(data.cx), ready.filter, address(ready.weights), ready.y_steps.data(),
                address(data.y.at), ready.h, address(data.hy.at), ready.c, address(data.cy.at), address(ready.work),
                ready.work_bytes);
}

void run_padded(Bench& bench, const Prepared& ready, RnnDataDescriptor x, RnnDataDescriptor y) {
    const DeviceData& data = ready.data;
    bench.cudnn(bench.session().cudnn.cudnnRNNForwardInferenceEx, bench.session().handle, ready.rnn, x, address(data.x),
                ready.h, address(data.hx), ready.c, address(data.cx), ready.filter, address(ready.weights), y,
                address(data.y.at), ready.h, address(data.hy.at), ready.c, address(data.cy.at), nullptr, nullptr,
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, address(ready.work), ready.work_bytes);
}

void run_training(Bench& bench, const Prepared& ready) {
    const DeviceData& data = ready.data;
    const CudnnApi& cudnn = bench.session().cudnn;
    const CudnnHandle handle = bench.session().handle;
    const int steps = ready.rnn_case.sequence_length;
    const TensorDescriptor *const x = ready.x_steps.data(), *const y = ready.y_steps.data();
    bench.cudnn(cudnn.cudnnRNNForwardTraining, handle, ready.rnn, steps, x, address(data.x), ready.h, address(data.hx),
                ready.c, address(data.cx), ready.filter, address(ready.weights), y, address(data.y.at), ready.h,
                address(data.hy.at), ready.c, address(data.cy.at), address(ready.work), ready.work_bytes,
                address(ready.reserve), ready.reserve_bytes);
    bench.cudnn(cudnn.cudnnRNNBackwardData, handle, ready.rnn, steps, y, address(data.y.at), y, address(data.dy),
                ready.h, address(data.dhy), ready.c, address(data.dcy), ready.filter, address(ready.weights), ready.h,
                address(data.hx), ready.c, address(data.cx), x, address(data.dx.at), ready.h, address(data.dhx.at),
                ready.c, address(data.dcx.at), address(ready.work), ready.work_bytes, address(ready.reserve),
                ready.reserve_bytes);
    bench.cudnn(cudnn.cudnnRNNBackwardWeights, handle, ready.rnn, steps, x, address(data.x), ready.h, address(data.hx),
                y, address(data.y.at), address(ready.work), ready.work_bytes, ready.filter, address(data.dweights.at),
                address(ready.reserve), ready.reserve_bytes);
}

std::function<void()> calls_of(Bench& bench, const Prepared& ready) {
    const RnnCase& rnn_case = ready.rnn_case;
    if (rnn_case.training) return [&] { run_training(bench, ready); };
    if (!wants_padding(rnn_case)) return [&] { run_plain(bench, ready); };
    const RnnDataDescriptor x = bench.sequences(rnn_case, rnn_case.input);
    const RnnDataDescriptor y = bench.sequences(rnn_case, rnn_case.directions() * rnn_case.output());
    return [&bench, &ready, x, y] { run_padded(bench, ready, x, y); };
}

/// Sizes and descriptions; the size of the weight space.
std::size_t prepare(Bench& bench, const RnnCase& rnn_case, Prepared& ready) {
    const Session& session = bench.session();
    ready.rnn = describe_rnn(bench, rnn_case);
    ready.x_steps = step_tensors(bench, rnn_case, rnn_case.input);
    ready.y_steps = step_tensors(bench, rnn_case, rnn_case.directions() * rnn_case.output());
    ready.h = h_tensor(bench, rnn_case);
    ready.c = c_tensor(bench, rnn_case);
    if (rnn_case.algorithm == Algorithm::persist_dynamic) plan_dynamic(bench, ready.rnn, rnn_case);
    std::size_t weight_bytes = 0;
    bench.cudnn(session.cudnn.cudnnGetRNNParamsSize, session.handle, ready.rnn, ready.x_steps.front(), &weight_bytes,
                data_type_number(rnn_case.dtype));
    bench.cudnn(session.cudnn.cudnnGetRNNWorkspaceSize, session.handle, ready.rnn, rnn_case.sequence_length,
                ready.x_steps.data(), &ready.work_bytes);
    if (rnn_case.training)
        bench.cudnn(session.cudnn.cudnnGetRNNTrainingReserveSize, session.handle, ready.rnn, rnn_case.sequence_length,
                    ready.x_steps.data(), &ready.reserve_bytes);
    bench.check_size(session.cudnn.cudnnGetRNNParamsSize.name, weight_bytes);
    bench.check_size(session.cudnn.cudnnGetRNNWorkspaceSize.name, ready.work_bytes);
    bench.check_size(session.cudnn.cudnnGetRNNTrainingReserveSize.name, ready.reserve_bytes);
    return weight_bytes;
}

}  // namespace

void run_legacy(Bench& bench, const RnnCase& rnn_case, const DeviceImage& image, LstmRun& run) {
    if (rnn_case.training && wants_padding(rnn_case))
        return bench.impossible("cudnnRNNForwardTraining", "it takes no padded sequences: only packed ones");
    Prepared ready{rnn_case, {}, {}, {}, {}, {}, {}, 0, 0, 0, 0, 0, {}};
    run.weight_bytes = prepare(bench, rnn_case, ready);
    run.workspace_bytes = ready.work_bytes;
    run.reserve_bytes = ready.reserve_bytes;
    WeightImage weights(bench, rnn_case.dtype, run.weight_bytes);
    ready.weights = weights.base();
    ready.filter = weight_filter(bench, rnn_case, run.weight_bytes);
    place_weights(bench, ready.rnn, ready.x_steps.front(), ready.filter, rnn_case, image, weights);
    ready.data = put_data(bench, rnn_case, image);
    if (rnn_case.training) ready.data.dweights = {bench.allocate(run.weight_bytes), run.weight_bytes};
    ready.work = bench.allocate(ready.work_bytes);
    ready.reserve = bench.allocate(ready.reserve_bytes);
    run_twice(bench, rnn_case, ready.data, weights, calls_of(bench, ready), run);
}

}  // namespace rnncheck::vendor
