// Rule tests that read as a specification: when it fires, when it is silent, when it cannot decide.
// Each list must be there and non-empty, or the test does not compile or fails.
#pragma once

#include <initializer_list>

#include "rules/rule.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

namespace rnncheck::test {

struct RuleCase {
    std::string name;
    Facts facts;
    std::string expected;  ///< text that the first finding's message must contain; only for `fires`
};

struct Fires {
    std::vector<RuleCase> cases;
};
struct Silent {
    std::vector<RuleCase> cases;
};
struct WhenUndecided {
    std::vector<RuleCase> cases;
};

void check_rule(
    const char* name,
    const Fires& fires,
    const Silent& silent,
    const WhenUndecided& when_undecided);

}  // namespace rnncheck::test

/// RULE_TEST(driver_missing,
///     Fires{{{"no file at all", but([](Facts& f) { ... }), "no NVIDIA driver"}}},
///     Silent{{{"healthy", a_healthy_machine(), ""}}},
///     WhenUndecided{{{"nothing collected", nothing_collected(), ""}}})
#define RULE_TEST(rule, ...)            \
    TEST_CASE(#rule) {                  \
        using namespace rnncheck;       \
        using namespace rnncheck::test; \
        check_rule(#rule, __VA_ARGS__); \
    }
