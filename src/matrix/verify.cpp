// What one table alone shows: its rows, their order, ranges that overlap, holes, its text.
#include "matrix/verify.hpp"

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/lists.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck::lint {

namespace {

// 1. One row -------------------------------------------------------------------------------------------------------

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
    {"model_rules", "verdict", {"cpu_only", "depends", "no", "unknown"}},
    {"rnn_defects", "os", {"linux", "windows"}, true},
};

/// Columns that hold a clause, by table.
constexpr std::pair<std::string_view, const char*> clauses[] = {
    {"model_rules", "rule"},    {"rnn_defects", "symptom"}, {"rnn_limits", "rule"}, {"status_names", "meaning"},
    {"status_names", "remedy"}, {"xid", "meaning"},         {"xid", "remedy"}};

void check_words(const TextMap& cells, const Row& row, const Report& report) {
    for (const auto& [table, column, words, may_be_empty] : word_columns) {
        if (table != report.table) continue;
        const std::string& word = cells.at(column);
        if (!(word.empty() && may_be_empty) && !includes(words, word))
            report(row, "column '{}': '{}' is none of {}", column, word, join_with_and(words));
    }
    for (const auto& [table, column] : clauses)
        if (table == report.table && cells.at(column).ends_with('.'))
            report(row, "'{}' is a clause; remove the full stop", column);
}

void check_ranges(const TextMap& cells, std::span<const RangeColumns> ranges, const Row& row, const Report& report) {
    for (const RangeColumns& range : ranges) {
        const auto first = parse_version(cells.at(std::string(range.first)));
        const auto last = parse_version(cells.at(std::string(range.last)));
        if (first && last && (range.excludes_last ? *last <= *first : !within(*first, *last)))
            report(row, "'{}' ({}) comes before '{}' ({}); exchange or correct them", range.last, *last, range.first,
                   *first);
    }
}

std::string digits_at(std::string_view text, std::size_t at) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    return {begin, std::find_if_not(begin, text.end(), is_digit)};
}

/// The toolkits that a flavour or command names: cu118 in any place, cuda12 and cuda-12 with the major alone.
std::vector<Version> toolkits_named(std::string_view text) {
    std::vector<Version> named;
    for (auto at = text.find("cu"); at != std::string_view::npos; at = text.find("cu", at + 1)) {
        if (at > 0 && is_letter_or_digit(text[at - 1])) continue;
        const bool in_full = text.substr(at).starts_with("cuda");
        std::size_t number = at + (in_full ? 4 : 2);
        if (in_full && text.substr(number).starts_with('-')) ++number;
        const std::string digits = digits_at(text, number);
        if (const auto toolkit = cuda_of_digits(digits);
            toolkit && (in_full ? digits.size() == 2 : contains(toolkit->text, ".")))
            named.push_back(*toolkit);
    }
    // PaddlePaddle writes the toolkit of its packages so: 2.6.1.post117.
    constexpr std::string_view suffix = ".post";
    const auto at = text.find(suffix);
    const std::string digits = at == std::string_view::npos ? "" : digits_at(text, at + suffix.size());
    if (const auto toolkit = cuda_of_digits(digits); toolkit && digits.size() == 3) named.push_back(*toolkit);
    return named;
}

void check_toolkits(const std::string& text, const char* column, const FrameworkBuild& row, const Report& report) {
    for (const Version& named : toolkits_named(text)) {
        const bool major_alone = !contains(named.text, ".");
        if (!row.cuda || (major_alone ? named.major() != row.cuda->major() : named != *row.cuda))
            report(row, "column '{}' names CUDA {}, the row {}; correct one of them", column, named,
                   row.cuda ? "CUDA " + row.cuda->text : "none");
    }
}

void check_python(const std::optional<Version>& python, const char* column, const Row& row, const Report& report) {
    if (!python || !is_date(row.source.seen)) return;
    // 3.9 came in October 2020 and one minor each October since (PEP 602); wheels for the next are made a year ahead.
    constexpr int year_of_3_0 = 2011;
    const int newest = std::stoi(row.source.seen.substr(0, 4)) - year_of_3_0 + 1;
    if (python->major() > 3 || (python->major() == 3 && python->minor() > newest))
        report(row, "column '{}': Python {} did not exist on {}, when the source was seen; correct it", column, *python,
               row.source.seen);
}

