#include "support/run_end.hpp"

#include <algorithm>
#include <array>

#include "facts/common.hpp"
#include "vendor/library.hpp"

namespace rnncheck::probes {

namespace {

RunEnd end_before_9(std::int64_t status) {
    switch (status) {
        case 6:   // ARCH_MISMATCH
        case 9:   // NOT_SUPPORTED
        case 11:  // RUNTIME_PREREQUISITE_MISSING
            return RunEnd::not_supported;
        case 3:  // BAD_PARAM
        case 5:  // INVALID_VALUE
            return RunEnd::rejected;
        default:
            return RunEnd::failed;
    }
}

RunEnd end_since_9(std::int64_t status) {
    switch (status / 1000) {
        case 2:
            return RunEnd::rejected;
        case 3:
            return RunEnd::not_supported;
        default:
            return RunEnd::failed;
    }
}

/// Sequences of different lengths came with 7.2.1; a copy before that does not offer them, it is not damaged.
bool came_with_7_2(const std::string& function) {
    constexpr std::array<std::string_view, 4> since_7_2 = {"cudnnCreateRNNDataDescriptor", "cudnnSetRNNDataDescriptor",
                                                           "cudnnSetRNNPaddingMode", "cudnnRNNForwardInferenceEx"};
    return std::ranges::find(since_7_2, function) != since_7_2.end();
}

}  // namespace

RunEnd end_of_failed_call(const CallResult& result) {
    if (is_out_of_memory(result)) return RunEnd::out_of_memory;
    if (!result.call.starts_with("cudnn")) return RunEnd::failed;
    if (result.code == vendor::missing_symbol)
        return came_with_7_2(result.call) ? RunEnd::not_supported : RunEnd::failed;
    return result.code >= 1000 ? end_since_9(result.code) : end_before_9(result.code);
}

bool came_after(const RnnCase& rnn_case, const std::optional<Version>& cudnn) {
    const bool of_8_1 = rnn_case.dtype == Dtype::bf16 || rnn_case.algorithm == Algorithm::persist_static_small_h;
    return of_8_1 && cudnn && *cudnn < make_version({8, 1, 0});
}

}  // namespace rnncheck::probes
