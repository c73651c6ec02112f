// The RNN interface of cuDNN 7 and 8.
#include <algorithm>

#include "vendor/rnn_runner.hpp"

namespace rnncheck::vendor::legacy {

namespace {

/// One description per step, {sequences still alive, width, 1}. The interface for padded data (...Ex) takes these
/// for its size queries alone, and there every sequence counts at every step.
std::vector<TensorDescriptor> step_tensors(RnnRunner& runner, const RnnCase& rnn_case, int width) {
    std::vector<TensorDescriptor> steps;
    int previous = -1;
    for (int step = 0; step < rnn_case.sequence_length; ++step) {
        int alive = rnn_case.batch;
        if (rnn_case.layout == Layout::sequence_major_packed && !rnn_case.lengths.empty())
            alive =
                static_cast<int>(std::ranges::count_if(rnn_case.lengths, [&](int length) { return step < length; }));
        steps.push_back(alive == previous ? steps.back() : runner.tensor(rnn_case.dtype, {alive, width, 1}));
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
RnnDescriptor describe_rnn(RnnRunner& runner, const RnnCase& rnn_case) {
    const Session& session = runner.session();
    const CudnnApi& cudnn = session.cudnn;
    const RnnDescriptor rnn = runner.rnn_descriptor();
    runner.cudnn(cudnn.cudnnSetRNNDescriptor_v6, session.handle, rnn, rnn_case.hidden, rnn_case.layers,
                 session.no_dropout, same_number(rnn_case.input_mode), same_number(rnn_case.direction),
                 mode_number(rnn_case.cell), same_number(rnn_case.algorithm), precision_number(rnn_case.dtype));
    runner.cudnn(cudnn.cudnnSetRNNMatrixMathType, rnn, math_number(rnn_case.math));
    if (rnn_case.bias != BiasMode::both) runner.cudnn(cudnn.cudnnSetRNNBiasMode, rnn, bias_number(rnn_case.bias));
    if (rnn_case.projection > 0)
        runner.cudnn(cudnn.cudnnSetRNNProjectionLayers, session.handle, rnn, rnn_case.projection, 0);
    if (rnn_case.clip > 0)
        runner.cudnn(cudnn.cudnnRNNSetClip, session.handle, rnn, clip_minmax, pass_on_nan, -rnn_case.clip,
                     rnn_case.clip);
    if (wants_padding(rnn_case)) runner.cudnn(cudnn.cudnnSetRNNPaddingMode, rnn, padded_io);
    return rnn;
}

void plan_dynamic(RnnRunner& runner, RnnDescriptor rnn, const RnnCase& rnn_case) {
    const CudnnApi& cudnn = runner.session().cudnn;
    PersistentPlan plan = nullptr;
    runner.cudnn(cudnn.cudnnCreatePersistentRNNPlan, rnn, rnn_case.batch, data_type_number(rnn_case.dtype), &plan);
    runner.cudnn(cudnn.cudnnSetPersistentRNNPlan, rnn, plan);
}

long long elements(RnnRunner& runner, FilterDescriptor filter) {
    int type = 0, format = 0, dimensions = 0, sizes[3] = {};
    runner.cudnn(runner.session().cudnn.cudnnGetFilterNdDescriptor, filter, 3, &type, &format, &dimensions, sizes);
    return static_cast<long long>(sizes[0]) * sizes[1] * sizes[2];
}

/// The weight space as a filter {elements, 1, 1}.
FilterDescriptor weight_filter(RnnRunner& runner, const RnnCase& rnn_case, std::size_t bytes) {
    const FilterDescriptor filter = runner.filter();
    const int sizes[3] = {static_cast<int>(bytes / bytes_of(rnn_case.dtype)), 1, 1};
    constexpr int nchw = 0;  // cudnnTensorFormat_t
    runner.cudnn(runner.session().cudnn.cudnnSetFilterNdDescriptor, filter, data_type_number(rnn_case.dtype), nchw, 3,
                 sizes);
    return filter;
}

void place_weights(RnnRunner& runner, RnnDescriptor rnn, TensorDescriptor x, FilterDescriptor filter,
                   const RnnCase& rnn_case, const DeviceImage& image, WeightImage& space) {
    const Session& session = runner.session();
    const FilterDescriptor found = runner.filter();
    const auto place = [&](const auto& ask, const WeightPart& part, std::span<const std::byte> values) {
        if (values.empty()) return;
        void* where = nullptr;
        runner.cudnn(ask, session.handle, rnn, static_cast<int>(part.pseudo_layer), x, filter, address(space.base()),
                     part.linear, found, &where);
        space.place(ask.name, where, elements(runner, found), part, values);
    };
    for_each_linear_layer(runner, rnn_case, image,
                          [&](std::size_t layer, int linear, const auto& matrix, const auto& bias) {
                              place(session.cudnn.cudnnGetRNNLinLayerMatrixParams, {layer, linear, false}, matrix);
                              place(session.cudnn.cudnnGetRNNLinLayerBiasParams, {layer, linear, true}, bias);
                          });
    space.upload();
}

/// Descriptions and memory of one case, ready to run.
struct Prepared : ReadyCase {
    using ReadyCase::ReadyCase;
    std::vector<TensorDescriptor> x_steps, y_steps;
    FilterDescriptor filter = nullptr;
};

void run_plain(RnnRunner& runner, const Prepared& ready) {
    const DeviceData& data = ready.data;
    runner.cudnn(runner.session().cudnn.cudnnRNNForwardInference, runner.session().handle, ready.rnn,
                 ready.rnn_case.sequence_length, ready.x_steps.data(), address(data.x), ready.h, address(data.hx),
                 ready.c, address(data.cx), ready.filter, address(ready.weights), ready.y_steps.data(),
                 address(data.y.at), ready.h, address(data.hy.at), ready.c, address(data.cy.at), address(ready.work),
                 ready.work_bytes);
}

void run_padded(RnnRunner& runner, const Prepared& ready, RnnDataDescriptor x, RnnDataDescriptor y) {
    const DeviceData& data = ready.data;
    runner.cudnn(runner.session().cudnn.cudnnRNNForwardInferenceEx, runner.session().handle, ready.rnn, x,
                 address(data.x), ready.h, address(data.hx), ready.c, address(data.cx), ready.filter,
                 address(ready.weights), y, address(data.y.at), ready.h, address(data.hy.at), ready.c,
                 address(data.cy.at), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                 address(ready.work), ready.work_bytes);
}

void run_training(RnnRunner& runner, const Prepared& ready) {
    const DeviceData& data = ready.data;
    const CudnnApi& cudnn = runner.session().cudnn;
    const CudnnHandle handle = runner.session().handle;
    const int steps = ready.rnn_case.sequence_length;
    const TensorDescriptor *const x = ready.x_steps.data(), *const y = ready.y_steps.data();
    runner.cudnn(cudnn.cudnnRNNForwardTraining, handle, ready.rnn, steps, x, address(data.x), ready.h, address(data.hx),
                 ready.c, address(data.cx), ready.filter, address(ready.weights), y, address(data.y.at), ready.h,
                 address(data.hy.at), ready.c, address(data.cy.at), address(ready.work), ready.work_bytes,
                 address(ready.reserve), ready.reserve_bytes);
    runner.cudnn(cudnn.cudnnRNNBackwardData, handle, ready.rnn, steps, y, address(data.y.at), y, address(data.dy),
                 ready.h, address(data.dhy), ready.c, address(data.dcy), ready.filter, address(ready.weights), ready.h,
                 address(data.hx), ready.c, address(data.cx), x, address(data.dx.at), ready.h, address(data.dhx.at),
                 ready.c, address(data.dcx.at), address(ready.work), ready.work_bytes, address(ready.reserve),
                 ready.reserve_bytes);
    runner.cudnn(cudnn.cudnnRNNBackwardWeights, handle, ready.rnn, steps, x, address(data.x), ready.h, address(data.hx),
                 y, address(data.y.at), address(ready.work), ready.work_bytes, ready.filter, address(data.dweights.at),
                 address(ready.reserve), ready.reserve_bytes);
}

std::function<void()> calls_of(RnnRunner& runner, const Prepared& ready) {
    const RnnCase& rnn_case = ready.rnn_case;
    if (rnn_case.training) return [&] { run_training(runner, ready); };
    if (!wants_padding(rnn_case)) return [&] { run_plain(runner, ready); };
    const RnnDataDescriptor x = runner.sequences(rnn_case, rnn_case.input);
    const RnnDataDescriptor y = runner.sequences(rnn_case, rnn_case.width());
    return [&runner, &ready, x, y] { run_padded(runner, ready, x, y); };
}

/// Sizes and descriptions.
void prepare(RnnRunner& runner, const RnnCase& rnn_case, Prepared& ready) {
    const Session& session = runner.session();
    ready.rnn = describe_rnn(runner, rnn_case);
    ready.x_steps = step_tensors(runner, rnn_case, rnn_case.input);
    ready.y_steps = step_tensors(runner, rnn_case, rnn_case.width());
    ready.h = h_tensor(runner, rnn_case);
    ready.c = c_tensor(runner, rnn_case);
    if (rnn_case.algorithm == Algorithm::persist_dynamic) plan_dynamic(runner, ready.rnn, rnn_case);
    runner.cudnn(session.cudnn.cudnnGetRNNParamsSize, session.handle, ready.rnn, ready.x_steps.front(),
                 &ready.weight_bytes, data_type_number(rnn_case.dtype));
    runner.cudnn(session.cudnn.cudnnGetRNNWorkspaceSize, session.handle, ready.rnn, rnn_case.sequence_length,
                 ready.x_steps.data(), &ready.work_bytes);
    if (rnn_case.training)
        runner.cudnn(session.cudnn.cudnnGetRNNTrainingReserveSize, session.handle, ready.rnn, rnn_case.sequence_length,
                     ready.x_steps.data(), &ready.reserve_bytes);
    runner.check_size(session.cudnn.cudnnGetRNNParamsSize.name, ready.weight_bytes);
    runner.check_size(session.cudnn.cudnnGetRNNWorkspaceSize.name, ready.work_bytes);
    runner.check_size(session.cudnn.cudnnGetRNNTrainingReserveSize.name, ready.reserve_bytes);
}

}  // namespace

void run(RnnRunner& runner, const DeviceImage& image, RnnRun& run, Outputs& outputs) {
    const RnnCase& rnn_case = run.rnn_case;
    if (rnn_case.training && wants_padding(rnn_case))
        return runner.impossible("cudnnRNNForwardTraining", "it takes no padded sequences: only packed ones");
    Prepared ready(rnn_case);
    prepare(runner, rnn_case, ready);
    WeightImage weights(runner, rnn_case.dtype, ready.weight_bytes);
    ready.weights = weights.base();
    ready.filter = weight_filter(runner, rnn_case, ready.weight_bytes);
    place_weights(runner, ready.rnn, ready.x_steps.front(), ready.filter, rnn_case, image, weights);
    run_twice(runner, ready, image, weights, calls_of(runner, ready), run, outputs);
}

}  // namespace rnncheck::vendor::legacy
