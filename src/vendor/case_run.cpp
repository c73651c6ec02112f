// The calls around a case that both interfaces make alike: memory, weights, the
// poisoned outputs, the two timed runs and their digest.
#include "vendor/case_run.hpp"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "rnn/team.hpp"

namespace rnncheck::vendor {

/// Equal digests of two GPUs or two runs mean bitwise identical outputs; the
/// digest is compared only, never computed with.
/// FNV-1a of every output's size and bytes, eight at a time.
static std::string digest_of(const DeviceBytes& outputs) {
    constexpr std::uint64_t prime = 0x100000001B3;
    std::uint64_t digest = 0xCBF29CE484222325;
    const auto take = [&](std::uint64_t word) { digest = (digest ^ word) * prime; };
    const auto take_all = [&](const std::vector<std::byte>& bytes) {
        take(bytes.size());
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
            take(word);
            digest ^= digest >> 29;
        }
    };
    for (const auto* bytes : all_results(outputs))
        take_all(*bytes);
    take_all(outputs.dweights);
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, digest);
    return text;
}

/// The sizes follow from the case alone: what cuDNN itself is queried for are
/// the weights, the workspace and the reserve space.
CaseRun::CaseRun(const Session& session, const RnnCase& rnn_case)
    : session_(session),
      api_(session.cudnn),
      handle_(session.handle),
      case_(rnn_case),
      type_(number_in(data_types, rnn_case.dtype)),
      precision_(number_in(data_types, rnn_case.dtype == Dtype::fp64 ? Dtype::fp64 : Dtype::fp32)) {
    const std::vector<int> lengths = case_.all_lengths();
    std::size_t rows = lengths.size() * static_cast<std::size_t>(case_.sequence_length);
    if (case_.layout == Layout::sequence_major_packed)
        rows = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    const auto bytes = [&](std::size_t count, int width) {
        return count * static_cast<std::size_t>(width) * bytes_of(case_.dtype);
    };
    const std::size_t states = static_cast<std::size_t>(case_.pseudo_layers()) * lengths.size();
    const std::size_t x = bytes(rows, case_.input), y = bytes(rows, case_.width());
    const std::size_t h = bytes(states, case_.output());
    std::size_t c = 0;
    if (case_.cell == Cell::lstm)
        c = bytes(states, case_.hidden);
    const bool given = case_.states, trained = case_.training, both = given && trained;
    const std::size_t inputs[] = {x, given * h, given * c, trained * y, both * h, both * c};
    const std::size_t results[] = {y, h, c, trained * x, trained * h, trained * c};
    for (std::size_t i = 0; i < std::size(inputs); ++i) {
        all_inputs(data_)[i]->bytes = inputs[i];
        all_results(data_)[i]->bytes = results[i];
    }
    data_.lengths.bytes = lengths.size() * sizeof(std::int32_t);
}

CaseRun::~CaseRun() {
    if (context_in_doubt_)
        return;
    // in the opposite order of their creation: descriptors that others use last
    for (auto step = clean_up_.rbegin(); step != clean_up_.rend(); ++step)
        (*step)();
}

void CaseRun::impossible(const char* call, const std::string& what) {
    if (failed())
        return;
    calls_.result = {call, invalid_result, what};
    session_.cuda.writer->failed(calls_.result);
}

void CaseRun::check_size(const char* call, const Memory& memory) {
    // 2^48 bytes are 256 TiB: no GPU has that much memory, so the number is garbage.
    if (memory.bytes > std::size_t{1} << 48)
        impossible(
            call, "it returned an implausible size: " + std::to_string(memory.bytes) + " bytes");
}

/// The size that could not be allocated goes into the result, as cuMemAlloc's
/// status alone does not contain it.
void CaseRun::allocate(Memory& memory) {
    if (memory.bytes == 0 || failed())
        return;
    cuda(session_.cuda.cuMemAlloc_v2, &memory.at, memory.bytes);
    if (failed())
        calls_.result.bytes = static_cast<std::int64_t>(memory.bytes);
    else
        clean_up_.push_back(
            [this, at = memory.at] { session_.cuda.check(session_.cuda.cuMemFree_v2, at); });
}

