// The list of all rules, and their pages: those of the directory, and the causes that only a log can witness.
#include <map>

#include "rules/rule.hpp"

namespace rnncheck {

namespace {

Verdict only_a_log_tells(const Facts&, const Matrix&) {
    return not_applicable("only a log can show this");
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

RuleList::RuleList(const Matrix& matrix) : matrix_(matrix) {
    const auto directory = rules_of_the_directory();
    all_.assign(directory.begin(), directory.end());
    for (const LogCause& row : matrix_.log_causes()) {
        if (find_named(directory, row.cause)) continue;
        log_causes_.push_back({.title = row.title,
                               .layer = from_name<Layer>(row.layer).value_or(Layer::host),
                               .max_severity = from_name<Severity>(row.severity).value_or(Severity::error),
                               .stage = Stage::look,
                               .check = only_a_log_tells,
                               .only_from_log = true});
        all_.push_back({row.cause, &log_causes_.back()});
    }
    std::ranges::sort(all_, {}, &Named<Rule>::name);
}

std::span<const Named<Rule>> all_rules() {
    static const RuleList rules(Matrix::bundled());
    return rules.all();
}

std::string_view rule_page(std::string_view name) {
    if (const auto page = page_named(rule_pages(), name); !page.empty()) return page;
    static std::map<std::string, std::string, std::less<>> made;
    const Matrix matrix = Matrix::bundled();
    const auto cause = std::ranges::find(matrix.log_causes(), name, &LogCause::cause);
    if (cause == matrix.log_causes().end()) return {};
    return made.try_emplace(cause->cause, page_of(*cause)).first->second;
}

}  // namespace rnncheck
