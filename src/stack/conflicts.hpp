// The engine: what does not fit in a stack. Pure: a stack and the tables in, typed conflicts out.
// Rules, plans, repairs and diagnoses put them into words and decide nothing.
#pragma once

#include "stack/builds.hpp"
#include "stack/conflict.hpp"

namespace rnncheck::stack {

/// Everything that does not fit, by kind; empty if nothing is known to be wrong.
std::vector<Conflict> conflicts(const Stack& stack, const Matrix& matrix);

/// What is known about one kind. A version that is known in part is a problem only if it is one for
/// every version that it may be; else the answer depends on it, and names the versions.
Judgement judgement(ConflictKind kind, const Stack& stack, const Matrix& matrix);
/// The same with possible_stacks(stack, matrix), for who needs several kinds.
Judgement judgement(
    ConflictKind kind,
    const Stack& stack,
    const std::vector<Stack>& possible,
    const Matrix& matrix);

/// The same for a stack whose versions are taken as they are.
using Check = Judgement (*)(const Stack& stack, const Matrix& matrix);
Check check_of(ConflictKind kind);

/// The stack that --for names on a machine: only what was specified. What was not specified leaves
/// nothing undetermined.
Judgement judgement_of_named(ConflictKind kind, const Stack& named, const Matrix& matrix);

/// The documented defects of a cuDNN that a kind of conflict reports, on the GPUs of the stack.
std::vector<RnnDefect> defects_of(
    const Stack& stack,
    const Version& cudnn,
    std::string_view kind,
    std::string_view system,
    const Matrix& matrix);
/// A cuDNN without these defects that suits the stack's GPUs, CUDA and driver; null when there is
/// none, or the data name none as fixed.
const CudnnBuild* cudnn_without(
    const std::vector<RnnDefect>& defects, const Stack& stack, const Matrix& matrix);
/// Whether a version known without its patch may or may not have one of the defects.
bool depends_on_patch(const Version& cudnn, const std::vector<RnnDefect>& defects);

}  // namespace rnncheck::stack
