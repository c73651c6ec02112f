#include "support/installed_machines.hpp"

RULE_TEST(cpu_and_gpu_packages_both_installed,
          Fires{{{"the one without CUDA won",
                  but([](Facts& f) { add_tensorflow_cpu(f).other_packages = {"tensorflow 2.15.1"}; }),
                  "tensorflow-cpu 2.15.1 and tensorflow 2.15.1 are installed in one environment"},
                 {"the one with CUDA won",
                  but([](Facts& f) { add_tensorflow(f).other_packages = {"tensorflow-cpu 2.15.1"}; }),
                  "the CUDA files are in place until the other"}}},
          silent_about_frameworks({{"two names of the same build",
                                    but([](Facts& f) { add_tensorflow(f).other_packages = {"tensorflow-gpu 2.15.1"}; }),
                                    ""},
                                   {"without CUDA alone", but([](Facts& f) { add_tensorflow_cpu(f); }), ""}}),
          CannotTell{{{"the search did not end", but(packages_not_searched), ""},
                      {"its files do not tell which one won", but([](Facts& f) {
                           Framework& tensorflow = add_tensorflow(f);
                           tensorflow.other_packages = {"tensorflow-cpu 2.15.1"};
                           tensorflow.uses_cuda.reset();
                       }),
                       ""}}})
