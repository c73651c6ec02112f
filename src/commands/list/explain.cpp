// Prints the page about a rule or a probe, or which pages a status name, a message or a part of a
// name may mean.
#include <CLI/CLI.hpp>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "commands/common_options.hpp"
#include "commands/names.hpp"
#include "commands/output.hpp"
#include "facts/old_ids.hpp"
#include "judge.hpp"
#include "log/read_log.hpp"
#include "process/probe.hpp"
#include "report/text.hpp"

namespace rnncheck::commands::explain {

namespace {

/// "driver_missing" of "DRIVER-MISSING" and "Driver missing".
std::string as_id(const std::string& words) {
    std::string id = lower(words);
    std::ranges::replace(id, '-', '_');
    std::ranges::replace(id, ' ', '_');
    return current_id(id);
}

/// Empty for what is neither a rule nor a probe.
std::string page_of(const std::string& id) {
    std::string_view page = rule_page(id);
    if (page.empty())
        page = page_named(probe_pages(), id);
    return std::string(page);
}

/// The page's first sentence after its heading.
std::string title_of_page(const std::string& page) {
    const auto lines = split(page, '\n');
    const auto is_title = [](const std::string& line) {
        return !line.empty() && !line.starts_with('#');
    };
    const auto title = std::ranges::find_if(lines, is_title);
    if (title == lines.end())
        return "";
    return *title;
}

/// "  driver_missing  No NVIDIA driver is installed", a line each.
std::string listed(const std::vector<std::string>& ids) {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& id : ids)
        rows.push_back({"  " + id, title_of_page(page_of(id))});
    return join(aligned(rows), "\n") + '\n';
}

/// "8 in cudnn 8" of a row of status_names.
std::string code_in_words(const StatusName& status) {
    std::string version;
    if (status.major != 0)
        version = ' ' + std::to_string(status.major);
    return std::to_string(status.code) + " in " + status.library + version;
}

/// What the vendor's status codes of this name mean; empty if there is none. Versions of cuDNN have
/// other numbers.
std::string status_text(const std::string& name, const Matrix& matrix) {
    std::vector<std::string> codes;
    std::string meaning, remedy, spelling;
    for (const StatusName& status : matrix.status_names()) {
        if (lower(status.name) != lower(name))
            continue;
        spelling = status.name;
        codes.push_back(code_in_words(status));
        if (!status.meaning.empty())
            meaning = status.meaning;
        if (!status.remedy.empty())
            remedy = status.remedy;
    }
    if (codes.empty())
        return "";
    std::string text = spelling + " (" + join(codes, ", ") + ")";
    if (!meaning.empty())
        text += ": " + meaning;
    if (!remedy.empty())
        text += ". What helps: " + remedy;
    return text + "\n\n";
}

/// The causes that a log of this one line points to, the likeliest first.
std::vector<std::string> causes_of_line(const std::string& line, const Matrix& matrix) {
    Facts facts;
    facts.tool = {std::string(version_of_rnncheck()), {"log"}};
    facts.log = read_logs({text_as_log("line", line)}, matrix);
    if (facts.log->events.empty())
        return {};
    std::vector<std::string> ids;
    for (const Finding& finding : judge(std::move(facts), matrix, {}).findings)
        if (finding.rule != "program_end_not_in_log" && !includes(ids, finding.rule))
            ids.push_back(finding.rule);
    return ids;
}

/// Those whose name contains the text.
std::vector<std::string> ids_with(const std::string& part, const std::vector<std::string>& known) {
    std::vector<std::string> ids;
    for (const std::string& id : known)
        if (contains(id, part))
            ids.push_back(id);
    return ids;
}

/// "cuDNN" is in too many names to be a message.
bool is_message(const std::string& words) {
    constexpr std::size_t least = 8;
    return words.size() >= least;
}

/// The page; else what the words mean as a status or a message; else the ids that contain them.
/// UsageError if nothing does.
std::string answer_for(const std::string& words) {
    if (const std::string page = page_of(as_id(words)); !page.empty())
        return page;
    const Matrix matrix = Matrix::bundled();
    const std::string status = status_text(words, matrix);
    if (!status.empty() || is_message(words)) {
        // A log has the status as the vendor spells it.
        std::string line = words;
        if (!status.empty())
            line = status.substr(0, status.find(" ("));
        const auto causes = causes_of_line(line, matrix);
        if (!causes.empty())
            return status + "Causes that this message alone points to, the likeliest first:\n\n" +
                   listed(causes) +
                   "\n'rnncheck explain ID' describes a cause; 'rnncheck diagnose LOG' weighs them "
                   "by the whole log.\n";
    }
    if (!status.empty())
        return status;
    const auto known = rule_and_probe_names(matrix);
    const auto ids = ids_with(as_id(words), known);
    if (ids.size() == 1)
        return page_of(ids.front());
    if (!ids.empty())
        return "Rules and probes with '" + words + "' in their name:\n\n" + listed(ids) +
               "\n'rnncheck explain ID' describes one.\n";
    reject_id(words, "rule or probe", known);
}

/// Headings, tables and what is indented stay lines of their own.
bool is_literal(const std::string& line) {
    return line.empty() || line.starts_with('#') || line.starts_with('|') ||
           line.starts_with("  ") || line.starts_with("```");
}

/// Means a blank within a command, where no line may end: a command that is pasted is one
/// line.
constexpr char unbreakable = '\1';

std::string with_whole_commands(std::string line) {
    bool is_command = false;
    for (char& c : line) {
        if (c == '`')
            is_command = !is_command;
        if (c == ' ' && is_command)
            c = unbreakable;
    }
    return line;
}

/// Paragraphs and the items of lists are folded to the width of the terminal.
void print_folded(const std::string& text) {
    Page page(ReportOptions().style());
    std::string paragraph;
    const auto end_paragraph = [&] {
        const bool is_item = paragraph.starts_with("- ");
        paragraph = with_whole_commands(paragraph);
        if (is_item)
            page.wrap("- ", paragraph.substr(2));
        else if (!paragraph.empty())
            page.wrap("", paragraph);
        paragraph.clear();
    };
    bool is_code = false;
    for (const std::string& line : split(trim(text), '\n')) {
        const bool continues_item = paragraph.starts_with("- ") && line.starts_with("  ");
        if (line.starts_with("```"))
            is_code = !is_code;
        if (line.starts_with("- ") || (!continues_item && (is_code || is_literal(line))))
            end_paragraph();
        if (!continues_item && (is_code || is_literal(line)))
            page.line(line);
        else {
            if (!paragraph.empty())
                paragraph += " ";
            paragraph += trim(line);
        }
    }
    end_paragraph();
    std::string folded = page.text();
    std::ranges::replace(folded, unbreakable, ' ');
    print_document(folded);
}

std::function<int()> declare(CLI::App& app) {
    const auto words = std::make_shared<std::vector<std::string>>();
    app.add_option(
           "ID",
           *words,
           "A rule or a probe as a report names it, a part of its name, a status such as "
           "CUDNN_STATUS_EXECUTION_FAILED, or a message in quotation marks")
        ->required()
        ->allow_extra_args();
    return [words] {
        print_folded(answer_for(join(*words, " ")));
        return healthy;
    };
}

}  // namespace

extern const Command command{declare};

}  // namespace rnncheck::commands::explain
