#include "support/catch.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("ptx_launch runs a kernel on the GPU it is given") {
    const auto told = run_probe("ptx_launch", {.target = "GPU 1", .sim = "gpus=2"});
    REQUIRE(told.facts.kernel_runs.size() == 1);
    CHECK(told.facts.kernel_runs[0].gpu == 1);
    CHECK(told.facts.kernel_runs[0].result->ok());
    CHECK(told.facts.kernel_runs[0].correct == true);
}

TEST_CASE("ptx_launch tells PTX that the driver cannot compile") {
    const auto told =
        run_probe("ptx_launch", {.target = "GPU 0", .sim = "gpus=1 cuModuleLoadDataEx=fail:222"});
    REQUIRE(told.facts.kernel_runs.size() == 1);
    CHECK(told.facts.kernel_runs[0].result->code == 222);
    CHECK_FALSE(told.facts.kernel_runs[0].correct);
}

TEST_CASE("ptx_launch notices a kernel that did nothing") {
    const auto told =
        run_probe("ptx_launch", {.target = "GPU 0", .sim = "gpus=1 cuLaunchKernel=value:0"});
    REQUIRE(told.facts.kernel_runs.size() == 1);
    CHECK(told.facts.kernel_runs[0].correct == false);
}

TEST_CASE("ptx_launch tells a GPU that gives no context") {
    const auto told = run_probe(
        "ptx_launch", {.target = "GPU 0", .sim = "gpus=1 cuDevicePrimaryCtxRetain=fail:46"});
    REQUIRE(told.facts.kernel_runs.size() == 1);
    CHECK(told.facts.kernel_runs[0].result->call == "cuDevicePrimaryCtxRetain");
    CHECK(told.facts.kernel_runs[0].result->code == 46);
}
