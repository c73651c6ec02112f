// Descriptors live on the host alone, so these calls show without a GPU whether
// the libraries behind them load.
#include "support/cudnn.hpp"

namespace rnncheck::probes {

/// The parts' own consistency checks, where this major has them.
static void check_parts(const CudnnApi& cudnn, vendor::Calls& calls) {
    const vendor::Symbol<int()>* const checks[] = {
        &cudnn.cudnnOpsInferVersionCheck,
        &cudnn.cudnnAdvInferVersionCheck,
        &cudnn.cudnnGraphVersionCheck,
        &cudnn.cudnnOpsVersionCheck,
        &cudnn.cudnnAdvVersionCheck};
    for (const auto* symbol : checks)
        if (*symbol)
            calls(cudnn, *symbol);
}

/// A small LSTM described, nothing computed.
/// Without a dropout descriptor: to set one takes a handle, and with that a GPU.
static void describe_lstm(const CudnnApi& cudnn, vendor::Calls& calls) {
    vendor::RnnDescriptor rnn = nullptr;
    vendor::RnnDataDescriptor data = nullptr;
    constexpr int standard = 0, lstm = 2, double_bias = 2, unidirectional = 0, linear_input = 0,
                  fp32 = 0, default_math = 0;
    calls(cudnn, cudnn.cudnnCreateRNNDescriptor, &rnn);
    if (cudnn.cudnnSetRNNDescriptor_v8)
        calls(
            cudnn,
            cudnn.cudnnSetRNNDescriptor_v8,
            rnn,
            standard,
            lstm,
            double_bias,
            unidirectional,
            linear_input,
            fp32,
            fp32,
            default_math,
            8,
            8,
            8,
            1,
            nullptr,
            0u);
    // since 7.2.1
    if (cudnn.cudnnCreateRNNDataDescriptor)
        calls(cudnn, cudnn.cudnnCreateRNNDataDescriptor, &data);
}

std::optional<CallResult> try_rnn_api(const CudnnApi& cudnn, FirstCall first) {
    vendor::Calls calls;
    if (!cudnn.speaks_legacy() && !cudnn.speaks_v8())
        calls.result = {
            "cudnnRNNForward",
            missing_symbol,
            "the library exports neither of cuDNN's two RNN interfaces"};
    if (first == FirstCall::adv)
        describe_lstm(cudnn, calls);
    check_parts(cudnn, calls);
    if (first == FirstCall::ops)
        describe_lstm(cudnn, calls);
    return calls.failure();
}

}  // namespace rnncheck::probes
