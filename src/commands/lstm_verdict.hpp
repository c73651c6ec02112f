// What the cases that `rnncheck lstm` ran come to.
#pragma once

#include <string>
#include <vector>

#include "commands/command.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// The sentence that sums the runs up, and the exit code: problem when a case is wrong, failed, was refused or is not
/// offered that must be; undetermined when nothing was computed, a case was not tried or lacked memory, or the only one
/// is not offered; else healthy.
struct LstmVerdict {
    Exit code = undetermined;
    std::string sentence;
};

LstmVerdict verdict_of(const Facts& facts);

/// The deadline passed before all was known that decides which cases there are.
bool cut_by_deadline(const Facts& facts);

/// What to do next, a sentence each; nothing where every case is right.
std::vector<std::string> next_steps(const Facts& facts);

/// And there was one.
bool every_case_was_tried(const Facts& facts);

}  // namespace rnncheck
