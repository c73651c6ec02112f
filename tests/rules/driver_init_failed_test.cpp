#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    driver_init_failed,
    Fires{
        {{"the unknown error",
          init_returns(999, "CUDA_ERROR_UNKNOWN"),
          "cuInit returned 999 (CUDA_ERROR_UNKNOWN)"},
         {"out of memory", init_returns(2), "cuInit returned 2"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"no device is another fault", init_returns(100), ""},
         {"the fabric manager is another fault", init_returns(802), ""},
         {"a mix of releases is another fault",
          after(init_returns(999), [](Facts& f) { f.driver.kernel_version = v("535.104.05"); }),
          ""},
         {"the missing UVM node is another fault",
          after(
              init_returns(999),
              [](Facts& f) { f.driver.device_nodes.erase(f.driver.device_nodes.begin()); }),
          ""},
         {"closed nodes are another fault",
          after(init_returns(999), [](Facts& f) { f.driver.device_nodes[1].readable = false; }),
          ""},
         {"no module", library_without_module(), ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the library crashed in cuInit",
          but([](Facts& f) {
              f.driver.init.reset();
              no_runs(f);
              probe_run(f, "driver_api").end = ProbeEnd::crashed;
          }),
          ""}}})
