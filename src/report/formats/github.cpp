// Annotations of a GitHub workflow, which shows the first ten of each kind:
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands.
#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::github {

constexpr std::size_t most_of_a_kind = 10;

/// With the first remedy, so that the annotation is enough to act on.
static std::string message_with_fix(const Finding& finding) {
    std::string message = message_of(finding);
    if (!finding.remedies.empty())
        message += ". Fix: " + finding.remedies.front().text;
    return message;
}

/// The verdict as the first annotation, then findings by kind. The last of ten
/// annotations counts those that GitHub would not show.
static std::string write(const Outline& outline, const Style&) {
    constexpr std::string_view of_verdict[] = {"notice", "warning", "error", "error"};
    constexpr std::string_view of_severity[] = {"error", "warning", "notice"};
    std::map<std::string_view, std::vector<std::pair<std::string, std::string>>> annotations;
    annotations[of_verdict[static_cast<std::size_t>(outline.verdict)]].emplace_back(
        "rnncheck", outline.sentence);
    for (const Finding& finding : outline.findings)
        annotations[of_severity[static_cast<std::size_t>(finding.severity)]].emplace_back(
            finding.rule, message_with_fix(finding));
    for (const RuleVerdict* check : faults_without_finding(outline))
        annotations["warning"].emplace_back(check->rule, check->reason);
    std::string out;
    for (auto& [kind, list] : annotations) {
        if (list.size() > most_of_a_kind) {
            const std::size_t more = list.size() - most_of_a_kind + 1;
            list.resize(most_of_a_kind - 1);
            list.emplace_back("rnncheck", concat(more, " more, which GitHub would not show"));
        }
        for (const auto& [title, message] : list)  // a property ends at ':' or ',', too
            out += concat(
                "::",
                kind,
                " title=",
                with_entities(title, {{'%', "%25"}, {':', "%3A"}, {',', "%2C"}}),
                "::",
                with_entities(message, {{'%', "%25"}}),
                '\n');
    }
    return out;
}

extern const Format format{.title = "Annotations of a GitHub workflow", .write = write};

}  // namespace rnncheck::formats::github
