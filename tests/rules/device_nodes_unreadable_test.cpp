#include "base/text.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts closed() {
    auto f = rnncheck::test::init_returns(100);
    for (auto& node : f.driver.device_nodes)
        node = {node.path, "0660 0:44", false, false};
    return f;
}

}  // namespace

RULE_TEST(
    device_nodes_unreadable,
    Fires{
        {{"for a group only",
          closed(),
          "has no read and write permission for /dev/nvidia-uvm, /dev/nvidia0 and /dev/nvidiactl"},
         {"readable is not enough",
          after(init_returns(100), [](Facts& f) { f.driver.device_nodes[2].writable = false; }),
          "has no read and write permission for /dev/nvidiactl"},
         {"a Jetson's own",
          after(
              init_returns(999),
              [](Facts& f) {
                  f.driver.device_nodes = {
                      {"/dev/nvhost-gpu", "0660 0:44", false, false},
                      {"/dev/nvmap", "0660 0:44", false, false}};
              }),
          "has no read and write permission for /dev/nvhost-gpu and /dev/nvmap"},
         {"the bridge of WSL",
          after(
              init_returns(100),
              [](Facts& f) {
                  f.driver.device_nodes = {{"/dev/dxg", "0600 0:0", false, false}};
              }),
          "/dev/dxg"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the driver works all the same",
          after(
              closed(),
              [](Facts& f) {
                  f.driver.init = CallResult{"cuInit", 0, ""};
              }),
          ""},
         {"nodes that CUDA does not need",
          after(
              init_returns(999),
              [](Facts& f) {
                  f.driver.device_nodes.push_back(
                      {"/dev/nvidia-modeset", "0600 0:0", false, false});
              }),
          ""},
         {"no nodes", library_without_module(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the nodes were not listed",
          after(init_returns(999), [](Facts& f) { f.probe_runs.clear(); }),
          ""}}})

TEST_CASE("closed nodes: the group that owns them is named, and only where joining it helps") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto* rule = find_named(all_rules(), "device_nodes_unreadable");
    const auto advice = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0).text;
    };
    CHECK(contains(advice(closed()), "Add your user to group 44"));
    CHECK(contains(
        advice(after(closed(), [](Facts& f) { f.host.container = "docker"; })), "--group-add 44"));
    const auto of_root = after(closed(), [](Facts& f) {
        for (auto& node : f.driver.device_nodes)
            node.mode = "0660 0:0";
    });
    CHECK(contains(advice(of_root), "NVreg_DeviceFileMode"));
    const auto for_all = after(closed(), [](Facts& f) {
        for (auto& node : f.driver.device_nodes)
            node.mode = "0666 0:44";
    });
    CHECK(contains(advice(for_all), "NVreg_DeviceFileMode"));
}
