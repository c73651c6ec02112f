// Words on lines for people: colour, wrapping, and the parts of the text format in the order in which they are printed.
// Everything that comes from outside goes through shown() on its way to the page.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "report/format.hpp"

namespace rnncheck {

enum class TextStyle { red, yellow, green, cyan, bold, faint };

/// The text between the terminal's codes for `how`, or as it is when the style has no colour.
std::string styled(const Style& style, TextStyle how, std::string_view text);

/// Columns a text takes: code points, the codes of styled() not counted.
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

/// Text from outside, safe for a terminal and of bounded length.
std::string shown(std::string_view text);

/// "cuInit answers 100 no CUDA-capable device is detected"; code -1 is our own, for a call that never answered.
std::string answer_of(const CallResult& result);

/// The report's sentence, with who says it.
std::string headline(const Report& report);

/// "This machine": system, driver, GPUs, CUDA and cuDNN copies; "Given" where a person told and there is no machine.
void write_machine(const Facts& facts, std::ostream& out, const Style& style);

/// "Frameworks": the active Python environment with what is in it, and where else frameworks are; nothing without any.
void write_frameworks(const Facts& facts, std::ostream& out, const Style& style);

/// What logs tell.
void write_log(const Log& log, std::ostream& out, const Style& style);

/// "tables of 2026-11-21, 3 months old".
std::string tables_in_words(const ToolStamp& tool);

void write_finding(const Finding& finding, std::ostream& out, const Style& style);

/// The recurrent-network cases, one grid per copy of cuDNN, GPU and interface; GPUs that fared alike share one.
void write_sweeps(const Facts& facts, std::ostream& out, const Style& style);

/// "error", "warning", "note", in colour.
std::string severity_word(const Finding& finding, const Style& style);

}  // namespace rnncheck
