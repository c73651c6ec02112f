// What is wrong with a set of tables, all of it at once: faults of form, rows out of order or twice, ranges that
// overlap, holes, and tables that contradict each other. Pure.
#pragma once

#include "base/text.hpp"
#include "matrix/tables.hpp"

namespace rnncheck {

/// By table, then by row. `latest_day`: ISO date that no source may be ahead of; "": none.
std::vector<Issue> verify(const Tables& tables, const std::string& latest_day = "");

/// Rows in all tables, those with issues included.
std::size_t rows_written(const Tables& tables);

}  // namespace rnncheck

/// The parts of verify().
namespace rnncheck::lint {

/// "CUDA {} needs {}" with each {} filled in turn.
template <class... Parts>
std::string filled(std::string_view form, const Parts&... parts) {
    std::string text;
    [[maybe_unused]] const auto fill = [&](const std::string& part) {
        const auto at = form.find("{}");
        text.append(form.substr(0, at)).append(part);
        form.remove_prefix(at + 2);
    };
    (fill(cell_text(parts)), ...);
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

/// Commands that do harm, links that lead elsewhere, causes that the row they rest on denies.
void check_advice(const Tables& tables, std::vector<Issue>& all);

}  // namespace rnncheck::lint
