#include <algorithm>

#include "base/text.hpp"
#include "matrix/verify_parts.hpp"

namespace rnncheck::verifying {

namespace {

bool is_letter_or_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string digits_at(std::string_view text, std::size_t at) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    return {begin, std::find_if_not(begin, text.end(), is_digit)};
}

/// "118" is 11.8, "92" is 9.2; nothing for what is no toolkit written so.
std::optional<Version> toolkit_of(const std::string& digits) {
    if (digits.size() < 2 || digits.size() > 3) return std::nullopt;
    const auto toolkit = parse_version(digits.substr(0, digits.size() - 1) + "." + digits.back());
    constexpr int oldest = 7;  // "cu12" is CUDA 12, not 1.2
    return toolkit && toolkit->major() >= oldest ? toolkit : std::nullopt;
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
        if (in_full && digits.size() == 2) named.push_back(*parse_version(digits));
        if (const auto toolkit = toolkit_of(digits); toolkit && !in_full) named.push_back(*toolkit);
    }
    return named;
}

/// PaddlePaddle writes the toolkit of its packages so: 2.6.1.post117.
std::optional<Version> toolkit_in_suffix(std::string_view command) {
    constexpr std::string_view suffix = ".post";
    const auto at = command.find(suffix);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string digits = digits_at(command, at + suffix.size());
    return digits.size() == 3 ? toolkit_of(digits) : std::nullopt;
}

bool names_no_cuda(std::string_view command) {
    return contains(command, "/whl/cpu") || contains(command, "+cpu");
}

void check_toolkit(const Version& named, const FrameworkBuild& row, const char* column, std::size_t number,
                   const Complaints& complain) {
    const bool major_alone = named.text.find('.') == std::string::npos;
    const bool same = row.cuda && (major_alone ? named.major() == row.cuda->major() : named == *row.cuda);
    if (!same)
        complain(number, "column '" + std::string(column) + "' names CUDA " + named.text + ", the row " +
                             (row.cuda ? "CUDA " + row.cuda->text : "none") + "; correct one of them");
}

}  // namespace

void check_install(const FrameworkBuild& row, std::size_t number, const Complaints& complain) {
    for (const Version& named : toolkits_named(row.build)) check_toolkit(named, row, "build", number, complain);
    for (const Version& named : toolkits_named(row.install)) check_toolkit(named, row, "install", number, complain);
    if (const auto named = toolkit_in_suffix(row.install)) check_toolkit(*named, row, "install", number, complain);
    if (row.cuda && names_no_cuda(row.install))
        complain(number, "column 'install' is the command of a build without CUDA; correct it or take 'cuda' away");
    if (!row.install.empty() && !contains(row.install, "=={version}"))
        complain(number, "column 'install' pins no release or another one; write =={version}");
}

void check_python(const std::optional<Version>& python, const char* column, const Source& source, std::size_t number,
                  const Complaints& complain) {
    if (!python || !is_date(source.seen)) return;
    // 3.9 came in October 2020 and one minor each October since (PEP 602); wheels for the next are made a year ahead.
    constexpr int year_of_3_0 = 2011;
    const int newest = std::stoi(source.seen.substr(0, 4)) - year_of_3_0 + 1;
    if (python->major() > 3 || (python->major() == 3 && python->minor() > newest))
        complain(number, "column '" + std::string(column) + "': there was no Python " + python->text + " on " +
                             source.seen + ", when the source was seen; correct it");
}

}  // namespace rnncheck::verifying
