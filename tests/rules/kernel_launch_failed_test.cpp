#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    kernel_launch_failed,
    Fires{
        {{"wrong numbers",
          but([](Facts& f) { f.kernel_runs.front().correct = false; }),
          "returned incorrect results from a test kernel"},
         {"a call fails",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0, CallResult{"cuLaunchKernel", 719, "CUDA_ERROR_LAUNCH_FAILED"}, {}}};
          }),
          "cannot run a test kernel: cuLaunchKernel returned 719"},
         {"one GPU of two",
          but([](Facts& f) {
              add_second_gpu(f);
              f.kernel_runs.back().correct = false;
          }),
          "GPU 1"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"PTX too new is another fault",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0,
                   CallResult{"cuModuleLoadDataEx", 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                   {}}};
          }),
          ""},
         {"no code is another fault",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0, CallResult{"cuModuleLoadDataEx", 209, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {}}};
          }),
          ""},
         {"a busy GPU is another fault",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0,
                   CallResult{"cuDevicePrimaryCtxRetain", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                   {}}};
          }),
          ""},
         {"memory errors are another fault",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0, CallResult{"cuCtxSynchronize", 214, "CUDA_ERROR_ECC_UNCORRECTABLE"}, {}}};
          }),
          ""},
         {"memory ran out, which is another fault",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0, CallResult{"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"}, {}}};
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"not run", but([](Facts& f) { f.kernel_runs.clear(); }), ""},
         {"the result was not compared",
          but([](Facts& f) { f.kernel_runs.front().correct.reset(); }),
          ""},
         {"not run on the second GPU",
          but([](Facts& f) {
              add_second_gpu(f);
              f.kernel_runs.pop_back();
          }),
          ""}}})

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("the evidence of an incorrect test kernel names its fact") {
    const Facts facts = but([](Facts& f) { f.kernel_runs.front().correct = false; });
    const Verdict verdict =
        (*find_named(all_rules(), "kernel_launch_failed"))->check(facts, Matrix::bundled());
    CHECK(verdict.findings.at(0).evidence.back().source == "kernel_runs[0].correct");
}
