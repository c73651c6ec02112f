#include "report/finding.hpp"

namespace rnncheck {

Verdict pass(std::string reason, std::vector<Evidence> evidence) {
    return {Outcome::pass, std::move(reason), {}, std::move(evidence)};
}
Verdict not_applicable(std::string reason) {
    return {Outcome::not_applicable, std::move(reason), {}, {}};
}
Verdict undecided(std::string reason) {
    return {Outcome::undecided, std::move(reason), {}, {}};
}
Verdict outside_the_data(std::string reason) {
    return {Outcome::undecided, std::move(reason), {}, {}, Lack::data};
}
Verdict fault(Finding finding) { return fault_or({std::move(finding)}, {}); }

Verdict fault_or(std::vector<Finding> findings, Verdict otherwise) {
    if (findings.empty()) return otherwise;
    std::string reason = findings.front().message;
    return {Outcome::fault, std::move(reason), std::move(findings), {}};
}

}  // namespace rnncheck
