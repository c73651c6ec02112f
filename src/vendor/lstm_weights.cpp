#include <algorithm>

#include "vendor/lstm_common.hpp"

namespace rnncheck::vendor {

namespace {

/// The array of a part: gates on the input side, on the recurrent side, the projection.
std::vector<double>& array_of(const RnnCase& rnn_case, LayerWeights& weights, const WeightPart& part) {
    const int gates = gates_of(rnn_case.cell);
    if (part.linear == projection_layer) return weights.projection;
    if (part.bias)
        return part.linear < gates ? weights.input_bias[part.linear] : weights.recurrent_bias[part.linear - gates];
    return part.linear < gates ? weights.input[part.linear] : weights.recurrent[part.linear - gates];
}

}  // namespace

WeightImage::WeightImage(Bench& bench, Dtype dtype, std::size_t bytes)
    : bench_(bench), dtype_(dtype), base_(bench.allocate(bytes)), image_(bench.failed() ? 0 : bytes) {}

void WeightImage::place(const char* call, const void* where, long long elements, const WeightPart& part,
                        std::span<const std::byte> values) {
    if (bench_.failed() || values.empty()) return;
    const auto wanted = static_cast<long long>(values.size() / bytes_of(dtype_));
    if (elements != wanted)
        return bench_.impossible(
            call, "it described " + std::to_string(elements) + " weights where there are " + std::to_string(wanted));
    const auto begin = reinterpret_cast<DevicePointer>(where);
    if (begin < base_ || begin - base_ > image_.size() || values.size() > image_.size() - (begin - base_))
        return bench_.impossible(call, "it gave an address outside the weight space");
    std::copy(values.begin(), values.end(), image_.begin() + static_cast<std::ptrdiff_t>(begin - base_));
    placed_.push_back({part, static_cast<std::size_t>(begin - base_), values.size()});
}

void WeightImage::upload() {
    bench_.cuda(bench_.session().cuda.cuMemcpyHtoD_v2, base_, image_.data(), image_.size());
}

std::vector<LayerWeights> WeightImage::read(const RnnCase& rnn_case, std::span<const std::byte> space) const {
    std::vector<LayerWeights> layers(static_cast<std::size_t>(rnn_case.pseudo_layers()));
    for (const Placed& placed : placed_)
        array_of(rnn_case, layers[placed.part.pseudo_layer], placed.part) =
            decode(space.subspan(placed.begin, placed.bytes), dtype_);
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i].columns =
            static_cast<int>(i) < rnn_case.directions() ? rnn_case.input : rnn_case.directions() * rnn_case.output();
    return layers;
}

}  // namespace rnncheck::vendor
