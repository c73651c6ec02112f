#include "support/installed_machines.hpp"

RULE_TEST(
    gpu_arch_not_in_build,
    Fires{
        {{"a framework without code for Hopper",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("9.0");
              add_tensorflow(f).targets = "sm_50 sm_60 sm_70 sm_75 sm_80";
          }),
          "in TensorFlow 2.15.1 (cuda)"},
         {"Blackwell with CUDA 12.4 and cuDNN 8",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("12.0");
              no_cases(f);
          }),
          "there is no machine code for GPU 0 (NVIDIA GeForce RTX 3090) of compute capability 12.0 "
          "in CUDA 12.4 at"},
         {"the driver found no code",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cuLaunchKernel", 209, "CUDA_ERROR_NO_BINARY_FOR_GPU"});
          }),
          "in cuDNN 8.9.7 at"},
         {"cuDNN reports it",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 6, "CUDNN_STATUS_ARCH_MISMATCH"});
          }),
          "in cuDNN 8.9.7 at"},
         {"the test kernel found no code",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0, CallResult{"cuModuleLoadDataEx", 209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {}}};
          }),
          "there is no machine code for GPU 0 (NVIDIA GeForce RTX 3090) of compute capability 8.6 "
          "in the test "
          "kernel"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a later GPU of a known generation",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("8.9");
              no_cases(f);
          }),
          ""},
         {"the cases went well, whatever the table has",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("12.0");
              f.cudnns.front().newest_capability = v("12.1");
          }),
          ""},
         {"too old is another fault",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("3.5");
              no_cases(f);
          }),
          ""},
         {"the number means something else in another call",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cudnnRNNForward", 8, "CUDNN_STATUS_EXECUTION_FAILED"});
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a case failed without a reason",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {});
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::failed)
                      run.result.reset();
          }),
          ""},
         {"the capability is not known",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability.reset();
              no_cases(f);
          }),
          ""}}})
