// The RNN interface of cuDNN 8 and 9.
#include "vendor/rnn_runner.hpp"

namespace rnncheck::vendor::v8 {

namespace {

constexpr int inference = 0, training = 1;  // cudnnForwardMode_t
constexpr int add_gradients = 0;            // cudnnWgradMode_t: the one that 8 supports

RnnDescriptor describe_rnn(RnnRunner& runner, const RnnCase& rnn_case) {
    const CudnnApi& cudnn = runner.session().cudnn;
    const RnnDescriptor rnn = runner.rnn_descriptor();
    const unsigned flags = rnn_case.layout == Layout::sequence_major_packed ? 0 : padded_io;
    runner.cudnn(cudnn.cudnnSetRNNDescriptor_v8, rnn, same_number(rnn_case.algorithm), mode_number(rnn_case.cell),
                 bias_number(rnn_case.bias), same_number(rnn_case.direction), same_number(rnn_case.input_mode),
                 data_type_number(rnn_case.dtype), precision_number(rnn_case.dtype), math_number(rnn_case.math),
                 rnn_case.input, rnn_case.hidden, rnn_case.output(), rnn_case.layers, runner.session().no_dropout,
                 flags);
    if (rnn_case.clip > 0)
        runner.cudnn(cudnn.cudnnRNNSetClip_v8, rnn, clip_minmax, pass_on_nan, -rnn_case.clip, rnn_case.clip);
    return rnn;
}

long long elements(RnnRunner& runner, TensorDescriptor tensor) {
    int type = 0, dimensions = 0, sizes[3] = {}, strides[3] = {};
    runner.cudnn(runner.session().cudnn.cudnnGetTensorNdDescriptor, tensor, 3, &type, &dimensions, sizes, strides);
    return static_cast<long long>(sizes[0]) * sizes[1] * sizes[2];
}

void place_weights(RnnRunner& runner, RnnDescriptor rnn, const RnnCase& rnn_case, const DeviceImage& image,
                   WeightImage& space) {
    const Session& session = runner.session();
    const auto& ask = session.cudnn.cudnnGetRNNWeightParams;
    const TensorDescriptor matrix = runner.empty_tensor(), bias = runner.empty_tensor();
    for_each_linear_layer(
        runner, rnn_case, image,
        [&](std::size_t layer, int linear, const auto& matrix_values, const auto& bias_values) {
            void *matrix_address = nullptr, *bias_address = nullptr;
            runner.cudnn(ask, session.handle, rnn, static_cast<int>(layer), space.bytes(), address(space.base()),
                         linear, matrix, &matrix_address, bias, &bias_address);
            if (!matrix_values.empty())
                space.place(ask.name, matrix_address, elements(runner, matrix), {layer, linear, false}, matrix_values);
            if (!bias_values.empty())
                space.place(ask.name, bias_address, elements(runner, bias), {layer, linear, true}, bias_values);
        });
    space.upload();
}

/// Descriptions and memory of one case, ready to run.
struct Prepared : ReadyCase {
    using ReadyCase::ReadyCase;
    RnnDataDescriptor x = nullptr, y = nullptr;

