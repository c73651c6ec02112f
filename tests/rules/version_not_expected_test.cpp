#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using rnncheck::ExpectedMachine;
using rnncheck::Facts;

const std::string file = "rnncheck.toml";

Facts expecting(ExpectedMachine expected, Facts facts = rnncheck::test::a_healthy_machine()) {
    facts.expected = std::move(expected);
    return facts;
}

}  // namespace

RULE_TEST(version_not_expected,
          Fires{{{"another driver", expecting({.profile = file, .driver = "550.54.15"}),
                  "the driver is 550.54.14, but 'rnncheck.toml' expects 550.54.15"},
                 {"an older driver", expecting({.profile = file, .driver = ">=550.54.15"}),
                  "expects 550.54.15 or a later version"},
                 {"a newer CUDA than the exact one", expecting({.profile = file, .cuda = "12.3"}), "is 12.4, but"},
                 {"an older cuDNN", expecting({.profile = file, .cudnn = ">=9"}),
                  "cuDNN at /usr/local/cuda-12.4/lib64/libcudnn.so.8"},
                 {"one right, one wrong", expecting({.profile = file, .driver = "550.54.14", .cuda = ">=12.5"}),
                  "12.5 or a later"}}},
          Silent{{{"healthy", a_healthy_machine(), ""},
                  {"nothing learnt, nothing expected", nothing_learnt(), ""},
                  {"as expected",
                   expecting({.profile = file, .driver = ">=550.54.14", .cuda = "12.4.0", .cudnn = ">=8.1"}), ""}}},
          CannotTell{{{"nothing learnt", expecting({.profile = file, .cudnn = ">=8"}, nothing_learnt()), ""},
                      {"no driver's version", expecting({.profile = file, .driver = ">=1"}, nothing_learnt()), ""},
                      {"one of two unknown",
                       expecting({.profile = file, .driver = ">=1", .cuda = ">=1"},
                                 but([](Facts& f) { f.runtimes.front().version.reset(); })),
                       ""},
                      {"no version was written", expecting({.profile = file, .cudnn = "new"}), ""}}})
