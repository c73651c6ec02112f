// Words on lines: wrapping and colour for the text format.
#pragma once

#include <string>
#include <string_view>

#include "report/format.hpp"

namespace rnncheck {

enum class Ink { red, yellow, green, cyan, bold, faint };

/// The text between the terminal's codes for `ink`, or as it is when the style has no colour.
std::string inked(const Style& style, Ink ink, std::string_view text);

/// Columns a text takes: code points, the codes of inked() not counted.
std::size_t columns_of(std::string_view text);

inline constexpr std::size_t page_width = 100;

/// `text` broken at spaces into lines of at most page_width columns, each with its line end. The first line begins
/// with `first`, the others with as many spaces as `first` has columns (or `indent` of them). A word that is too
/// long stays whole, so that paths can be copied.
std::string wrapped(std::string_view first, std::string_view text, std::size_t indent = std::string_view::npos);

/// "label" padded to `width` columns.
std::string padded(std::string_view text, std::size_t width);

/// "  label   ": the beginning of a line of a finding or a plan.
std::string label(std::string_view word, std::size_t width = 10);

}  // namespace rnncheck
