// A piece of a log made fit for matching: what terminals, web pages, mail and log collectors do to text is undone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::log_reader {

/// Lines of a log in two forms. In `text` every run of blanks is one blank and every line end one '\n'; colour codes,
/// HTML, JSON escapes, quotation marks of mail and typographic quotes are gone. `squeezed` is the same without any
/// white space, for text that was wrapped in the middle of words.
struct Passage {
    std::string text;
    std::string squeezed;
    std::vector<std::uint32_t> text_starts;      ///< where line n begins in `text`
    std::vector<std::uint32_t> squeezed_starts;  ///< and in `squeezed`
    std::vector<std::string_view> lines;         ///< the same lines as they stand in the log
    std::int64_t first_line = 1;                 ///< number of lines[0] in the log
    std::size_t text_from = 0;                   ///< matching begins here: 1 where the first line is a piece of one
    std::size_t squeezed_from = 0;               ///< and here: 1 where it is not the log's first line

    /// Which of `lines` a place in `text` (or `squeezed`) belongs to.
    std::size_t line_at(std::size_t place) const;
    std::size_t line_at_squeezed(std::size_t place) const;
};

/// `raw` holds whole lines and must outlive the passage.
Passage make_passage(std::string_view raw, std::int64_t first_line);

}  // namespace rnncheck::log_reader
