// What is recommended for one cause of a log.
#pragma once

#include "judge.hpp"
#include "support/catch.hpp"
#include "support/logs.hpp"

namespace rnncheck::test {

struct Advice {
    std::vector<Remedy> remedies;
    std::optional<DecidingCheck> check;

    std::vector<std::string> commands() const {
        std::vector<std::string> all;
        for (const Remedy& remedy : remedies)
            all.insert(all.end(), remedy.commands.begin(), remedy.commands.end());
        return all;
    }
};

/// What is reported about this cause of the log.
inline Advice about(const char* cause, std::string_view log, std::vector<UserHint> hints = {}) {
    Facts facts;
    facts.tool.stages = {"log"};
    facts.log = log_read(log);
    facts.log->user_hints = std::move(hints);
    for (Finding& finding : judge(std::move(facts), bundled_matrix(), {}).findings)
        if (finding.rule == cause)
            return {std::move(finding.remedies), std::move(finding.decided_by)};
    FAIL("no finding " << cause);
    return {};
}

}  // namespace rnncheck::test
