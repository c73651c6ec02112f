// Sets of node names as Slurm and ClusterShell write them, with ranges in brackets:
// https://clustershell.readthedocs.io/en/latest/tools/nodeset.html
#include <algorithm>
#include <charconv>
#include <map>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "fleet/fleet.hpp"

namespace rnncheck {

namespace {

constexpr std::size_t most_names = 1'000'000;
constexpr std::size_t most_digits = 15;

/// "rack2-gpu007a": the last number, of three digits, between "rack2-gpu" and "a".
struct NumberedName {
    std::string before, after;
    std::size_t digits = 0;  ///< 0 for a name without a number
    std::int64_t number = 0;
};

/// More digits than a number can have belong to the name.
NumberedName numbered(const std::string& name) {
    const std::size_t last = name.find_last_of("0123456789");
    if (last == std::string::npos)
        return {name, ""};
    std::size_t first = last;
    while (first > 0 && is_digit(name[first - 1]) && last - first + 1 < most_digits)
        --first;
    NumberedName parts{name.substr(0, first), name.substr(last + 1), last + 1 - first};
    std::from_chars(name.data() + first, name.data() + last + 1, parts.number);
    return parts;
}

/// "007" of 7 in three digits.
std::string padded(std::int64_t number, std::size_t digits) {
    const std::string text = std::to_string(number);
    return std::string(std::max(digits, text.size()) - text.size(), '0') + text;
}

/// "1-3,7" of sorted numbers.
std::string ranges_of(const std::vector<std::int64_t>& numbers, std::size_t digits) {
    const auto range = [&](const auto& run) {
        if (run.first == run.second)
            return padded(run.first, digits);
        return padded(run.first, digits) + '-' + padded(run.second, digits);
    };
    return join(mapped(runs_in(numbers), range), ",");
}

/// UsageError, with an example of the form.
[[noreturn]] void no_nodeset(std::string_view text, const std::string& why) {
    throw UsageError(
        "'" + escaped(text, 60) + "' is not a set of nodes: " + why +
        "; write for example gpu[001-128],login1");
}

/// The names of "001-128" between `before` and `after`.
void add_range(
    std::string_view range,
    const std::string& before,
    const std::string& after,
    std::vector<std::string>& names) {
    const std::size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    std::string_view last = first;
    if (dash != std::string_view::npos)
        last = range.substr(dash + 1);
    const auto from = number_from(first), to = number_from(last);
    if (!from || !to || *from > *to || last.size() > most_digits)  // also where `last` has a minus
        no_nodeset(range, "a range has the form 001-128");
    if (static_cast<std::size_t>(*to - *from) >= most_names - names.size())
        no_nodeset(range, "it has more than a million names");
    for (auto number = *from; number <= *to; ++number)
        names.push_back(before + padded(number, first.size()) + after);
}

}  // namespace

/// Names with the same text around the number are one series. A number without
/// padding belongs to the series of its width only if that series has padding.
std::string nodeset_of(std::vector<std::string> names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    // A number below its padding's width needs it: 007, but 10 is that of one-digit names' series
    // too.
    std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<std::int64_t>> series;
    std::vector<std::string> sets;
    for (const std::string& name : names) {
        const NumberedName parts = numbered(name);
        const bool is_padded = parts.digits > 1 && padded(parts.number, 0).size() < parts.digits;
        auto width = parts.digits;
        if (!is_padded && !series.contains({parts.before, parts.after, width}))
            width = std::min<std::size_t>(width, 1);
        series[{parts.before, parts.after, width}].push_back(parts.number);
    }
    // "gpu7" alone needs no brackets.
    for (auto& [place, numbers] : series) {
        const auto& [before, after, digits] = place;
        std::ranges::sort(numbers);
        std::string range;
        if (digits > 0)
            range = ranges_of(numbers, digits);
        if (numbers.size() > 1 && digits > 0)
            range = '[' + range + ']';
        sets.push_back(before + range + after);
    }
    return join(sets, ",");
}

/// "gpu001-500": as many digits before the dash as behind it, and a larger
/// number.
std::string range_meant_by(const std::string& name) {
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos)
        return "";
    const std::string last = name.substr(dash + 1);
    const std::size_t begin = dash < last.size() ? std::string::npos : dash - last.size();
    std::optional<int> from;
    if (begin != std::string::npos)
        from = number_from(name.substr(begin, last.size()));
    const auto to = number_from(last);
    if (begin == 0 || !from || !to || *from >= *to)
        return "";
    return name.substr(0, begin) + '[' + name.substr(begin) + ']';
}

/// From one comma outside of brackets to the next: a name, or a name with a
/// range.
std::vector<std::string> names_of_nodeset(std::string_view nodeset) {
    std::vector<std::string> names;
    while (!nodeset.empty()) {
        // A comma inside of brackets separates ranges, not names.
        const std::size_t open = nodeset.find('['), comma = nodeset.find(',');
        if (comma < open || open == std::string_view::npos) {
            const std::string_view name = trim(nodeset.substr(0, comma));
            if (name.empty() || name.find(']') != std::string_view::npos)
                no_nodeset(nodeset, "a name is missing");
            names.emplace_back(name);
            nodeset.remove_prefix(comma == std::string_view::npos ? nodeset.size() : comma + 1);
            continue;
        }
        const std::size_t close = nodeset.find(']', open);
        if (close == std::string_view::npos)
            no_nodeset(nodeset, "']' is missing");
        const std::size_t end = std::min(nodeset.find(',', close), nodeset.size());
        const std::string before(trim(nodeset.substr(0, open))),
            after(trim(nodeset.substr(close + 1, end - close - 1)));
        if (after.find('[') != std::string::npos)
            no_nodeset(nodeset, "a name may have one range");
        if (close == open + 1)
            no_nodeset(nodeset, "a range is missing");
        for (const std::string& range : split(nodeset.substr(open + 1, close - open - 1), ','))
            add_range(range, before, after, names);
        nodeset.remove_prefix(std::min(end + 1, nodeset.size()));
    }
    return names;
}

}  // namespace rnncheck
