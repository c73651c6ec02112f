// One verdict out of many answers: a rule that looks at several copies or GPUs collects what each gives. Pure.
#pragma once

#include "report/finding.hpp"

namespace rnncheck::rules {

/// Of each kind the first reason given is kept.
class Answers {
  public:
    void fault(Finding finding) { findings_.push_back(std::move(finding)); }
    void unknown(const std::string& why) { keep(unknown_, why); }
    /// A version that was told lies outside the tables.
    void outside(const std::string& why) { keep(outside_, why); }
    /// Another rule tells what is wrong with it: nothing to say here, and no pass either.
    void told_elsewhere(const std::string& why) { keep(told_elsewhere_, why); }
    void good(const std::string& why, const std::vector<Evidence>& evidence = {}) {
        keep(good_, why);
        evidence_.insert(evidence_.end(), evidence.begin(), evidence.end());
    }
    void no_matter(const std::string& why) { keep(no_matter_, why); }

    /// The worst that was said; `otherwise` when that is neither a fault nor unknown nor told elsewhere.
    Verdict close_or(Verdict otherwise) {
        if (!findings_.empty()) return fault_or(std::move(findings_), {});
        if (!outside_.empty()) return outside_the_data(outside_);
        if (!unknown_.empty()) return undecided(unknown_);
        if (!told_elsewhere_.empty()) return not_applicable(told_elsewhere_);
        return otherwise;
    }

    Verdict close() {
        if (!good_.empty()) return close_or(pass(good_, evidence_));
        if (!no_matter_.empty()) return close_or(not_applicable(no_matter_));
        return close_or(undecided("nothing was determined"));
    }

  private:
    static void keep(std::string& reason, const std::string& why) {
        if (reason.empty()) reason = why;
    }

    std::vector<Finding> findings_;
    std::vector<Evidence> evidence_;
    std::string unknown_, outside_, told_elsewhere_, good_, no_matter_;
};

}  // namespace rnncheck::rules
