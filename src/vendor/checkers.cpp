// How each vendor library puts its status numbers into words.
#include "base/text.hpp"
#include "vendor/cuda_abi.hpp"
#include "vendor/cudnn_abi.hpp"
#include "vendor/nvml_abi.hpp"

namespace rnncheck::vendor {

namespace {

std::string text_or_number(const char* text, int code) {
    return text ? text : "code " + std::to_string(code);
}

/// By the library's function that gives the text of a status.
Checker checker_with(ProbeWriter& writer, const Symbol<const char*(int)>& text_of) {
    return {writer, [&](int code) { return text_or_number(text_of ? call(writer, text_of, code) : nullptr, code); }};
}

std::string cuda_text(ProbeWriter& writer, const CudaApi& api, int code) {
    const char* name = nullptr;
    const char* words = nullptr;
    if (api.cuGetErrorName) call(writer, api.cuGetErrorName, code, &name);
    if (api.cuGetErrorString) call(writer, api.cuGetErrorString, code, &words);
    return text_or_number(name, code) + (words ? std::string(": ") + words : "");
}

/// The last reason cuDNN gave. Its callback is plain C without our objects, and each process asks one cuDNN.
std::string& last_reason() {
    static std::string reason;
    return reason;
}

/// `text` is a run of lines, each ended by a NUL, the whole by an empty one.
void remember_reason(int, void*, const CudnnDebug*, const char* text) {
    if (!text) return;
    for (const char* line = text; *line; line += std::char_traits<char>::length(line) + 1) {
        const std::string_view words = line;
        const auto reason = words.find("Reason: ");
        if (reason != std::string_view::npos) last_reason() = trim(words.substr(reason + 8));
    }
}

constexpr unsigned errors_and_warnings = 1u << 1 | 1u << 2;  // cudnnSeverity_t ERROR and WARNING as bits

/// The texts of the reasons are lost where it cannot be set; what the calls answer is not.
void set_callback(ProbeWriter& writer, const CudnnApi& api) {
    if (!api.cudnnSetCallback) return;
    writer.calling(api.cudnnSetCallback.name);
    const int code = api.cudnnSetCallback.function(errors_and_warnings, nullptr, remember_reason);
    if (code != 0) writer.failed({api.cudnnSetCallback.name, code, "status " + std::to_string(code)});
}

}  // namespace

Checker cuda_checker(ProbeWriter& writer, const CudaApi& api) {
    return {writer, [&writer, &api](int code) { return cuda_text(writer, api, code); }};
}

Checker cudart_checker(ProbeWriter& writer, const CudartApi& api) {
    return checker_with(writer, api.cudaGetErrorString);
}

Checker nvml_checker(ProbeWriter& writer, const NvmlApi& api) {
    return checker_with(writer, api.nvmlErrorString);
}

Checker nvrtc_checker(ProbeWriter& writer, const NvrtcApi& api) {
    return checker_with(writer, api.nvrtcGetErrorString);
}

Checker cudnn_checker(ProbeWriter& writer, const CudnnApi& api) {
    set_callback(writer, api);
    const auto text_of = [&writer, &api](int code) {
        const char* const name = api.cudnnGetErrorString ? call(writer, api.cudnnGetErrorString, code) : nullptr;
        const std::string text = name ? name : "status " + std::to_string(code);
        return last_reason().empty() ? text : text + " (" + last_reason() + ")";
    };
    // A successful call may warn, too: its reason must not explain a later failure.
    return {writer, text_of, [] { last_reason().clear(); }};
}

}  // namespace rnncheck::vendor
