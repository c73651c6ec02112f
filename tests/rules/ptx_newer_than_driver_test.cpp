#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts rejected_ptx() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        f.kernel_runs = {
            {0,
             rnncheck::CallResult{"cuModuleLoadDataEx", 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
             {}}};
    });
}

}  // namespace

RULE_TEST(
    ptx_newer_than_driver,
    Fires{
        {{"the test kernel was rejected", rejected_ptx(), "the driver rejected PTX code"},
         {"a network was rejected",
          but([](Facts& f) {
              f.rnn_runs.front().end = RunEnd::failed;
              f.rnn_runs.front().result = CallResult{"cuModuleLoadDataEx", 222, ""};
          }),
          "the driver rejected PTX code"},
         {"another library passes the answer on",
          but([](Facts& f) {
              probe_run(f, "rnn_forward").failed_calls = {
                  {"cudnnRNNForward",
                   5000,
                   "CUDNN_STATUS_EXECUTION_FAILED: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}};
          }),
          "the driver rejected PTX code"},
         {"a newer compiler",
          but([](Facts& f) { f.nvrtcs.front().version = v("12.8"); }),
          "PTX compiled by NVRTC 12.8"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"an older compiler", but([](Facts& f) { f.nvrtcs.front().version = v("11.8"); }), ""},
         {"the whole CUDA is too new",
          but([](Facts& f) { f.nvrtcs.front().version = f.runtimes.front().version = v("13.0"); }),
          ""},
         {"222 of another library means something else",
          but([](Facts& f) {
              probe_run(f, "nvrtc_compile").failed_calls = {{"nvrtcCompileProgram", 222, "?"}};
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the compiler was silent", but([](Facts& f) { f.nvrtcs.front().version.reset(); }), ""},
         {"the kernel's answer is lost",
          but([](Facts& f) {
              f.kernel_runs = {{0, {}, {}}};
          }),
          ""}}})

TEST_CASE("the driver that a newer compiler needs comes from where that version is") {
    using namespace rnncheck;
    Facts facts = test::but([](Facts& f) {
        f.nvrtcs.front().version = test::v("12.8");
        f.host.os = "Debian GNU/Linux 12 (bookworm)";
        for (Gpu& gpu : f.cuda_devices)
            gpu.compute_capability = test::v("7.0");
    });
    const auto* rule = find_named(all_rules(), "ptx_newer_than_driver");
    const auto commands =
        (*rule)->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0).commands;
    REQUIRE(commands.size() == 5);
    CHECK(commands[3] == "sudo apt-get install nvidia-driver-pinning-580");
    CHECK(commands[4] == "sudo apt-get install cuda-drivers-580");
    facts.host.machine = "aarch64";
    CHECK((*rule)->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0).commands.empty());
}

TEST_CASE(
    "each GPU on which PTX code was rejected has its finding, by number or by the library's "
    "words") {
    using namespace rnncheck;
    Facts facts = rejected_ptx();
    facts.kernel_runs.push_back(
        {1, CallResult{"cudaLaunchKernel", 1, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {}});
    facts.kernel_runs.push_back(
        {2, CallResult{"cudaLaunchKernel", 1, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {}});
    const Verdict verdict =
        (*find_named(all_rules(), "ptx_newer_than_driver"))->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 3);
    CHECK(verdict.findings.back().subject == "GPU 2");
}
