#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("cuda_runtime learns its version and the driver it sees") {
    const auto output = run_probe(
        "cuda_runtime", {.target = sim_file("cuda13", "libcudart.so.13"), .sim = "cuda=12.4"});
    REQUIRE(output.facts.runtimes.size() == 1);
    CHECK(output.facts.runtimes[0].version == v("13.0"));
    CHECK(output.facts.runtimes[0].driver_version_seen == v("12.4"));
    CHECK_FALSE(output.facts.runtimes[0].failure);
}

TEST_CASE("cuda_runtime shows a file it cannot open, with the loader's words") {
    const auto output = run_probe("cuda_runtime", {.target = sim_file("base", "no_such_file.so")});
    REQUIRE(output.done);
    REQUIRE(output.facts.runtimes.size() == 1);
    CHECK_FALSE(output.facts.runtimes[0].version);
    CHECK(output.facts.runtimes[0].failure->text.find("no_such_file.so") != std::string::npos);
}

TEST_CASE("cuda_runtime shows a library without the function") {
    const auto output = run_probe("cuda_runtime", {.target = sim_file("base", "libnvrtc.so.12")});
    REQUIRE(output.facts.runtimes.size() == 1);
    CHECK(output.facts.runtimes[0].failure->call == "cudaRuntimeGetVersion");
    CHECK(output.facts.runtimes[0].failure->text.find("does not export") != std::string::npos);
}
