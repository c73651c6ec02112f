#include "matrix/log_rows.hpp"
#include "rules/rule.hpp"
#include "support/bundled_matrix.hpp"
#include "support/page.hpp"

using namespace rnncheck;

TEST_CASE("each rule has a page with its title, the five headings and a source") {
    for (const auto& rule : all_rules()) {
        const std::string_view page = rule_page(rule.name);
        test::check_page(
            page,
            rule.name,
            rule.thing->title,
            {"What it means",
             "How rnncheck knows",
             "What to do",
             "When it is harmless",
             "Sources"});
        CHECK(page.substr(page.rfind("## Sources")).find("http") != std::string_view::npos);
    }
}

TEST_CASE("a cause of the logs that has a rule has the rule's title") {
    for (const LogCause& cause : test::bundled_matrix().log_causes())
        if (const auto* rule = find_named(rules_of_the_directory(), cause.cause)) {
            INFO(cause.cause);
            CHECK(cause.title == rule->thing->title);
        }
}
