// The list of all rules, and their pages: those of the directory, and the causes that only a log
// can witness.
#include <map>

#include "base/json.hpp"
#include "matrix/log_rows.hpp"
#include "rules/conflicts.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

namespace {

constexpr std::string_view fence = "---\n";  // before and after the JSON that a page begins with

std::string_view without_head(std::string_view page) {
    if (page.starts_with(fence))
        return page.substr(page.find("\n# ") + 1);
    return page;
}

/// Reads the head and the title of a page; a head with an unknown member
/// throws.
Rule rule_of(std::string_view name, Check check) {
    const std::string_view page = page_named(rule_pages(), name);
    const std::string_view head =
        page.substr(fence.size(), page.find(fence, fence.size()) - fence.size());
    Rule rule;
    from_json(Json::parse(head), rule, "docs/rules/" + std::string(name) + ".md");
    const std::string_view text =
        without_head(page).substr(std::string_view("# \n\n").size() + name.size());
    rule.title = text.substr(0, text.find('\n'));
    rule.function = check;
    rule.conflict = from_name<stack::ConflictKind>(name);
    return rule;
}

/// All rules, with those that they yield to by `superseded_like`, too.
std::map<std::string_view, Rule> read_rules() {
    std::map<std::string_view, Rule> rules;
    for (const auto& [name, check] : checks_of_rules())
        rules.emplace(name, rule_of(name, check));
    for (auto& [name, rule] : rules) {
        if (rule.superseded_like.empty())
            continue;
        append(rule.superseded_by, rules.at(rule.superseded_like).superseded_by);
        rule.superseded_by.push_back(rule.superseded_like);
    }
    return rules;
}

/// "{1}" becomes the first of the values; what they bring in is not searched again.
std::string filled_in(std::string_view text, const std::vector<std::string>& values) {
    std::string filled;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_place = text[at] == '{' && at + 2 < text.size() && is_digit(text[at + 1]) &&
                              text[at + 2] == '}';
        if (!is_place) {
            filled += text[at];
            continue;
        }
        filled += values.at(static_cast<std::size_t>(text[at + 1] - '1'));
        at += 2;
    }
    return filled;
}

/// A page like those of the directory, from the columns of a row.
std::string page_of(const LogCause& cause) {
    std::string page = "# " + cause.cause + "\n\n" + cause.title + "\n\n## What it means\n\n" +
                       cause.means + "\n\n## How rnncheck knows\n\n" + cause.knows +
                       "\n\nDeciding check: " + cause.check;
    if (!cause.check_command.empty())
        page += " `" + cause.check_command + "`";
    std::string what_to_do = cause.remedy;
    replace_all(what_to_do, "{search_path}", "LD_LIBRARY_PATH (on Windows, PATH)");
    page += "\n\n## What to do\n\n" + what_to_do;
    if (!cause.command.empty())
        page += " `" + cause.command + "`";
    return page + "\n\n## When it is harmless\n\n" + cause.harmless + "\n\n## Sources\n\n- " +
           cause.source.url + "\n";
}

}  // namespace

Verdict Rule::check(const Facts& facts, const Matrix& matrix) const {
    std::optional<stack::Stack> given;
    if (conflict)
        given = stack::described_stack(facts, matrix);
    if (given)
        return rules::verdict_of(*conflict, *given, matrix);
    return function(facts, matrix);
}

std::span<const Named<Rule>> rules_of_the_directory() {
    static const auto rules = read_rules();
    static const auto named = mapped(rules, [](const auto& rule) {
        return Named<Rule>{rule.first, &rule.second};
    });
    return named;
}

Remedy rules::remedy(
    std::string_view place,
    const std::vector<std::string>& values,
    std::vector<std::string> commands) {
    const auto slash = std::min(place.find('/'), place.size());
    const Rule& rule = *find_named(rules_of_the_directory(), place.substr(0, slash))->thing;
    Remedy filled = *find_by(
        rule.remedies, &NamedRemedy::name, place.substr(std::min(slash + 1, place.size())));
    for (std::string* text : {&filled.text, &filled.verify, &filled.link})
        *text = filled_in(*text, values);
    for (auto* lines : {&filled.commands, &filled.checks})
        for (std::string& line : *lines)
            line = filled_in(line, values);
    if (!commands.empty())
        filled.commands = std::move(commands);
    return filled;
}

RuleList::RuleList(const Matrix& matrix) : matrix_(matrix) {
    const auto directory = rules_of_the_directory();
    all_.assign(directory.begin(), directory.end());
    for (const LogCause& row : matrix_.log_causes()) {
        if (find_named(directory, row.cause))
            continue;
        log_causes_.push_back({
            .title = row.title,
            .function = [](const Facts&,
                           const Matrix&) { return not_applicable("only a log can show this"); },
            .only_from_log = true,
            .layer = from_name<Layer>(row.layer).value_or(Layer::host),
            .max_severity = from_name<Severity>(row.severity).value_or(Severity::error),
        });
        all_.push_back({row.cause, &log_causes_.back()});
    }
    std::ranges::sort(all_, {}, &Named<Rule>::name);
}

std::span<const Named<Rule>> all_rules() {
    static const RuleList rules(Matrix::bundled());
    return rules.all();
}

std::string_view rule_page(std::string_view name) {
    if (const auto page = page_named(rule_pages(), name); !page.empty())
        return without_head(page);
    static std::map<std::string, std::string, std::less<>> made;
    const Matrix matrix = Matrix::bundled();
    const LogCause* const cause = find_by(matrix.log_causes(), &LogCause::cause, name);
    if (!cause)
        return {};
    return made.try_emplace(cause->cause, page_of(*cause)).first->second;
}

}  // namespace rnncheck
