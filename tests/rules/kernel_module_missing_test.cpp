#include "base/text.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    kernel_module_missing,
    Fires{
        {{"library only",
          library_without_module(),
          "the NVIDIA kernel module is not loaded, although the driver library"},
         {"the library was not queried",
          after(
              library_without_module(),
              [](Facts& f) {
                  f.driver.init.reset();
                  f.driver.nvml_init.reset();
              }),
          "version 550.54.14"},
         {"an image with a library, nothing from the host",
          after(library_without_module(), [](Facts& f) { f.host.container = "docker"; }),
          "not loaded"},
         {"nodes that outlived the module",
          after(
              library_without_module(),
              [](Facts& f) {
                  f.driver.device_nodes = {{"/dev/nvidiactl", "0666 0:0", true, true}};
              }),
          "not loaded"},
         {"a library, and no card",
          after(library_without_module(), [](Facts& f) { f.host.pci_gpus.clear(); }),
          "the NVIDIA kernel module is not loaded, although the driver library "
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1 (version 550.54.14) is installed; no "
          "NVIDIA GPU is on the PCI bus"},
         {"nouveau has the card",
          after(
              library_without_module(),
              [](Facts& f) { f.host.pci_gpus.front().kernel_driver = "nouveau"; }),
          "not loaded"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the driver works although /proc hides it",
          but([](Facts& f) {
              f.driver.module_loaded = false;
              f.driver.device_nodes.clear();
          }),
          ""},
         {"no driver at all", without_driver(), ""},
         {"WSL has no module",
          after(library_without_module(), [](Facts& f) { f.host.wsl = true; }),
          ""},
         {"only a stub",
          after(
              library_without_module(),
              [](Facts& f) {
                  f.driver.init = CallResult{"cuInit", 34, ""};
              }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the kernel could not be queried",
          after(library_without_module(), [](Facts& f) { f.driver.module_loaded.reset(); }),
          ""},
         {"nodes without module, NVML silent",
          after(
              library_without_module(),
              [](Facts& f) {
                  f.driver.nvml_init.reset();
                  f.driver.device_nodes = {{"/dev/nvidiactl", "0666 0:0", true, true}};
              }),
          ""}}})

TEST_CASE("what is done about a missing module follows what holds it back") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto* rule = find_named(all_rules(), "kernel_module_missing");
    const auto finding = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0);
    };
    const auto first = [&](const Facts& facts) { return finding(facts).remedies.at(0); };
    Facts f = library_without_module();
    f.host.pci_gpus.front().kernel_driver.reset();
    CHECK(first(f).commands.front() == "sudo modprobe nvidia");
    REQUIRE(finding(f).decided_by);
    CHECK(finding(f).decided_by->command == "rnncheck doctor --make-nodes");
    CHECK(finding(f).confidence == Confidence::likely);
    f.tool.make_nodes = true;  // the helper was let, and did not load it
    CHECK_FALSE(finding(f).decided_by);
    CHECK(finding(f).confidence == Confidence::certain);
    f.host.container = "docker";
    CHECK(first(f).text.starts_with("On the host, not in this container: "));
    f.host.container.reset();
    f.host.pci_gpus.front().kernel_driver = "nouveau";
    CHECK(contains(first(f).text, "blacklist nouveau"));
    f.host.pci_gpus.clear();
    CHECK(contains(first(f).text, "Check that this is the intended machine"));
}
