#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts closed() {
    auto f = rnncheck::test::init_answers(100);
    for (auto& node : f.driver.device_nodes) node = {node.path, "0660 0:44", false, false};
    return f;
}

}  // namespace

RULE_TEST(device_nodes_unreadable,
    Fires{{{"for a group only", closed(), "may not read and write /dev/nvidia-uvm, /dev/nvidia0 and /dev/nvidiactl"},
           {"readable is not enough", after(init_answers(100), [](Facts& f) { f.driver.device_nodes[2].writable = false; }), "may not read and write /dev/nvidiactl"},
           {"a Jetson's own", after(init_answers(999), [](Facts& f) { f.driver.device_nodes = {{"/dev/nvhost-gpu", "0660 0:44", false, false}, {"/dev/nvmap", "0660 0:44", false, false}}; }), "may not read and write /dev/nvhost-gpu and /dev/nvmap"},
           {"the bridge of WSL", after(init_answers(100), [](Facts& f) { f.driver.device_nodes = {{"/dev/dxg", "0600 0:0", false, false}}; }), "/dev/dxg"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"the driver answers all the same", after(closed(), [](Facts& f) { f.driver.init = CallResult{"cuInit", 0, ""}; }), ""},
            {"nodes that CUDA does not need", after(init_answers(999), [](Facts& f) { f.driver.device_nodes.push_back({"/dev/nvidia-modeset", "0600 0:0", false, false}); }), ""},
            {"no nodes", library_without_module(), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"the nodes were not listed", after(init_answers(999), [](Facts& f) { f.probe_runs.clear(); }), ""}}})
