#include "support/cudnn_machines.hpp"
#include "support/expected_machine.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts of_unknown_gpu() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        f.cuda_devices.front().name.reset();
        f.cuda_devices.front().memory_total_mib.reset();
    });
}

}  // namespace

RULE_TEST(
    gpus_not_expected,
    Fires{
        {{"a lost GPU",
          expecting({.profile = named_profile, .gpus = 2}),
          "CUDA programs see 1 GPU, but 'rnncheck.toml' expects 2"},
         {"another model", expecting({.profile = named_profile, .gpu = "H200"}), "expects H200"},
         {"less memory",
          expecting({.profile = named_profile, .gpu_memory_mib = 140000}),
          "expects at least 140000 MiB"},
         {"no GPU",
          expecting({.profile = named_profile, .gpus = 1}, but([](Facts& f) {
                        f.cuda_devices.clear();
                    })),
          "see 0 GPUs"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"only versions are expected", expecting({.profile = named_profile, .cuda = "12.4"}), ""},
         {"as expected",
          expecting({.profile = named_profile, .gpus = 1, .gpu = "rtx", .gpu_memory_mib = 8000}),
          ""}}},
    WhenUndecided{
        {{"nothing collected",
          expecting({.profile = named_profile, .gpus = 1}, nothing_collected()),
          ""},
         {"its name is unknown",
          expecting({.profile = named_profile, .gpu = "RTX"}, of_unknown_gpu()),
          ""},
         {"its memory is unknown",
          expecting({.profile = named_profile, .gpu_memory_mib = 1}, of_unknown_gpu()),
          ""},
         {"no GPU to compare",
          expecting({.profile = named_profile, .gpu = "RTX"}, but([](Facts& f) {
                        f.cuda_devices.clear();
                    })),
          ""}}})
