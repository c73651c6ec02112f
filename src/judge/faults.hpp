// What is at fault in a stack of versions, by kind: before and after a repair, with and without
// the frameworks that a user named.
#pragma once

#include "judge/evaluate.hpp"

namespace rnncheck {

/// Findings of a rule about one thing, whatever its version.
struct FaultKind {
    std::string rule;
    stack::PartKind part = stack::PartKind::other;
    std::string id;  ///< of the part; the subject of what is no part of a stack

    auto operator<=>(const FaultKind&) const = default;
};

/// Equal for two findings that are about the same fault, before and after a
/// change.
FaultKind kind_of(const Finding& finding);

using Faults = std::map<FaultKind, Severity>;

/// How bad what does not fit in a stack is, by kind.
Faults severities_by_kind(const stack::Stack& stack, const Matrix& matrix);

}  // namespace rnncheck
