#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_varlen_rnn_bug,
    Fires{
        {{"7.6.5 without a run",
          but([](Facts& f) {
              cudnn_version(f, "7.6.5");
              no_cases(f);
          }),
          "calls with variable sequence lengths fail with CUDNN_STATUS_EXECUTION_FAILED"},
         {"7.6.5 and such a case failed",
          but([](Facts& f) {
              cudnn_version(f, "7.6.5");
              for (auto& run : f.rnn_runs)
                  if (!run.rnn_case.lengths.empty()) {
                      run.end = RunEnd::failed;
                      run.result = CallResult{
                          "cudnnRNNForwardInferenceEx", 8, "CUDNN_STATUS_EXECUTION_FAILED"};
                      break;
                  }
          }),
          "cuDNN 7.6.5"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"7.6.5, and such cases went well", but([](Facts& f) { cudnn_version(f, "7.6.5"); }), ""},
         {"8.0.2",
          but([](Facts& f) {
              cudnn_version(f, "8.0.2");
              no_cases(f);
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the version is not known",
          but([](Facts& f) { f.cudnns.front().version.reset(); }),
          ""}}})
