// Faults planted in a copy of the tables, and what verify says of them.
#pragma once

#include "base/text.hpp"
#include "matrix/verify.hpp"
#include "support/matrix_copy.hpp"

namespace rnncheck::test {

inline std::vector<Issue> issues_of(const MatrixCopy& copy) {
    return verify(Tables(table_files_of(copy.directory.string())));
}

inline std::string told(const std::vector<Issue>& issues) {
    std::string text;
    for (const Issue& issue : issues) text += issue.table + " " + std::to_string(issue.row) + ": " + issue.text + "\n";
    return text;
}

inline bool has(const std::vector<Issue>& issues, const std::string& table, std::size_t row, const std::string& part) {
    for (const Issue& issue : issues)
        if (issue.table == table && issue.row == row && contains(issue.text, part)) return true;
    return false;
}

inline constexpr const char* some_source = R"("https://example.org/", "seen": "2026-11-21"}},)";

/// A small table of a few rows instead of the bundled one, so that a test does not depend on what that holds.
inline void put(const MatrixCopy& copy, const std::string& table, const std::vector<std::string>& rows,
                const std::string& head = "") {
    std::string text = "{\"about\": \"x\",\n" + head +
                       "\"columns\": {},\n\"sources\": {\"s\": {\"title\": \"t\", \"url\": " + some_source +
                       "\n  \"rows\": [";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += std::string(i > 0 ? "," : "") + "\n    {" + rows[i] + R"(, "source": "s", "provenance": "documented"})";
    copy.write(table + ".json", text + "\n  ]\n}\n");
}

inline std::vector<Issue> after(const std::string& file, const std::string& old_text, const std::string& new_text) {
    const MatrixCopy copy;
    copy.replace(file, old_text, new_text);
    return issues_of(copy);
}

}  // namespace rnncheck::test
