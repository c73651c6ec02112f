#include "support/dll_machines.hpp"
#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cudnn_runtime_older_than_built,
    Fires{
        {{"a DLL of an older minor version",
          after(
              with_cudnn_8("8.1.0.77", "11.2"),
              [](Facts& f) { f.frameworks.front().cudnn = v("8.6.0"); }),
          "was built with cuDNN 8.6.0, but C:\\cuda\\bin\\cudnn64_8.dll, which it loads, is "
          "cuDNN 8.1.0"},
         {"installed, and the system's is older",
          but([](Facts& f) {
              add_tensorflow(f);
              cudnn_version(f, "8.6.0");
          }),
          "TensorFlow 2.15.1 (cuda) was built with cuDNN 8.9.4, but loads the older 8.6.0 from " +
              cudnn8},
         {"an older minor",
          given({"tensorflow=2.15", "cudnn=8.6.0", "os=linux"}),
          "cuDNN 8.6.0 is older than the 8.9"},
         {"an older major",
          given({"tensorflow=2.10", "cudnn=7.6.5", "os=linux"}),
          "is older than the 8.1"}}},
    Silent{
        {{"a DLL of a later minor version", with_cudnn_8("8.9.7.29", "11.2"), ""},
         {"a later minor", given({"tensorflow=2.10", "cudnn=8.9.7", "os=linux"}), ""},
         {"it bundles its own", given({"pytorch=2.4", "cudnn=8.9.7", "os=linux"}), ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"a DLL without a version", with_cudnn_8("", "11.2"), ""},
         {"no cuDNN", given({"tensorflow=2.10"}), ""},
         {"no framework", given({"cudnn=8.9.7"}), ""}}})
