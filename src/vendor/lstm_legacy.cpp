// Deprecated in 8, gone in 9. The plain calls take the lengths of sequences
// from the tensors of the steps, not from an array.
// The RNN interface of cuDNN 7 and 8.
#include <algorithm>

#include "vendor/case_run.hpp"

namespace rnncheck::vendor {

namespace {

class LegacyRun : public CaseRun {
    using CaseRun::CaseRun;

    /// Calls added after 7.0 are made only if the case needs them.
    void describe() override {
        if (case_.training && wants_padding())
            return impossible(
                "cudnnRNNForwardTraining",
                "it does not support padded sequences, only packed ones");
        rnn_ = made(api_.cudnnCreateRNNDescriptor, api_.cudnnDestroyRNNDescriptor);
        cudnn(
            api_.cudnnSetRNNDescriptor_v6,
            handle_,
            rnn_,
            case_.hidden,
            case_.layers,
            session_.no_dropout,
            same_number(case_.input_mode),
            same_number(case_.direction),
            number_in(modes, case_.cell),
            same_number(case_.algorithm),
            precision_);
        cudnn(api_.cudnnSetRNNMatrixMathType, rnn_, number_in(math_types, case_.math));
        if (case_.bias != BiasMode::both)
            cudnn(api_.cudnnSetRNNBiasMode, rnn_, number_in(bias_modes, case_.bias));
        if (case_.projection > 0)
            cudnn(api_.cudnnSetRNNProjectionLayers, handle_, rnn_, case_.projection, 0);
        if (case_.clip > 0)
            cudnn(
                api_.cudnnRNNSetClip,
                handle_,
                rnn_,
                clip_minmax,
                pass_on_nan,
                -case_.clip_bound(),
                case_.clip_bound());
        if (wants_padding())
            cudnn(api_.cudnnSetRNNPaddingMode, rnn_, padded_io);
        x_steps_ = step_tensors(case_.input);
        y_steps_ = step_tensors(case_.width());
        describe_states();
        if (case_.algorithm == Algorithm::persist_dynamic)
            plan_dynamic();
        query_sizes();
        if (wants_padding()) {
            x_ = sequences(case_.input);
            y_ = sequences(case_.width());
        }
    }

    /// Equal lengths one step after the other, and packed data, are what the
    /// plain call takes.
    bool wants_padding() const {
        return case_.layout == Layout::batch_major ||
               (case_.layout == Layout::sequence_major && !case_.lengths.empty());
    }

    /// One description per step, {sequences still alive, width, 1}. The
    /// interface for padded data (...Ex) takes these only for its size queries,
    /// in which every sequence counts at every step.
    std::vector<TensorDescriptor> step_tensors(int width) {
        std::vector<TensorDescriptor> steps;
        int previous = -1;
        for (int step = 0; step < case_.sequence_length; ++step) {
            int alive = case_.batch;
            if (case_.layout == Layout::sequence_major_packed && !case_.lengths.empty())
                alive = static_cast<int>(std::ranges::count_if(
                    case_.lengths, [&](int length) { return step < length; }));
            steps.push_back(alive == previous ? steps.back() : tensor({alive, width, 1}));
            previous = alive;
        }
        return steps;
    }

    /// Tailored to this GPU and to one number of sequences
    /// (cudnnCreatePersistentRNNPlan).
    void plan_dynamic() {
        PersistentPlan plan = nullptr;
        cudnn(api_.cudnnCreatePersistentRNNPlan, rnn_, case_.batch, type_, &plan);
        cudnn(api_.cudnnSetPersistentRNNPlan, rnn_, plan);
    }

    /// Of the spaces; the weights are described as a filter {elements, 1, 1}.
    void query_sizes() {
        const int steps = case_.sequence_length;
        cudnn(
            api_.cudnnGetRNNParamsSize,
            handle_,
            rnn_,
            x_steps_.front(),
            &data_.weights.bytes,
            type_);
        cudnn(
            api_.cudnnGetRNNWorkspaceSize,
            handle_,
            rnn_,
            steps,
            x_steps_.data(),
            &data_.work.bytes);
        if (case_.training)
            cudnn(
                api_.cudnnGetRNNTrainingReserveSize,
                handle_,
                rnn_,
                steps,
                x_steps_.data(),
                &data_.reserve.bytes);
        check_size(api_.cudnnGetRNNParamsSize.name, data_.weights);
        check_size(api_.cudnnGetRNNWorkspaceSize.name, data_.work);
        check_size(api_.cudnnGetRNNTrainingReserveSize.name, data_.reserve);
        weights_ = made(api_.cudnnCreateFilterDescriptor, api_.cudnnDestroyFilterDescriptor);
        part_ = made(api_.cudnnCreateFilterDescriptor, api_.cudnnDestroyFilterDescriptor);
        const int sizes[3] = {static_cast<int>(data_.weights.bytes / bytes_of(case_.dtype)), 1, 1};
        constexpr int nchw = 0;  // cudnnTensorFormat_t
        cudnn(api_.cudnnSetFilterNdDescriptor, weights_, type_, nchw, 3, sizes);
    }