    const std::int32_t* lengths() const { return static_cast<const std::int32_t*>(address(data.lengths)); }
};

void forward(RnnRunner& runner, const Prepared& ready) {
    const DeviceData& data = ready.data;
    runner.cudnn(runner.session().cudnn.cudnnRNNForward, runner.session().handle, ready.rnn,
                 ready.rnn_case.training ? training : inference, ready.lengths(), ready.x, address(data.x), ready.y,
                 address(data.y.at), ready.h, address(data.hx), address(data.hy.at), ready.c, address(data.cx),
                 address(data.cy.at), ready.weight_bytes, address(ready.weights), ready.work_bytes, address(ready.work),
                 ready.reserve_bytes, address(ready.reserve));
}

void backward(RnnRunner& runner, const Prepared& ready) {
    const DeviceData& data = ready.data;
    const Session& session = runner.session();
    runner.cudnn(session.cudnn.cudnnRNNBackwardData_v8, session.handle, ready.rnn, ready.lengths(), ready.y,
                 address(data.y.at), address(data.dy), ready.x, address(data.dx.at), ready.h, address(data.hx),
                 address(data.dhy), address(data.dhx.at), ready.c, address(data.cx), address(data.dcy),
                 address(data.dcx.at), ready.weight_bytes, address(ready.weights), ready.work_bytes,
                 address(ready.work), ready.reserve_bytes, address(ready.reserve));
    runner.cudnn(session.cudnn.cudnnRNNBackwardWeights_v8, session.handle, ready.rnn, add_gradients, ready.lengths(),
                 ready.x, address(data.x), ready.h, address(data.hx), ready.y, address(data.y.at), ready.weight_bytes,
                 address(data.dweights.at), ready.work_bytes, address(ready.work), ready.reserve_bytes,
                 address(ready.reserve));
}

/// Descriptions and sizes; no memory yet.
Prepared described(RnnRunner& runner, const RnnCase& rnn_case) {
    const Session& session = runner.session();
    const CudnnApi& cudnn = session.cudnn;
    Prepared ready(rnn_case);
    ready.rnn = describe_rnn(runner, rnn_case);
    ready.x = runner.sequences(rnn_case, rnn_case.input);
    ready.y = runner.sequences(rnn_case, rnn_case.width());
    ready.h = h_tensor(runner, rnn_case);
    ready.c = c_tensor(runner, rnn_case);
    runner.cudnn(cudnn.cudnnGetRNNWeightSpaceSize, session.handle, ready.rnn, &ready.weight_bytes);
    runner.cudnn(cudnn.cudnnGetRNNTempSpaceSizes, session.handle, ready.rnn, rnn_case.training ? training : inference,
                 ready.x, &ready.work_bytes, &ready.reserve_bytes);
    runner.check_size(cudnn.cudnnGetRNNWeightSpaceSize.name, ready.weight_bytes);
    for (const std::size_t bytes : {ready.work_bytes, ready.reserve_bytes})
        runner.check_size(cudnn.cudnnGetRNNTempSpaceSizes.name, bytes);
    return ready;
}

std::size_t data_bytes(const RnnCase& rnn_case) {
    const DataSizes sizes = sizes_of(rnn_case);
    std::size_t bytes = static_cast<std::size_t>(rnn_case.batch) * sizeof(std::int32_t);  // the lengths
    for (const std::size_t* size : all_inputs(sizes)) bytes += *size;
    for (const std::size_t* size : all_results(sizes)) bytes += *size;
    return bytes;
}

/// cuDNN, not the memory, gets the number of sequences.
void plan_batch(RnnRunner& runner, const Prepared& ready) {
    if (ready.rnn_case.algorithm == Algorithm::persist_dynamic)
        runner.cudnn(runner.session().cudnn.cudnnBuildRNNDynamic, runner.session().handle, ready.rnn,
                     ready.rnn_case.batch);
}

}  // namespace

Spaces spaces_of(const Session& session, const RnnCase& rnn_case) {
    RnnRunner runner(session);
    const Prepared ready = described(runner, rnn_case);
    if (runner.failed()) return {runner.failure()};
    return {std::nullopt, (rnn_case.training ? 2 : 1) * ready.weight_bytes, ready.work_bytes, ready.reserve_bytes,
            data_bytes(rnn_case)};
}

std::optional<CallResult> run_on_zeros(const Session& session, const RnnCase& rnn_case) {
    RnnRunner runner(session);
    Prepared ready = described(runner, rnn_case);
    ready.weights = runner.zeros(ready.weight_bytes);
    plan_batch(runner, ready);
    ready.data = device_data(runner, rnn_case, nullptr);
    ready.allocate_spaces(runner);
    forward(runner, ready);
    if (rnn_case.training) backward(runner, ready);
    runner.cuda(session.cuda.cuCtxSynchronize);
    return runner.failure();
}

void run(RnnRunner& runner, const DeviceImage& image, RnnRun& run, Outputs& outputs) {
    const RnnCase& rnn_case = run.rnn_case;
    Prepared ready = described(runner, rnn_case);
    WeightImage weights(runner, rnn_case.dtype, ready.weight_bytes);
    ready.weights = weights.base();
    place_weights(runner, ready.rnn, rnn_case, image, weights);
    plan_batch(runner, ready);
    const auto calls = [&] {
        forward(runner, ready);
        if (rnn_case.training) backward(runner, ready);
    };
    run_twice(runner, ready, image, weights, calls, run, outputs);
}

}  // namespace rnncheck::vendor::v8
