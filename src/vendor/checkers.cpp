// How each vendor library puts its status numbers into words.
#include "vendor/cuda_abi.hpp"
#include "vendor/cudart_abi.hpp"
#include "vendor/nvml_abi.hpp"
#include "vendor/nvrtc_abi.hpp"

namespace rnncheck::vendor {

namespace {

std::string text_or_number(const char* text, int code) {
    return text ? text : "code " + std::to_string(code);
}

std::string cuda_text(Trace& trace, const CudaApi& api, int code) {
    const char* name = nullptr;
    const char* words = nullptr;
    if (api.cuGetErrorName) call(trace, api.cuGetErrorName, code, &name);
    if (api.cuGetErrorString) call(trace, api.cuGetErrorString, code, &words);
    return text_or_number(name, code) + (words ? std::string(": ") + words : "");
}

}  // namespace

Checker cuda_checker(Trace& trace, const CudaApi& api) {
    return {trace, [&trace, &api](int code) { return cuda_text(trace, api, code); }};
}

Checker cudart_checker(Trace& trace, const CudartApi& api) {
    return {trace, [&trace, &api](int code) {
                return text_or_number(api.cudaGetErrorString ? call(trace, api.cudaGetErrorString, code) : nullptr,
                                      code);
            }};
}

Checker nvml_checker(Trace& trace, const NvmlApi& api) {
    return {trace, [&trace, &api](int code) {
                return text_or_number(api.nvmlErrorString ? call(trace, api.nvmlErrorString, code) : nullptr, code);
            }};
}

Checker nvrtc_checker(Trace& trace, const NvrtcApi& api) {
    return {trace, [&trace, &api](int code) {
                return text_or_number(api.nvrtcGetErrorString ? call(trace, api.nvrtcGetErrorString, code) : nullptr,
                                      code);
            }};
}

}  // namespace rnncheck::vendor
