// One line for Nagios and what took over its plugins: "SERVICE STATUS: text |
// label=value;warn;crit;min". https://nagios-plugins.org/doc/guidelines.html
#include <algorithm>

#include "base/text.hpp"
#include "report/outline.hpp"

namespace rnncheck::formats::nagios {

/// After "|" the numbers that monitoring systems draw, each with its limits.
static std::string write(const Outline& outline, const Style&) {
    // In the order of OverallVerdict; Nagios takes the state from the exit
    // code.
    constexpr const char* states[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
    const std::size_t warnings =
        count_of(outline.findings, Severity::warning) + faults_without_finding(outline).size();
    const auto undecided =
        std::ranges::count(outline.checks, Outcome::undecided, &RuleVerdict::outcome);
    int passed = 0, all = 0;
    for (const auto& [gpu, ends] : outline.tests)
        for (const auto& [end, count] : ends) {
            all += count;
            if (end == RunEnd::ok)
                passed += count;
        }
    return concat(
        "RNNCHECK ",
        states[static_cast<std::size_t>(outline.verdict)],
        ": ",
        with_entities(outline.sentence, {{'|', "/"}}),  // it would begin the numbers
        " | problems=",
        count_of(outline.findings, Severity::error),
        ";;0;0 warnings=",
        warnings,
        ";0;;0 undetermined=",
        undecided,
        ";;;0 tests=",
        all,
        ";;;0 tests_passed=",
        passed,
        ";;;0 time=",
        short_number(outline.run.duration_ms / 1000),
        "s;;;0\n");
}

extern const Format format{.title = "One line as monitoring plugins print it", .write = write};

}  // namespace rnncheck::formats::nagios
