#include "process/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/json.hpp"

namespace rnncheck {

/// A sweep leaves thousands of these, nearly all of them names of functions: those need no escaping.
void Trace::calling(std::string_view function) {
    if (function == last_call_) return;
    const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ' '; };
    if (!std::all_of(function.begin(), function.end(), plain))
        line(Json{{"calling", reversible_utf8(function)}}.dump());
    else
        line("{\"calling\":\"" + std::string(function) + "\"}");
    last_call_ = function;
}
void Trace::failed(const CallResult& result) {
    line(Json{{"failed", to_json(result)}}.dump());
}
void Trace::step(int number, std::chrono::milliseconds limit) {
    line(Json{{"step", number}, {"limit_ms", limit.count()}}.dump());
}
void Trace::limit(std::chrono::milliseconds silence) {
    line(Json{{"limit_ms", silence.count()}}.dump());
}
void Trace::past_use() {
    line("{\"past_use\":true}");
}
void Trace::facts(std::string_view json) {
    line("{\"facts\":" + std::string(json) + "}");
}
void Trace::done() {
    line(stays_ ? "{\"done\":true,\"stays\":true}" : "{\"done\":true}");
}

void Trace::line(std::string_view json) {
    last_call_.clear();
    std::string text(json);
    text += '\n';
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t written = write(descriptor_, rest.data(), rest.size());
        if (written < 0 && errno != EINTR) return;  // the parent is gone; it ends us too
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace rnncheck