/// Flavour and command against the toolkit of the row; a Python that did not exist when the source was seen.
void check_install(const FrameworkBuild& row, const Report& report) {
    check_toolkits(row.build, "build", row, report);
    check_toolkits(row.install, "install", row, report);
    if (row.cuda && (contains(row.install, "/whl/cpu") || contains(row.install, "+cpu")))
        report(row, "column 'install' is the command of a build without CUDA; correct it or remove 'cuda'");
    if (!row.install.empty() && !contains(row.install, "=={version}"))
        report(row, "column 'install' pins no version or another one; write =={version}");
    check_python(row.python_first, "python_first", row, report);
    check_python(row.python_last, "python_last", row, report);
}

void check_row(const Row&, const Report&) {}

void check_row(const DriverForCuda& row, const Report& report) {
    if (row.oldest_driver > row.full_driver)
        report(row, "the oldest driver {} is newer than the full one {}; correct one of them", row.oldest_driver,
               row.full_driver);
}

void check_row(const DriverBranch& row, const Report& report) {
    if (row.last_release && row.last_release->major() != row.branch)
        report(row, "last_release {} is not of branch {}", *row.last_release, row.branch);
    if (row.supported_until.empty()) return;
    if (!is_date(row.supported_until + "-01"))
        return report(row, "column 'supported_until': write a month, e.g. 2028-06");
    if (row.ended != (row.supported_until < row.source.seen.substr(0, row.supported_until.size())))
        report(row, "'ended' does not agree with supported_until {} on the day of the source", row.supported_until);
}

void check_row(const Architecture& row, const Report& report) {
    if (row.last_driver_branch.has_value() != row.driver_source.has_value())
        report(row, "last_driver_branch and driver_source belong together; add the missing one");
}

void check_row(const CudnnBuild& row, const Report& report) {
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
}

void check_row(const RnnDefect& row, const Report& report) {
    if (!row.workaround.ends_with('.')) report(row, "'workaround' is a sentence; end it with a full stop");
}

