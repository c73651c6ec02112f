#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "matrix/row_keys.hpp"
#include "matrix/row_kinds.hpp"
#include "matrix/targets.hpp"
#include "matrix/verify_holes.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

void Complaints::operator()(std::size_t row, const std::string& text) const {
    all_.push_back({table_, row, escaped(text)});
}

namespace {

void check_order_of(const Version& first, const std::optional<Version>& last, const char* what, std::size_t number,
                    const Complaints& complain) {
    if (last && !(within(first, *last)))
        complain(number, std::string(what) + " end (" + last->text + ") before they begin (" + first.text +
                             "); exchange or correct them");
}

void check_ends(const std::optional<Version>& first, const std::optional<Version>& last, const char* what,
                std::size_t number, const Complaints& complain) {
    if (first) check_order_of(*first, last, what, number, complain);
}

void check_word(const std::string& word, const char* column, const std::set<std::string>& words, std::size_t number,
                const Complaints& complain) {
    if (!words.contains(word))
        complain(number, "column '" + std::string(column) + "': '" + word + "' is none of " +
                             listing({words.begin(), words.end()}));
}

template <class R>
void check_row(const R&, std::size_t, const Complaints&) {}

void check_row(const DriverForCuda& row, std::size_t number, const Complaints& complain) {
    if (row.oldest_driver > row.full_driver)
        complain(number, "the oldest driver " + row.oldest_driver.text + " is newer than the full one " +
                             row.full_driver.text + "; correct one of them");
}

void check_row(const CudaOfDriver& row, std::size_t number, const Complaints& complain) {
    check_order_of(make_version({row.branch}), make_version({row.last_branch}), "the branches", number, complain);
}

void check_row(const DriverBranch& row, std::size_t number, const Complaints& complain) {
    if (!row.kind.empty())
        check_word(row.kind, "kind", {"long-term support", "new feature", "production"}, number, complain);
    if (row.last_release && row.last_release->major() != row.branch)
        complain(number, "last_release " + row.last_release->text + " is not of branch " + std::to_string(row.branch));
    if (row.supported_until.empty()) return;
    constexpr std::string_view form = "2028-06";
    if (!is_date(row.supported_until + "-01"))
        return complain(number, "column 'supported_until': write a month, e.g. " + std::string(form));
    if (row.ended != (row.supported_until < row.source.seen.substr(0, form.size())))
        complain(number,
                 "'ended' does not agree with supported_until " + row.supported_until + " on the day of the source");
}

void check_row(const Architecture& row, std::size_t number, const Complaints& complain) {
    check_order_of(row.first_cuda, row.last_cuda, "the toolkits", number, complain);
    if (row.last_driver_branch.has_value() != row.driver_source.has_value())
        complain(number, "last_driver_branch and driver_source go together; add the one that is missing");
}

void check_row(const CudnnBuild& row, std::size_t number, const Complaints& complain) {
    check_order_of(row.cudnn, row.cudnn_last, "the releases", number, complain);
    check_ends(row.cuda_min, row.cuda_max, "the toolkits", number, complain);
    check_order_of(row.capability_min, row.capability_max, "the capabilities", number, complain);
    for (const auto& cuda : {row.cuda_min, row.cuda_max})
        if (cuda && cuda->major() != row.cuda_major)
            complain(number, "toolkit " + cuda->text + " is not of cuda_major " + std::to_string(row.cuda_major) +
                                 "; name toolkits of that major");
}

void check_row(const CudnnPart& row, std::size_t number, const Complaints& complain) {
    if (!row.soname.ends_with(".so." + std::to_string(row.major)))
        complain(number, "the soname '" + row.soname + "' does not end in .so." + std::to_string(row.major));
    if (row.since.major() != row.major)
        complain(number, "a file of cuDNN " + std::to_string(row.major) + " cannot be there since " + row.since.text);
}

void check_clause(const std::string& text, const char* column, std::size_t number, const Complaints& complain) {
    if (text.ends_with('.')) complain(number, "'" + std::string(column) + "' is a clause; take the full stop away");
}

void check_row(const StatusName& row, std::size_t number, const Complaints& complain) {
    if (row.library != "cudnn" && row.meaning.empty())
        complain(number, "'meaning' is empty; say what the number means");
    check_clause(row.meaning, "meaning", number, complain);
    check_clause(row.remedy, "remedy", number, complain);
}

void check_row(const Xid& row, std::size_t number, const Complaints& complain) {
    check_clause(row.meaning, "meaning", number, complain);
    check_clause(row.remedy, "remedy", number, complain);
}

void check_row(const RnnDefect& row, std::size_t number, const Complaints& complain) {
    if (row.fixed && *row.fixed <= row.first)
        complain(number, "fixed in " + row.fixed->text + ", but first seen in " + row.first.text + "; correct one");
    check_ends(row.capability_min, row.capability_max, "the capabilities", number, complain);
    if (!row.os.empty()) check_word(row.os, "os", {"linux", "windows"}, number, complain);
    check_clause(row.symptom, "symptom", number, complain);
    if (!row.workaround.ends_with('.')) complain(number, "'workaround' is a sentence; end it with a full stop");
}

void check_row(const RnnOffer& row, std::size_t number, const Complaints& complain) {
    check_order_of(row.first, row.last, "the releases", number, complain);
}

void check_row(const RnnLimit& row, std::size_t number, const Complaints& complain) {
    check_order_of(row.first, row.last, "the releases", number, complain);
    check_ends(row.capability_min, row.capability_max, "the capabilities", number, complain);
    check_clause(row.rule, "rule", number, complain);
}

void check_row(const FrameworkBuild& row, std::size_t number, const Complaints& complain) {
    check_order_of(row.first, row.last, "the releases", number, complain);
    check_ends(row.python_first, row.python_last, "the Python versions", number, complain);
    check_python(row.python_first, "python_first", row.source, number, complain);
    check_python(row.python_last, "python_last", row.source, number, complain);
    check_install(row, number, complain);
    check_word(row.os, "os", {"linux", "windows", "macos"}, number, complain);
    check_word(row.libraries, "libraries", {"none", "system", "inside", "wheels"}, number, complain);
    if (row.cuda.has_value() == (row.libraries == "none"))
        complain(number, row.cuda ? "a build with CUDA takes its libraries from somewhere; 'none' is for others"
                                  : "a build without CUDA has libraries 'none'; name its CUDA or say none");
    for (const std::string& word : split(row.targets, ' '))
        if (!parse_target(word))
            complain(number,
                     "column 'targets': '" + word + "' is no target; write sm_90 or compute_90, a blank between");
}

void check_row(const KerasBackend& row, std::size_t number, const Complaints& complain) {
    check_order_of(row.first, row.last, "the releases", number, complain);
    check_ends(row.backend_first, row.backend_last, "the backend's releases", number, complain);
}

template <class R>
void check_sorted(const Readable<R>& table, const Complaints& complain) {
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const auto before = key_of(table.rows[i - 1]), here = key_of(table.rows[i]);
        const std::string previous = "row " + std::to_string(table.numbers[i - 1]);
        if (here == before)
            complain(table.numbers[i], "the same thing as " + previous + "; keep one of them");
        else if (here < before)
            complain(table.numbers[i], "belongs before " + previous + "; rows are sorted by their first columns");
    }
}

