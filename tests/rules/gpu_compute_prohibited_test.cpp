#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    gpu_compute_prohibited,
    Fires{
        {{"NVML shows",
          but([](Facts& f) { f.nvml_devices.front().compute_mode = "prohibited"; }),
          "CUDA is prohibited on GPU 0 (NVIDIA GeForce RTX 3090) by its compute mode"},
         {"both show",
          but([](Facts& f) {
              f.nvml_devices.front().compute_mode = f.cuda_devices.front().compute_mode =
                  "prohibited";
          }),
          "CUDA is prohibited on GPU 0 (NVIDIA GeForce RTX 3090) by its compute mode"},
         {"only the driver shows",
          but([](Facts& f) {
              f.nvml_devices.clear();
              f.cuda_devices.front().compute_mode = "prohibited";
          }),
          "CUDA is prohibited on GPU 0 (NVIDIA GeForce RTX 3090) by its compute mode"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"without NVML", but([](Facts& f) { f.nvml_devices.clear(); }), ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"without NVML, and the driver is silent",
          but([](Facts& f) {
              f.nvml_devices.clear();
              f.cuda_devices.front().compute_mode.reset();
          }),
          ""}}})

TEST_CASE("a closed GPU that both NVML and the driver see is reported once") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "gpu_compute_prohibited");
    const Facts both = test::but([](Facts& f) {
        f.nvml_devices.front().compute_mode = f.cuda_devices.front().compute_mode = "prohibited";
    });
    CHECK((*rule)->check(both, Matrix::bundled()).findings.size() == 1);
}
