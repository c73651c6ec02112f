#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts held(std::int64_t free) {
    return rnncheck::test::but([&](rnncheck::Facts& f) {
        f.nvml_devices.front().memory_free_mib = free;
        f.nvml_devices.front().processes = {{4711, 20'000}, {4712, {}}};
    });
}

}  // namespace

RULE_TEST(
    gpu_memory_held_by_other_process,
    Fires{
        {{"two holders",
          held(300),
          "has only 300 of 24576 MiB of memory free; in use by process 4711 (20000 MiB) "
          "and process 4712"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"enough is left", held(20'000), ""},
         {"a call ran out of memory, which is another fault",
          after(held(300), [](Facts& f) { f.rnn_runs.front().end = RunEnd::out_of_memory; }),
          ""},
         {"nobody is seen",
          after(held(300), [](Facts& f) { f.nvml_devices.front().processes.clear(); }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"NVML was not queried",
          after(
              held(300),
              [](Facts& f) {
                  f.nvml_devices.clear();
                  f.probe_runs.clear();
              }),
          ""}}})
