#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    rnn_case_unsupported,
    Fires{
        {{"fp32 on the standard algorithm",
          but([](Facts& f) {
              one_case(
                  f, RunEnd::not_supported, {"cudnnRNNForward", 9, "CUDNN_STATUS_NOT_SUPPORTED"});
          }),
          "does not support 1 RNN case that it should support, first 'fp32"},
         {"bf16 from 9.13 on",
          but([](Facts& f) { f.cudnns.front().version = v("9.19.0"); }),
          "bf16"}}},
    silent_about_cases(
        {{"the small persistent kernel need not fit",
          but([](Facts& f) {
              for (auto& run : f.rnn_runs)
                  if (run.rnn_case.algorithm != Algorithm::standard)
                      run.end = RunEnd::not_supported;
          }),
          ""},
         {"no code for the GPU is another fault",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::not_supported, {"cudnnRNNForward", 6, "CUDNN_STATUS_ARCH_MISMATCH"});
          }),
          ""}}),
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"no case was run", but([](Facts& f) { no_cases(f); }), ""},
         {"all cases were skipped",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"?", -1, "not tried: earlier cases ended the process"});
          }),
          ""},
         {"a cuDNN of the future",
          but([](Facts& f) { f.cudnns.front().version = v("9.99.0"); }),
          ""},
         {"the capability is not known",
          but([](Facts& f) { f.cuda_devices.front().compute_capability.reset(); }),
          ""}}})