void CaseRun::upload(const Memory& memory, std::span<const std::byte> bytes) {
    if (!bytes.empty())
        cuda(session_.cuda.cuMemcpyHtoD_v2, memory.at, bytes.data(), bytes.size());
}

void CaseRun::clear(const Memory& memory, int fill) {
    if (memory.bytes > 0)
        cuda(
            session_.cuda.cuMemsetD8_v2, memory.at, static_cast<unsigned char>(fill), memory.bytes);
}

/// Empty if a call failed before, or now: then the caller returns
/// the failure and not the bytes.
std::vector<std::byte> CaseRun::download(const Memory& memory) {
    std::vector<std::byte> copy(memory.bytes);
    if (!copy.empty())
        cuda(session_.cuda.cuMemcpyDtoH_v2, copy.data(), memory.at, copy.size());
    return copy;
}

/// The RNN functions take tensors of three dimensions without gaps: {layers,
/// batch, width} for states, {batch, width, 1} for a step.
TensorDescriptor CaseRun::tensor(const std::array<int, 3>& sizes) {
    const TensorDescriptor descriptor = empty_tensor();
    const int strides[3] = {sizes[1] * sizes[2], sizes[2], 1};
    cudnn(api_.cudnnSetTensorNdDescriptor, descriptor, type_, 3, sizes.data(), strides);
    return descriptor;
}

RnnDataDescriptor CaseRun::sequences(int width) {
    const auto descriptor =
        made(api_.cudnnCreateRNNDataDescriptor, api_.cudnnDestroyRNNDataDescriptor);
    const std::vector<int> lengths = case_.all_lengths();
    // all bytes zero: the number zero in every type
    double zero = 0;
    cudnn(
        api_.cudnnSetRNNDataDescriptor,
        descriptor,
        type_,
        same_number(case_.layout),
        case_.sequence_length,
        case_.batch,
        width,
        lengths.data(),
        &zero);
    return descriptor;
}

void CaseRun::describe_states() {
    h_ = tensor({case_.pseudo_layers(), case_.batch, case_.output()});
    if (case_.cell == Cell::lstm)
        c_ = tensor({case_.pseudo_layers(), case_.batch, case_.hidden});
}

/// The library returns an address and a number of elements; both are compared
/// with the case before anything is written there.
void CaseRun::place(
    const char* call,
    const void* where,
    long long elements,
    std::size_t pseudo_layer,
    int linear,
    bool bias,
    std::span<const std::byte> values) {
    if (failed() || values.empty())
        return;
    const auto wanted = static_cast<long long>(values.size() / bytes_of(case_.dtype));
    if (elements != wanted)
        return impossible(
            call,
            "it described " + std::to_string(elements) + " weights where there are " +
                std::to_string(wanted));
    const auto address = reinterpret_cast<DevicePointer>(where);
    const std::size_t begin = address - data_.weights.at;
    if (address < data_.weights.at || begin > weight_image_.size() ||
        values.size() > weight_image_.size() - begin)
        return impossible(call, "it gave an address outside the weight space");
    std::ranges::copy(values, weight_image_.begin() + static_cast<std::ptrdiff_t>(begin));
    placed_.push_back({pseudo_layer, linear, bias, begin, values.size()});
}

/// Inputs that the case does not have keep the size 0, and their address is
/// null, which cuDNN takes as zeros.
void CaseRun::allocate_all(const DeviceImage* image) {
    for (std::size_t i = 0; i < all_inputs(data_).size(); ++i) {
        Memory& memory = *all_inputs(data_)[i];
        allocate(memory);
        if (image)
            upload(memory, *all_inputs(*image)[i]);
        else
            clear(memory);
    }
    const std::vector<std::int32_t> lengths = case_.all_lengths();
    allocate(data_.lengths);
    upload(data_.lengths, std::as_bytes(std::span(lengths)));
    if (case_.training)
        data_.dweights.bytes = data_.weights.bytes;
    for (Memory* memory : all_results(data_))
        allocate(*memory);
    for (Memory* memory : {&data_.dweights, &data_.work, &data_.reserve})
        allocate(*memory);
}

