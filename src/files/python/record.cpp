#include "files/python/record.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace rnncheck::packages {

namespace {

constexpr std::size_t most_libraries = 4096, longest_path = 4096;

/// The first value of a row, its quotes off; `rest` is what stands behind it.
std::optional<std::string> first_value(std::string_view row, std::string_view& rest) {
    if (!row.starts_with('"')) {
        const auto comma = std::min(row.find(','), row.size());
        rest = row.substr(comma);
        return std::string(row.substr(0, comma));
    }
    std::string value;
    for (std::size_t at = 1; at < row.size(); ++at) {
        if (row[at] != '"') {
            value += row[at];
        } else if (at + 1 < row.size() && row[at + 1] == '"') {
            value += row[++at];
        } else {
            rest = row.substr(at + 1);
            return value;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> last_number(std::string_view rest) {
    const std::string_view digits = trim(rest.substr(std::min(rest.rfind(',') + 1, rest.size())));
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, number);
    if (digits.empty() || error != std::errc() || stopped != end || number < 0) return std::nullopt;
    return number;
}

}  // namespace

bool is_shared_library(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto at = name.find(".so");
    if (at == std::string_view::npos) return false;
    const std::string_view behind = name.substr(at + 3);
    return behind.empty() ||
           (behind.front() == '.' && behind.find_first_not_of(".0123456789") == std::string_view::npos);
}

void read_record(std::string_view text, const std::function<void(const RecordedFile&)>& found) {
    std::size_t count = 0;
    while (!text.empty() && count < most_libraries) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view row = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (row.find(".so") == std::string_view::npos || row.size() > longest_path) continue;
        std::string_view rest;
        const auto path = first_value(row, rest);
        if (!path || !is_shared_library(*path) || path->find('\0') != std::string::npos) continue;
        ++count;
        found({*path, last_number(rest)});
    }
}

}  // namespace rnncheck::packages
