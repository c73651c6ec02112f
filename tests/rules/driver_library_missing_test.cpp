#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    driver_library_missing,
    Fires{
        {{"module only", module_without_library(), "driver library libcuda.so.1 is not"},
         {"nodes only",
          after(module_without_library(), [](Facts& f) { f.driver.module_loaded.reset(); }),
          "driver library libcuda.so.1 is not"},
         {"links to a driver that is not mounted, and the toolkit's compatibility library",
          after(
              module_without_library(),
              [](Facts& f) {
                  Library& compat = f.libraries.emplace_back();
                  compat.path = "/usr/local/cuda/compat/libcuda.so.1";
                  compat.compat = true;
                  compat.machine = "64-bit x86-64";
                  Library& link = f.libraries.emplace_back();
                  link.path = "/lib/libcuda.so.1";
                  link.problem = FileProblem::dangling_link;
              }),
          "is not installed: /lib/libcuda.so.1 is a symbolic link to a file that does not exist"},
         {"a copy where the loader does not look",
          after(
              module_without_library(),
              [](Facts& f) {
                  Library& copy = f.libraries.emplace_back();
                  copy.path = "/opt/nvidia/libcuda.so.1";
                  copy.machine = "64-bit x86-64";
              }),
          "although it is installed at /opt/nvidia/libcuda.so.1"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"no driver at all", without_driver(), ""},
         {"the driver works although no file is seen",
          but([](Facts& f) { f.libraries.clear(); }),
          ""},
         {"a container without GPU access", container_without_gpu_access(), ""},
         {"a damaged libcuda",
          after(
              module_without_library(),
              [](Facts& f) {
                  Library& broken = f.libraries.emplace_back();
                  broken.path = "/usr/lib/libcuda.so.1";
                  broken.problem = FileProblem::truncated;
              }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a library was opened and never responded",
          after(module_without_library(), [](Facts& f) { f.driver.library = "/opt/libcuda.so.1"; }),
          ""},
         {"search did not finish",
          after(module_without_library(), [](Facts& f) { f.probe_runs.clear(); }),
          ""}}})
