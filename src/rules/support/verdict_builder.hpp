// One verdict from several: a rule about several installations or GPUs collects the result of each.
// Pure.
#pragma once

#include "report/finding.hpp"
#include "stack/reasons.hpp"

namespace rnncheck::rules {

class VerdictBuilder : public stack::Reasons {
  public:
    void fault(Finding finding) {
        findings_.push_back(std::move(finding));
    }
    void faults(std::vector<Finding> findings) {
        append(findings_, std::move(findings));
    }

    void add(const Verdict& verdict) {
        faults(verdict.findings);
        if (verdict.outcome == Outcome::pass)
            passed(verdict.reason, verdict.evidence);
        if (verdict.outcome == Outcome::undecided)
            unknown(verdict.reason);
        if (verdict.outcome == Outcome::not_applicable)
            irrelevant(verdict.reason);
    }

    /// The worst result; `otherwise` if there is no fault, nothing unknown and no no_pass().
    Verdict close_or(Verdict otherwise) {
        if (!findings_.empty()) {
            Verdict verdict = fault_or(std::move(findings_), {});
            verdict.still_unknown = still_unknown();
            return verdict;
        }
        if (!outside_.empty())
            return outside_the_data(outside_);
        if (!unknown_.empty())
            return undecided(unknown_);
        if (no_pass_.empty())
            return otherwise;
        return not_applicable(no_pass_);
    }

    Verdict close() {
        if (!passed_.empty())
            return close_or(pass(passed_, evidence_));
        if (!irrelevant_.empty())
            return close_or(not_applicable(irrelevant_));
        return close_or(undecided("nothing was determined"));
    }

  private:
    std::vector<Finding> findings_;
};

}  // namespace rnncheck::rules
