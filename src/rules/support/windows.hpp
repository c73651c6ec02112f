// A machine with Windows that was examined: which rules decide there, and what of a remedy it has.
#pragma once

#include "rules/rule.hpp"
#include "stack/stack.hpp"

namespace rnncheck::rules {

/// Instead of the rule's own verdict, where it is not to decide about this machine.
std::optional<Verdict> instead_on_windows(const Rule& rule, const Facts& facts);

/// Leaves out the commands that Windows lacks, and the remedies that consist of these; links lead
/// to the pages about Windows. Does nothing on other systems.
void fit_to_windows(const Facts& facts, Verdict& verdict);

/// The same for versions that are specified for Windows.
void fit_to_windows(const stack::Stack& stack, Verdict& verdict);

}  // namespace rnncheck::rules
