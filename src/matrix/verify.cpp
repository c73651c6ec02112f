// What can be told from one table alone: its rows, their order, ranges that overlap, holes.
#include "matrix/verify.hpp"

#include <algorithm>
#include <set>

#include "matrix/lint.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck::lint {

namespace {

// 1. One row -------------------------------------------------------------------------------------------------------

void check_order(const std::optional<Version>& first, const std::optional<Version>& last, const char* what,
                 const Row& row, const Report& report) {
    if (first && last && !within(*first, *last))
        report(row, "{} end ({}) before they begin ({}); exchange or correct them", what, *last, *first);
}

void check_word(const std::string& word, const char* column, const std::vector<std::string>& words, const Row& row,
                const Report& report) {
    if (std::ranges::find(words, word) == words.end())
        report(row, "column '{}': '{}' is none of {}", column, word, join_with_and(words));
}

void check_clause(const std::string& text, const char* column, const Row& row, const Report& report) {
    if (text.ends_with('.')) report(row, "'{}' is a clause; remove the full stop", column);
}

void check_row(const Row&, const Report&) {}

void check_row(const DriverForCuda& row, const Report& report) {
    if (row.oldest_driver > row.full_driver)
        report(row, "the oldest driver {} is newer than the full one {}; correct one of them", row.oldest_driver,
               row.full_driver);
}

void check_row(const CudaOfDriver& row, const Report& report) {
    check_order(make_version({row.branch}), make_version({row.last_branch}), "the branches", row, report);
}

void check_row(const DriverBranch& row, const Report& report) {
    if (!row.kind.empty())
        check_word(row.kind, "kind", {"long-term support", "new feature", "production"}, row, report);
    if (row.last_release && row.last_release->major() != row.branch)
        report(row, "last_release {} is not of branch {}", *row.last_release, row.branch);
    if (row.supported_until.empty()) return;
    if (!is_date(row.supported_until + "-01"))
        return report(row, "column 'supported_until': write a month, e.g. 2028-06");
    if (row.ended != (row.supported_until < row.source.seen.substr(0, row.supported_until.size())))
        report(row, "'ended' does not agree with supported_until {} on the day of the source", row.supported_until);
}

void check_row(const Architecture& row, const Report& report) {
    check_order(row.first_cuda, row.last_cuda, "the toolkits", row, report);
    if (row.last_driver_branch.has_value() != row.driver_source.has_value())
        report(row, "last_driver_branch and driver_source belong together; add the missing one");
}

void check_row(const CudnnBuild& row, const Report& report) {
    check_order(row.cudnn, row.cudnn_last, "the releases", row, report);
    check_order(row.cuda_min, row.cuda_max, "the toolkits", row, report);
    check_order(row.capability_min, row.capability_max, "the capabilities", row, report);
    for (const auto& cuda : {row.cuda_min, row.cuda_max})
        if (cuda && cuda->major() != row.cuda_major)
            report(row, "toolkit {} is not of cuda_major {}; name toolkits of that major", *cuda, row.cuda_major);
}

void check_row(const CudnnPart& row, const Report& report) {
    if (!row.soname.ends_with(".so." + std::to_string(row.major)))
        report(row, "the soname '{}' does not end in .so.{}", row.soname, row.major);
    if (row.since.major() != row.major)
        report(row, "a file of cuDNN {} cannot be there since {}", row.major, row.since);
}

void check_row(const StatusName& row, const Report& report) {
    if (row.library != "cudnn" && row.meaning.empty()) report(row, "'meaning' is empty; add what the number means");
    check_clause(row.meaning, "meaning", row, report);
    check_clause(row.remedy, "remedy", row, report);
}

void check_row(const Xid& row, const Report& report) {
    check_clause(row.meaning, "meaning", row, report);
    check_clause(row.remedy, "remedy", row, report);
}

void check_row(const RnnDefect& row, const Report& report) {
    if (row.fixed && *row.fixed <= row.first)
        report(row, "fixed in {}, but first seen in {}; correct one", *row.fixed, row.first);
    check_order(row.capability_min, row.capability_max, "the capabilities", row, report);
    if (!row.os.empty()) check_word(row.os, "os", {"linux", "windows"}, row, report);
    check_clause(row.symptom, "symptom", row, report);
    if (!row.workaround.ends_with('.')) report(row, "'workaround' is a sentence; end it with a full stop");
}

void check_row(const RnnRequiredSupport& row, const Report& report) {
    check_order(row.first, row.last, "the releases", row, report);
}

void check_row(const RnnLimit& row, const Report& report) {
    check_order(row.first, row.last, "the releases", row, report);
    check_order(row.capability_min, row.capability_max, "the capabilities", row, report);
    check_clause(row.rule, "rule", row, report);
}

void check_row(const FrameworkBuild& row, const Report& report) {
    check_order(row.first, row.last, "the releases", row, report);
    check_order(row.python_first, row.python_last, "the Python versions", row, report);
    check_install(row, report);
    check_word(row.os, "os", {"linux", "macos", "windows"}, row, report);
    check_word(row.libraries, "libraries", {"inside", "none", "system", "wheels"}, row, report);
    if (row.cuda.has_value() == (row.libraries == "none"))
        report(row, row.cuda ? "a build with CUDA needs the origin of its libraries; 'none' is for others"
                             : "a build without CUDA has libraries 'none'; add its CUDA or write none");
    if (row.without_cudnn && row.cudnn)
        report(row, "it has cuDNN {} and without_cudnn; remove one of them", *row.cudnn);
    if (row.without_cudnn && !row.cuda) report(row, "without_cudnn applies only to builds with CUDA; remove it");
    for (const std::string& word : split(row.targets, ' '))
        if (!parse_target(word))
            report(row, "column 'targets': '{}' is no target; write sm_90 or compute_90, a blank between", word);
}

void check_row(const KerasBackend& row, const Report& report) {
    check_order(row.first, row.last, "the releases", row, report);
    check_order(row.backend_first, row.backend_last, "the backend's releases", row, report);
}

// 2. Rows beside each other ----------------------------------------------------------------------------------------

template <class R>
void check_sorted(const std::vector<R>& rows, const Report& report) {
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].key() == rows[i - 1].key())
            report(rows[i], "the same thing as row {}; keep one of them", rows[i - 1].number);
        else if (rows[i].key() < rows[i - 1].key())
            report(rows[i], "belongs before row {}; rows are sorted by their first columns", rows[i - 1].number);
}

