// The Markdown pages of rules and probes.
#pragma once

#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"

namespace rnncheck::test {

/// `page` begins with "# name", its first paragraph is `title`, and its headings are `headings`.
inline void check_page(
    std::string_view page,
    std::string_view name,
    std::string_view title,
    const std::vector<std::string>& headings) {
    INFO(name);
    std::string joined;
    std::vector<std::string> found;
    const auto lines = split(page, '\n');
    REQUIRE(lines.size() > 2);
    CHECK(lines[0] == "# " + std::string(name));
    for (std::size_t i = 2; i < lines.size() && !lines[i].empty(); ++i)
        joined += (i > 2 ? " " : "") + std::string(lines[i]);
    for (const auto& line : lines)
        if (std::string_view(line).starts_with("## "))
            found.emplace_back(line.substr(3));
    CHECK(joined == title);
    CHECK(found == headings);
}

}  // namespace rnncheck::test
