#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "matrix/table_view.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

namespace {

/// Takes the issues of one table: report(row, "driver_min {} does not run CUDA {}", a, b) fills
/// each {} in turn.
struct Report {
    std::vector<Issue>& issues;
    const std::string& table;

    template <class... Parts>
    void operator()(const Row& row, std::string_view form, const Parts&... parts) const {
        std::string text;
        const auto fill = [&](const std::string& part) {
            const auto at = form.find("{}");
            text.append(form.substr(0, at)).append(part);
            form.remove_prefix(at + 2);
        };
        (fill(cell_text(parts)), ...);
        issues.push_back({table, row.number, escaped(text.append(form))});
    }
};

// One table:

/// Columns that hold one of a few words.
struct WordColumn {
    std::string_view table;
    const char* column;
    std::vector<std::string> words;
    bool may_be_empty = false;
};
const WordColumn word_columns[] = {
    {"driver_branches", "kind", {"long-term support", "new feature", "production"}, true},
    {"framework_builds", "libraries", {"inside", "none", "system", "wheels"}},
    {"framework_builds", "os", {"linux", "macos", "windows"}},
    {"framework_builds_arm", "libraries", {"inside", "none", "system", "wheels"}},
    {"framework_builds_arm", "os", {"linux"}},
    {"model_rules", "verdict", {"cpu_only", "depends", "no", "unknown"}},
    {"rnn_defects", "os", {"linux", "windows"}, true},
};

/// A typing error in such a column would make a row that matches nothing.
void check_words(const TextMap& cells, const Row& row, const Report& report) {
    for (const auto& [table, column, words, may_be_empty] : word_columns) {
        if (table != report.table)
            continue;
        const std::string& word = cells.at(column);
        if (!(word.empty() && may_be_empty) && !includes(words, word))
            report(row, "column '{}': '{}' is none of {}", column, word, join_with_and(words));
    }
}

/// A range that ends before it begins would contain no version.
void check_ranges(
    const TextMap& cells,
    std::span<const RangeColumns> ranges,
    const Row& row,
    const Report& report) {
    for (const RangeColumns& range : ranges) {
        const auto first = parse_version(cells.at(std::string(range.first)));
        const auto last = parse_version(cells.at(std::string(range.last)));
        const bool is_reversed =
            first && last && (range.excludes_last ? *last <= *first : !within(*first, *last));
        if (is_reversed)
            report(
                row,
                "'{}' ({}) comes before '{}' ({}); exchange or correct them",
                range.last,
                *last,
                range.first,
                *first);
    }
}

/// Queries rely on the order, and so do people who look for a row.
template <class R>
void check_order(const std::vector<R>& rows, const Report& report) {
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].key() == rows[i - 1].key() && !requires { R::order_is_meant; })
            report(rows[i], "duplicates row {}; keep one of them", rows[i - 1].number);
        else if (rows[i].key() < rows[i - 1].key())
            report(
                rows[i],
                "belongs before row {}; rows are sorted by their first columns",
                rows[i - 1].number);
}

/// A version in two rows of one series would have two answers.
template <class R>
void check_overlaps(const std::vector<R>& rows, const Report& report) {
    std::map<std::string, std::vector<const R*>> seen;
    for (const R& row : rows) {
        const Series here = row.series();
        for (const R* const other : seen[here.name]) {
            const Series there = other->series();
            if ((!there.last || within(here.first, *there.last)) &&
                (!here.last || within(there.first, *here.last)))
                report(
                    row,
                    "overlaps row {}{}; a version may be in one row only",
                    other->number,
                    if_any(" of ", here.name));
        }
        seen[here.name].push_back(&row);
    }
}

// Tables beside each other. One that could not be read to its end contradicts none: its own issues
// are reported.

/// Null where the table has no row for it.
const DriverForCuda* toolkit(const Tables& all, const Version& cuda) {
    return find_where(all.driver_for_cuda.read().rows, [&](const DriverForCuda& row) {
        return agree(row.cuda, cuda);
    });
}

/// The row that covers a branch; null where none does.
const CudaOfDriver* driver(const Tables& all, int branch) {
    return find_where(all.cuda_of_driver.read().rows, [&](const CudaOfDriver& row) {
        return row.branch <= branch && branch <= row.last_branch;
    });
}

const Architecture* architecture(const Tables& all, const Version& capability) {
    return find_by(all.architectures.read().rows, &Architecture::capability, capability);
}

/// Columns that name a row of driver_for_cuda, architectures or cuda_of_driver. What is older than
/// the first row there need not have one.
constexpr std::string_view toolkit_columns[] = {
    "cuda", "cuda_min", "cuda_max", "first_cuda", "last_cuda"};
constexpr std::string_view capability_columns[] = {
    "capability", "capability_min", "capability_max"};
constexpr std::string_view branch_columns[] = {"branch", "last_driver_branch", "full_driver"};

