// The parts of verify().
#pragma once

#include <concepts>

#include "base/text.hpp"
#include "matrix/tables.hpp"

namespace rnncheck::lint {

inline const std::string& text_of(const std::string& text) {
    return text;
}
inline const std::string& text_of(const Version& version) {
    return version.text;
}
inline std::string text_of(const char* text) {
    return text;
}
inline std::string text_of(std::integral auto number) {
    return std::to_string(number);
}

/// "CUDA {} needs {}" with each {} filled in turn.
template <class... Parts>
std::string filled(std::string_view form, const Parts&... parts) {
    std::string text;
    [[maybe_unused]] const auto fill = [&](const std::string& part) {
        const auto at = form.find("{}");
        text.append(form.substr(0, at)).append(part);
        form.remove_prefix(at + 2);
    };
    (fill(text_of(parts)), ...);
    return text.append(form);
}

/// Takes the issues of one table: report(row, "driver_min {} does not run CUDA {}", a, b).
struct Report {
    std::vector<Issue>& issues;
    std::string table;

    template <class... Parts>
    void operator()(const Row& row, std::string_view form, const Parts&... parts) const {
        issues.push_back({table, row.number, escaped(filled(form, parts...))});
    }
    /// About the table as a whole.
    template <class... Parts>
    void whole(std::string_view form, const Parts&... parts) const {
        issues.push_back({table, 0, escaped(filled(form, parts...))});
    }
};

/// What tables say about each other. A table that could not be read is left out: its own issues tell that.
void check_across(const Tables& tables, std::vector<Issue>& all);

/// Members of the head that nothing reads, control characters, more than one row on a line. Text that is no JSON is
/// left to the reader.
void check_text(std::string_view text, const TableHead& head, const Report& report);

/// Sources that were seen after `latest_day`, unless most were: then the clock is wrong.
void check_dates(const Tables& tables, const std::string& latest_day, std::vector<Issue>& all);

/// Flavour and command against the toolkit of the row; a Python that there was not when the source was seen.
void check_install(const FrameworkBuild& row, const Report& report);

}  // namespace rnncheck::lint
