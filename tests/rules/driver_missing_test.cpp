#include "support/rule_test.hpp"

namespace {

rnncheck::Facts without_driver() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        std::erase_if(f.libraries, [](const auto& l) { return l.kind == rnncheck::LibraryKind::cuda; });
        f.driver = {};
        f.driver.module_loaded = false;
        f.host.pci_gpus.clear();
    });
}

}  // namespace

RULE_TEST(driver_missing,
    Fires{{{"nothing of a driver", without_driver(), "no NVIDIA driver is installed"},
           {"a card without driver", [] { auto f = without_driver(); f.host.pci_gpus = {{"0000:01:00.0", "0x2204", {}}}; return f; }(),
            "has an NVIDIA GPU but no NVIDIA driver"}}},
    Silent{{{"healthy", a_healthy_machine(), ""},
            {"the driver answers although no file is seen", but([](Facts& f) { f.libraries.clear(); f.driver.module_loaded = false; f.driver.device_nodes.clear(); }), ""},
            {"library without module is another fault", [] { auto f = a_healthy_machine(); f.driver = {}; f.driver.module_loaded = false; return f; }(), ""}}},
    CannotTell{{{"nothing learnt", nothing_learnt(), ""},
                {"search did not finish", [] { auto f = without_driver(); f.probe_runs.clear(); return f; }(), ""}}})
