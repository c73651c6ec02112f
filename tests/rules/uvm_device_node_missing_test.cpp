#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts without_uvm(std::int64_t code) {
    auto f = rnncheck::test::init_answers(code, "CUDA_ERROR_UNKNOWN");
    f.driver.device_nodes.erase(f.driver.device_nodes.begin());
    return f;
}

}  // namespace

RULE_TEST(uvm_device_node_missing,
    Fires{{{"the unknown error", without_uvm(999), "/dev/nvidia-uvm does not exist"}, {"an error of the system", without_uvm(304), "/dev/nvidia-uvm does not exist"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"the driver answers although the node is hidden", without_uvm(0), ""},
            {"the node is there", init_answers(999), ""},
            {"another error", without_uvm(803), ""},
            {"no nodes at all", after(without_uvm(999), [](Facts& f) { f.driver.device_nodes.clear(); }), ""},
            {"no module", library_without_module(), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"cuInit was not asked", after(without_uvm(999), [](Facts& f) { f.driver.init.reset(); }), ""}}})
