#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts errors(std::int64_t since_boot) {
    return rnncheck::test::but([&](rnncheck::Facts& f) {
        f.nvml_devices.front().ecc_enabled = true;
        f.nvml_devices.front().ecc_uncorrected_since_boot = since_boot;
        f.nvml_devices.front().ecc_uncorrected_lifetime = 7;
    });
}

}  // namespace

RULE_TEST(
    gpu_memory_ecc_error,
    Fires{
        {{"counted since the driver was loaded", errors(2), "had 2 uncorrectable memory errors"},
         {"a kernel met one",
          but([](Facts& f) {
              f.kernel_runs = {{0, CallResult{"cuCtxSynchronize", 214, ""}, {}}};
          }),
          "CUDA_ERROR_ECC_UNCORRECTABLE"},
         {"a network met one",
          but([](Facts& f) {
              f.rnn_runs.front().end = RunEnd::failed;
              f.rnn_runs.front().result = CallResult{"cuCtxSynchronize", 214, ""};
          }),
          "CUDA_ERROR_ECC_UNCORRECTABLE"}}},
    Silent{
        {{"a board without error correction", a_healthy_machine(), ""},
         {"a board that supports no error correction reports it",
          but([](Facts& f) {
              f.nvml_devices.front().ecc_enabled.reset();
              probe_run(f, "nvml_devices").failed_calls = {
                  {"nvmlDeviceGetEccMode", 3, "Not Supported"}};
          }),
          ""},
         {"only in its earlier life", errors(0), ""},
         {"status 214 of another library",
          but([](Facts& f) {
              probe_run(f, "rnn_forward").failed_calls = {{"cudnnCreate", 214, ""}};
          }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"whether there is error correction could not be determined",
          but([](Facts& f) {
              f.nvml_devices.front().ecc_enabled.reset();
              probe_run(f, "nvml_devices").failed_calls = {
                  {"nvmlDeviceGetEccMode", 999, "Unknown Error"}};
          }),
          ""},
         {"the count is lost",
          after(
              errors(2),
              [](Facts& f) { f.nvml_devices.front().ecc_uncorrected_since_boot.reset(); }),
          ""}}})
