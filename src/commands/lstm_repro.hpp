// One failing case as a C++ program of its own, for a person who has no rnncheck: a report to NVIDIA.
#pragma once

#include <string>

#include "facts/facts.hpp"

namespace rnncheck {

/// The source: under 180 lines, no header of ours, the case's own numbers by their formula, and what must come out of
/// the worst element and some others of its array, with the limits. Its exit code is 0 when all is correct, 1 when
/// a number is wrong, 2 when a call failed. For the v8 interface alone.
std::string reproducer(const Facts& facts, const RnnRun& run);

}  // namespace rnncheck
