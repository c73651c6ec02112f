// Runs rules over facts. May not touch the machine.
#pragma once

#include <set>

#include "base/program.hpp"
#include "report/report.hpp"
#include "rules/rule.hpp"

namespace rnncheck {

/// What the user wants judged, and how.
struct Selection {
    std::set<std::string> only;     ///< if not empty, no other rule is asked
    std::set<std::string> skip;     ///< rules that are not asked
    std::set<std::string> ignore;   ///< rules whose faults are told but do not count
    std::set<std::string> require;  ///< rules that must come to pass or fault
    bool allow_no_gpu = false;      ///< a machine without an NVIDIA GPU is as expected
};

Report judge(Facts facts, const Matrix& matrix, const Selection& selection);

}  // namespace rnncheck
