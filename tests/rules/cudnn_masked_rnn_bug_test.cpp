#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_masked_rnn_bug,
    Fires{
        {{"8.6.0",
          but([](Facts& f) { cudnn_version(f, "8.6.0"); }),
          "cuDNN 8.6.0 at /usr/local/cuda-12.4/lib64/libcudnn.so.8 has a documented defect: "
          "padded or masked "
          "sequences"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the first release without it", but([](Facts& f) { cudnn_version(f, "8.9.2"); }), ""},
         {"the last one before it", but([](Facts& f) { cudnn_version(f, "8.0.5"); }), ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the version is not known", but([](Facts& f) { f.cudnns.front().version.reset(); }), ""},
         {"newer than the tables", but([](Facts& f) { cudnn_version(f, "9.99.0"); }), ""}}})
