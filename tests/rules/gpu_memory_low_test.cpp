#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts free_mib(std::int64_t free) {
    return rnncheck::test::but(
        [&](rnncheck::Facts& f) { f.nvml_devices.front().memory_free_mib = free; });
}

}  // namespace

RULE_TEST(
    gpu_memory_low,
    Fires{
        {{"hardly any", free_mib(100), "has only 100 of 24576 MiB of memory free"},
         {"below five percent", free_mib(1000), "has only 1000 of 24576 MiB"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"processes hold it",
          after(
              free_mib(100),
              [](Facts& f) {
                  f.nvml_devices.front().processes = {{4711, 20'000}};
              }),
          ""},
         {"a call ran out of memory, which is another fault",
          after(free_mib(100), [](Facts& f) { f.rnn_runs.front().end = RunEnd::out_of_memory; }),
          ""},
         {"the board is silent",
          but([](Facts& f) { f.nvml_devices.front().memory_free_mib.reset(); }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"NVML crashed",
          but([](Facts& f) {
              f.nvml_devices.front().memory_free_mib.reset();
              probe_run(f, "nvml_devices").end = ProbeEnd::crashed;
          }),
          ""}}})
