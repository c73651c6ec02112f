#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(driver_missing,
    Fires{{{"nothing of a driver", after(without_driver(), [](Facts& f) { f.host.pci_gpus.clear(); }), "no NVIDIA driver is installed"},
           {"a card without driver", without_driver(), "has an NVIDIA GPU but no NVIDIA driver"},
           {"a libcuda that only a toolkit brings", after(without_driver(), [](Facts& f) {
               Library& compat = f.libraries.emplace_back();
               compat.path = "/usr/local/cuda/compat/libcuda.so.1";
               compat.found_via = FoundVia::toolkit;
               compat.compat = true;
           }), "no NVIDIA driver"},
           {"a container in which nothing hints at a GPU", after(without_driver(), [](Facts& f) {
               f.host.pci_gpus.clear();
               f.host.container = "gvisor";
           }), "no NVIDIA driver is installed"},
           {"a container for which no GPU was asked, on a host without one", after(without_driver(), [](Facts& f) {
               f.host.pci_gpus.clear();
               f.host.container = "docker";
               f.host.environment["NVIDIA_VISIBLE_DEVICES"] = "void";
           }), "no NVIDIA driver is installed"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"the driver answers although no file is seen", but([](Facts& f) { f.libraries.clear(); f.driver.module_loaded = false; f.driver.device_nodes.clear(); }), ""},
            {"library without module is another fault", library_without_module(), ""},
            {"module without library is another fault", module_without_library(), ""},
            {"a container without GPU access is another fault", container_without_gpu_access(), ""},
            {"the same on a host whose module /proc does not show", after(container_without_gpu_access(), [](Facts& f) { f.driver.module_loaded = false; }), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"search did not finish", after(without_driver(), [](Facts& f) { f.probe_runs.clear(); }), ""},
                {"the kernel could not be asked", after(without_driver(), [](Facts& f) { f.driver.module_loaded.reset(); }), ""}}})
