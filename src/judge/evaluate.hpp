// Evaluates rules, on a machine's facts or on a stack of versions, and leaves out what other rules
// explain.
#pragma once

#include <map>
#include <tuple>

#include "judge.hpp"
#include "rules/conflicts.hpp"

namespace rnncheck {

/// rules::verdict_of, or the same without remedies.
using VerdictOfStack = Verdict (*)(
    stack::ConflictKind, const stack::Stack&, const std::vector<stack::Stack>&, const Matrix&);

/// The verdict of each rule, in the order of the rules; of those that are not selected, why.
std::vector<Verdict> evaluate_all(
    std::span<const Named<Rule>> rules,
    const Facts& facts,
    const Matrix& matrix,
    const Selection& selection);
/// The same without a machine: only the tables decide.
std::vector<Verdict> evaluate_all(
    std::span<const Named<Rule>> rules,
    const stack::Stack& stack,
    const Matrix& matrix,
    const Selection& selection,
    VerdictOfStack verdict_of = rules::verdict_of);

/// Gives a finding what every one of its rule has: name, layer, a command that verifies the fix.
void complete(const Named<Rule>& rule, Finding& finding);

/// The verdict becomes a problem, or one more.
void add_finding(Verdict& verdict, Finding finding);

/// By the order of repair: an error may be the cause of those of higher layers, a warning needs no
/// repair before anything else works. In one layer, what files show (a missing module) comes before
/// what libraries show (an old version).
std::tuple<Severity, Layer, Stage, std::string, std::string> order_of_repair(
    const Finding& finding);

}  // namespace rnncheck
