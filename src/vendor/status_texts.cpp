// How CUDA and cuDNN put their status numbers into words.
#include <utility>

#include "base/text.hpp"
#include "vendor/cuda_abi.hpp"
#include "vendor/cudnn_abi.hpp"

namespace rnncheck::vendor {

/// The last reason that cuDNN reported. Its callback is plain C without our
/// objects; a process uses one cuDNN.
static std::string& last_reason() {
    static std::string reason;
    return reason;
}

/// `text` is a run of lines, each ended by a NUL, the whole by an empty one.
static void remember_reason(int, void*, const CudnnDebug*, const char* text) {
    if (!text)
        return;
    for (const char* line = text; *line; line += std::char_traits<char>::length(line) + 1) {
        const std::string_view words = line;
        const auto reason = words.find("Reason: ");
        if (reason != std::string_view::npos)
            last_reason() = trim(words.substr(reason + 8));
    }
}

/// cudnnSeverity_t ERROR and WARNING as bits
constexpr unsigned errors_and_warnings = 1u << 1 | 1u << 2;

/// Both functions fail for a number that this driver does not know,
/// and leave the pointers null.
std::string status_text(ProbeWriter& writer, const CudaApi& api, int code) {
    const char *name = nullptr, *words = nullptr;
    if (api.cuGetErrorName)
        call(writer, api.cuGetErrorName, code, &name);
    if (api.cuGetErrorString)
        call(writer, api.cuGetErrorString, code, &words);
    std::string text;
    if (name)
        text = name;
    if (words)
        text += std::string(": ") + words;
    return text;
}

/// cudnnGetErrorString gives the name of the status alone; the reason, as
/// "Reason: ...", comes from the callback (cuDNN's logging).
std::string status_text(ProbeWriter& writer, const CudnnApi& api, int code) {
    const std::string text = status_text<CudnnApi>(writer, api, code);
    if (last_reason().empty())
        return text;
    return text + " (" + last_reason() + ")";
}

void before_call(ProbeWriter& writer, const CudnnApi& api) {
    static decltype(api.cudnnSetCallback.function) done = nullptr;
    last_reason().clear();
    if (std::exchange(done, api.cudnnSetCallback.function) == api.cudnnSetCallback.function)
        return;
    // If it cannot be set, only the texts of the reasons are missing,
    // not the results of the calls.
    const int code =
        call(writer, api.cudnnSetCallback, errors_and_warnings, nullptr, remember_reason);
    if (code != 0)
        writer.failed({api.cudnnSetCallback.name, code, ""});
}

}  // namespace rnncheck::vendor
