#include "findings/finding.hpp"

namespace rnncheck {

Verdict pass(std::string reason) { return {.outcome = Outcome::pass, .reason = std::move(reason), .findings = {}}; }
Verdict not_applicable(std::string reason) { return {.outcome = Outcome::not_applicable, .reason = std::move(reason), .findings = {}}; }
Verdict undecided(std::string reason) { return {.outcome = Outcome::undecided, .reason = std::move(reason), .findings = {}}; }
Verdict outside_tables(std::string reason) {
    return {.outcome = Outcome::undecided, .reason = std::move(reason), .findings = {}, .outside_data = true};
}
Verdict fault(Finding finding) { return fault_or({std::move(finding)}, {}); }

Verdict fault_or(std::vector<Finding> findings, Verdict otherwise) {
    if (findings.empty()) return otherwise;
    std::string reason = findings.front().message;
    return {.outcome = Outcome::fault, .reason = std::move(reason), .findings = std::move(findings)};
}

}  // namespace rnncheck
