// What the commands beside the report print for people: tables, plans, loader choices, the self-test.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t widest_cell = 24;
constexpr std::size_t provenance_width = std::string_view("unconfirmed").size();

std::string cell(const TableRow& row, const std::string& column) {
    const std::string* const value = look_up(row.values, column);
    return value ? shown(*value) : "";
}

/// A column of the page: aligned, or, where a cell is long, below the row.
struct PageColumn {
    std::string name;
    std::size_t width = 0;

    bool is_long() const { return width > widest_cell; }
};

/// Those in which some row has a value.
std::vector<PageColumn> page_columns(const TableView& table) {
    std::vector<PageColumn> columns;
    for (const Column& column : table.columns) {
        PageColumn page{shown(column.name), 0};
        for (const TableRow& row : table.rows) page.width = std::max(page.width, columns_of(cell(row, column.name)));
        if (page.width == 0) continue;
        if (!page.is_long()) page.width = std::max(page.width, columns_of(page.name));
        columns.push_back(std::move(page));
    }
    return columns;
}

void write_row(Page& page, const TableRow& row, const std::vector<PageColumn>& columns, std::size_t source) {
    std::string line;
    for (const PageColumn& column : columns)
        if (!column.is_long()) line += padded(cell(row, column.name), column.width) + "  ";
    page.line(line + padded(name_of(row.provenance), provenance_width) + "  [" + std::to_string(source) + "]");
    for (const PageColumn& column : columns)
        if (const std::string value = cell(row, column.name); column.is_long() && !value.empty())
            page.wrap("    " + column.name + ": ", value, 6);
    if (row.note) page.wrap("    note: ", shown(*row.note), 6);
}

/// Sources are numbered in the order of their first row.
void write_rows(Page& page, const TableView& table) {
    const std::vector<PageColumn> columns = page_columns(table);
    std::string heading;
    for (const PageColumn& column : columns)
        if (!column.is_long()) heading += padded(column.name, column.width) + "  ";
    page.line(page.styled(TextStyle::bold, heading + padded("provenance", provenance_width) + "  source"));
    std::vector<const Source*> sources;
    for (const TableRow& row : table.rows) {
        const auto same = [&](const Source* other) {
            return other->title == row.source.title && other->url == row.source.url;
        };
        const auto place = static_cast<std::size_t>(std::ranges::find_if(sources, same) - sources.begin());
        if (place == sources.size()) sources.push_back(&row.source);
        write_row(page, row, columns, place + 1);
    }
    page.line();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::string number = padded("[" + std::to_string(i + 1) + "]", 5);
        page.wrap(number, shown(sources[i]->title) + ", seen " + shown(sources[i]->seen));
        page.line(std::string(number.size(), ' ') + shown(sources[i]->url));
    }
    page.line();
}

void write_matrix(Page& page, const ToolStamp& tool) {
    page.line("Compatibility data: " + matrix_date_in_words(tool) + ", " + shown(tool.matrix_digest));
}

void write_choice(Page& page, const LibraryChoice& choice) {
    page.heading(shown(choice.soname));
    const TextStyle how = choice.by_dlopen ? TextStyle::yellow : TextStyle::red;
    const char* missing = choice.by_dlopen ? "not found; it matters only if the program needs it" : "not found";
    page.line("  " + padded("File", 10) + (choice.path ? shown(*choice.path) : page.styled(how, missing)));
    page.labelled("Why", shown(choice.why));
    if (choice.needed_by)
        page.line("  " + padded(choice.by_dlopen ? "Opened by" : "Needed by", 10) + shown(*choice.needed_by));
    for (const auto& candidate : choice.candidates) {
        page.line("  " + padded("Not", 10) + shown(candidate.path));
        page.labelled("", shown(candidate.why_not));
    }
}

std::string version_and_build(const PlannedBuild& build) {
    return build.last->text + " (" + build.build + ")";
}

std::string from_to(const std::optional<Version>& first, const std::optional<Version>& last) {
    if (!first || !last) return "";
    return *first == *last ? last->text : first->text + " to " + last->text;
}

