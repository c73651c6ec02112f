#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(cudnn_newer_than_framework_supports,
          Fires{
              {{"installed, and a link has the old name", but([](Facts& f) {
                    add_tensorflow(f);
                    f.cudnns.front().version = v("9.1.0");
                }),
                "was built for cuDNN 8, but " + cudnn8 + ", which it loads, is cuDNN 9.1.0"},
               {"the next major", given({"tensorflow=2.10", "cudnn=9.1.0", "os=linux"}),
                "TensorFlow 2.10 was built for cuDNN 8 and cannot use cuDNN 9.1.0"},
               {"its number alone", given({"tensorflow=2.10", "cudnn=9"}), "cannot use cuDNN 9"}}},
          Silent{{{"the same major", given({"tensorflow=2.10", "cudnn=8.9.7", "os=linux"}), ""},
                  {"it brings its own", given({"pytorch=2.4", "cudnn=10.0.0", "os=linux"}), ""},
                  {"a machine", a_healthy_machine(), ""}}},
          CannotTell{{{"no cuDNN", given({"tensorflow=2.10"}), ""},
                      {"no framework", given({"cudnn=9.1.0"}), ""}}})
