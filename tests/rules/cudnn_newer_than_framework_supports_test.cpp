#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(cudnn_newer_than_framework_supports,
          Fires{{{"the next major", given({"tensorflow=2.10", "cudnn=9.1.0", "os=linux"}),
                  "TensorFlow 2.10 was built for cuDNN 8 and cannot use cuDNN 9.1.0"},
                 {"its number alone", given({"tensorflow=2.10", "cudnn=9"}), "cannot use cuDNN 9"}}},
          Silent{{{"the same major", given({"tensorflow=2.10", "cudnn=8.9.7", "os=linux"}), ""},
                  {"it brings its own", given({"pytorch=2.4", "cudnn=10.0.0", "os=linux"}), ""},
                  {"a machine", a_healthy_machine(), ""}}},
          CannotTell{{{"no cuDNN", given({"tensorflow=2.10"}), ""}, {"no framework", given({"cudnn=9.1.0"}), ""}}})
