#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts foreign_driver() {
    auto f = rnncheck::test::init_returns(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    f.host.container = "docker";
    f.driver.kernel_version = rnncheck::test::v("535.104.05");
    return f;
}

}  // namespace

RULE_TEST(
    driver_installed_inside_container,
    Fires{
        {{"another release than the host's module",
          foreign_driver(),
          "this container is version 550.54.14, but the host's kernel module is version "
          "535.104.05"},
         {"known by the file's name alone",
          after(
              foreign_driver(),
              [](Facts& f) {
                  f.driver.library_version.reset();
                  f.driver.init.reset();
              }),
          "550.54.14"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"on the host it is another fault",
          after(foreign_driver(), [](Facts& f) { f.host.container.reset(); }),
          ""},
         {"the same release",
          after(foreign_driver(), [](Facts& f) { f.driver.kernel_version = v("550.54.14"); }),
          ""},
         {"a compatibility library",
          after(foreign_driver(), [](Facts& f) { library_of(f, LibraryKind::cuda).compat = true; }),
          ""},
         {"nothing passed in", container_without_gpu_access(), ""}}},
    WhenUndecided{
        {{"the module's release is unknown",
          after(foreign_driver(), [](Facts& f) { f.driver.kernel_version.reset(); }),
          ""}}})
