#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_rnn_unusable,
    Fires{
        {{"a call fails",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnCreateRNNDescriptor", 4, "CUDNN_STATUS_INTERNAL_ERROR");
          }),
          "the RNN API of cuDNN 8.9.7 at /usr/local/cuda-12.4/lib64/libcudnn.so.8 does not work: "
          "cudnnCreateRNNDescriptor returned 4"},
         {"it names a library of another make",
          but([](Facts& f) {
              rnn_api_fails(
                  f,
                  "cudnnAdvInferVersionCheck",
                  11,
                  "CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING (libcublasLt.so.11: cannot open)");
          }),
          "libcublasLt.so.11"},
         {"without a driver too",
          but([](Facts& f) {
              rnn_api_fails(
                  f, "cudnnCreateRNNDescriptor", -1, "the library does not export this function");
              f.driver = {};
          }),
          "does not export this function"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a missing part is another fault",
          but([](Facts& f) {
              remove_library(f, "libcudnn_adv_infer.so.8");
              rnn_api_fails(f, "cudnnAdvInferVersionCheck", 11, "");
          }),
          ""},
         {"a broken part is another fault",
          but([](Facts& f) {
              library_named(f, "libcudnn_adv_infer.so.8").problem = FileProblem::damaged;
              rnn_api_fails(f, "cudnnAdvInferVersionCheck", 11, "");
          }),
          ""},
         {"a mixture is another fault",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnAdvInferVersionCheck", 14, "CUDNN_STATUS_VERSION_MISMATCH");
          }),
          ""},
         {"it does not open at all",
          but([](Facts& f) {
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
              f.cudnns.front().failure = CallResult{"dlopen", -1, "broken"};
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"its process died there",
          but([](Facts& f) {
              f.cudnns.front().rnn_usable.reset();
              probe_run(f, "cudnn_library").end = ProbeEnd::crashed;
          }),
          ""},
         {"it was not queried", but([](Facts& f) { f.cudnns.clear(); }), ""}}})
