#include "matrix/verify_holes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "matrix/ranges.hpp"

namespace rnncheck::verifying {

namespace {

void complain_about_hole(const std::string& name, const std::string& after, const Holes& declared,
                         const Complaints& complain) {
    if (!declared.contains(name))
        complain(0, name + " is missing after " + after + "; add its row, or declare in \"holes\" that there is none");
}

constexpr int most_holes = 20;  // of one gap: a mistyped number shall not fill the page

/// The minors from `next` up to before `found`, each with `prefix` before it.
void complain_about_minors(const std::string& prefix, int next, int found, const std::string& after,
                           const Holes& declared, const Complaints& complain) {
    for (int minor = next; minor < std::min(found, next + most_holes); ++minor)
        complain_about_hole(prefix + std::to_string(minor), after, declared, complain);
}

void check_next(const std::string& name, const Version& last, const Version& next, const Holes& declared,
                const Complaints& complain) {
    const bool same_major = last.major() == next.major();
    complain_about_minors(name + std::to_string(next.major()) + ".", same_major ? last.minor() + 1 : 0, next.minor(),
                          last.text, declared, complain);
}

/// Both written with three numbers.
void check_next_release(const std::string& name, const Version& last, const Version& next, const Holes& declared,
                        const Complaints& complain) {
    const bool same_minor = last.major() == next.major() && last.minor() == next.minor();
    if (!same_minor) check_next(name, last, next, declared, complain);
    complain_about_minors(name + std::to_string(next.major()) + "." + std::to_string(next.minor()) + ".",
                          same_minor ? last.parts[2] + 1 : 0, next.parts[2], last.text, declared, complain);
}

/// Holes of all systems ("pytorch 2.6") and of this one ("pytorch 2.6 for linux").
Holes declared_for(const std::string& os, const Holes& declared) {
    const std::string suffix = " for " + os;
    Holes holes = declared;
    for (const auto& [name, why] : declared)
        if (name.ends_with(suffix)) holes[name.substr(0, name.size() - suffix.size())] = why;
    return holes;
}

/// What is missing between `last` and the row. Of 0.x every release counts, for its minors are what others' majors are.
std::vector<std::string> gap_of_framework(const FrameworkBuild& row, const Version& last, const Holes& declared) {
    std::vector<Complaint> found;
    const Complaints note(found, "");
    const Holes holes = declared_for(row.os, declared);
    const bool release_by_release = row.first.major() == 0 && parts_written(row.first) == 3 && parts_written(last) == 3;
    if (release_by_release)
        check_next_release(row.framework + " ", last, row.first, holes, note);
    else
        check_next(row.framework + " ", last, row.first, holes, note);
    std::vector<std::string> texts;
    for (const Complaint& complaint : found) texts.push_back(complaint.text);
    return texts;
}

void check_declared(const std::string& name, bool has_row, const Complaints& complain) {
    if (has_row) complain(0, "\"holes\" declares " + name + ", which has a row; take one of them away");
}

}  // namespace

void check_holes(const std::vector<DriverForCuda>& rows, const Holes& declared, const Complaints& complain) {
    for (std::size_t i = 1; i < rows.size(); ++i) check_next("", rows[i - 1].cuda, rows[i].cuda, declared, complain);
    for (const auto& [name, why] : declared)
        check_declared(
            name,
            std::any_of(rows.begin(), rows.end(), [&hole = name](const auto& row) { return row.cuda.text == hole; }),
            complain);
}

void check_holes(const std::vector<CudaOfDriver>& rows, const Holes& declared, const Complaints& complain) {
    for (std::size_t i = 1; i < rows.size(); ++i)
        complain_about_minors("", rows[i - 1].last_branch + 1, rows[i].branch, std::to_string(rows[i - 1].last_branch),
                              declared, complain);
}

void check_holes(const std::vector<CudnnBuild>& rows, const Holes& declared, const Complaints& complain) {
    std::map<int, Version> last;
    std::set<std::string> told;  // a release missing for several CUDA majors is one hole
    std::vector<Complaint> found;
    const Complaints note(found, "");
    for (const CudnnBuild& row : rows) {
        if (const auto before = last.find(row.cuda_major); before != last.end())
            check_next_release("", before->second, row.cudnn, declared, note);
        last[row.cuda_major] = row.cudnn_last.value_or(row.cudnn);
    }
    for (const Complaint& complaint : found)
        if (told.insert(complaint.text).second) complain(0, complaint.text);
}

void check_holes(const std::vector<FrameworkBuild>& rows, const Holes& declared, const Complaints& complain) {
    std::map<std::string, Version> last, last_with_cuda;
    std::set<std::string> told;
    for (const FrameworkBuild& row : rows) {
        const auto check = [&](std::map<std::string, Version>& newest_of, const std::string& kind) {
            const Version end = row.last.value_or(row.first);
            const auto [newest, is_first] = newest_of.emplace(row.framework + " " + row.os, end);
            if (is_first) return;
            if (row.first > newest->second)
                for (const std::string& text : gap_of_framework(row, newest->second, declared))
                    if (told.insert(row.os + text).second) complain(0, kind + "for " + row.os + " " + text);
            newest->second = std::max(newest->second, end);
        };
        check(last, "");
        if (row.cuda) check(last_with_cuda, "with CUDA, ");
    }
}

}  // namespace rnncheck::verifying
