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

std::string cuda_text(ProbeWriter& writer, const CudaApi& api, int code) {
    const char* name = nullptr;
    const char* words = nullptr;
    if (api.cuGetErrorName) call(writer, api.cuGetErrorName, code, &name);
    if (api.cuGetErrorString) call(writer, api.cuGetErrorString, code, &words);
    return text_or_number(name, code) + (words ? std::string(": ") + words : "");
}

}  // namespace

Checker cuda_checker(ProbeWriter& writer, const CudaApi& api) {
    return {writer, [&writer, &api](int code) { return cuda_text(writer, api, code); }};
}

Checker cudart_checker(ProbeWriter& writer, const CudartApi& api) {
    return {writer, [&writer, &api](int code) {
                return text_or_number(api.cudaGetErrorString ? call(writer, api.cudaGetErrorString, code) : nullptr,
                                      code);
            }};
}

Checker nvml_checker(ProbeWriter& writer, const NvmlApi& api) {
    return {writer, [&writer, &api](int code) {
                return text_or_number(api.nvmlErrorString ? call(writer, api.nvmlErrorString, code) : nullptr, code);
            }};
}

Checker nvrtc_checker(ProbeWriter& writer, const NvrtcApi& api) {
    return {writer, [&writer, &api](int code) {
                return text_or_number(api.nvrtcGetErrorString ? call(writer, api.nvrtcGetErrorString, code) : nullptr,
                                      code);
            }};
}

}  // namespace rnncheck::vendor
