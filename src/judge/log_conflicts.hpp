// What a log shows beside a machine, and what the versions exclude that a user gives with a log.
#pragma once

#include "judge/evaluate.hpp"

namespace rnncheck {

/// What the log shows of this rule's cause joins what the machine's facts show, which decide where
/// they can.
void join_log(Verdict& verdict, std::string_view rule, const std::vector<Finding>& causes);

/// What the versions exclude that a person gives with a log, word for word as `matrix check` shows
/// it of the same words. Whatever the log points to besides, this alone keeps the program from
/// working.
std::vector<Finding> conflicts_given_with_log(const Facts& facts, const Matrix& matrix);

/// Conflicts come before the causes that the log only points to. Where the log shows the same
/// cause, its lines join the evidence.
std::vector<Finding> with_conflicts(
    const Log& log, std::vector<Finding> conflicts, std::vector<Finding> causes);

}  // namespace rnncheck
