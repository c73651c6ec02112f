#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts off(double start_ms) {
    return rnncheck::test::but([&](rnncheck::Facts& f) {
        f.nvml_devices.front().persistence = false;
        rnncheck::test::probe_run(f, "driver_api").elapsed_ms = start_ms;
    });
}

}  // namespace

RULE_TEST(
    persistence_mode_off,
    Fires{
        {{"a slow start",
          off(4200),
          "persistence mode is off, and the driver took 4.2 s to initialize: each CUDA program "
          "that starts"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"off, and fast", off(900), ""},
         {"on, and slow",
          after(off(4200), [](Facts& f) { f.nvml_devices.front().persistence = true; }),
          ""},
         {"not reported",
          after(off(4200), [](Facts& f) { f.nvml_devices.front().persistence.reset(); }),
          ""},
         {"no driver", without_driver(), ""},
         {"the driver fails", init_returns(999), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the driver was not queried to the end",
          after(off(4200), [](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::timed_out; }),
          ""}}})
