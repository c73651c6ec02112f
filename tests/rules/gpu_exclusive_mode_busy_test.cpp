#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts exclusive() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        rnncheck::test::no_runs(f);
        f.nvml_devices.front().compute_mode = "exclusive_process";
        f.nvml_devices.front().processes = {{4711, 500}};
    });
}

rnncheck::Facts rejected(const char* mode) {
    return rnncheck::test::but([&](rnncheck::Facts& f) {
        f.kernel_runs = {{0, rnncheck::CallResult{"cuDevicePrimaryCtxRetain", 46, ""}, {}}};
        f.cuda_devices.front().compute_mode = f.nvml_devices.front().compute_mode = mode;
    });
}

}  // namespace

RULE_TEST(
    gpu_exclusive_mode_busy,
    Fires{
        {{"another process has it",
          exclusive(),
          "is in exclusive-process mode and in use by process 4711"},
         {"only the call shows", rejected("default"), "CUDA_ERROR_DEVICE_UNAVAILABLE"},
         {"MPS is set up and fails all the same",
          after(
              rejected("exclusive_process"),
              [](Facts& f) {
                  f.nvml_devices.front().processes = {{4711, 500}};
                  f.driver.mps_pipe = "/tmp/nvidia-mps";
              }),
          "busy or unavailable"},
         {"mode and call", rejected("exclusive_process"), "busy or unavailable"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"exclusive and free",
          after(exclusive(), [](Facts& f) { f.nvml_devices.front().processes.clear(); }),
          ""},
         {"shared by MPS",
          but([](Facts& f) {
              f.nvml_devices.front().compute_mode = "exclusive_process";
              f.nvml_devices.front().processes = {{4711, 500}};
          }),
          ""},
         {"the server of MPS has it",
          after(exclusive(), [](Facts& f) { f.driver.mps_pipe = "/tmp/nvidia-mps"; }),
          ""},
         {"closed to all is another fault", rejected("prohibited"), ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the kernel's answer is lost",
          but([](Facts& f) {
              f.kernel_runs = {{0, {}, {}}};
          }),
          ""}}})
