#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("nvrtc_compile learns the version and that it compiles") {
    const auto told = run_probe("nvrtc_compile", {.target = sim_file("base", "libnvrtc.so.12")});
    REQUIRE(told.facts.nvrtcs.size() == 1);
    CHECK(told.facts.nvrtcs[0].version == v("12.4"));
    CHECK(told.facts.nvrtcs[0].compiles == true);
}

TEST_CASE("nvrtc_compile tells a compiler that fails, and keeps its version") {
    const auto told = run_probe("nvrtc_compile", {.target = sim_file("base", "libnvrtc.so.12"),
                                                  .sim = "nvrtcCompileProgram=fail:7"});
    REQUIRE(told.facts.nvrtcs.size() == 1);
    CHECK(told.facts.nvrtcs[0].version == v("12.4"));
    CHECK(told.facts.nvrtcs[0].compiles == false);
    CHECK(told.facts.nvrtcs[0].failure->call == "nvrtcCompileProgram");
}

TEST_CASE("nvrtc_compile that crashes leaves the version and no answer") {
    const auto told = run_probe("nvrtc_compile", {.target = sim_file("base", "libnvrtc.so.12"),
                                                  .sim = "nvrtcCompileProgram=segv"});
    CHECK_FALSE(told.done);
    REQUIRE(told.facts.nvrtcs.size() == 1);
    CHECK_FALSE(told.facts.nvrtcs[0].compiles);
}
