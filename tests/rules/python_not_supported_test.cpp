#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    python_not_supported,
    Fires{
        {{"too new",
          given({"tensorflow=2.10", "python=3.12", "os=linux"}),
          "TensorFlow 2.10 has no package for Python 3.12; it supports Python 3.7 to 3.10"},
         {"too old",
          given({"pytorch=2.4", "python=3.7", "os=linux"}),
          "PyTorch 2.4 has no package for Python 3.7"},
         {"specified on a machine",
          but([](Facts& f) {
              add_environment(f);
              Framework requested;
              requested.name = "tensorflow";
              requested.version = v("2.8");
              requested.requested = true;
              f.host.platform = "linux";
              f.frameworks = {requested};
          }),
          "TensorFlow 2.8 has no package for Python 3.11.7"}}},
    Silent{
        {{"inside", given({"pytorch=2.4", "python=3.11", "os=linux"}), ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no Python", given({"pytorch=2.4"}), ""}, {"no framework", given({"python=3.11"}), ""}}})
