#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts hidden(const std::vector<std::string>& directories) {
    auto f = rnncheck::test::without_driver();
    f.host.hidden_directories = directories;
    f.driver.module_loaded.reset();
    return f;
}

}  // namespace

RULE_TEST(
    proc_sys_hidden,
    Fires{
        {{"a bare chroot",
          hidden({"/proc", "/sys", "/dev"}),
          "/proc, /sys and /dev are empty or not readable for this process"},
         {"no nodes to be seen",
          after(hidden({"/dev"}), [](Facts& f) { f.driver.module_loaded = true; }),
          "/dev is empty or not"},
         {"no way to query the kernel", hidden({"/proc", "/sys"}), "/proc and /sys are empty"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"/sys alone shows the modules", hidden({"/proc"}), ""},
         {"the driver works all the same",
          but([](Facts& f) {
              f.host.hidden_directories = {"/proc", "/sys", "/dev"};
          }),
          ""}}},
    WhenUndecided{{{"nothing collected", nothing_collected(), ""}}})
