#include "base/text.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    driver_missing,
    Fires{
        {{"nothing of a driver",
          after(without_driver(), [](Facts& f) { f.host.pci_gpus.clear(); }),
          "no NVIDIA GPU is on the PCI bus of this machine, and no NVIDIA driver is installed"},
         {"the bus could not be read",
          after(
              without_driver(),
              [](Facts& f) {
                  f.host.pci_gpus.clear();
                  f.host.pci_listed = false;
              }),
          "no NVIDIA driver is installed: neither"},
         {"WSL without a driver in Windows",
          after(
              without_driver(),
              [](Facts& f) {
                  f.host.pci_gpus.clear();
                  f.host.wsl = true;
              }),
          "no NVIDIA driver is available in WSL"},
         {"a card without driver", without_driver(), "has an NVIDIA GPU but no NVIDIA driver"},
         {"a libcuda that only a toolkit bundles",
          after(
              without_driver(),
              [](Facts& f) {
                  Library& compat = f.libraries.emplace_back();
                  compat.path = "/usr/local/cuda/compat/libcuda.so.1";
                  compat.found_via = FoundVia::toolkit;
                  compat.compat = true;
              }),
          "no NVIDIA driver"},
         {"a container in which nothing hints at a GPU",
          after(
              without_driver(),
              [](Facts& f) {
                  f.host.pci_gpus.clear();
                  f.host.container = "gvisor";
              }),
          "no NVIDIA driver is installed"},
         {"a container for which no GPU was queried, on a host without one",
          after(
              without_driver(),
              [](Facts& f) {
                  f.host.pci_gpus.clear();
                  f.host.container = "docker";
                  f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "void";
              }),
          "no NVIDIA driver is installed"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the driver works although no file is seen",
          but([](Facts& f) {
              f.libraries.clear();
              f.driver.module_loaded = false;
              f.driver.device_nodes.clear();
          }),
          ""},
         {"library without module is another fault", library_without_module(), ""},
         {"module without library is another fault", module_without_library(), ""},
         {"a container without GPU access is another fault", container_without_gpu_access(), ""},
         {"the same on a host whose module /proc does not show",
          after(container_without_gpu_access(), [](Facts& f) { f.driver.module_loaded = false; }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"search did not finish",
          after(without_driver(), [](Facts& f) { f.probe_runs.clear(); }),
          ""},
         {"the kernel could not be queried",
          after(without_driver(), [](Facts& f) { f.driver.module_loaded.reset(); }),
          ""}}})

namespace {

/// Text and commands of all remedies.
std::string advice_for(const rnncheck::Facts& facts) {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "driver_missing");
    std::string advice;
    const Finding finding = (*rule)->check(facts, Matrix::bundled()).findings.at(0);
    for (const Remedy& remedy : finding.remedies)
        advice += remedy.text + '\n' + join(remedy.commands, "\n") + '\n';
    return advice;
}

}  // namespace

TEST_CASE("a driver is to be installed only where there is something for it to drive") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    CHECK(contains(advice_for(without_driver()), "ubuntu-drivers install"));
    auto f = without_driver();
    f.host.pci_gpus.clear();
    CHECK_FALSE(contains(advice_for(f), "nstall"));
    CHECK(contains(advice_for(f), "Check that this is the intended machine."));
    CHECK(contains(advice_for(f), "--allow-no-gpu"));
    f.host.container = "docker";
    CHECK(contains(
        advice_for(f), "the container sees the PCI bus of its host, which has no NVIDIA GPU"));
    CHECK_FALSE(contains(advice_for(f), "Toolkit"));
    f.host.container = "kubernetes";
    CHECK(contains(advice_for(f), "nvidia.com/gpu"));
    f.host.environment["SLURM_JOB_ID"] = "17";
    CHECK(contains(advice_for(f), "srun --gpus=1"));
    f = without_driver();
    f.host.wsl = true;
    CHECK(contains(advice_for(f), "wsl.exe --update"));
    CHECK_FALSE(contains(advice_for(f), "ubuntu-drivers"));
    f.host.wsl = false;
    f.host.pci_gpus.front().kernel_driver = "vfio-pci";
    CHECK(contains(advice_for(f), "virtual machine"));
    CHECK_FALSE(contains(advice_for(f), "nstall"));
    f.host.pci_gpus.front().kernel_driver = "nouveau";
    CHECK(contains(advice_for(f), "blacklist nouveau"));
}
