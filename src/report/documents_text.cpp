// What the commands beside the report print for people: tables, plans, loader choices, the
// self-test.
#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "report/text.hpp"

namespace rnncheck {

namespace {

/// Empty where the row has nothing in this column.
std::string cell(const TableRow& row, const std::string& column) {
    const std::string* const value = look_up(row.values, column);
    if (!value)
        return "";
    return shown(*value);
}

/// Columns with a long cell are below each row, those without any value nowhere. Sources are
/// numbered in the order of their first row.
void write_rows(Page& page, const TableView& table) {
    constexpr std::size_t widest_cell = 24;
    std::vector<std::string> columns, long_columns;
    for (const Column& column : table.columns) {
        std::size_t width = 0;
        for (const TableRow& row : table.rows)
            width = std::max(width, columns_of(cell(row, column.name)));
        if (width > widest_cell)
            long_columns.push_back(column.name);
        else if (width > 0)
            columns.push_back(column.name);
    }
    std::vector<std::vector<std::string>> rows = {columns};
    append(rows.front(), {"provenance", "source"});
    // Many rows share a source, so sources are listed once, below the rows.
    const auto sources = grouped(table.rows, [](const TableRow& row) {
        return std::pair(row.source.title, row.source.url);
    });
    for (const TableRow& row : table.rows) {
        auto& cells = rows.emplace_back(
            mapped(columns, [&](const auto& column) { return cell(row, column); }));
        const auto is_its = [&](const auto& source) { return includes(source.second, &row); };
        const auto place = std::ranges::find_if(sources, is_its) - sources.begin();
        append(cells, {std::string(name_of(row.provenance)), concat('[', place + 1, ']')});
    }
    const std::vector<std::string> lines = aligned(rows);
    page.line(page.styled(TextStyle::bold, shown(lines.front())));
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const TableRow& row = table.rows[i];
        page.line(lines[i + 1]);
        for (const std::string& column : long_columns)
            if (const std::string value = cell(row, column); !value.empty())
                page.wrap("    " + shown(column) + ": ", value, 6);
        if (row.note)
            page.wrap("    note: ", shown(*row.note), 6);
    }
    page.line();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const Source& source = sources[i].second.front()->source;
        const std::string number = padded(concat('[', i + 1, ']'), 5);
        page.wrap(number, shown(source.title) + ", seen " + shown(source.seen));
        page.line(std::string(number.size(), ' ') + shown(source.url));
    }
    page.line();
}

/// One library of `rnncheck which`: the file that the loader takes and why,
/// then the candidates that it passes over.
void write_choice(Page& page, const LibraryChoice& choice) {
    page.heading(shown(choice.soname));
    std::string file = page.styled(TextStyle::red, "not found");
    std::string_view user = "Needed by";
    if (choice.by_dlopen) {
        // The program may go on without it: what it does then is unknown.
        file = page.styled(TextStyle::yellow, "not found; it matters only if the program needs it");
        user = "Opened by";
    }
    if (choice.path)
        file = shown(*choice.path);
    page.unwrapped("File", file);
    page.labelled("Why", shown(choice.why));
    page.unwrapped(user, shown(choice.needed_by.value_or("")));
    for (const auto& candidate : choice.candidates) {
        page.unwrapped("Not", shown(candidate.path));
        page.labelled("", shown(candidate.why_not));
    }
}

void write_date_of_data(Page& page, const ToolStamp& tool) {
    page.line();
    page.line("Compatibility data: " + matrix_date_in_words(tool));
}

/// "2.4.1 (cu124)".
std::string version_and_build(const PlannedBuild& build) {
    return build.last->text + " (" + build.build + ")";
}

/// What the build was made with, and the newer one that pip installs beside it.
std::string cudnn_of(const PlannedBuild& build) {
    if (build.without_cudnn)
        return "no cuDNN";
    if (!build.cudnn)
        return "a cuDNN that is not in the data";
    const bool other = build.cudnn_by_pip && *build.cudnn_by_pip != *build.cudnn;
    std::string words = "cuDNN " + version_in_words(*build.cudnn);
    if (other)
        words += " or later (pip installs " + build.cudnn_by_pip->text + ")";
    return words;
}

/// "Python 3.9 to 3.12", or the only one.
std::string pythons_of(const PlannedBuild& build) {
    if (!build.python_first || !build.python_last)
        return "";
    if (*build.python_first == *build.python_last)
        return known("Python ", build.python_first);
    return known("Python ", build.python_first) + known(" to ", build.python_last);
}

/// The oldest driver; most people have a newer one, which also runs it.
std::string driver_of(const PlannedBuild& build) {
    if (!build.driver_min)
        return "a driver that is not in the data";
    return known("driver ", build.driver_min, " or newer");
}

