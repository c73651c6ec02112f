#include "report/text_parts.hpp"

#include "base/text.hpp"

namespace rnncheck {

std::string shown(std::string_view text) { return escaped(text); }

std::string answer_of(const CallResult& result) {
    const std::string code = result.code == -1 ? "" : " answers " + std::to_string(result.code);
    return shown(result.call) + code + ' ' + shown(result.text);
}

}  // namespace rnncheck
