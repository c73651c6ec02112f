// One verdict out of many answers: a rule that looks at several copies or GPUs collects what each gives. Pure.
#pragma once

#include "base/lists.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// Of each kind the first reason given is kept.
class VerdictBuilder {
  public:
    void fault(Finding finding) { findings_.push_back(std::move(finding)); }
    void faults(std::vector<Finding> findings) { append(findings_, std::move(findings)); }
    void unknown(const std::string& why) { keep(unknown_, why); }
    /// A version that was told lies outside the tables.
    void outside(const std::string& why) { keep(outside_, why); }
    /// Published builds differ, and none of them is the one that people get by default.
    void depends(const std::string& why) { keep(depends_, why); }
    /// The question does not arise for it, and it is no pass either.
    void no_pass(const std::string& why) { keep(no_pass_, why); }
    void passed(const std::string& why, const std::vector<Evidence>& evidence = {}) {
        keep(passed_, why);
        append(evidence_, evidence);
    }
    void irrelevant(const std::string& why) { keep(irrelevant_, why); }

    void add(const Verdict& verdict) {
        faults(verdict.findings);
        if (verdict.outcome == Outcome::pass) passed(verdict.reason, verdict.evidence);
        if (verdict.outcome == Outcome::undecided) unknown(verdict.reason);
        if (verdict.outcome == Outcome::not_applicable) irrelevant(verdict.reason);
    }

    /// The worst that was said; `otherwise` when that is neither a fault nor unknown nor kept from passing.
    Verdict close_or(Verdict otherwise) {
        if (!findings_.empty()) {
            Verdict verdict = fault_or(std::move(findings_), {});
            verdict.still_unknown = outside_.empty() ? unknown_ : outside_;
            return verdict;
        }
        if (!outside_.empty()) return outside_the_data(outside_);
        if (!depends_.empty()) return depends_on_choice(depends_);
        if (!unknown_.empty()) return undecided(unknown_);
        if (!no_pass_.empty()) return not_applicable(no_pass_);
        return otherwise;
    }

    Verdict close() {
        if (!passed_.empty()) return close_or(pass(passed_, evidence_));
        if (!irrelevant_.empty()) return close_or(not_applicable(irrelevant_));
        return close_or(undecided("nothing was determined"));
    }

  private:
    static void keep(std::string& reason, const std::string& why) {
        if (reason.empty()) reason = why;
    }

    std::vector<Finding> findings_;
    std::vector<Evidence> evidence_;
    std::string unknown_, outside_, depends_, no_pass_, passed_, irrelevant_;
};

}  // namespace rnncheck::rules
