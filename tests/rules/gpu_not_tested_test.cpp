#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    gpu_not_tested,
    Fires{
        {{"busy",
          but([](Facts& f) {
              all_cases(
                  f,
                  RunEnd::skipped,
                  {"cuDevicePrimaryCtxRetain", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"});
          }),
          "returned 46"},
         {"one GPU of two",
          but([](Facts& f) {
              add_second_gpu(f);
              for (auto& run : f.rnn_runs) {
                  if (run.gpu == 1) {
                      run.end = RunEnd::skipped;
                      run.result = CallResult{"cuCtxSetCurrent", 999, "CUDA_ERROR_UNKNOWN"};
                  }
              }
          }),
          "GPU 1"}}},
    silent_about_cases(
        {{"cuDNN creates no handle, which is another fault",
          but([](Facts& f) {
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 1, "CUDNN_STATUS_NOT_INITIALIZED"});
          }),
          ""},
         {"not even a test kernel runs",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
              f.kernel_runs = {
                  {0, CallResult{"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"}, {}}};
          }),
          ""},
         {"the GPU ran out of memory, which is another fault",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
          }),
          ""},
         {"tried, and failed",
          but([](Facts& f) {
              all_cases(f, RunEnd::failed, {"cudnnRNNForward", 8, "CUDNN_STATUS_EXECUTION_FAILED"});
          }),
          ""}}),
    undecided_about_cases(
        {{"the deadline passed",
          but([](Facts& f) {
              no_cases(f);
              ProbeRun run;
              run.probe = "rnn_forward";
              run.target = "GPU 0 v8 " + cudnn8;
              run.end = ProbeEnd::skipped;
              run.reason = "the deadline passed before it began";
              f.probe_runs.push_back(run);
          }),
          ""},
         {"the second GPU was left out",
          but([](Facts& f) {
              add_second_gpu(f);
              std::erase_if(f.rnn_runs, [](const RnnRun& run) { return run.gpu == 1; });
          }),
          ""}}))

TEST_CASE("the remedy follows the call that failed") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto remedy = [](std::int64_t code) {
        const Facts facts = but([&](Facts& f) {
            all_cases(f, RunEnd::skipped, {"cuDevicePrimaryCtxRetain", code, ""});
            f.host.container = "docker";
        });
        const auto* rule = find_named(all_rules(), "gpu_not_tested");
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0);
    };
    CHECK(remedy(46).text.starts_with("Make the GPU available"));
    CHECK(remedy(999).text.starts_with("On the host, not in this container: Check the kernel log"));
}
