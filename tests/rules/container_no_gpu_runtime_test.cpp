#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    container_no_gpu_runtime,
    Fires{
        {{"the image requests a GPU", container_without_gpu_access(), "started without GPU access"},
         {"only the PCI bus shows a GPU",
          after(
              container_without_gpu_access(),
              [](Facts& f) {
                  f.driver = {};
                  f.driver.module_loaded = false;
                  f.host.environment.clear();
              }),
          "started without GPU access"},
         {"only /proc shows the host's module",
          after(
              container_without_gpu_access(),
              [](Facts& f) {
                  f.host.environment.clear();
                  f.host.pci_gpus.clear();
              }),
          "started without GPU access"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a container with a driver that answers",
          but([](Facts& f) { f.host.container = "docker"; }),
          ""},
         {"no container", without_driver(), ""},
         {"a container in which nothing hints at a GPU",
          after(
              without_driver(),
              [](Facts& f) {
                  f.host.container = "gvisor";
                  f.host.pci_gpus.clear();
              }),
          ""},
         {"no GPU was requested",
          after(
              container_without_gpu_access(),
              [](Facts& f) { f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "void"; }),
          ""}}},
    WhenUndecided{
        {{"search did not finish",
          after(container_without_gpu_access(), [](Facts& f) { f.probe_runs.clear(); }),
          ""}}})
