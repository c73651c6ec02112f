#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    several_cudnns,
    Fires{
        {{"a Python package beside the system's",
          but([](Facts& f) { add_wheel_cudnn9(f); }),
          "2 versions of cuDNN are installed (8.9.7 and 9.19.0); the loader finds 8.9.7 at "
          "/usr/local/cuda-12.4/lib64/libcudnn.so.8"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"two installations of one version",
          but([](Facts& f) {
              Cudnn& other = add_wheel_cudnn9(f);
              other.version = v("8.9.7");
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"one of two was silent",
          but([](Facts& f) { add_wheel_cudnn9(f).version.reset(); }),
          ""}}})
