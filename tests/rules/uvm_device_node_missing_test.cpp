#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts without_uvm(std::int64_t code) {
    auto f = rnncheck::test::init_returns(code, "CUDA_ERROR_UNKNOWN");
    f.driver.device_nodes.erase(f.driver.device_nodes.begin());
    return f;
}

rnncheck::Facts without_helper(std::int64_t code) {
    auto f = without_uvm(code);
    f.driver.modprobe_helper = false;
    return f;
}

}  // namespace

RULE_TEST(
    uvm_device_node_missing,
    Fires{
        {{"the unknown error", without_helper(999), "/dev/nvidia-uvm does not exist"},
         {"an error of the system", without_helper(304), "/dev/nvidia-uvm does not exist"},
         {"the helper will make it",
          without_uvm(999),
          "will be created by nvidia-modprobe when the first CUDA program starts"},
         {"--make-nodes did not help",
          after(without_uvm(999), [](Facts& f) { f.tool.make_nodes = true; }),
          "although --make-nodes"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the driver works although the node is hidden", without_uvm(0), ""},
         {"the node is there", init_returns(999), ""},
         {"another error", without_uvm(803), ""},
         {"no nodes at all",
          after(without_uvm(999), [](Facts& f) { f.driver.device_nodes.clear(); }),
          ""},
         {"no module", library_without_module(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"cuInit was not queried",
          after(without_uvm(999), [](Facts& f) { f.driver.init.reset(); }),
          ""}}})

TEST_CASE("a unified-memory node that the helper makes is no fault") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "uvm_device_node_missing");
    const auto severity = [&](const Facts& f) {
        return (*rule)->check(f, Matrix::bundled()).findings.at(0).severity;
    };
    CHECK(severity(without_uvm(999)) == Severity::note);
    CHECK(severity(without_helper(999)) == Severity::error);
}
