#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_create_failed,
    Fires{
        {{"not initialised",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 1, "CUDNN_STATUS_NOT_INITIALIZED"});
          }),
          "cuDNN cannot create a handle on GPU 0 (NVIDIA GeForce RTX 3090): cudnnCreate returned 1 "
          "(CUDNN_STATUS_NOT_INITIALIZED)"},
         {"on one GPU of two",
          but([](Facts& f) {
              add_second_gpu(f);
              for (auto& run : f.rnn_runs) {
                  if (run.gpu == 1) {
                      run.end = RunEnd::skipped;
                      run.result = CallResult{"cudnnCreate", 4, "CUDNN_STATUS_INTERNAL_ERROR"};
                  }
              }
          }),
          "GPU 1"}}},
    silent_about_cases(
        {{"the GPU ran out of memory, which is another fault",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 2, "CUDNN_STATUS_ALLOC_FAILED"});
          }),
          ""},
         {"memory is nearly full, which shows it",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 1, "CUDNN_STATUS_NOT_INITIALIZED"});
              f.nvml_devices.front().memory_free_mib = 100;
          }),
          ""},
         {"no code for the GPU is another fault",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 6, "CUDNN_STATUS_ARCH_MISMATCH"});
          }),
          ""},
         {"mixed parts are another fault",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
          }),
          ""}}),
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"no case was run", but([](Facts& f) { no_cases(f); }), ""},
         {"skipped without a reason",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {});
              for (auto& run : f.rnn_runs)
                  run.result.reset();
          }),
          ""}}})