/// All results are set to not-a-number before, except the gradients of
/// weights, to which cuDNN adds.
DeviceBytes CaseRun::run_once(double& milliseconds) {
    for (const Memory* memory : all_results(data_))
        clear(*memory, 0xFF);
    clear(data_.dweights);
    cuda(session_.cuda.cuCtxSynchronize);
    // the time is the GPU's, not that of threads that compute references
    const Team::Pause nothing_else;
    const auto start = std::chrono::steady_clock::now();
    compute();
    cuda(session_.cuda.cuCtxSynchronize);
    milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    DeviceBytes outputs;
    for (std::size_t i = 0; i < all_results(data_).size(); ++i)
        *all_results(outputs)[i] = download(*all_results(data_)[i]);
    outputs.dweights = download(data_.dweights);
    return outputs;
}

/// cuDNN has the weights' gradients in its own order; each goes back to the
/// place from which place() took the weight.
RnnOutputs CaseRun::decoded(const DeviceBytes& bytes) const {
    RnnOutputs outputs;
    for (std::size_t i = 0; i < all_results(bytes).size(); ++i)
        *all_results(outputs)[i] = decode(*all_results(bytes)[i], case_.dtype);
    outputs.y = from_layout(case_, outputs.y, case_.width());
    outputs.dx = from_layout(case_, outputs.dx, case_.input);
    if (!case_.training)
        return outputs;
    outputs.dweights.resize(static_cast<std::size_t>(case_.pseudo_layers()));
    for (const Placed& part : placed_)
        weights_of(case_, outputs.dweights[part.pseudo_layer], part.linear, part.bias) =
            decode(std::span(bytes.dweights).subspan(part.begin, part.bytes), case_.dtype);
    for (std::size_t i = 0; i < outputs.dweights.size(); ++i) {
        // the lowest layer has the input, every other one the output of the layer below it
        const bool is_lowest = static_cast<int>(i) < case_.directions();
        outputs.dweights[i].columns = is_lowest ? case_.input : case_.width();
    }
    return outputs;
}

Outputs CaseRun::run_twice(const DeviceImage& image, RnnRun& run) {
    describe();
    allocate(data_.weights);
    if (!failed())
        weight_image_.resize(data_.weights.bytes);
    for (std::size_t layer = 0; layer < image.layers.size() && !failed(); ++layer)
        for (int linear = 0; linear < linear_layers; ++linear)
            if (has_linear_layer(case_, linear))
                place_layer(layer, linear, image.layers[layer]);
    upload(data_.weights, weight_image_);
    plan();
    allocate_all(&image);
    double first_ms = 0, repeat_ms = 0;
    const DeviceBytes first = run_once(first_ms), again = run_once(repeat_ms);
    run.result = failure();
    if (failed())
        return {};
    run.first_ms = first_ms;
    run.repeat_ms = repeat_ms;
    run.weight_bytes = static_cast<std::int64_t>(data_.weights.bytes);
    run.workspace_bytes = static_cast<std::int64_t>(data_.work.bytes);
    if (case_.training)
        run.reserve_bytes = static_cast<std::int64_t>(data_.reserve.bytes);
    run.bitwise_repeatable = first == again;
    run.digest = digest_of(first);
    if (first == again)
        return {decoded(first), {}};
    return {decoded(first), decoded(again)};
}

/// Before any allocation, so that a case too large for the GPU can be queried too.
Spaces CaseRun::spaces() {
    describe();
    if (failed())
        return {failure()};
    std::size_t data = data_.lengths.bytes;
    for (const Memory* memory : all_inputs(data_))
        data += memory->bytes;
    for (const Memory* memory : all_results(data_))
        data += memory->bytes;
    std::size_t weights = data_.weights.bytes;
    if (case_.training)
        weights *= 2;
    return {{}, weights, data_.work.bytes, data_.reserve.bytes, data};
}

/// For what a case takes in practice: every allocation is made, the numbers do not matter.
void CaseRun::run_on_zeros() {
    describe();
    allocate(data_.weights);
    clear(data_.weights);
    plan();
    allocate_all(nullptr);
    compute();
    cuda(session_.cuda.cuCtxSynchronize);
}

}  // namespace rnncheck::vendor
