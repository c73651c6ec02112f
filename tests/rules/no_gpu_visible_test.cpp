#include "base/text.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts responds_without_gpu() {
    auto f = rnncheck::test::init_returns(0);
    f.nvml_devices.clear();
    return f;
}

}  // namespace

RULE_TEST(
    no_gpu_visible,
    Fires{
        {{"cuInit shows",
          init_returns(100, "CUDA_ERROR_NO_DEVICE"),
          "the driver works, but CUDA sees no GPU"},
         {"the list is empty", responds_without_gpu(), "the driver works, but CUDA sees no GPU"},
         {"MIG without an instance",
          after(init_returns(100), [](Facts& f) { f.nvml_devices.front().mig = true; }),
          "no MIG instance is visible"},
         {"a vGPU that is not for computing",
          after(
              init_returns(100), [](Facts& f) { f.nvml_devices.front().virtualization = "vgpu"; }),
          "the type of this virtual machine's vGPU does not support CUDA"},
         {"the host of vGPUs",
          after(
              init_returns(100),
              [](Facts& f) { f.nvml_devices.front().virtualization = "host_vgpu"; }),
          "shares the board among virtual machines"},
         {"no card",
          after(responds_without_gpu(), [](Facts& f) { f.host.pci_gpus.clear(); }),
          "none is on the PCI bus"},
         {"a job without GPUs",
          after(
              responds_without_gpu(), [](Facts& f) { f.host.environment["SLURM_JOB_ID"] = "17"; }),
          "in this Slurm job"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"hidden by a setting",
          after(
              init_returns(100), [](Facts& f) { f.host.environment["CUDA_VISIBLE_DEVICES"] = ""; }),
          ""},
         {"lost",
          after(
              init_returns(100),
              [](Facts& f) {
                  f.nvml_devices.front().unreachable = CallResult{"nvmlDeviceGetName", 15, ""};
              }),
          ""},
         {"no driver", without_driver(), ""},
         {"no module", library_without_module(), ""},
         {"no nodes",
          after(
              init_returns(100),
              [](Facts& f) {
                  f.driver.device_nodes.clear();
                  f.driver.modprobe_helper = false;
              }),
          ""},
         {"another error", init_returns(803), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"nodes that the first program makes",
          after(init_returns(100), [](Facts& f) { f.driver.device_nodes.clear(); }),
          ""},
         {"the result of cuInit is unknown",
          after(responds_without_gpu(), [](Facts& f) { f.driver.init.reset(); }),
          ""},
         {"the driver crashed before it listed",
          after(
              responds_without_gpu(),
              [](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::crashed; }),
          ""}}})

TEST_CASE("what is done about an invisible GPU follows what is seen of it") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto* rule = find_named(all_rules(), "no_gpu_visible");
    const auto advice = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).remedies.at(0).text;
    };
    Facts f = responds_without_gpu();
    CHECK(contains(advice(f), "New drivers do not support old GPUs"));
    f.driver.kernel_flavour = "open";
    CHECK(contains(advice(f), "Turing"));
    f.host.container = "apptainer";
    CHECK(contains(advice(f), "--nv"));
    f.host.container.reset();
    f.host.environment["LSB_JOBID"] = "4";
    CHECK(contains(advice(f), "Request a GPU from LSF"));
    f.host.wsl = true;
    CHECK(contains(advice(f), "in Windows"));
}
