#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    rnn_dtype_not_supported,
    Fires{
        {{"a cuDNN before it",
          given({"dtype=bf16", "cudnn=9.12.0"}),
          "cuDNN 9.12.0 does not support recurrent networks of type bf16"},
         {"a GPU before it",
          given({"dtype=bf16", "gpu=sm_75"}),
          "compute capability 7.5 does not support recurrent networks of type bf16"}}},
    Silent{
        {{"both late enough", given({"dtype=bf16", "cudnn=9.13.0", "gpu=8.0"}), ""},
         {"a type of old", given({"dtype=fp32", "cudnn=8.9.7"}), ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no type", given({"cudnn=9.12.0"}), ""},
         {"nothing else", given({"dtype=bf16"}), ""},
         {"a cuDNN newer than the data", given({"dtype=bf16", "cudnn=99.0.0"}), ""}}})