/// "CUDA 12.4, cuDNN 9.1, Python 3.8 to 3.12, driver 525.60.13 or newer".
std::string made_of(const PlannedBuild& build) {
    return listed(
        {known("CUDA ", build.cuda), cudnn_of(build), pythons_of(build), driver_of(build)});
}

/// The command first: it is what is copied.
void write_build_details(Page& page, const PlannedBuild& build) {
    if (!build.install.empty())
        page.command("install", build.install);
    for (const auto* const texts : {&build.defects, &build.notes})
        for (const std::string& text : *texts)
            page.labelled("note", shown(text));
    page.labelled("note", shown(build.after_install));
}

void write_sources(Page& page, const PlannedBuild& build) {
    for (const std::string& source : build.sources)
        if (page.is_verbose())
            page.unwrapped("source", shown(source));
}

/// Why a version newer than the proposed one is not proposed; empty if none is.
std::string why_no_newer(const FrameworkPlan& plan) {
    if (!plan.newer)
        return "";
    const char* verb = " does not run: ";
    if (plan.newer->fit == Fit::unknown)
        verb = " may not run: ";
    return shown(version_and_build(*plan.newer) + verb + join(plan.newer->reasons, "; "));
}

/// The newest version that runs, else the newest that may run, else that none
/// does.
void write_plan(Page& page, const FrameworkPlan& plan) {
    const std::string name = page.styled(TextStyle::bold, shown(plan.framework));
    page.line();
    if (!plan.newest && !plan.possible) {
        if (plan.newer)
            page.line(name + ": no version is known to run");
        else
            page.line(name + ": no build with CUDA for this system");
        return page.labelled("newest", why_no_newer(plan));
    }
    const PlannedBuild& build = *(plan.newest ? plan.newest : plan.possible);
    std::string begin = name + ", not known to run: ";
    if (plan.newest)
        begin = name + " ";
    page.wrap(begin, shown(version_and_build(build) + ": " + made_of(build)), 2);
    write_build_details(page, build);
    page.labelled("runs", shown(join(plan.versions, ", ")));
    if (!plan.undecided.empty())
        page.labelled(
            "open", shown(join(plan.undecided, ", ") + ": " + join(plan.undecided_reasons, "; ")));
    page.labelled("newer", why_no_newer(plan));
    write_sources(page, build);
}

/// "NVIDIA GeForce RTX 3090 (8.6), driver 535.104.05, Python 3.11, linux".
std::string request_in_words(const PlannedFor& request) {
    std::string gpu = known("compute capability ", request.gpu);
    if (!request.gpu_name.empty())
        gpu = shown(request.gpu_name) + known(" (", request.gpu, ")");
    return listed(
        {gpu,
         known("driver ", request.driver),
         known("Python ", request.python),
         request.os + if_any(" over a driver of ", request.driver_os)});
}

std::string capabilities_in_words(const std::vector<Version>& capabilities) {
    return join(mapped(capabilities, &Version::text), " ");
}

/// One build of the version: what it was made with, the driver, and the GPUs
/// that it has code for, as machine code or as PTX that the driver compiles
/// first.
void write_needed(Page& page, const NeededBuild& needed) {
    const PlannedBuild& build = needed.build;
    page.line();
    page.wrap(
        "",
        page.styled(TextStyle::bold, shown(build.os + ", " + build.build)) + ": " +
            shown(made_of(build)),
        2);
    if (build.fit == Fit::does_not_work)
        page.labelled("not here", shown(join(build.reasons, "; ")));
    if (build.driver_full)
        page.labelled(
            "driver",
            known("", build.driver_min, " or newer; ") +
                known("all features of its CUDA from ", build.driver_full, " on"));
    std::string gpus = "not in the data";
    if (!needed.gpus.empty())
        gpus = capabilities_in_words(needed.gpus);
    page.labelled("GPUs", gpus);
    page.labelled("by PTX", capabilities_in_words(needed.gpus_compiling_first));
    write_build_details(page, build);
    write_sources(page, build);
}

/// The worst outcome, with how many checks had it and what follows for reports.
std::string sentence(const SelftestDocument& document) {
    const auto count = [&](SelftestOutcome outcome) {
        return std::ranges::count(document.checks, outcome, &SelftestCheck::outcome);
    };
    if (const auto failed = count(SelftestOutcome::failed))
        return "the self-test failed in " + pluralized(failed, "check", "checks") +
               "; do not rely on reports made here";
    if (const auto restricted = count(SelftestOutcome::restricted))
        return "the self-test passed with " +
               pluralized(restricted, "restriction", "restrictions") +
               "; reports made here are incomplete but not incorrect";
    return "the self-test passed in all " + pluralized(document.checks.size(), "check", "checks");
}

}  // namespace

