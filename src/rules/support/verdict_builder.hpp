// One verdict from several: a rule about several installations or GPUs collects the result of each. Pure.
#pragma once

#include "base/lists.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// Keeps the first reason of each kind.
class VerdictBuilder {
  public:
    void fault(Finding finding) { findings_.push_back(std::move(finding)); }
    void faults(std::vector<Finding> findings) { append(findings_, std::move(findings)); }
    void unknown(const std::string& why) { keep(unknown_, why); }
    /// A specified version is outside the tables.
    void outside(const std::string& why) { keep(outside_, why); }
    /// Published builds differ, and none of them is the default.
    void depends(const std::string& why) { keep(depends_, why); }
    /// Not applicable, and the rule must not pass because of others.
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

    /// The worst result; `otherwise` if there is no fault, nothing unknown and no no_pass().
    Verdict close_or(Verdict otherwise) {
        if (!findings_.empty()) {
            Verdict verdict = fault_or(std::move(findings_), {});
            verdict.still_unknown = outside_.empty() ? unknown_ : outside_;
            return verdict;
        }
        if (!outside_.empty()) return outside_the_data(outside_);
        if (!depends_.empty()) return depends_on_choice(depends_);
        if (!unknown_.empty()) return undecided(unknown_);
        return no_pass_.empty() ? otherwise : not_applicable(no_pass_);
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
