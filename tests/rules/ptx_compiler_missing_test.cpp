#include "judge.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

/// As an H200 was without the library: cuDNN reports a lack of host memory.
Facts without_ptx_compiler() {
    return but([](Facts& f) {
        KernelRun& run = f.kernel_runs.front();
        run.result = {
            "cuModuleLoadDataEx",
            221,
            "CUDA_ERROR_JIT_COMPILER_NOT_FOUND: PTX JIT compiler library not found"};
        run.correct.reset();
        all_cases(
            f,
            RunEnd::out_of_memory,
            {"cudnnGetRNNTempSpaceSizes",
             4003,
             "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"});
    });
}

}  // namespace

RULE_TEST(
    ptx_compiler_missing,
    Fires{
        {{"the driver reports it",
          without_ptx_compiler(),
          "the driver cannot compile code for GPU 0 (NVIDIA GeForce RTX 3090): "
          "cuModuleLoadDataEx returned 221"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the kernel fails for another reason",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0, CallResult{"cuLaunchKernel", 719, "CUDA_ERROR_LAUNCH_FAILED"}, {}}};
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"no context on the GPU",
          but([](Facts& f) {
              f.kernel_runs = {
                  {0,
                   CallResult{"cuDevicePrimaryCtxRetain", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                   {}}};
          }),
          ""},
         {"not run", but([](Facts& f) { f.kernel_runs.clear(); }), ""}}})

static std::vector<std::string> errors_on(const Facts& facts) {
    std::vector<std::string> errors;
    for (const Finding& finding : judge(facts, Matrix::bundled(), {}).findings)
        if (finding.severity == Severity::error)
            errors.push_back(finding.rule);
    return errors;
}

TEST_CASE("without the PTX compiler that is the only error, whatever cuDNN reports of memory") {
    CHECK(errors_on(without_ptx_compiler()) == std::vector<std::string>{"ptx_compiler_missing"});
    const auto* memory = find_named(all_rules(), "gpu_out_of_memory");
    CHECK(
        (*memory)->check(without_ptx_compiler(), Matrix::bundled()).outcome ==
        Outcome::not_applicable);
}

TEST_CASE("without the PTX compiler, a full GPU is reported as well") {
    Facts facts = without_ptx_compiler();
    facts.nvml_devices.front().memory_free_mib = 100;
    CHECK(includes(errors_on(facts), std::string("gpu_out_of_memory")));
}