void check_capability(
    const Tables& all, const Version& capability, const Row& row, const Report& report) {
    const auto& known = all.architectures.read();
    if (known.is_whole() && capability >= known.rows.front().capability &&
        !architecture(all, capability))
        report(
            row,
            "architectures does not contain capability {}; correct it or add its row there",
            capability);
}

/// Every version of CUDA, capability and branch in any table has a row of its
/// own.
void check_references(
    const Tables& all, const TextMap& cells, const Row& row, const Report& report) {
    const auto& toolkits = all.driver_for_cuda.read();
    const auto& branches = all.cuda_of_driver.read();
    for (const auto& [column, text] : cells) {
        const auto version = parse_version(text);
        if (!version)
            continue;
        if (includes(toolkit_columns, column) && toolkits.is_whole() &&
            *version >= toolkits.rows.front().cuda && !toolkit(all, *version) &&
            !toolkits.holes.contains(text))
            report(
                row,
                "driver_for_cuda does not contain CUDA {}; correct it or add its row there",
                text);
        if (includes(capability_columns, column))
            check_capability(all, *version, row, report);
        if (includes(branch_columns, column) && branches.is_whole() &&
            version->major() >= branches.rows.front().branch && !driver(all, version->major()))
            report(
                row,
                "cuda_of_driver does not contain branch {}; correct '{}' or add the branch there",
                version->major(),
                column);
    }
}

/// A driver that a row names as enough has to run the CUDA of the row.
void check_driver_min(
    const Tables& all,
    const std::optional<Version>& driver_min,
    const Version& cuda,
    const Row& row,
    const Report& report) {
    const DriverForCuda* needed = toolkit(all, cuda);
    if (needed && driver_min && !reaches(*driver_min, needed->oldest_driver))
        report(
            row,
            "driver_min {} does not run CUDA {}, which needs {} (driver_for_cuda); correct one "
            "of them",
            *driver_min,
            cuda,
            needed->oldest_driver);
}

/// What only rows of one kind can contradict; for most kinds nothing.
void check_row(const Tables&, const Row&, const Report&) {
}

void check_row(const Tables& all, const DriverForCuda& row, const Report& report) {
    if (row.oldest_driver > row.full_driver)
        report(
            row,
            "the oldest driver {} is newer than the full one {}; correct one of them",
            row.oldest_driver,
            row.full_driver);
    const CudaOfDriver* of_driver = driver(all, row.full_driver.major());
    if (of_driver && of_driver->cuda != row.cuda && report.table == all.driver_for_cuda.stem())
        report(
            row,
            "full_driver {} is for CUDA {} here, but in cuda_of_driver branch {} ends with CUDA {}",
            row.full_driver,
            row.cuda,
            of_driver->branch,
            of_driver->cuda);
}

void check_row(const Tables& all, const ForwardCompatibility& row, const Report& report) {
    if (const CudaOfDriver* below = driver(all, row.branch); below && below->cuda >= row.cuda)
        report(
            row,
            "branch {} runs CUDA {} by itself (cuda_of_driver); remove the row",
            row.branch,
            row.cuda);
}

void check_row(const Tables& all, const Architecture& row, const Report& report) {
    const CudaOfDriver* last = nullptr;
    if (row.last_driver_branch)
        last = driver(all, *row.last_driver_branch);
    if (last && row.last_cuda && last->cuda.major() < row.last_cuda->major())
        report(
            row,
            "the last driver branch {} ends with CUDA {}, so CUDA {} cannot run on such a GPU; "
            "correct last_cuda or "
            "last_driver_branch",
            *row.last_driver_branch,
            last->cuda,
            *row.last_cuda);
}

void check_row(const Tables& all, const CudnnBuild& row, const Report& report) {
    for (const auto& cuda : {row.cuda_min, row.cuda_max})
        if (cuda && cuda->major() != row.cuda_major)
            report(
                row,
                "toolkit {} is not of cuda_major {}; name toolkits of that major",
                *cuda,
                row.cuda_major);
    const Version of_major = make_version({row.cuda_major});
    const Architecture* newest = architecture(all, row.capability_max);
    if (newest && !within(newest->first_cuda, row.cuda_max.value_or(of_major)))
        report(
            row,
            "capability {} begins with CUDA {} (architectures), later than the toolkits named "
            "here; lower "
            "capability_max or raise cuda_max",
            row.capability_max,
            newest->first_cuda);
    const Architecture* oldest = architecture(all, row.capability_min);
    if (oldest && oldest->last_cuda && *oldest->last_cuda < row.cuda_min.value_or(of_major))
        report(
            row,
            "capability {} ends with CUDA {} (architectures), earlier than the toolkits named "
            "here; raise "
            "capability_min",
            row.capability_min,
            *oldest->last_cuda);
    if (row.cuda_min)
        check_driver_min(all, row.driver_min, *row.cuda_min, row, report);
}

