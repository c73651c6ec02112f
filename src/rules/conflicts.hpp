// What the engine finds in a stack, as verdicts: severity, sentence and evidence are the
// conflict's, the remedies are those of the rule of the same name. Decides nothing.
#pragma once

#include "rules/support/versions.hpp"
#include "stack/conflicts.hpp"

namespace rnncheck::rules {

/// Why a rule about specified versions does not apply to a machine.
inline constexpr const char* about_named_versions =
    "it applies only to versions specified with --for or matrix check";

/// The verdict of the rule named like `kind` about these versions, with
/// remedies.
Verdict verdict_of(stack::ConflictKind kind, const stack::Stack& stack, const Matrix& matrix);
/// The same, with possible_stacks(stack, matrix).
Verdict verdict_of(
    stack::ConflictKind kind,
    const stack::Stack& stack,
    const std::vector<stack::Stack>& possible,
    const Matrix& matrix);

/// The same for who only wants to know what is wrong.
Verdict verdict_without_remedies(
    stack::ConflictKind kind,
    const stack::Stack& stack,
    const std::vector<stack::Stack>& possible,
    const Matrix& matrix);

/// About what --for names on a machine; what it does not specify leaves nothing undetermined.
Verdict verdict_of_named(stack::ConflictKind kind, const stack::Stack& named, const Matrix& matrix);
Verdict verdict_of_named(stack::ConflictKind kind, const Facts& facts, const Matrix& matrix);

/// "rnncheck matrix plan --for pytorch==2.4".
std::string plan_of_version(const stack::Framework& framework);
/// The builds with CUDA of a framework's version, of any flavour, that run or compile first and can
/// be installed.
std::vector<PlannedBuild> planned_builds(
    stack::Framework framework,
    const std::optional<std::string>& os,
    const stack::Stack& stack,
    const Matrix& matrix);
/// Replaces DirectML or Metal by a build with CUDA, or shows where that exists.
Remedy without_plugin(const stack::Framework& framework);
/// The update with what the tables recommend besides; if there is no version without the defects,
/// layers without cuDNN.
Remedy against_defects(Remedy update, const std::vector<RnnDefect>& defects, bool has_fix);

}  // namespace rnncheck::rules
