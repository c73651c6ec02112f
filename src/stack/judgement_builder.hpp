// One judgement from several: a kind of conflict is looked for in several GPUs or frameworks. Pure.
#pragma once

#include "stack/conflict.hpp"
#include "stack/reasons.hpp"

namespace rnncheck::stack {

inline Judgement fits(std::string reason, std::vector<Evidence> evidence = {}) {
    return {.outcome = Outcome::pass, .reason = std::move(reason), .evidence = std::move(evidence)};
}
inline Judgement not_applicable(std::string reason) {
    return {.outcome = Outcome::not_applicable, .reason = std::move(reason)};
}
inline Judgement undecided(std::string reason, MissingInput missing = MissingInput::facts) {
    return {.outcome = Outcome::undecided, .reason = std::move(reason), .missing = missing};
}
inline Judgement in_conflict(std::vector<Conflict> conflicts) {
    std::string reason = conflicts.front().why;
    return {
        .outcome = Outcome::fault, .reason = std::move(reason), .conflicts = std::move(conflicts)};
}
inline Judgement in_conflict(Conflict conflict) {
    return in_conflict(std::vector{std::move(conflict)});
}

/// Collects conflicts beside the reasons of what is no conflict.
class JudgementBuilder : public Reasons {
  public:
    void conflict(Conflict conflict) {
        conflicts_.push_back(std::move(conflict));
    }
    /// It depends on which of several builds or versions is meant.
    void depends(const std::string& why) {
        keep(depends_, why);
    }

    /// The order of precedence: a conflict, a version outside the tables, a
    /// choice that was not made, something unknown, what blocks a pass, a pass.
    Judgement close() {
        if (!conflicts_.empty()) {
            Judgement answer = in_conflict(std::move(conflicts_));
            answer.still_unknown = still_unknown();
            return answer;
        }
        if (!outside_.empty())
            return undecided(outside_, MissingInput::data);
        if (!depends_.empty())
            return undecided(depends_, MissingInput::choice);
        if (!unknown_.empty())
            return undecided(unknown_);
        if (!blocked_pass_.empty())
            return stack::not_applicable(blocked_pass_);
        if (!passed_.empty())
            return fits(passed_, evidence_);
        if (not_applicable_.empty())
            return undecided("nothing was determined");
        return stack::not_applicable(not_applicable_);
    }

  private:
    std::vector<Conflict> conflicts_;
    std::string depends_;
};

}  // namespace rnncheck::stack