/// The cuDNN of a build has to exist for the build's CUDA.
void check_cudnn_of_build(const Tables& all, const FrameworkBuild& row, const Report& report) {
    const auto& builds = all.cudnn_builds.read();
    if (!row.cudnn || !builds.is_whole())
        return;
    const Version& oldest = builds.rows.front().cudnn;
    if (*row.cudnn < oldest && !agree(*row.cudnn, oldest))
        return;  // older than that table
    bool is_known = false, suits_toolkit = false;
    for (const CudnnBuild& build : builds.rows) {
        if (!may_be_of(build, *row.cudnn) || build.cuda_major != row.cuda->major())
            continue;
        is_known = true;
        suits_toolkit |= !build.cuda_min || *build.cuda_min <= *row.cuda;
    }
    if (!is_known)
        report(
            row,
            "cudnn_builds has no cuDNN {} for CUDA {}; correct the pair or add that build there",
            *row.cudnn,
            row.cuda->major());
    else if (!suits_toolkit)
        report(
            row,
            "cuDNN {} begins with a later toolkit than CUDA {} (cudnn_builds)",
            *row.cudnn,
            *row.cuda);
}

void check_row(const Tables& all, const FrameworkBuild& row, const Report& report) {
    for (const std::string& word : split(row.targets, ' '))
        if (!parse_target(word))
            report(
                row,
                "column 'targets': '{}' is not a target; write sm_90 or compute_90, separated "
                "by blanks",
                word);
    if (!row.cuda)
        return;
    check_cudnn_of_build(all, row, report);
    for (const Target& target : targets_of(row.targets)) {
        check_capability(all, target.capability, row, report);
        const Architecture* compiled_for = architecture(all, target.capability);
        if (compiled_for && (compiled_for->first_cuda > *row.cuda ||
                             (compiled_for->last_cuda && *compiled_for->last_cuda < *row.cuda)))
            report(
                row,
                "CUDA {} cannot compile for {} (architectures); correct 'targets' or 'cuda'",
                *row.cuda,
                target.capability);
    }
    if (row.os == "linux")
        check_driver_min(all, row.driver_min, *row.cuda, row, report);
}

void check_row(const Tables& all, const KerasBackend& row, const Report& report) {
    const auto& builds = all.framework_builds.read();
    if (builds.is_whole() && !find_by(builds.rows, &FrameworkBuild::framework, row.backend))
        report(
            row,
            "framework_builds has no '{}'; correct the backend's name or add its builds there",
            row.backend);
}

/// Causes are named in several tables, and described in one.
template <class R>
void check_cause(const Tables& all, const std::string& cause, const R& row, const Report& report) {
    const auto& causes = all.log_causes.read();
    if (causes.is_whole() && !find_by(causes.rows, &LogCause::cause, cause))
        report(row, "log_causes has no '{}'; correct the cause or add it there", cause);
}

void check_row(const Tables& all, const LogEvidence& row, const Report& report) {
    for (const std::string* column : {&row.certain, &row.likely, &row.possible, &row.rules_out})
        for (const std::string& cause : split(*column, ' '))
            check_cause(all, cause, row, report);
}

void check_row(const Tables& all, const LogRemedy& row, const Report& report) {
    for (const std::string& cause : split(row.causes, ' '))
        check_cause(all, cause, row, report);
}

/// Every check on every row of one table.
template <class R>
void check_table(const Tables& all, const ReadTable<R>& table, const Report& report) {
    check_order(table.rows, report);
    if constexpr (requires(R row) { row.series(); })
        check_overlaps(table.rows, report);
    for (const R& row : table.rows) {
        const TextMap cells = cells_of(row);
        check_words(cells, row, report);
        if constexpr (requires { R::ranges; })
            check_ranges(cells, R::ranges, row, report);
        check_references(all, cells, row, report);
        check_row(all, row, report);
    }
}

}  // namespace

/// Issues of reading first: a row that was not read cannot be checked further.
std::vector<Issue> verify(const Tables& tables) {
    std::vector<Issue> all;
    const auto names = table_names();
    tables.each([&](const auto& table) {
        append(all, table.read().issues);
        if (table.read().written == 0 && table.read().issues.empty())
            all.push_back({table.stem(), 0, "the table has no rows"});
        check_table(tables, table.read(), {all, table.stem()});
    });
    for (const auto& [stem, text] : tables.files.content)
        if (!includes(names, stem))
            all.push_back({escaped(stem), 0, "no table has this name; rename or remove the file"});
    std::ranges::stable_sort(
        all, {}, [](const Issue& issue) { return std::tie(issue.table, issue.row); });
    return all;
}

std::size_t rows_written(const Tables& tables) {
    std::size_t rows = 0;
    tables.each([&](const auto& table) { rows += table.read().written; });
    return rows;
}

}  // namespace rnncheck
