#include "support/dll_machines.hpp"
#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cudnn_newer_than_framework_supports,
    Fires{
        {{"a renamed DLL",
          with_cudnn_8("9.1.0.70", "12.4"),
          "was built with cuDNN 8, but C:\\cuda\\bin\\cudnn64_8.dll, which it loads, is cuDNN "
          "9.1.0"},
         {"installed, and a link has the old name",
          but([](Facts& f) {
              add_tensorflow(f);
              f.cudnns.front().version = v("9.1.0");
          }),
          "was built for cuDNN 8, but " + cudnn8 + ", which it loads, is cuDNN 9.1.0"},
         {"the next major",
          given({"tensorflow=2.10", "cudnn=9.1.0", "os=linux"}),
          "TensorFlow 2.10 was built for cuDNN 8 and cannot use cuDNN 9.1.0"},
         {"its number alone", given({"tensorflow=2.10", "cudnn=9"}), "cannot use cuDNN 9"}}},
    Silent{
        {{"a DLL of the same major", with_cudnn_8("8.9.7.29", "11.2"), ""},
         {"the same major", given({"tensorflow=2.10", "cudnn=8.9.7", "os=linux"}), ""},
         {"it bundles its own", given({"pytorch=2.4", "cudnn=10.0.0", "os=linux"}), ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"a DLL without a version", with_cudnn_8("", "11.2"), ""},
         {"no cuDNN", given({"tensorflow=2.10"}), ""},
         {"no framework", given({"cudnn=9.1.0"}), ""}}})