template <class R>
void check_overlaps(const std::vector<R>& rows, const Report& report) {
    std::map<std::string, std::vector<const R*>> seen;
    for (const R& row : rows) {
        const Series here = row.series();
        for (const R* const other : seen[here.name]) {
            const Series there = other->series();
            if ((!there.last || within(here.first, *there.last)) && (!here.last || within(there.first, *here.last)))
                report(row, "overlaps row {}{}; a version may be in one row only", other->number,
                       here.name.empty() ? "" : " of " + here.name);
        }
        seen[here.name].push_back(&row);
    }
}

void check_note(const Row& row, const Report& report) {
    if (!row.note.empty()) return;
    if (row.provenance == Provenance::unconfirmed) report(row, "an unconfirmed row needs a note with the reason");
    if (row.provenance == Provenance::inferred) report(row, "an inferred row needs a note with its origin");
}

// 3. Holes: versions that a table must have because it has those before and after them. What really does not exist is
// declared in the head of the table: "holes": {"12.7": "no such toolkit was released"} ------------------------------

using Holes = std::map<std::string, std::string>;
using Gap = std::vector<std::string>;  ///< "12.3 is missing after 12.2; ..."

/// The minors from `next` up to before `found` that are not declared, each with `prefix` before it.
void add_minors(Gap& gap, const std::string& prefix, int next, int found, const std::string& after,
                const Holes& declared) {
    constexpr int most_holes = 20;  // of one gap: a mistyped number shall not fill the page
    for (int minor = next; minor < std::min(found, next + most_holes); ++minor)
        if (const std::string name = prefix + std::to_string(minor); !declared.contains(name))
            gap.push_back(
                filled("{} is missing after {}; add its row, or declare in \"holes\" that there is none", name, after));
}

/// Between two versions of which the first `parts` (2 or 3) numbers count: 12.6 is followed by 12.7 or by 13.0, 8.9.6
/// by 8.9.7 or by the .0 of a later minor or major. `name` stands before each.
Gap gap_between(const std::string& name, const Version& last, const Version& next, int parts, const Holes& declared) {
    Gap gap;
    const bool same_major = last.major() == next.major();
    const bool same_minor = same_major && last.minor() == next.minor();
    const std::string major = name + std::to_string(next.major()) + ".";
    if (parts == 2 || !same_minor)
        add_minors(gap, major, same_major ? last.minor() + 1 : 0, next.minor(), last.text, declared);
    if (parts == 3)
        add_minors(gap, major + std::to_string(next.minor()) + ".", same_minor ? last.parts[2] + 1 : 0, next.parts[2],
                   last.text, declared);
    return gap;
}

