#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    minor_version_compatibility,
    Fires{
        {{"an older driver of the major",
          given({"cuda=12.4", "driver=525.60.13"}),
          "CUDA 12.4 runs on driver 525.60.13 with minor-version compatibility"}}},
    Silent{
        {{"its own driver", given({"cuda=12.4", "driver=550.54.14"}), ""},
         {"a driver newer than the data", given({"cuda=12.4", "driver=999"}), ""},
         {"too old altogether", given({"cuda=12.4", "driver=470.256.02"}), ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no driver", given({"cuda=12.4"}), ""},
         {"no CUDA", given({"driver=535"}), ""},
         {"both newer than the data", given({"cuda=99.4", "driver=999"}), ""}}})
