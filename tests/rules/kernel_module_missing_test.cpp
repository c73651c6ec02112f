#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(kernel_module_missing,
    Fires{{{"library only", library_without_module(), "the NVIDIA kernel module is not loaded, although the driver library"},
           {"the library was not asked", after(library_without_module(), [](Facts& f) { f.driver.init.reset(); f.driver.nvml_init.reset(); }), "release 550.54.14"},
           {"an image with a library, nothing from the host", after(library_without_module(), [](Facts& f) { f.host.container = "docker"; }), "not loaded"},
           {"nodes that outlived the module", after(library_without_module(), [](Facts& f) { f.driver.device_nodes = {{"/dev/nvidiactl", "0666 0:0", true, true}}; }), "not loaded"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"the driver answers although /proc hides it", but([](Facts& f) { f.driver.module_loaded = false; f.driver.device_nodes.clear(); }), ""},
            {"no driver at all", without_driver(), ""},
            {"WSL has no module", after(library_without_module(), [](Facts& f) { f.host.wsl = true; }), ""},
            {"only a stub", after(library_without_module(), [](Facts& f) { f.driver.init = CallResult{"cuInit", 34, ""}; }), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"the kernel could not be asked", after(library_without_module(), [](Facts& f) { f.driver.module_loaded.reset(); }), ""},
                {"nodes without module, NVML silent", after(library_without_module(), [](Facts& f) {
                    f.driver.nvml_init.reset();
                    f.driver.device_nodes = {{"/dev/nvidiactl", "0666 0:0", true, true}};
                }), ""}}})
