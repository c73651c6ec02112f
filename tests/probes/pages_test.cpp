#include "process/probe.hpp"
#include "support/page.hpp"

TEST_CASE("each probe has a page with its title and the three headings") {
    for (const auto& probe : rnncheck::all_probes())
        rnncheck::test::check_page(
            rnncheck::page_named(rnncheck::probe_pages(), probe.name),
            probe.name,
            probe.thing->title,
            {"What it calls", "What it may disturb", "Limit"});
}
