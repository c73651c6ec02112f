// What every format prints of a document. Made once for each kind of document, so that a new
// document needs no code in the formats, and a new format none in the documents.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "base/directory_list.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

/// A table of a section, for formats that draw tables: how a cell is colored, and its text.
struct OutlineCell {
    std::string text;
    std::optional<Mark> mark = {};
};

/// A table with sentences below it, of which either may be missing.
struct OutlineTable {
    std::string title = {};  ///< "GPU 0, cuDNN 9.19.0, v8 API: 24 ok"
    std::vector<std::string> columns = {};
    std::vector<std::vector<OutlineCell>> rows = {};
    std::vector<std::string> below = {};  ///< sentences below it
};

/// What a section is, whatever its heading.
enum class SectionKind { networks, layers, further_results, nodes };

/// A part of a document below a heading. `text` is all of it, as the text form prints it.
struct OutlineSection {
    SectionKind kind = {};
    std::string heading = {}, text = {};
    std::vector<OutlineTable> tables =
        {};  ///< the same for formats that draw tables; empty: they print the text
    std::string summary =
        {};  ///< what it shows, where only those who look for it need it; else empty
};

/// All that formats may print of a document, in the order of their needs: a line, findings, checks,
/// a checklist, sections, tables. Must not outlive its document, to which it refers.
struct Outline {
    ToolStamp tool = {};
    RunStamp run = {};
    OverallVerdict verdict = OverallVerdict::undetermined;  ///< decides about colors and exit codes
    std::string_view word = {};  ///< the verdict, as this document names it
    std::string sentence = {};
    std::string hidden = {};  ///< what was replaced because it is private
    std::vector<Finding> findings = {};
    const Log* log = nullptr;              ///< to whose lines the evidence of findings refers
    std::vector<RuleVerdict> checks = {};  ///< of a finding's rule too
    std::map<int, std::map<RunEnd, int>> tests =
        {};  ///< by GPU and end; empty where none belongs to the document
    std::string_view checklist_heading = "Checklist";
    std::vector<ChecklistLine> checklist = {};
    std::vector<OutlineSection> sections = {};
    std::vector<std::vector<std::string>> rows = {};  ///< a table; the findings where it is empty
    // Created only for the formats that print it.
    std::function<std::string(const Style&)> text = {}, json = {};
    std::function<std::vector<std::string>()> pictures = [] {
        return std::vector<std::string>();
    };  ///< SVG
};

/// What every document has, put into `outline`.
template <class Document>
Outline outline_with(const Document& document, OverallVerdict verdict, Outline outline = {}) {
    outline.tool = document.tool;
    outline.run = document;
    outline.verdict = verdict;
    outline.word = name_of(verdict);
    outline.sentence = document.sentence;
    outline.text = [&document](const Style& style) { return text_of(document, style); };
    outline.json = [&document](const Style& style) {
        return json_text(document, style.json_lines);
    };
    return outline;
}

/// A section with what `write` puts on a page.
OutlineSection section(SectionKind kind, const std::function<void(Page&)>& write);

/// A format prints the outline of a report or of another document. It may not look anything up and
/// may not decide.
struct Format {
    std::string_view title;
    std::string (*write)(const Outline&, const Style&);
};

/// Every file of src/report/formats/, by name.
std::span<const Named<Format>> all_formats();

/// One for each document that formats print. The outline refers to its
/// document, which has to live longer.
Outline outline_of(const Report& report);
Outline outline_of(const Diff& diff);
Outline outline_of(const Fleet& fleet);
Outline outline_of(const FleetDiff& diff);
Outline outline_of(const ModelDocument& document);

/// Of each cuDNN installation its networks by kind, and the cases that did not pass or were
/// requested by themselves.
std::vector<OutlineTable> tables_of_sweeps(const Facts& facts);

/// Which rnncheck with which data, when it was run, and how.
std::string about_run(const Outline& outline);

/// Checks that failed without a finding: a layer in which two machines differ.
std::vector<const RuleVerdict*> faults_without_finding(const Outline& outline);

/// What is wrong, and how sure that is where it is not certain: "possible: another process uses the
/// GPU's memory".
std::string message_of(const Finding& finding);

/// A line of a log: the place of its file among the log's files, and its number there.
struct LogPlace {
    std::ptrdiff_t file = 0;
    std::int64_t line = 0;

    auto operator<=>(const LogPlace&) const = default;
};

/// The line that it quotes; nothing for what is not of a log.
std::optional<LogPlace> quoted_line(const Evidence& evidence, const Log& log);

}  // namespace rnncheck