std::string made_of(const PlannedBuild& build) {
    std::vector<std::string> parts;
    if (build.cuda) parts.push_back("CUDA " + build.cuda->text);
    parts.push_back(build.without_cudnn ? "no cuDNN"
                    : build.cudnn       ? "cuDNN " + version_in_words(*build.cudnn)
                                        : "a cuDNN that is not in the data");
    if (const std::string python = from_to(build.python_first, build.python_last); !python.empty())
        parts.push_back("Python " + python);
    parts.push_back(build.driver_min ? "driver " + build.driver_min->text + " or newer"
                                     : "a driver that is not in the data");
    return join(parts, ", ");
}

void write_build_details(Page& page, const PlannedBuild& build) {
    if (!build.install.empty()) page.command("install", build.install);
    for (const std::string& note : build.notes) page.labelled("note", shown(note));
}

void write_sources(Page& page, const PlannedBuild& build) {
    for (const std::string& source : build.sources)
        if (page.is_verbose()) page.line("  " + padded("source", 10) + shown(source));
}

std::string why_no_newer(const FrameworkPlan& plan) {
    if (!plan.newer) return "";
    const char* verb = plan.newer->fit == Fit::unknown ? " may not run: " : " does not run: ";
    return shown(version_and_build(*plan.newer) + verb + join(plan.newer->because, "; "));
}

void write_plan(Page& page, const FrameworkPlan& plan) {
    const std::string name = page.styled(TextStyle::bold, shown(plan.framework));
    page.line();
    if (!plan.newest && !plan.perhaps) {
        page.line(name + (plan.newer ? ": no version is known to run" : ": no build with CUDA for this system"));
        return page.labelled("newest", why_no_newer(plan));
    }
    const PlannedBuild& build = plan.newest ? *plan.newest : *plan.perhaps;
    page.wrap(name + (plan.newest ? " " : ", not known to run: "),
              shown(version_and_build(build) + ": " + made_of(build)), 2);
    write_build_details(page, build);
    page.labelled("runs", shown(join(plan.versions, ", ")));
    if (!plan.undecided.empty())
        page.labelled("open", shown(join(plan.undecided, ", ") + ": " + join(plan.undecided_because, "; ")));
    page.labelled("newer", why_no_newer(plan));
    write_sources(page, build);
}

std::string asked_in_words(const PlanQuestion& asked) {
    std::vector<std::string> parts;
    if (asked.gpu && !asked.gpu_name.empty())
        parts.push_back(asked.gpu_name + " (" + asked.gpu->text + ")");
    else if (asked.gpu)
        parts.push_back("compute capability " + asked.gpu->text);
    if (asked.driver) parts.push_back("driver " + asked.driver->text);
    if (asked.python) parts.push_back("Python " + asked.python->text);
    parts.push_back(asked.os + (asked.driver_os.empty() ? "" : " over a driver of " + asked.driver_os));
    return join(parts, ", ");
}

std::string capabilities_in_words(const std::vector<Version>& capabilities) {
    std::string words;
    for (const Version& capability : capabilities) words += (words.empty() ? "" : " ") + shown(capability.text);
    return words;
}

void write_needed(Page& page, const NeededBuild& needed) {
    const PlannedBuild& build = needed.build;
    page.line();
    page.wrap("", page.styled(TextStyle::bold, shown(build.os + ", " + build.build)) + ": " + shown(made_of(build)), 2);
    if (build.fit == Fit::does_not_work) page.labelled("not here", shown(join(build.because, "; ")));
    if (build.driver_full)
        page.labelled("driver", (build.driver_min ? build.driver_min->text + " or newer; " : "") +
                                    "all features of its CUDA from " + build.driver_full->text + " on");
    page.labelled("GPUs", needed.gpus.empty() ? "not in the data" : capabilities_in_words(needed.gpus));
    page.labelled("by PTX", capabilities_in_words(needed.gpus_compiling_first));
    write_build_details(page, build);
    write_sources(page, build);
}

std::string sentence(const SelftestDocument& document) {
    const auto count = [&](SelftestOutcome outcome) {
        return static_cast<std::size_t>(std::ranges::count(document.checks, outcome, &SelftestCheck::outcome));
    };
    if (const auto failed = count(SelftestOutcome::failed))
        return "the self-test failed in " + pluralized(failed, "check", "checks") +
               "; do not rely on reports made here";
    if (const auto restricted = count(SelftestOutcome::restricted))
        return "the self-test passed with " + pluralized(restricted, "restriction", "restrictions") +
               "; reports made here are incomplete but not incorrect";
    return "the self-test passed in all " + pluralized(document.checks.size(), "check", "checks");
}

}  // namespace

