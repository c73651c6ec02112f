#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

TEST_CASE("plugin_without_cudnn_rnn") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    check_rule(
        "plugin_without_cudnn_rnn",
        Fires{
            {{"installed",
              but([](Facts& f) {
                  Framework& tensorflow = add_tensorflow_cpu(f);
                  tensorflow.build = "directml";
                  tensorflow.plugins = {"tensorflow-directml-plugin 0.4.0"};
              }),
              "uses the GPU through DirectML, which has no recurrent networks of cuDNN at all"},
             {"for another maker's GPU",
              but([](Facts& f) { add_tensorflow_cpu(f).build = "rocm"; }),
              "is built for GPUs of another vendor"},
             {"specified on a machine",
              but([](Facts& f) { request(f, "tensorflow", "2.10").build = "directml"; }),
              "uses the GPU through directml, which has no cuDNN"},
             {"DirectML",
              given({"tensorflow=2.10+directml", "os=windows"}),
              "uses the GPU through directml, which has no cuDNN"}}},
        Silent{
            {{"CUDA", given({"tensorflow=2.10+cuda", "os=linux"}), ""},
             {"for the processor", given({"tensorflow=2.15+cpu", "os=linux"}), ""},
             {"specified, of no specified build",
              but([](Facts& f) { request(f, "tensorflow", "2.99"); }),
              ""},
             {"a machine", a_healthy_machine(), ""}}},
        WhenUndecided{
            {{"the build was not specified", given({"tensorflow=2.10", "os=windows"}), ""}}});
}
