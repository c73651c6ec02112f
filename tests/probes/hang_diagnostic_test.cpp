#include "support/catch.hpp"
#include "support/fake_root.hpp"
#include "support/healthy_machine.hpp"
#include "support/look.hpp"
#include "support/probe_run.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("hang_diagnostic reads the driver's faults out of the kernel log, newest last") {
    FakeRoot root;
    root.file(
        "/dev/kmsg",
        "6,1,100,-;Linux version 6.1.0\n"
        "4,2,2000000,-;NVRM: Xid (PCI:0000:3B:00): 31, pid=4711, name=python3, MMU Fault\n"
        " SUBSYSTEM=pci\n"
        "3,3,3000000,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
        "3,4,4000000,-;NVRM: Xid (damaged\n");
    const Facts facts = look("hang_diagnostic", root.root()).facts;
    CHECK(facts.driver.kernel_log_read == true);
    REQUIRE(facts.driver.xids.size() == 2);
    CHECK(facts.driver.xids[0].code == 31);
    CHECK(facts.driver.xids[1].code == 79);
    CHECK(facts.driver.xids[1].pci == "0000:3b:00");
    CHECK(
        facts.driver.xids[1].text == "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.");
    CHECK(
        facts.driver.xids[0].seconds_ago.value() - facts.driver.xids[1].seconds_ago.value() ==
        Approx(1).epsilon(0.01));
}

TEST_CASE("hang_diagnostic reports when the kernel log is closed to it") {
    CHECK(look("hang_diagnostic", FakeRoot().root()).facts.driver.kernel_log_read == false);
}

TEST_CASE("hang_diagnostic queries how busy the known boards are") {
    ProbeSetting setting{.sim = "gpus=2 gpu1:nvml.busy=97"};
    setting.facts.nvml_devices.resize(2);
    setting.facts.nvml_devices[1].index = 1;
    const auto output = run_probe("hang_diagnostic", setting);
    REQUIRE(output.facts.nvml_devices.size() == 2);
    CHECK(output.facts.nvml_devices[0].busy_percent == 0);
    CHECK(output.facts.nvml_devices[1].busy_percent == 97);
    CHECK(run_probe("hang_diagnostic", {.sim = "gpus=2"}).facts.nvml_devices.empty());
}
