#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts lost() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        rnncheck::Board board;
        board.index = 1;
        board.unreachable =
            rnncheck::CallResult{"nvmlDeviceGetHandleByIndex_v2", 15, "GPU is lost"};
        f.nvml_devices.push_back(board);
    });
}

}  // namespace

RULE_TEST(
    gpu_fell_off_bus,
    Fires{
        {{"NVML lost a board", lost(), "GPU 1 does not respond on the PCI bus"},
         {"a call shows",
          but([](Facts& f) {
              probe_run(f, "nvml_devices").failed_calls = {{"nvmlDeviceGetMemoryInfo", 15, ""}};
          }),
          "a call reported a lost"},
         {"words of a library show",
          but([](Facts& f) {
              probe_run(f, "ptx_launch").failed_calls = {
                  {"cuLaunchKernel", 719, "GPU has fallen off the bus"}};
          }),
          "a call reported a lost"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"code 15 of another library",
          but([](Facts& f) {
              probe_run(f, "cudnn_library").failed_calls = {{"cudnnCreate", 15, ""}};
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a board reported nothing",
          after(lost(), [](Facts& f) { f.nvml_devices.back().unreachable.reset(); }),
          ""}}})

TEST_CASE("each GPU that calls report as lost has its finding") {
    using namespace rnncheck;
    const Facts facts = test::but([](Facts& f) {
        f.kernel_runs = {
            {0, CallResult{"cuLaunchKernel", 719, "GPU has fallen off the bus"}, {}},
            {1, CallResult{"cuLaunchKernel", 719, "GPU has fallen off the bus"}, {}}};
    });
    const Verdict verdict =
        (*find_named(all_rules(), "gpu_fell_off_bus"))->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 2);
    CHECK(verdict.findings.back().subject == "GPU 1");
}
