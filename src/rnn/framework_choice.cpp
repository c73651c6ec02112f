#include "rnn/framework_choice.hpp"

#include "rnn/network.hpp"

namespace rnncheck {

namespace {

bool at_least(const std::optional<Version>& version, std::initializer_list<int> first) {
    return !version || *version >= make_version(first);
}

bool gated(const RnnCase& network) {
    return network.cell == Cell::lstm || network.cell == Cell::gru;
}

/// pytorch, aten/src/ATen/native/cudnn/RNN.cpp: use_rnn_persist_small_h, which came with pull
/// request 73211 (1.12) and requests a cuDNN from 8.2.1 on.
bool small_h(
    const RnnCase& network,
    const RnnPlace& place,
    const std::optional<Version>& torch,
    bool forward) {
    int most = forward ? 384 : 256;
    if (gated(network))
        most /= 2;
    return at_least(torch, {1, 12}) && at_least(place.cudnn, {8, 2, 1}) &&
           at_least(place.capability, {6, 0}) && network.hidden <= most;
}

/// The same file, use_persist_device_heuristics before Ampere.
bool persistent_pays_on_volta(const RnnCase& network) {
    const int batch = network.batch, steps = network.sequence_length;
    const bool even = (batch % 16 == 0 && batch != 80 && batch != 112) || batch == 8;
    return even && ((steps >= 40 && batch <= 128) || (steps >= 20 && batch <= 96) ||
                    (steps >= 10 && batch <= 32));
}

/// The same file, use_persist_common_heuristics and use_persist_device_heuristics. Turing and sm_86
/// are left out for failures (pull requests 13612 and 49534), GPUs with few multiprocessors too
/// (59830).
bool persistent(const RnnCase& network, const RnnPlace& place) {
    if (network.layers != 1 || network.hidden > 1024 || network.directions() != 1 ||
        network.hidden % 128 != 0 || network.input % 128 != 0)
        return false;
    const Version capability = place.capability.value_or(make_version({9, 0}));
    if (capability.major() == 7)
        return capability.minor() != 5 && persistent_pays_on_volta(network);
    if (capability.major() < 8 || place.multiprocessors.value_or(0) < 98 || capability.minor() == 6)
        return false;
    const bool even = network.batch % 8 == 0 && network.batch <= 128;
    if (gated(network))
        return even && network.cell == Cell::lstm;
    return even && (network.batch < 96 || network.hidden < 896);
}

/// The same file, get_algo.
Algorithm pytorch_algorithm(
    const RnnCase& network,
    const RnnPlace& place,
    const std::optional<Version>& torch,
    bool forward) {
    if (network.projection > 0 || !network.lengths.empty())
        return Algorithm::standard;
    if (network.dtype != Dtype::fp64 && small_h(network, place, torch, forward))
        return Algorithm::persist_static_small_h;
    if (network.dtype == Dtype::fp16 && persistent(network, place))
        return Algorithm::persist_static;
    return Algorithm::standard;
}

}  // namespace

std::optional<FrameworkChoice> pytorch_choice(
    const RnnCase& network, const RnnPlace& place, const std::optional<Version>& torch) {
    // Pull request 164411: bfloat16 through cuDNN from 9.13 on; PyTorch 2.10 is the first with it.
    if (network.dtype == Dtype::bf16 &&
        !(at_least(torch, {2, 10}) && at_least(place.cudnn, {9, 13})))
        return std::nullopt;
    FrameworkChoice choice{
        .dtype = network.dtype,
        .forward = pytorch_algorithm(network, place, torch, true),
        .backward = pytorch_algorithm(network, place, torch, false)};
    // aten/src/ATen/cudnn/Descriptors.h, RNNDescriptor::set; torch.backends.cudnn.allow_tf32 is
    // true unless set.
    const bool tensor = network.dtype == Dtype::fp16 && at_least(place.capability, {7, 0});
    choice.math = MathType::standard;
    if (tensor)
        choice.math = MathType::tensor;
    // RNN.cpp, rnn_descriptor and rnn_descriptor_sequence: a PackedSequence is packed, anything
    // else, batch_first too, sequence-major with padded input and output on.
    choice.padded = network.lengths.empty();
    choice.layout = Layout::sequence_major_packed;
    if (choice.padded)
        choice.layout = Layout::sequence_major;
    return choice;
}

std::optional<FrameworkChoice> tensorflow_choice(const RnnCase& network, const RnnPlace& place) {
    FrameworkChoice choice;
    // tensorflow/core/kernels/cudnn_rnn_ops.cc: bfloat16 is given to cuDNN as float. CudnnRNN and
    // CudnnRNNV3, which Keras calls, take the default algorithm; CudnnRNNV2 alone measures the
    // others.
    choice.dtype = network.dtype;
    if (network.dtype == Dtype::bf16)
        choice.dtype = Dtype::fp32;
    // xla/stream_executor/cuda/cuda_dnn.cc, CudnnRnnDescriptor::Create;
    // tensor_float_32_execution_enabled() is true unless set. Before cuDNN 8 there is no FMA_MATH,
    // and fp32 has no tensor cores.
    const bool since_8 = at_least(place.cudnn, {8, 0});
    const bool tensor = choice.dtype == Dtype::fp16 || (choice.dtype == Dtype::fp32 && since_8);
    choice.math = MathType::standard;
    if (tensor)
        choice.math = MathType::tensor;
    else if (since_8)
        choice.math = MathType::fma;
    // cudnn_rnn_ops.cc, ShouldUsePaddedIO: batch-major data, and lengths that differ.
    const bool time_major = network.layout == Layout::sequence_major;
    choice.layout = Layout::batch_major;
    if (time_major)
        choice.layout = Layout::sequence_major;
    choice.padded = !time_major || !network.lengths.empty();
    return choice;
}

std::optional<FrameworkChoice> jax_choice(const RnnCase& network, const RnnPlace& place) {
    // jax/experimental/rnn.py and jaxlib/gpu/rnn_kernels.cc: LSTM in fp32, through
    // cudnnSetRNNDescriptor_v8; TF32 is allowed unless the precision HIGHEST is requested.
    if (network.cell != Cell::lstm || network.dtype != Dtype::fp32 || network.projection > 0 ||
        place.rnn_api == RnnApi::legacy)
        return std::nullopt;
    return FrameworkChoice{.layout = Layout::batch_major, .padded = true};
}

std::optional<std::string> why_unsupported(const RnnCase& rnn_case, const RnnPlace& place) {
    if (has_empty_sequence(rnn_case))
        return "a sequence of length 0, which only some versions of cuDNN support";
    if (rnn_case.algorithm == Algorithm::standard)
        return std::nullopt;
    if (rnn_case.dtype == Dtype::bf16)
        return "bf16 with a persistent algorithm, which no document lists as supported";
    const bool known = place.cudnn && place.capability && place.multiprocessors;
    const auto choice = pytorch_choice(rnn_case, place);
    const bool chosen = choice && choice->forward == rnn_case.algorithm &&
                        (!rnn_case.training || choice->backward == rnn_case.algorithm);
    if (known && chosen)
        return std::nullopt;
    return std::string(name_of(rnn_case.algorithm)) +
           ", which no framework selects by default for such a network here";
}

}  // namespace rnncheck
