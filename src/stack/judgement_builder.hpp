// One judgement from several: a kind of conflict is looked for in several GPUs or frameworks. Pure.
#pragma once

#include "base/lists.hpp"
#include "stack/conflict.hpp"

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
    return {.outcome = Outcome::fault, .reason = std::move(reason), .conflicts = std::move(conflicts)};
}
inline Judgement in_conflict(Conflict conflict) {
    return in_conflict(std::vector{std::move(conflict)});
}

/// Keeps the first reason of each sort.
class JudgementBuilder {
  public:
    void conflict(Conflict conflict) { conflicts_.push_back(std::move(conflict)); }
    void unknown(const std::string& why) { keep(unknown_, why); }
    /// A version is outside the tables.
    void outside(const std::string& why) { keep(outside_, why); }
    /// It depends on which of several builds or versions is meant.
    void depends(const std::string& why) { keep(depends_, why); }
    /// Not applicable, and nothing else may make it fit.
    void no_pass(const std::string& why) { keep(no_pass_, why); }
    void passed(const std::string& why, const std::vector<Evidence>& evidence = {}) {
        keep(passed_, why);
        append(evidence_, evidence);
    }
    void irrelevant(const std::string& why) { keep(irrelevant_, why); }

    Judgement close() {
        if (!conflicts_.empty()) {
            Judgement answer = in_conflict(std::move(conflicts_));
            answer.still_unknown = outside_.empty() ? unknown_ : outside_;
            return answer;
        }
        if (!outside_.empty()) return undecided(outside_, MissingInput::data);
        if (!depends_.empty()) return undecided(depends_, MissingInput::choice);
        if (!unknown_.empty()) return undecided(unknown_);
        if (!no_pass_.empty()) return not_applicable(no_pass_);
        if (!passed_.empty()) return fits(passed_, evidence_);
        return irrelevant_.empty() ? undecided("nothing was determined") : not_applicable(irrelevant_);
    }

  private:
    static void keep(std::string& reason, const std::string& why) {
        if (reason.empty()) reason = why;
    }

    std::vector<Conflict> conflicts_;
    std::vector<Evidence> evidence_;
    std::string unknown_, outside_, depends_, no_pass_, passed_, irrelevant_;
};

}  // namespace rnncheck::stack