    void place_layer(
        std::size_t pseudo_layer, int linear, const DeviceImage::Layer& layer) override {
        // Both queries return the same thing in the same form: an address inside the
        // weight space, and a filter whose sizes multiply to the number of elements.
        const auto put = [&](const auto& query, bool is_bias, const auto& values) {
            if (values.empty())
                return;
            void* where = nullptr;
            int type = 0, format = 0, dimensions = 0, sizes[3] = {};
            cudnn(
                query,
                handle_,
                rnn_,
                static_cast<int>(pseudo_layer),
                x_steps_.front(),
                weights_,
                data_.weights,
                linear,
                part_,
                &where);
            cudnn(api_.cudnnGetFilterNdDescriptor, part_, 3, &type, &format, &dimensions, sizes);
            place(
                query.name,
                where,
                static_cast<long long>(sizes[0]) * sizes[1] * sizes[2],
                pseudo_layer,
                linear,
                is_bias,
                values);
        };
        put(api_.cudnnGetRNNLinLayerMatrixParams,
            false,
            layer.matrices[static_cast<std::size_t>(linear)]);
        put(api_.cudnnGetRNNLinLayerBiasParams,
            true,
            layer.biases[static_cast<std::size_t>(linear)]);
    }

    void compute() override {
        const DeviceData& d = data_;
        const int steps = case_.sequence_length;
        const TensorDescriptor *const x = x_steps_.data(), *const y = y_steps_.data();
        // padded layouts are for the ...Ex functions alone (cudnnSetRNNPaddingMode)
        if (wants_padding())
            return cudnn(
                api_.cudnnRNNForwardInferenceEx,
                handle_,
                rnn_,
                x_,
                d.x,
                h_,
                d.hx,
                c_,
                d.cx,
                weights_,
                d.weights,
                y_,
                d.y,
                h_,
                d.hy,
                c_,
                d.cy,
                nullptr,
                nullptr,
                nullptr,
                nullptr,
                nullptr,
                nullptr,
                nullptr,
                nullptr,
                d.work,
                d.work.bytes);
        if (!case_.training)
            return cudnn(
                api_.cudnnRNNForwardInference,
                handle_,
                rnn_,
                steps,
                x,
                d.x,
                h_,
                d.hx,
                c_,
                d.cx,
                weights_,
                d.weights,
                y,
                d.y,
                h_,
                d.hy,
                c_,
                d.cy,
                d.work,
                d.work.bytes);
        // Training is three calls here: the forward pass fills the reserve
        // space, which both others read.
        cudnn(
            api_.cudnnRNNForwardTraining,
            handle_,
            rnn_,
            steps,
            x,
            d.x,
            h_,
            d.hx,
            c_,
            d.cx,
            weights_,
            d.weights,
            y,
            d.y,
            h_,
            d.hy,
            c_,
            d.cy,
            d.work,
            d.work.bytes,
            d.reserve,
            d.reserve.bytes);
        cudnn(
            api_.cudnnRNNBackwardData,
            handle_,
            rnn_,
            steps,
            y,
            d.y,
            y,
            d.dy,
            h_,
            d.dhy,
            c_,
            d.dcy,
            weights_,
            d.weights,
            h_,
            d.hx,
            c_,
            d.cx,
            x,
            d.dx,
            h_,
            d.dhx,
            c_,
            d.dcx,
            d.work,
            d.work.bytes,
            d.reserve,
            d.reserve.bytes);
        cudnn(
            api_.cudnnRNNBackwardWeights,
            handle_,
            rnn_,
            steps,
            x,
            d.x,
            h_,
            d.hx,
            y,
            d.y,
            d.work,
            d.work.bytes,
            weights_,
            d.dweights,
            d.reserve,
            d.reserve.bytes);
    }

    std::vector<TensorDescriptor> x_steps_, y_steps_;
    /// of padded data
    RnnDataDescriptor x_ = nullptr, y_ = nullptr;
    /// all weights, and a part of them
    FilterDescriptor weights_ = nullptr, part_ = nullptr;
};

}  // namespace

std::unique_ptr<CaseRun> legacy_run(const Session& session, const RnnCase& rnn_case) {
    return std::make_unique<LegacyRun>(session, rnn_case);
}

}  // namespace rnncheck::vendor
