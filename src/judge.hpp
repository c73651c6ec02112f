// Runs rules over facts. May not touch the machine.
#pragma once

#include <set>

#include "base/program.hpp"
#include "report/report.hpp"
#include "rules/rule.hpp"
#include "stack/stack.hpp"

namespace rnncheck {

/// Which rules to run, and how their findings count.
struct Selection {
    std::set<std::string> only;     ///< if not empty, no other rule is run
    std::set<std::string> skip;     ///< rules that are not run
    TextMap ignore;                 ///< rules whose findings are notes, with the reason or ""
    std::set<std::string> require;  ///< rules that must be decided
    bool allow_no_gpu = false;      ///< a missing NVIDIA GPU is not a problem

    bool includes(const std::string& rule) const {
        return (only.empty() || only.contains(rule)) && !skip.contains(rule);
    }
};

Report judge(Facts facts, const Matrix& matrix, const Selection& selection);
/// For `matrix check`: without a machine.
Report judge(const stack::Stack& stack, const Matrix& matrix, const Selection& selection);

/// For `rnncheck lstm`: runs the rules of the layers gpu and rnn; if a case is not correct or none
/// ran, also those of the layers below, which report the cause. Healthy only if a case was
/// computed. `also` are rules of other layers to run in any case.
Report judge_networks(
    const Facts& facts, const Matrix& matrix, const std::set<std::string>& also = {});

/// For `rnncheck lstm --fit`: healthy if a size was found for each; problems if nothing ran for
/// another reason than memory; undetermined otherwise, and if the time limit was reached. Without a
/// search, the reason.
Report judge_fits(const Facts& facts, std::vector<FitSearch> searches, const Matrix& matrix);

}  // namespace rnncheck
