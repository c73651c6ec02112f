#include "judge.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts count_fails() {
    auto f = rnncheck::test::init_returns(0);
    rnncheck::test::probe_run(f, "driver_api").failed_calls = {
        {"cuDeviceGetCount", 999, "CUDA_ERROR_UNKNOWN"}};
    return f;
}

}  // namespace

RULE_TEST(
    gpu_list_failed,
    Fires{
        {{"the count is rejected",
          count_fails(),
          "the NVIDIA driver initializes but cannot list its GPUs: cuDeviceGetCount"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"none there", init_returns(0), ""},
         {"no driver", without_driver(), ""},
         {"the driver does not initialize", init_returns(999), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the driver crashed on the way",
          after(
              init_returns(0),
              [](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::crashed; }),
          ""}}})

TEST_CASE("a driver that fails to list its GPUs is not reported to have none") {
    const auto report = rnncheck::judge(count_fails(), rnncheck::Matrix::bundled(), {});
    CHECK(
        std::ranges::find(report.findings, "no_gpu_visible", &rnncheck::Finding::rule) ==
        report.findings.end());
}
