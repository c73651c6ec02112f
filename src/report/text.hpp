// Text for people: a page of lines with marks, colour, wrapping and labels, and the parts that fill
// it. Everything that comes from outside goes through shown() on its way to the page.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/documents.hpp"
#include "report/sweep.hpp"

namespace rnncheck {

/// By what they mean: problems are red, warnings yellow, what works green.
enum class TextStyle { red, yellow, green, cyan, bold, faint };
/// How a layer, a case or the whole is, in one character.
RNNCHECK_ENUM(Mark, passed, failed, warning, undetermined, not_run)

/// Lines of prose are no longer, however wide the terminal is.
inline constexpr std::size_t widest_prose = 100;
inline constexpr std::size_t label_width = 10;

/// Text from outside, safe for a terminal and of bounded length.
std::string shown(std::string_view text);

/// "kernel 6.1" of what is known, shown; else empty.
std::string known(
    std::string_view before, const std::optional<std::string>& value, std::string_view after = "");
std::string known(
    std::string_view before, const std::optional<Version>& value, std::string_view after = "");

/// What a format has for a character that means something in it.
using Entities = std::initializer_list<std::pair<char, std::string_view>>;

/// Without line ends; a text of more than `most` bytes is cut.
std::string with_entities(std::string_view text, Entities entities, std::size_t most = 4096);

/// For an attribute or an element.
std::string xml(std::string_view text, std::size_t most = 4096);

/// For an element; line ends stay.
std::string xml_lines(std::string_view text);

/// Columns a text takes: code points, the terminal's codes for colour not counted.
std::size_t columns_of(std::string_view text);

/// "text" padded to `width` columns.
std::string padded(std::string_view text, std::size_t width);

/// Rows as lines of columns, each as wide as its widest cell and two blanks from the next.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

/// "text" cut after a word to at most `width` columns, with "..." where something was cut.
std::string shortened(std::string_view text, std::size_t width);

/// "2026-11-21, 3 months old".
std::string matrix_date_in_words(const ToolStamp& tool);

/// "timed out" of the id timed_out.
std::string id_in_words(std::string_view id);

/// Title, message and fix of findings that have one fix; on a verbose page evidence and
/// documentation too.
void write_finding(Page& page, std::span<const Finding> with_one_fix);

/// The mark of the first line.
Mark mark_of(OverallVerdict verdict);

/// How a finding of a severity is headed.
struct SeverityLook {
    Mark mark;
    TextStyle style;
    std::string_view word;  ///< "Problem"
};
const SeverityLook& look_of(Severity severity);

/// What to do, and in parentheses what the commands may disturb.
std::string text_with_warning(const Remedy& remedy);
/// What heads a finding.
const std::string& title_of(const Finding& finding);

/// Lines of text in the style of the terminal or file that they are for. Text
/// from outside has to go through shown() before it is added.
class Page {
  public:
    explicit Page(const Style& style) : style_(style) {
    }

    bool is_verbose() const {
        return style_.verbose;
    }
    bool is_quiet() const {
        return style_.quiet;
    }
    std::size_t width() const;
    /// With the terminal's codes around it; without colors the text itself.
    std::string styled(TextStyle how, std::string_view text) const;
    /// "✓" or, in ASCII, "[ok]"; coloured.
    std::string mark(Mark mark) const;

    /// A line as it is: a command, a path, a row of a table.
    void line(std::string_view text = "");
    /// Text broken at spaces into lines. The first begins with `first`, the others with as many
    /// spaces as `first` has columns (or `indent` of them). A word that is too long stays whole, so
    /// that paths and URLs can be copied.
    void wrap(
        std::string_view first, std::string_view text, std::size_t indent = std::string_view::npos);
    /// "  Word      text", wrapped under the text.
    void labelled(std::string_view word, std::string_view text, std::size_t width = label_width);
    /// The same in one line, however long: a path.
    void unwrapped(std::string_view word, std::string_view text);
    /// The same with a command.
    void command(std::string_view word, std::string_view command);
    /// A title in bold behind an empty line.
    void heading(std::string_view title);

    /// All lines. In ASCII each byte beyond it, which only a text from outside can have, is shown
    /// as \xNN.
    std::string text() const;

  private:
    Style style_;
    std::string text_;
};

/// A document as text.
template <class Document>
std::string text_of(const Document& document, const Style& style) {
    Page page(style);
    write_document(page, document);
    return page.text();
}

/// Those that ended so; of those not applicable, those that were evaluated or not.
std::vector<const RuleVerdict*> checks_with(
    const std::vector<RuleVerdict>& checks, Outcome outcome, bool evaluated = true);

/// "rnncheck 0.1.0   ✓ recurrent networks work: ..."
std::string headline(const ToolStamp& tool, Mark mark, std::string_view sentence, const Page& page);
std::string headline(const Report& report, const Page& page);

/// What was found: a text and, less important, the path of what it is about.
struct ChecklistRow {
    ChecklistRow(std::string what, std::string where = {})
        : text(std::move(what)), place(std::move(where)) {
    }

    std::string whole() const {
        return place.empty() ? text : text + "  " + place;
    }

    std::string text, place;
};

/// A layer, how it is, and what was found there.
struct ChecklistLine {
    std::string word;
    Mark mark;
    std::vector<ChecklistRow> rows;
};

/// The error of a lower layer, such as the driver, that accounts for every case if none was
/// computed; else null.
const Finding* cause_below_all_cases(const Report& report);

/// System, driver, GPUs, CUDA, cuDNN, networks and frameworks; of what a person specified, what was
/// specified.
std::vector<ChecklistLine> checklist_of(const Report& report);
/// " ✓ Driver 535.104.05, supports CUDA up to 12.2", further rows below it.
void write_checklist(Page& page, const std::vector<ChecklistLine>& lines);

/// "Hidden because private: 2 x uuid (--show-private shows them)."; empty where nothing was.
std::string hidden_in_words(const Report& report);

/// "ok: first run 3 ms, second 0.3 ms, ..."; of a case that did not pass, why.
std::string how_it_went(const RnnRun& run);

/// "4 ok, 1 not supported, 1 timed out, 1 WRONG".
std::string counts_of(const Facts& facts, const Cases& cases);

/// The recurrent-network cases, a table per cuDNN installation, GPU and RNN API; GPUs with the
/// same results share one. Without `all`, only where something failed.
void write_sweeps(
    Page& page, const Facts& facts, bool all, std::string_view heading = "Recurrent networks");

/// The smallest case that fails, the sizes that fit, and what the network of a log showed.
void write_lstm(Page& page, const LstmExtras& extras);

}  // namespace rnncheck
