// The log holds an error that no signature knows, and nothing that points to a cause.
#include "rules/causes/log_causes.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

static Finding unknown(const Log& log) {
    return {.severity = Severity::warning,
            .subject = "log",
            .message = "the log contains an error that is unknown to rnncheck; the first one is in line " +
                       std::to_string(*log.first_error_line),
            .evidence = {{"first error", log.first_error.value_or(""), "log.first_error"}},
            .remedies = {remedy("unknown_error_in_log")},
            .confidence = Confidence::possible};
}

Verdict unknown_error_in_log(const Facts& facts, const Matrix& matrix) {
    if (!facts.log) return not_applicable("no log was specified");
    if (!facts.log->first_error_line) return pass("no line of the log is an error");
    if (!causes_in_log(facts, matrix).empty()) return not_applicable("the log indicates known causes");
    Verdict verdict = undecided("the errors in the log are unknown to rnncheck");
    verdict.findings.push_back(unknown(*facts.log));
    return verdict;
}

}  // namespace rnncheck::rules
