#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    fabric_manager_not_running,
    Fires{
        {{"cuInit shows",
          init_returns(802, "CUDA_ERROR_SYSTEM_NOT_READY"),
          "the system is not ready for CUDA (error 802): on systems with NVSwitch, Fabric "
          "Manager is not running"},
         {"making a context shows",
          but([](Facts& f) {
              f.kernel_runs = {{0, CallResult{"cuDevicePrimaryCtxRetain", 802, ""}, {}}};
          }),
          "the system is not ready for CUDA (error 802): on systems with NVSwitch, Fabric "
          "Manager is not running"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"another error", init_returns(999), ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the result of cuInit is unknown",
          after(init_returns(802), [](Facts& f) { f.driver.init.reset(); }),
          ""}}})