template <class R>
void check_overlaps(const Readable<R>& table, const Complaints& complain) {
    struct Seen {
        Series range;
        std::size_t number;
    };
    std::map<std::string, std::vector<Seen>> seen;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const auto range = series_of(table.rows[i]);
        if (!range) return;
        for (const Seen& other : seen[range->name]) {
            const bool begins_in_time = !other.range.last || within(range->first, *other.range.last);
            const bool ends_in_time = !range->last || within(other.range.first, *range->last);
            if (begins_in_time && ends_in_time)
                complain(table.numbers[i], "overlaps row " + std::to_string(other.number) +
                                               (range->name.empty() ? "" : " of " + range->name) +
                                               "; a release may stand in one row only");
        }
        seen[range->name].push_back({*range, table.numbers[i]});
    }
}

template <class R>
void check_notes(const Readable<R>& table, const Complaints& complain) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        if (table.rows[i].note.empty() && table.rows[i].known == Known::unconfirmed)
            complain(table.numbers[i], "an unconfirmed row needs a note that says why");
        else if (table.rows[i].note.empty() && table.rows[i].known == Known::inferred)
            complain(table.numbers[i], "an inferred row needs a note that says from what");
    }
}

}  // namespace

template <class R>
void check_table(const Readable<R>& table, const Complaints& complain) {
    check_notes(table, complain);
    check_sorted(table, complain);
    check_overlaps(table, complain);
    for (std::size_t i = 0; i < table.rows.size(); ++i) check_row(table.rows[i], table.numbers[i], complain);
    // A row that could not be read would look like a hole.
    if (table.rows.size() == table.written) check_holes(table.rows, table.head.holes, complain);
}

#define RNNCHECK_CHECK(R) template void check_table(const Readable<R>&, const Complaints&);
RNNCHECK_EVERY_ROW(RNNCHECK_CHECK)
#undef RNNCHECK_CHECK

}  // namespace rnncheck::verifying
