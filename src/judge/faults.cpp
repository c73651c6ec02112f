#include "judge/faults.hpp"

#include <algorithm>

namespace rnncheck {

FaultKind kind_of(const Finding& finding) {
    std::string id = finding.part.id;
    if (finding.part.kind == stack::PartKind::other)
        id = finding.subject;
    return {finding.rule, finding.part.kind, id};
}

Faults severities_by_kind(const stack::Stack& stack, const Matrix& matrix) {
    Faults faults;
    for (const Verdict& verdict :
         evaluate_all(rules_of_the_directory(), stack, matrix, {}, rules::verdict_without_remedies))
        for (const Finding& finding : verdict.findings) {
            const auto [fault, is_new] = faults.try_emplace(kind_of(finding), finding.severity);
            fault->second = std::min(fault->second, finding.severity);
        }
    return faults;
}

}  // namespace rnncheck