void check_row(const FrameworkBuild& row, const Report& report) {
    check_install(row, report);
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
            gap.push_back(filled("{} is missing after {}; add its row, or declare in \"holes\" that it does not exist",
                                 name, after));
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

/// By CUDA major; a version missing for several of them is one hole.
void check_holes(const std::vector<CudnnBuild>& rows, const Holes& declared, const Report& report) {
    std::map<int, Version> last;
    std::set<std::string> told;
    for (const CudnnBuild& row : rows) {
        if (const Version* const before = look_up(last, row.cuda_major))
            for (const std::string& text : gap_between("", *before, row.cudnn, 3, declared))
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

/// By framework and system, all flavours together, then those with CUDA alone. Of 0.x every version counts, for its
/// minors are what others' majors are.
void check_holes(const std::vector<FrameworkBuild>& rows, const Holes& declared, const Report& report) {
    std::map<std::string, Version> last;
    std::set<std::string> told;
    const auto check = [&](const FrameworkBuild& row, const std::string& kind) {
        const Version end = row.last.value_or(row.first);
        const auto [newest, is_first] = last.emplace(kind + row.framework + " " + row.os, end);
        if (!is_first && row.first > newest->second) {
            const bool every_version =
                row.first.major() == 0 && parts_written(row.first) == 3 && parts_written(newest->second) == 3;
            for (const std::string& text : gap_between(row.framework + " ", newest->second, row.first,
                                                       every_version ? 3 : 2, declared_for(row.os, declared)))
                if (told.insert(row.os + text).second) report.whole("{}for {} {}", kind, row.os, text);
        }
        newest->second = std::max(newest->second, end);
    };
    for (const FrameworkBuild& row : rows) {
        check(row, "");
        if (row.cuda) check(row, "with CUDA, ");
    }
}

// 4. The text of a table and the dates of its sources ---------------------------------------------------------------

/// ASCII's and, in UTF-8, those of Latin-1.
bool has_control_character(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7f) return true;
        if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
    }
    return false;
}

void check_characters(const Json& value, const std::string& name, const Row& row, const Report& report) {
    if (value.is_string() && has_control_character(value.get_ref<const std::string&>()))
        report(row, "'{}' contains a control character; remove it", name);
    if (!value.is_structured()) return;
    for (const auto& [key, part] : value.items()) check_characters(part, value.is_object() ? key : name, row, report);
}

std::size_t lines_with_a_row(std::string_view text) {
    constexpr std::string_view row_start = "\n    {\"";
    std::size_t count = 0;
    for (auto at = text.find(row_start); at != std::string_view::npos; at = text.find(row_start, at + 1)) ++count;
    return count;
}

/// Members of the head that nothing reads, control characters, more than one row on a line. Text that is no JSON is
/// left to the reader.
void check_text(std::string_view text, const TableHead& head, const Report& report) {
    if (head.written > 0 && lines_with_a_row(text) != head.written)
        report.whole("not every row has a line of its own: write one row per line, indented by four blanks");
    const Json table = Json::parse(text);
    for (const auto& [part, value] : table.items()) {
        if (part != "about" && part != "columns" && part != "holes" && part != "sources" && part != "rows")
            report.whole("the head has no '{}'; remove it", part);
        Row place;
        if (part != "rows" || !value.is_array())
            check_characters(value, part, place, report);
        else
            for (const Json& cells : value) ++place.number, check_characters(cells, part, place, report);
    }
}

/// Sources that were seen after `latest_day`, unless most were: then the clock is wrong.
void check_dates(const Tables& tables, const std::string& latest_day, std::vector<Issue>& all) {
    std::vector<Issue> ahead;
    std::size_t sources = 0;
    tables.each([&](const auto& table) {
        sources += table.read().sources.size();
        for (const auto& [id, source] : table.read().sources)
            if (is_date(source.seen) && source.seen > latest_day)
                Report{ahead, table.stem()}.whole(
                    "source '{}': 'seen' is {}, a future date; write the date on which it was read", id, source.seen);
    });
    if (2 * ahead.size() <= sources) all.insert(all.end(), ahead.begin(), ahead.end());
}

template <class R>
void check_table(const ReadTable<R>& table, const Report& report) {
    for (const R& row : table.rows) check_note(row, report);
    check_sorted(table.rows, report);
    if constexpr (requires(R row) { row.series(); }) check_overlaps(table.rows, report);
    for (const R& row : table.rows) {
        const TextMap cells = cells_of(row);
        check_words(cells, row, report);
        if constexpr (requires { R::ranges; }) check_ranges(cells, R::ranges, row, report);
        check_row(row, report);
    }
    if constexpr (requires { check_holes(table.rows, table.holes, report); })
        if (table.rows.size() == table.written) check_holes(table.rows, table.holes, report);  // a faulty row is none
}

}  // namespace

}  // namespace rnncheck::lint

namespace rnncheck {

std::vector<Issue> verify(const Tables& tables, const std::string& latest_day) {
    std::vector<Issue> all;
    std::set<std::string> known;
    tables.each([&](const auto& table) {
        known.insert(table.stem());
        const lint::Report report{all, table.stem()};
        all.insert(all.end(), table.read().issues.begin(), table.read().issues.end());
        if (table.read().written > 0)
            lint::check_text(tables.files.content.at(table.stem()), table.read(), report);
        else if (table.read().issues.empty())
            report.whole("the table has no rows");
        lint::check_table(table.read(), report);
    });
    for (const auto& [stem, text] : tables.files.content)
        if (!known.contains(stem))
            lint::Report{all, escaped(stem)}.whole("no table has this name; rename or remove the file");
    lint::check_across(tables, all);
    lint::check_advice(tables, all);
    if (!latest_day.empty()) lint::check_dates(tables, latest_day, all);
    std::ranges::stable_sort(all, {}, [](const Issue& issue) { return std::tie(issue.table, issue.row); });
    return all;
}

std::size_t rows_written(const Tables& tables) {
    std::size_t rows = 0;
    tables.each([&](const auto& table) { rows += table.read().written; });
    return rows;
}

}  // namespace rnncheck
