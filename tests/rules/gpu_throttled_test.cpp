#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts reasons(std::vector<std::string> names) {
    return rnncheck::test::but(
        [&](rnncheck::Facts& f) { f.nvml_devices.front().throttle_reasons = std::move(names); });
}

}  // namespace

RULE_TEST(
    gpu_throttled,
    Fires{
        {{"heat",
          reasons({"sw_power_cap", "hw_thermal_slowdown"}),
          "is throttled because of heat or power (hw_thermal_slowdown)"},
         {"power", reasons({"hw_power_brake", "hw_slowdown"}), "hw_power_brake and hw_slowdown"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"normal reasons",
          reasons(
              {"gpu_idle",
               "sw_power_cap",
               "applications_clocks_setting",
               "sync_boost",
               "display_clocks"}),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"NVML crashed",
          but([](Facts& f) { probe_run(f, "nvml_devices").end = ProbeEnd::crashed; }),
          ""}}})
