#include "support/cudnn_machines.hpp"
#include "support/expected_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    version_not_expected,
    Fires{
        {{"another driver",
          expecting({.profile = named_profile, .driver = "550.54.15"}),
          "the driver is 550.54.14, but 'rnncheck.toml' expects 550.54.15"},
         {"an older driver",
          expecting({.profile = named_profile, .driver = ">=550.54.15"}),
          "expects 550.54.15 or a later version"},
         {"a newer CUDA than the exact one",
          expecting({.profile = named_profile, .cuda = "12.3"}),
          "is 12.4, but"},
         {"an older cuDNN",
          expecting({.profile = named_profile, .cudnn = ">=9"}),
          "cuDNN at /usr/local/cuda-12.4/lib64/libcudnn.so.8"},
         {"one right, one wrong",
          expecting({.profile = named_profile, .driver = "550.54.14", .cuda = ">=12.5"}),
          "12.5 or a later"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"nothing collected, nothing expected", nothing_collected(), ""},
         {"as expected",
          expecting(
              {.profile = named_profile,
               .driver = ">=550.54.14",
               .cuda = "12.4.0",
               .cudnn = ">=8.1"}),
          ""}}},
    WhenUndecided{
        {{"nothing collected",
          expecting({.profile = named_profile, .cudnn = ">=8"}, nothing_collected()),
          ""},
         {"no driver's version",
          expecting({.profile = named_profile, .driver = ">=1"}, nothing_collected()),
          ""},
         {"one of two unknown",
          expecting({.profile = named_profile, .driver = ">=1", .cuda = ">=1"}, but([](Facts& f) {
                        f.runtimes.front().version.reset();
                    })),
          ""},
         {"no version was written", expecting({.profile = named_profile, .cudnn = "new"}), ""}}})