void write_document(Page& page, const VersionDocument& document) {
    page.line("rnncheck " + document.tool.version);
    page.line("compatibility data of " + document.tool.matrix_date + ", schema " +
              std::to_string(document.report_schema) + ", commit " + document.tool.commit.value_or("unknown"));
}

void write_document(Page& page, const ListDocument& document) {
    std::size_t width = 0;
    for (const ListItem& entry : document.items) width = std::max(width, entry.name.size());
    for (const ListItem& entry : document.items)
        page.line(entry.title.empty() ? entry.name : padded(entry.name, width) + "  " + entry.title);
}

void write_document(Page& page, const TablesDocument& document) {
    for (const TableOutline& table : document.tables) {
        page.line(page.styled(TextStyle::bold, shown(table.name)) + "  " + pluralized(table.rows, "row", "rows") +
                  ", newest source " + shown(table.newest_source));
        page.wrap("    ", shown(table.about));
        page.line();
    }
    write_matrix(page, document.tool);
}

void write_document(Page& page, const TableDocument& document) {
    page.wrap(page.styled(TextStyle::bold, shown(document.view.name)) + ": ", shown(document.view.about), 2);
    page.line();
    if (document.view.rows.empty()) {
        page.line("no row matches");
    }
    write_rows(page, document.view);
    write_matrix(page, document.tool);
}

void write_document(Page& page, const VerifyDocument& document) {
    for (const Issue& issue : document.issues)
        page.line(shown(document.directory + "/" + issue.table + ".json") +
                  (issue.row > 0 ? ", row " + std::to_string(issue.row) : "") + ": " + shown(issue.text));
    page.line(pluralized(document.rows, "row", "rows") + ", " + pluralized(document.issues.size(), "issue", "issues"));
}

void write_document(Page& page, const PlanDocument& document) {
    const Plan& plan = document.plan;
    page.wrap("What can run on ", shown(asked_in_words(plan.asked)), 2);
    for (const std::string& remark : plan.remarks) page.wrap("", shown(remark), 2);
    for (const std::string& obstacle : plan.obstacles) {
        page.line();
        page.wrap("No build can be proposed: ", shown(obstacle), 2);
    }
    for (const FrameworkPlan& framework : plan.frameworks) write_plan(page, framework);
    page.line();
    page.line("Compatibility data: " + matrix_date_in_words(document.tool));
}

void write_document(Page& page, const NeedsDocument& document) {
    const Needs& needs = document.needs;
    page.line("What " + shown(needs.framework) + ' ' + needs.version.text + " needs");
    for (const NeededBuild& build : needs.builds) write_needed(page, build);
    if (!needs.without_cuda.empty()) {
        page.line();
        page.wrap("no build with CUDA for ", shown(join_with_and(needs.without_cuda)), 2);
    }
    if (needs.newest_known || (needs.builds.empty() && needs.without_cuda.empty())) page.line();
    if (needs.newest_known)
        page.wrap("", "it is newer than the data of " + shown(document.tool.matrix_date) + ", which end with " +
                          needs.newest_known->text);
    else if (needs.builds.empty() && needs.without_cuda.empty())
        page.line("no such version is in the data");
    page.line();
    page.line("Compatibility data: " + matrix_date_in_words(document.tool));
}

void write_document(Page& page, const WhichDocument& document) {
    page.wrap("", shown(document.target));
    for (const auto& note : document.notes) page.wrap("  note: ", shown(note));
    if (document.libraries.empty()) {
        page.line();
        page.line("no such library is needed or opened by name");
    }
    for (const auto& choice : document.libraries) write_choice(page, choice);
}

void write_document(Page& page, const SelftestDocument& document) {
    constexpr Mark marks[] = {Mark::passed, Mark::warning, Mark::failed};
    const auto mark = [&](SelftestOutcome outcome) { return page.mark(marks[static_cast<std::size_t>(outcome)]); };
    page.wrap("rnncheck " + shown(document.tool.version) + "   " + mark(document.verdict) + ' ', sentence(document), 2);
    page.line();
    for (const SelftestCheck& check : document.checks)
        page.wrap(
            " " + mark(check.outcome) + ' ' + padded(name_of(check.outcome), 10) + "  " + padded(check.name, 15) + "  ",
            shown(check.text));
}

}  // namespace rnncheck
