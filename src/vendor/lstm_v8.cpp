// The RNN interface of cuDNN 8 and 9.
#include "vendor/lstm_common.hpp"

namespace rnncheck::vendor {

namespace {

constexpr int inference = 0;  // cudnnForwardMode_t

RnnDescriptor describe_rnn(Bench& bench, const RnnCase& rnn_case) {
    const RnnDescriptor rnn = bench.rnn_descriptor();
    const unsigned flags = rnn_case.layout == Layout::sequence_major_packed ? 0 : padded_io;
    bench.cudnn(bench.session().cudnn.cudnnSetRNNDescriptor_v8, rnn, algorithm_number(rnn_case.algorithm), mode_lstm,
                double_bias, direction_number(rnn_case.direction), linear_input, data_type_number(rnn_case.dtype),
                precision_number(rnn_case.dtype), math_number(rnn_case.math), rnn_case.input, rnn_case.hidden,
                rnn_case.hidden, rnn_case.layers, bench.session().no_dropout, flags);
    return rnn;
}

long long elements(Bench& bench, TensorDescriptor tensor) {
    int type = 0, dimensions = 0, sizes[3] = {}, strides[3] = {};
    bench.cudnn(bench.session().cudnn.cudnnGetTensorNdDescriptor, tensor, 3, &type, &dimensions, sizes, strides);
    return static_cast<long long>(sizes[0]) * sizes[1] * sizes[2];
}

void place_weights(Bench& bench, RnnDescriptor rnn, const DeviceImage& image, WeightImage& space) {
    const Session& session = bench.session();
    const auto& ask = session.cudnn.cudnnGetRNNWeightParams;
    const TensorDescriptor matrix = bench.empty_tensor(), bias = bench.empty_tensor();
    for (std::size_t layer = 0; layer < image.layers.size() && !bench.failed(); ++layer)
        for (int linear = 0; linear < linear_layers; ++linear) {
            const DeviceImage::Layer& parts = image.layers[layer];
            const auto index = static_cast<std::size_t>(linear);
            void* matrix_address = nullptr;
            void* bias_address = nullptr;
            bench.cudnn(ask, session.handle, rnn, static_cast<int>(layer), space.bytes(), address(space.base()), linear,
                        matrix, &matrix_address, bias, &bias_address);
            space.place(ask.name, matrix_address, elements(bench, matrix), parts.matrices[index]);
            space.place(ask.name, bias_address, elements(bench, bias), parts.biases[index]);
        }
    space.upload();
}

}  // namespace

void run_v8(Bench& bench, const RnnCase& rnn_case, const DeviceImage& image, LstmRun& run) {
    const Session& session = bench.session();
    const CudnnApi& cudnn = session.cudnn;
    const RnnDescriptor rnn = describe_rnn(bench, rnn_case);
    const RnnDataDescriptor x = bench.sequences(rnn_case, rnn_case.input);
    const RnnDataDescriptor y = bench.sequences(rnn_case, rnn_case.directions() * rnn_case.hidden);
    const TensorDescriptor states =
        bench.tensor(rnn_case.dtype, {rnn_case.layers * rnn_case.directions(), rnn_case.batch, rnn_case.hidden});

    std::size_t weight_bytes = 0, work_bytes = 0, reserve_bytes = 0;
    bench.cudnn(cudnn.cudnnGetRNNWeightSpaceSize, session.handle, rnn, &weight_bytes);
    bench.cudnn(cudnn.cudnnGetRNNTempSpaceSizes, session.handle, rnn, inference, x, &work_bytes, &reserve_bytes);
    run.workspace_bytes = work_bytes;

    WeightImage weights(bench, rnn_case.dtype, weight_bytes);
    place_weights(bench, rnn, image, weights);
    if (rnn_case.algorithm == Algorithm::persist_dynamic)
        bench.cudnn(cudnn.cudnnBuildRNNDynamic, session.handle, rnn, rnn_case.batch);
    const DeviceData data = put_data(bench, rnn_case, image);
    const DevicePointer work = bench.allocate(work_bytes), reserve = bench.allocate(reserve_bytes);
    run_twice(
        bench, rnn_case, data,
        [&] {
            bench.cudnn(cudnn.cudnnRNNForward, session.handle, rnn, inference,
                        static_cast<const std::int32_t*>(address(data.lengths)), x, address(data.x), y, address(data.y),
                        states, address(data.hx), address(data.hy), states, address(data.cx), address(data.cy),
                        weight_bytes, address(weights.base()), work_bytes, address(work), reserve_bytes,
                        address(reserve));
        },
        run);
}

}  // namespace rnncheck::vendor
