#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts answers_without_gpu() {
    auto f = rnncheck::test::init_answers(0);
    f.boards.clear();
    return f;
}

}  // namespace

RULE_TEST(no_gpu_visible,
    Fires{{{"cuInit tells", init_answers(100, "CUDA_ERROR_NO_DEVICE"), "the driver works but offers no GPU to CUDA"},
           {"the list is empty", answers_without_gpu(), "the driver works but offers no GPU to CUDA"},
           {"MIG without an instance", after(init_answers(100), [](Facts& f) { f.boards.front().mig = true; }), "no MIG instance is visible"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"hidden by a setting", after(init_answers(100), [](Facts& f) { f.host.environment["CUDA_VISIBLE_DEVICES"] = ""; }), ""},
            {"lost", after(init_answers(100), [](Facts& f) { f.boards.front().unreachable = CallResult{"nvmlDeviceGetName", 15, ""}; }), ""},
            {"no driver", without_driver(), ""},
            {"no module", library_without_module(), ""},
            {"no nodes", after(init_answers(100), [](Facts& f) { f.driver.device_nodes.clear(); }), ""},
            {"another error", init_answers(803), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"cuInit did not answer", after(answers_without_gpu(), [](Facts& f) { f.driver.init.reset(); }), ""},
                {"the driver crashed before it listed", after(answers_without_gpu(), [](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::crashed; }), ""}}})
