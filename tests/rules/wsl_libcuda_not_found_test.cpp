#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts wsl(bool linux_driver) {
    auto f =
        linux_driver ? rnncheck::test::init_returns(100) : rnncheck::test::module_without_library();
    f.host.wsl = true;
    f.driver.module_loaded = false;
    f.driver.kernel_version.reset();
    f.driver.device_nodes = {{"/dev/dxg", "0666 0:0", true, true}};
    rnncheck::Library windows;
    windows.path = "/usr/lib/wsl/lib/libcuda.so.1";
    windows.found_via = rnncheck::FoundVia::wsl;
    windows.machine = "64-bit x86-64";
    f.libraries.push_back(windows);
    return f;
}

}  // namespace

RULE_TEST(
    wsl_libcuda_not_found,
    Fires{
        {{"not on the path", wsl(false), "the loader does not find /usr/lib/wsl/lib/libcuda.so.1"},
         {"hidden by a Linux driver", wsl(true), "instead of /usr/lib/wsl/lib/libcuda.so.1"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"found",
          after(wsl(false), [](Facts& f) { f.libraries.back().picked_by_loader = true; }),
          ""},
         {"no GPU is passed to WSL",
          after(wsl(false), [](Facts& f) { f.driver.device_nodes.clear(); }),
          ""},
         {"not WSL", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"whether it is WSL is unknown",
          after(wsl(false), [](Facts& f) { f.host.wsl.reset(); }),
          ""}}})