void check_holes(const std::vector<DriverForCuda>& rows, const Holes& declared, const Report& report) {
    for (std::size_t i = 1; i < rows.size(); ++i)
        for (const std::string& text : gap_between("", rows[i - 1].cuda, rows[i].cuda, 2, declared)) report.whole(text);
    for (const DriverForCuda& row : rows)
        if (declared.contains(row.cuda.text))
            report.whole("\"holes\" declares {}, which has a row; remove one of them", row.cuda);
}

void check_holes(const std::vector<CudaOfDriver>& rows, const Holes& declared, const Report& report) {
    Gap gap;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const int last = rows[i - 1].last_branch;
        add_minors(gap, "", last + 1, rows[i].branch, std::to_string(last), declared);
    }
    for (const std::string& text : gap) report.whole(text);
}

/// By CUDA major; a release missing for several of them is one hole.
void check_holes(const std::vector<CudnnBuild>& rows, const Holes& declared, const Report& report) {
    std::map<int, Version> last;
    std::set<std::string> told;
    for (const CudnnBuild& row : rows) {
        if (const auto before = last.find(row.cuda_major); before != last.end())
            for (const std::string& text : gap_between("", before->second, row.cudnn, 3, declared))
                if (told.insert(text).second) report.whole(text);
        last[row.cuda_major] = row.last();
    }
}

/// Holes of all systems ("pytorch 2.6") and of this one ("pytorch 2.6 for linux").
Holes declared_for(const std::string& os, const Holes& declared) {
    const std::string suffix = " for " + os;
    Holes holes = declared;
    for (const auto& [name, why] : declared)
        if (name.ends_with(suffix)) holes[name.substr(0, name.size() - suffix.size())] = why;
    return holes;
}

/// By framework and system, all flavours together, then those with CUDA alone. Of 0.x every release counts, for its
/// minors are what others' majors are.
void check_holes(const std::vector<FrameworkBuild>& rows, const Holes& declared, const Report& report) {
    std::map<std::string, Version> last;
    std::set<std::string> told;
    const auto check = [&](const FrameworkBuild& row, const std::string& kind) {
        const Version end = row.last.value_or(row.first);
        const auto [newest, is_first] = last.emplace(kind + row.framework + " " + row.os, end);
        if (!is_first && row.first > newest->second) {
            const bool every_release =
                row.first.major() == 0 && parts_written(row.first) == 3 && parts_written(newest->second) == 3;
            for (const std::string& text : gap_between(row.framework + " ", newest->second, row.first,
                                                       every_release ? 3 : 2, declared_for(row.os, declared)))
                if (told.insert(row.os + text).second) report.whole("{}for {} {}", kind, row.os, text);
        }
        newest->second = std::max(newest->second, end);
    };
    for (const FrameworkBuild& row : rows) {
        check(row, "");
        if (row.cuda) check(row, "with CUDA, ");
    }
}

template <class R>
void check_table(const ReadTable<R>& table, const Report& report) {
    for (const R& row : table.rows) check_note(row, report);
    check_sorted(table.rows, report);
    if constexpr (requires(R row) { row.series(); }) check_overlaps(table.rows, report);
    for (const R& row : table.rows) check_row(row, report);
    if constexpr (requires { check_holes(table.rows, table.holes, report); })
        if (table.rows.size() == table.written) check_holes(table.rows, table.holes, report);  // a faulty row is none
}

}  // namespace

}  // namespace rnncheck::lint

namespace rnncheck {

std::vector<Issue> verify(const TableFiles& files, const std::string& latest_day) {
    std::vector<Issue> all;
    std::set<std::string> known;
    const Tables tables(files);
    tables.each([&](const auto& table) {
        known.insert(table.stem());
        const lint::Report report{all, table.stem()};
        all.insert(all.end(), table.read().issues.begin(), table.read().issues.end());
        if (table.read().written > 0)
            lint::check_text(files.content.at(table.stem()), table.read(), report);
        else if (table.read().issues.empty())
            report.whole("the table has no rows");
        lint::check_table(table.read(), report);
    });
    for (const auto& [stem, text] : files.content)
        if (!known.contains(stem))
            lint::Report{all, escaped(stem)}.whole("nothing reads a table of this name; rename or remove the file");
    lint::check_across(tables, all);
    if (!latest_day.empty()) lint::check_dates(tables, latest_day, all);
    std::ranges::stable_sort(all, {}, [](const Issue& issue) { return std::tie(issue.table, issue.row); });
    return all;
}

std::size_t rows_written(const TableFiles& files) {
    std::size_t rows = 0;
    Tables(files).each([&](const auto& table) { rows += table.read().written; });
    return rows;
}

}  // namespace rnncheck
