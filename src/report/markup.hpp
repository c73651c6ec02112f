// Text from outside in XML and HTML, of bounded length, with nothing in it that a parser obeys.
#pragma once

#include <string>
#include <string_view>

namespace rnncheck {

/// For an attribute or an element; a text of more than `most` bytes is cut.
std::string xml(std::string_view text, std::size_t most = 4096);

/// For an element; line ends stay.
std::string xml_lines(std::string_view text);

}  // namespace rnncheck
