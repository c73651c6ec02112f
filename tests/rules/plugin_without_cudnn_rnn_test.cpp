#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

TEST_CASE("plugin_without_cudnn_rnn") {
    using namespace rnncheck::test;
    check_rule("plugin_without_cudnn_rnn",
               Fires{{{"DirectML", given({"tensorflow=2.10+directml", "os=windows"}),
                       "reaches the GPU through directml, which has no cuDNN"}}},
               Silent{{{"CUDA", given({"tensorflow=2.10+cuda", "os=linux"}), ""},
                       {"for the processor", given({"tensorflow=2.15+cpu", "os=linux"}), ""},
                       {"a machine", a_healthy_machine(), ""}}},
               CannotTell{{{"the build was not told", given({"tensorflow=2.10", "os=windows"}), ""}}});
}
