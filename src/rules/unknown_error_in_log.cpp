// The log holds an error that no signature knows, and nothing that points to a cause.
#include "rules/causes/log_causes.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules::unknown_error_in_log {

static Finding unknown(const Log& log) {
    return {.severity = Severity::warning,
            .subject = "log",
            .message = "the log contains an error that is unknown to rnncheck; the first one is in line " +
                       std::to_string(*log.first_error_line),
            .evidence = {{"first error", log.first_error.value_or(""), "log.first_error"}},
            .remedies = {{.action = Action::investigate,
                          .text = "Check the lines before this one, and check the machine itself",
                          .commands = {"rnncheck doctor"},
                          .risk = Risk::safe,
                          .verify = "rnncheck doctor",
                          .link = "https://docs.python.org/3/library/traceback.html"}},
            .confidence = Confidence::possible};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!facts.log) return not_applicable("no log was specified");
    if (!facts.log->first_error_line) return pass("no line of the log is an error");
    if (!causes_in_log(facts, matrix).empty()) return not_applicable("the log indicates known causes");
    Verdict verdict = undecided("the errors in the log are unknown to rnncheck");
    verdict.findings.push_back(unknown(*facts.log));
    return verdict;
}

extern const Rule rule{.title = "The log contains an unknown error",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check,
                       .judges_log = true};

}  // namespace rnncheck::rules::unknown_error_in_log
