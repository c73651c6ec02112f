#include "matrix/ranges.hpp"

#include <algorithm>
#include <array>

namespace rnncheck {

namespace {

Version cut(const Version& version, std::size_t parts) {
    Version shorter = version;
    for (std::size_t i = parts; i < shorter.parts.size(); ++i) shorter.parts[i] = 0;
    return shorter;
}

struct TableRange {
    std::string_view table;
    RangeColumns columns;
};

using enum RangeColumns::Open;

/// Sorted by table.
constexpr auto table_ranges = std::to_array<TableRange>({
    {"cuda_of_driver", {"branch", "branch", "last_branch"}},
    {"cudnn_builds", {"cudnn", "cudnn", "cudnn_last", one_release}},
    {"cudnn_builds", {"cuda", "cuda_min", "cuda_max"}},
    {"cudnn_builds", {"capability", "capability_min", "capability_max"}},
    {"framework_builds", {"version", "first", "last", one_release}},
    {"framework_builds", {"python", "python_first", "python_last"}},
    {"keras_backends", {"version", "first", "last"}},
    {"keras_backends", {"backend_version", "backend_first", "backend_last"}},
    {"rnn_defects", {"cudnn", "first", "fixed", all_later, true}},
    {"rnn_defects", {"capability", "capability_min", "capability_max"}},
    {"rnn_limits", {"cudnn", "first", "last"}},
    {"rnn_limits", {"capability", "capability_min", "capability_max"}},
    {"rnn_offers", {"cudnn", "first", "last"}},
});

constexpr auto all_columns_of_ranges = [] {
    std::array<RangeColumns, table_ranges.size()> columns{};
    std::transform(table_ranges.begin(), table_ranges.end(), columns.begin(), [](const auto& r) { return r.columns; });
    return columns;
}();

}  // namespace

std::size_t parts_written(const Version& version) {
    return static_cast<std::size_t>(1 + std::count(version.text.begin(), version.text.end(), '.'));
}

bool agree(const Version& a, const Version& b) {
    const std::size_t parts = std::min(parts_written(a), parts_written(b));
    return cut(a, parts) == cut(b, parts);
}

bool within(const Version& version, const Version& last) {
    return cut(version, parts_written(last)) <= last;
}

bool covers(const Version& first, const std::optional<Version>& last, const Version& version) {
    return version >= first && within(version, last.value_or(first));
}

bool reaches(const Version& driver, const Version& release) {
    return driver >= release || (parts_written(driver) == 1 && driver.major() == release.major());
}

std::span<const RangeColumns> ranges_of(std::string_view stem) {
    const auto is_of = [stem](const TableRange& range) { return range.table == stem; };
    const auto begin = std::find_if(table_ranges.begin(), table_ranges.end(), is_of);
    const auto end = std::find_if_not(begin, table_ranges.end(), is_of);
    return std::span(all_columns_of_ranges)
        .subspan(static_cast<std::size_t>(begin - table_ranges.begin()), static_cast<std::size_t>(end - begin));
}

}  // namespace rnncheck