/// What a bug report needs: the program, its tables and its source.
void write_document(Page& page, const VersionDocument& document) {
    page.line("rnncheck " + document.tool.version);
    page.line(concat(
        "compatibility data of ",
        document.tool.matrix_date,
        ", schema ",
        document.report_schema,
        ", commit ",
        document.tool.commit.value_or("unknown")));
}

void write_document(Page& page, const ListDocument& document) {
    const auto rows = mapped(document.items, [](const ListItem& item) {
        return std::vector{item.name, item.title};
    });
    for (const std::string& line : aligned(rows))
        page.line(line);
}

/// Each table with what it is about and how new it is.
void write_document(Page& page, const TablesDocument& document) {
    for (const TableOutline& table : document.tables) {
        page.line(
            page.styled(TextStyle::bold, shown(table.name)) + "  " +
            pluralized(table.rows, "row", "rows") + ", newest source " +
            shown(table.newest_source));
        page.wrap("    ", shown(table.about));
        page.line();
    }
    page.line(
        "Compatibility data: " + matrix_date_in_words(document.tool) + ", " +
        shown(document.tool.matrix_digest));
}

void write_document(Page& page, const TableDocument& document) {
    page.wrap(page.styled(TextStyle::bold, shown(document.name)) + ": ", shown(document.about), 2);
    page.line();
    if (document.rows.empty())
        return page.line("no row matches");
    write_rows(page, document);
    page.line(
        "Compatibility data: " + matrix_date_in_words(document.tool) + ", " +
        shown(document.tool.matrix_digest));
}

/// "compat_matrix/cudnn_builds.json, row 12: ...", as compilers report errors.
void write_document(Page& page, const VerifyDocument& document) {
    for (const Issue& issue : document.issues) {
        std::string row;
        if (issue.row > 0)
            row = concat(", row ", issue.row);
        page.line(
            shown(document.directory + "/" + issue.table + ".json") + row + ": " +
            shown(issue.text));
    }
    page.line(
        pluralized(document.rows, "row", "rows") + ", " +
        pluralized(document.issues.size(), "issue", "issues"));
}

/// What holds for all frameworks, then each framework by itself.
void write_document(Page& page, const PlanDocument& document) {
    const Plan& plan = document.plan;
    page.wrap("What can run on ", shown(request_in_words(plan.request)), 2);
    for (const std::string& remark : plan.remarks)
        page.wrap("", shown(remark), 2);
    for (const std::string& obstacle : plan.obstacles) {
        page.line();
        page.wrap("No build can be proposed: ", shown(obstacle), 2);
    }
    for (const FrameworkPlan& framework : plan.frameworks)
        write_plan(page, framework);
    write_date_of_data(page, document.tool);
}

/// The builds of the version, and the systems for which it has none with CUDA.
void write_document(Page& page, const NeedsDocument& document) {
    const Needs& needs = document.needs;
    page.line("What " + shown(needs.framework) + ' ' + needs.version.text + " needs");
    for (const NeededBuild& build : needs.builds)
        write_needed(page, build);
    const bool is_unknown = needs.builds.empty() && needs.without_cuda.empty();
    if (!needs.without_cuda.empty() || needs.newest_known || is_unknown)
        page.line();
    if (!needs.without_cuda.empty())
        page.wrap("no build with CUDA for ", shown(join_with_and(needs.without_cuda)), 2);
    if (needs.newest_known)
        page.wrap(
            "",
            "it is newer than the data of " + shown(document.tool.matrix_date) +
                ", which end with " + needs.newest_known->text);
    else if (is_unknown)
        page.line("no such version is in the data");
    write_date_of_data(page, document.tool);
}

/// Each library that was requested, in the order of the command line.
void write_document(Page& page, const WhichDocument& document) {
    page.wrap("", shown(document.target));
    for (const auto& note : document.notes)
        page.wrap("  note: ", shown(note));
    if (document.libraries.empty()) {
        page.line();
        page.line("no such library is needed or opened by name");
    }
    for (const auto& choice : document.libraries)
        write_choice(page, choice);
    for (const Finding& finding : document.findings)
        write_finding(page, {&finding, 1});
}

void write_document(Page& page, const SelftestDocument& document) {
    constexpr Mark marks[] = {Mark::passed, Mark::warning, Mark::failed};
    const auto mark = [&](SelftestOutcome outcome) {
        return page.mark(marks[static_cast<std::size_t>(outcome)]);
    };
    page.wrap(
        "rnncheck " + shown(document.tool.version) + "   " + mark(document.verdict) + ' ',
        sentence(document),
        2);
    page.line();
    for (const SelftestCheck& check : document.checks)
        page.wrap(
            " " + mark(check.outcome) + ' ' + padded(name_of(check.outcome), 10) + "  " +
                padded(check.name, 15) + "  ",
            shown(check.text));
}

}  // namespace rnncheck
