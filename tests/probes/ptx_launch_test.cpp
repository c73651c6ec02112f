#include "support/catch.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("ptx_launch runs a kernel on the GPU it is given") {
    const auto output = run_probe("ptx_launch", {.target = "GPU 1", .sim = "gpus=2"});
    REQUIRE(output.facts.kernel_runs.size() == 1);
    CHECK(output.facts.kernel_runs[0].gpu == 1);
    CHECK(output.facts.kernel_runs[0].result->ok());
    CHECK(output.facts.kernel_runs[0].correct == true);
}

TEST_CASE("ptx_launch shows PTX that the driver cannot compile") {
    const auto output =
        run_probe("ptx_launch", {.target = "GPU 0", .sim = "gpus=1 cuModuleLoadDataEx=fail:222"});
    REQUIRE(output.facts.kernel_runs.size() == 1);
    CHECK(output.facts.kernel_runs[0].result->code == 222);
    CHECK_FALSE(output.facts.kernel_runs[0].correct);
}

TEST_CASE("ptx_launch notices a kernel that did nothing") {
    const auto output =
        run_probe("ptx_launch", {.target = "GPU 0", .sim = "gpus=1 cuLaunchKernel=value:0"});
    REQUIRE(output.facts.kernel_runs.size() == 1);
    CHECK(output.facts.kernel_runs[0].correct == false);
}

TEST_CASE("ptx_launch shows a GPU that gives no context") {
    const auto output = run_probe(
        "ptx_launch", {.target = "GPU 0", .sim = "gpus=1 cuDevicePrimaryCtxRetain=fail:46"});
    REQUIRE(output.facts.kernel_runs.size() == 1);
    CHECK(output.facts.kernel_runs[0].result->call == "cuDevicePrimaryCtxRetain");
    CHECK(output.facts.kernel_runs[0].result->code == 46);
}
