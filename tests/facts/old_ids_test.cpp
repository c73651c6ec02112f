#include "facts/old_ids.hpp"

#include <fstream>
#include <iterator>

#include "base/text.hpp"
#include "facts/facts.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("a renamed id has its current name, every other id its own") {
    CHECK(current_id("wrong_cudnn_found_first") == "cudnn_shadowed");
    CHECK(current_id("cudnn_shadowed") == "cudnn_shadowed");
    CHECK(current_id("no_such_rule") == "no_such_rule");
    for (const OldId& renamed : old_ids)
        CHECK(current_id(std::string(renamed.current)) == renamed.current);
}

TEST_CASE("the page of earlier names lists every renamed id") {
    std::ifstream file(PROJECT_DIRECTORY "/docs/formats-history.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    for (const OldId& renamed : old_ids) {
        CAPTURE(renamed.old);
        CHECK(contains(
            page,
            "| `" + std::string(renamed.old) + "` | `" + std::string(renamed.current) + "` |"));
    }
}

TEST_CASE("saved facts name a probe by its current id") {
    Facts facts = a_healthy_machine();
    facts.probe_runs.front().probe = "hang_witness";
    const Facts read = facts_from_text(facts_to_text(facts), "facts.json");
    CHECK(read.probe_runs.front().probe == "hang_diagnostic");
}
