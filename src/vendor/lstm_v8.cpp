// The RNN interface of cuDNN 8 and 9.
#include "vendor/case_run.hpp"

namespace rnncheck::vendor {

namespace {

/// Sequence lengths are passed as an array in device memory (devSeqLengths).
class V8Run : public CaseRun {
    using CaseRun::CaseRun;

    void describe() override {
        rnn_ = made(api_.cudnnCreateRNNDescriptor, api_.cudnnDestroyRNNDescriptor);
        const unsigned flags = case_.layout == Layout::sequence_major_packed ? 0 : padded_io;
        cudnn(
            api_.cudnnSetRNNDescriptor_v8,
            rnn_,
            same_number(case_.algorithm),
            number_in(modes, case_.cell),
            number_in(bias_modes, case_.bias),
            same_number(case_.direction),
            same_number(case_.input_mode),
            type_,
            precision_,
            number_in(math_types, case_.math),
            case_.input,
            case_.hidden,
            case_.output(),
            case_.layers,
            session_.no_dropout,
            flags);
        if (case_.clip > 0)
            cudnn(
                api_.cudnnRNNSetClip_v8,
                rnn_,
                clip_minmax,
                pass_on_nan,
                -case_.clip_bound(),
                case_.clip_bound());
        x_ = sequences(case_.input);
        y_ = sequences(case_.width());
        describe_states();
        cudnn(api_.cudnnGetRNNWeightSpaceSize, handle_, rnn_, &data_.weights.bytes);
        cudnn(
            api_.cudnnGetRNNTempSpaceSizes,
            handle_,
            rnn_,
            mode(),
            x_,
            &data_.work.bytes,
            &data_.reserve.bytes);
        check_size(api_.cudnnGetRNNWeightSpaceSize.name, data_.weights);
        for (const Memory* memory : {&data_.work, &data_.reserve})
            check_size(api_.cudnnGetRNNTempSpaceSizes.name, *memory);
        matrix_ = empty_tensor();
        bias_ = empty_tensor();
    }

    /// cudnnForwardMode_t
    int mode() const {
        return case_.training ? 1 : 0;
    }

    void place_layer(
        std::size_t pseudo_layer, int linear, const DeviceImage::Layer& layer) override {
        const auto& query = api_.cudnnGetRNNWeightParams;
        void *matrix = nullptr, *bias = nullptr;
        cudnn(
            query,
            handle_,
            rnn_,
            static_cast<int>(pseudo_layer),
            data_.weights.bytes,
            data_.weights,
            linear,
            matrix_,
            &matrix,
            bias_,
            &bias);
        const auto put =
            [&](TensorDescriptor tensor, const void* where, bool is_bias, const auto& values) {
                if (!values.empty())
                    place(
                        query.name, where, elements(tensor), pseudo_layer, linear, is_bias, values);
            };
        put(matrix_, matrix, false, layer.matrices[static_cast<std::size_t>(linear)]);
        put(bias_, bias, true, layer.biases[static_cast<std::size_t>(linear)]);
    }

    /// A tensor that the library filled: {1, rows, columns} of a
    /// matrix, {1, rows, 1} of a bias.
    long long elements(TensorDescriptor tensor) {
        int type = 0, dimensions = 0, sizes[3] = {}, strides[3] = {};
        cudnn(api_.cudnnGetTensorNdDescriptor, tensor, 3, &type, &dimensions, sizes, strides);
        return static_cast<long long>(sizes[0]) * sizes[1] * sizes[2];
    }

    /// cuDNN, not the memory, gets the number of sequences.
    void plan() override {
        if (case_.algorithm == Algorithm::persist_dynamic)
            cudnn(api_.cudnnBuildRNNDynamic, handle_, rnn_, case_.batch);
    }

    void compute() override {
        // cudnnWgradMode_t: the one that 8 supports
        constexpr int add_gradients = 0;
        const DeviceData& d = data_;
        const auto* const lengths = static_cast<const std::int32_t*>(static_cast<void*>(d.lengths));
        cudnn(
            api_.cudnnRNNForward,
            handle_,
            rnn_,
            mode(),
            lengths,
            x_,
            d.x,
            y_,
            d.y,
            h_,
            d.hx,
            d.hy,
            c_,
            d.cx,
            d.cy,
            d.weights.bytes,
            d.weights,
            d.work.bytes,
            d.work,
            d.reserve.bytes,
            d.reserve);
        // the two backward calls read the reserve space that the forward call filled
        if (!case_.training)
            return;
        cudnn(
            api_.cudnnRNNBackwardData_v8,
            handle_,
            rnn_,
            lengths,
            y_,
            d.y,
            d.dy,
            x_,
            d.dx,
            h_,
            d.hx,
            d.dhy,
            d.dhx,
            c_,
            d.cx,
            d.dcy,
            d.dcx,
            d.weights.bytes,
            d.weights,
            d.work.bytes,
            d.work,
            d.reserve.bytes,
            d.reserve);
        cudnn(
            api_.cudnnRNNBackwardWeights_v8,
            handle_,
            rnn_,
            add_gradients,
            lengths,
            x_,
            d.x,
            h_,
            d.hx,
            y_,
            d.y,
            d.weights.bytes,
            d.dweights,
            d.work.bytes,
            d.work,
            d.reserve.bytes,
            d.reserve);
    }

    RnnDataDescriptor x_ = nullptr, y_ = nullptr;
    /// of a part of the weights
    TensorDescriptor matrix_ = nullptr, bias_ = nullptr;
};

}  // namespace

std::unique_ptr<CaseRun> v8_run(const Session& session, const RnnCase& rnn_case) {
    return std::make_unique<V8Run>(session, rnn_case);
}

}  // namespace rnncheck::vendor
