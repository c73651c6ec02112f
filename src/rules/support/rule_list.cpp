// The list of all rules, and their pages: those of the directory, and the causes that only a log can witness.
#include <algorithm>
#include <list>
#include <map>

#include "base/directory_list.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

namespace {

Verdict only_a_log_tells(const Facts&, const Matrix&) {
    return not_applicable("only a log can show this");
}

/// The rows of log_causes that have no file in the directory, with the storage for their rules.
struct LogCauses {
    std::vector<LogCause> rows;
    std::list<Rule> rules;
    std::vector<Named<Rule>> all;

    LogCauses() {
        const auto directory = rules_of_the_directory();
        const Matrix matrix = Matrix::bundled();
        for (const LogCause& row : matrix.log_causes())
            if (!find_named(directory, row.cause)) rows.push_back(row);
        all.assign(directory.begin(), directory.end());
        for (const LogCause& row : rows) {
            rules.push_back({.title = row.title,
                             .layer = from_name<Layer>(row.layer).value_or(Layer::host),
                             .max_severity = from_name<Severity>(row.severity).value_or(Severity::error),
                             .stage = Stage::look,
                             .check = only_a_log_tells,
                             .only_from_log = true});
            all.push_back({row.cause, &rules.back()});
        }
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    }
};

const LogCauses& log_causes() {
    static const LogCauses causes;
    return causes;
}

std::string page_of(const LogCause& cause) {
    std::string page = "# " + cause.cause + "\n\n" + cause.title + "\n\n## What it means\n\n" + cause.means +
                       "\n\n## How rnncheck knows\n\n" + cause.knows + "\n\nDeciding check: " + cause.check;
    if (!cause.check_command.empty()) page += " `" + cause.check_command + "`";
    page += "\n\n## What to do\n\n" + cause.remedy;
    if (!cause.command.empty()) page += " `" + cause.command + "`";
    return page + "\n\n## When it is harmless\n\n" + cause.harmless + "\n\n## Sources\n\n- " + cause.source.url + "\n";
}

}  // namespace

std::span<const Named<Rule>> all_rules() {
    return log_causes().all;
}

std::string_view rule_page(std::string_view name) {
    for (const EmbeddedFile& page : rule_pages())
        if (page.name == name) return page.content;
    static std::map<std::string, std::string, std::less<>> made;
    for (const LogCause& cause : log_causes().rows)
        if (cause.cause == name) return made.try_emplace(cause.cause, page_of(cause)).first->second;
    return {};
}

}  // namespace rnncheck
