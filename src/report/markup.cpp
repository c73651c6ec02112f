#include "report/markup.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

std::string xml(std::string_view text, std::size_t most) {
    constexpr std::pair<char, std::string_view> entities[] = {
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    std::string safe;
    for (const char letter : escaped(text, most)) {
        const auto entity = std::ranges::find(entities, letter, [](const auto& known) { return known.first; });
        safe += entity == std::end(entities) ? std::string_view(&letter, 1) : entity->second;
    }
    return safe;
}

std::string xml_lines(std::string_view text) {
    std::vector<std::string> lines = split(text, '\n');
    for (std::string& line : lines) line = xml(line);
    return join(lines, "\n");
}

}  // namespace rnncheck
