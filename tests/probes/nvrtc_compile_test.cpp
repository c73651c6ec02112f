#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("nvrtc_compile learns the version and that it compiles") {
    const auto output = run_probe("nvrtc_compile", {.target = sim_file("base", "libnvrtc.so.12")});
    REQUIRE(output.facts.nvrtcs.size() == 1);
    CHECK(output.facts.nvrtcs[0].version == v("12.4"));
    CHECK(output.facts.nvrtcs[0].compiles == true);
}

TEST_CASE("nvrtc_compile shows a compiler that fails, and keeps its version") {
    const auto output = run_probe(
        "nvrtc_compile",
        {.target = sim_file("base", "libnvrtc.so.12"), .sim = "nvrtcCompileProgram=fail:7"});
    REQUIRE(output.facts.nvrtcs.size() == 1);
    CHECK(output.facts.nvrtcs[0].version == v("12.4"));
    CHECK(output.facts.nvrtcs[0].compiles == false);
    CHECK(output.facts.nvrtcs[0].failure->call == "nvrtcCompileProgram");
}

TEST_CASE("nvrtc_compile that crashes leaves the version and no answer") {
    const auto output = run_probe(
        "nvrtc_compile",
        {.target = sim_file("base", "libnvrtc.so.12"), .sim = "nvrtcCompileProgram=segv"});
    CHECK_FALSE(output.done);
    REQUIRE(output.facts.nvrtcs.size() == 1);
    CHECK_FALSE(output.facts.nvrtcs[0].compiles);
}
