// Versions that are written with fewer numbers mean every version that begins so: 2.4 is
// each 2.4.x.
#include "matrix/ranges.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rnncheck {

namespace {

/// Of the first numbers.
std::strong_ordering compare(const Version& a, const Version& b, std::size_t parts) {
    parts = std::min(parts, a.parts.size());
    return std::lexicographical_compare_three_way(
        a.parts.begin(), a.parts.begin() + parts, b.parts.begin(), b.parts.begin() + parts);
}

}  // namespace

std::size_t parts_written(const Version& version) {
    return static_cast<std::size_t>(1 + std::count(version.text.begin(), version.text.end(), '.'));
}

bool agree(const Version& a, const Version& b) {
    return compare(a, b, std::min(parts_written(a), parts_written(b))) == 0;
}

bool within(const Version& version, const Version& last) {
    return compare(version, last, parts_written(last)) <= 0;
}

bool covers(const Version& first, const std::optional<Version>& last, const Version& version) {
    return version >= first && within(version, last.value_or(first));
}

bool is_between(
    const Version& version,
    const std::optional<Version>& first,
    const std::optional<Version>& last) {
    return (!first || version >= *first) && (!last || within(version, *last));
}

bool reaches(const Version& driver, const Version& version) {
    return driver >= version || (parts_written(driver) == 1 && driver.major() == version.major());
}

bool may_reach(const Version& driver, const Version& version) {
    return reaches(driver, version) ||
           (parts_written(driver) < parts_written(version) && agree(driver, version));
}

std::optional<Version> cuda_of_digits(std::string_view digits) {
    constexpr char oldest_with_packages =
        '7';  // "cu75": until CUDA 9 two digits are major and minor
    if (digits.size() == 2 && is_number(digits) && digits.front() < oldest_with_packages)
        return parse_version(digits);
    return capability_of_digits(digits);
}

std::optional<Version> capability_of_digits(std::string_view digits) {
    if (!is_number(digits) || digits.size() < 2 || digits.size() > 3)
        return std::nullopt;
    return parse_version(std::string(digits.substr(0, digits.size() - 1)) + "." + digits.back());
}

std::optional<Target> parse_target(std::string_view word) {
    constexpr std::string_view sm = "sm_", compute = "compute_";
    Target target;
    target.machine_code = word.starts_with(sm);
    if (!target.machine_code && !word.starts_with(compute))
        return std::nullopt;
    word.remove_prefix(target.machine_code ? sm.size() : compute.size());
    if (word.ends_with('a') || word.ends_with('f')) {
        target.kind = word.back();
        word.remove_suffix(1);
    }
    const auto capability = capability_of_digits(word);
    if (!capability)
        return std::nullopt;
    target.capability = *capability;
    return target;
}

std::vector<Target> targets_of(std::string_view text) {
    std::vector<Target> targets;
    for (const std::string& word : split(text, ' '))
        if (auto target = parse_target(word))
            targets.push_back(std::move(*target));
    return targets;
}

bool runs_on(const Target& machine_code, const Version& capability) {
    if (!machine_code.machine_code || machine_code.capability.major() != capability.major())
        return false;
    if (machine_code.kind == 'a')
        return machine_code.capability == capability;
    return machine_code.capability <= capability;
}

}  // namespace rnncheck
