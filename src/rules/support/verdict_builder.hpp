// One verdict from several: a rule about several installations or GPUs collects the result of each.
// Pure.
#pragma once

#include "report/finding.hpp"
#include "stack/reasons.hpp"

namespace rnncheck::rules {

/// Collects faults beside the reasons. The order of precedence: a fault, a
/// version outside the tables, something unknown, a pass that another rule
/// blocks, a pass, not applicable. Example: one cuDNN of two passes, the other
/// did not respond: undecided.
class VerdictBuilder : public stack::Reasons {
  public:
    void fault(Finding finding) {
        findings_.push_back(std::move(finding));
    }
    void faults(std::vector<Finding> findings) {
        append(findings_, std::move(findings));
    }

    /// All of another verdict: its findings, or its reason by its outcome.
    void add(const Verdict& verdict) {
        faults(verdict.findings);
        if (verdict.outcome == Outcome::pass)
            passed(verdict.reason, verdict.evidence);
        if (verdict.outcome == Outcome::undecided)
            unknown(verdict.reason);
        if (verdict.outcome == Outcome::not_applicable)
            not_applicable(verdict.reason);
    }

    /// The worst result; `otherwise` if there is no fault, nothing unknown and no block_pass().
    Verdict finish_or(Verdict otherwise) {
        if (!findings_.empty()) {
            Verdict verdict = fault_or(std::move(findings_), {});
            verdict.still_unknown = still_unknown();
            return verdict;
        }
        if (!outside_.empty())
            return outside_the_data(outside_);
        if (!unknown_.empty())
            return undecided(unknown_);
        if (blocked_pass_.empty())
            return otherwise;
        return rnncheck::not_applicable(blocked_pass_);
    }

    /// The same; the first reason for a pass counts, else the first for not
    /// applicable.
    Verdict finish() {
        if (!passed_.empty())
            return finish_or(pass(passed_, evidence_));
        if (!not_applicable_.empty())
            return finish_or(rnncheck::not_applicable(not_applicable_));
        return finish_or(undecided("nothing was determined"));
    }

  private:
    std::vector<Finding> findings_;
};

}  // namespace rnncheck::rules
