#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(wrong_cudnn_found_first,
          Fires{{{"an older major before it", given({"pytorch=2.4", "cudnn=8.9.7", "os=linux"}),
                  "PyTorch 2.4 brings cuDNN 9.1.0 along"},
                 {"an older minor before it", given({"pytorch=2.8+cu128", "cudnn=9.1.0", "os=linux"}),
                  "where cuDNN 9.1.0 is found first"}}},
          Silent{{{"the very one", given({"pytorch=2.4", "cudnn=9.1.0", "os=linux"}), ""},
                  {"it takes the system's", given({"tensorflow=2.10", "cudnn=8.9.7", "os=linux"}), ""},
                  {"a machine", a_healthy_machine(), ""}}},
          CannotTell{{{"no cuDNN", given({"pytorch=2.4"}), ""}, {"no framework", given({"cudnn=8.9.7"}), ""}}})
