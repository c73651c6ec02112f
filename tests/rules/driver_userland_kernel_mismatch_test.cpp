#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts after_an_update() {
    auto f = rnncheck::test::init_returns(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    f.driver.kernel_version = rnncheck::test::v("550.40.07");
    f.driver.nvml_init = rnncheck::CallResult{"nvmlInit_v2", 18, "Driver/library version mismatch"};
    f.driver.nvml_version.reset();
    f.nvml_devices.clear();
    return f;
}

}  // namespace

RULE_TEST(
    driver_userland_kernel_mismatch,
    Fires{
        {{"updated, not restarted",
          after_an_update(),
          "550.40.07 in the kernel, 550.54.14 in libcuda"},
         {"only 803 shows", init_returns(803), "are of different versions"},
         {"only the releases show",
          after(init_returns(999), [](Facts& f) { f.driver.kernel_version = v("550.40.07"); }),
          "550.40.07"},
         {"only NVML is of another release",
          but([](Facts& f) {
              f.driver.nvml_init = CallResult{"nvmlInit_v2", 18, ""};
              f.nvml_devices.clear();
          }),
          "NVML (libnvidia-ml.so.1)"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a compatibility library that works",
          but([](Facts& f) {
              f.driver.library_version = v("560.35.05");
              library_of(f, LibraryKind::cuda).compat = true;
          }),
          ""},
         {"a driver of the image",
          after(after_an_update(), [](Facts& f) { f.host.container = "docker"; }),
          ""},
         {"no module", library_without_module(), ""},
         {"another error, one release", init_returns(999), ""},
         {"NVML is not installed",
          but([](Facts& f) {
              f.driver.nvml_init.reset();
              std::erase_if(
                  f.libraries, [](const Library& l) { return l.kind == LibraryKind::nvml; });
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a version is unknown",
          after(init_returns(999), [](Facts& f) { f.driver.kernel_version.reset(); }),
          ""}}})
