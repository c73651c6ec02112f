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
    TextMap ignore;                 ///< rules whose faults are told but do not count, with the reason or ""
    std::set<std::string> require;  ///< rules that must come to pass or fault
    bool allow_no_gpu = false;      ///< a machine without an NVIDIA GPU is as expected

    bool includes(const std::string& rule) const {
        return (only.empty() || only.contains(rule)) && !skip.contains(rule);
    }
};

Report judge(Facts facts, const Matrix& matrix, const Selection& selection);

/// Of `rnncheck lstm`: by the rules of the layers gpu and rnn; where a case did not come out correct, or none ran, by
/// those of the layers below too, which name the cause. Healthy only when a case was computed.
/// `also` are rules of other layers to ask in any case.
Report judge_networks(const Facts& facts, const Matrix& matrix, const std::set<std::string>& also = {});

/// Of `rnncheck lstm --fit`: healthy when a size was found for each; problems when nothing ran for another reason than
/// memory; else, and where the time was over before, undetermined. Without a search, why there was none.
Report judge_fits(const Facts& facts, std::vector<FitSearch> searches, const Matrix& matrix);

}  // namespace rnncheck
