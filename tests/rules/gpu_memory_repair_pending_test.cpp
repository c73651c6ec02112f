#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    gpu_memory_repair_pending,
    Fires{
        {{"a row",
          but([](Facts& f) { f.nvml_devices.front().remapping_pending = true; }),
          "needs a reset to remap a defective memory row"},
         {"a page",
          but([](Facts& f) { f.nvml_devices.front().retirement_pending = true; }),
          "needs a reboot to retire a defective memory page"},
         {"no spare row left",
          but([](Facts& f) { f.nvml_devices.front().remapping_failed = true; }),
          "failed to remap a defective memory row"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a board that reports neither",
          but([](Facts& f) {
              f.nvml_devices.front().remapping_pending = f.nvml_devices.front().remapping_failed =
                  f.nvml_devices.front().retirement_pending = std::nullopt;
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"NVML failed when queried",
          but([](Facts& f) {
              f.nvml_devices.front().remapping_pending = f.nvml_devices.front().remapping_failed =
                  f.nvml_devices.front().retirement_pending = std::nullopt;
              probe_run(f, "nvml_devices").failed_calls = {
                  {"nvmlDeviceGetRemappedRows", 999, "Unknown Error"}};
          }),
          ""},
         {"NVML crashed",
          but([](Facts& f) {
              f.nvml_devices.front().remapping_pending.reset();
              probe_run(f, "nvml_devices").end = ProbeEnd::crashed;
          }),
          ""}}})
