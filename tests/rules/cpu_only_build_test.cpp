#include "support/given_machine.hpp"
#include "support/rule_test.hpp"

RULE_TEST(cpu_only_build,
          Fires{{{"the flavour says so", given({"pytorch=2.4+cpu", "os=linux"}),
                  "PyTorch 2.4 (cpu) is a build without CUDA"}}},
          Silent{{{"with CUDA", given({"pytorch=2.4+cu124", "os=linux"}), ""},
                  {"the Windows rule tells it", given({"tensorflow=2.15", "os=windows"}), ""},
                  {"a plugin", given({"tensorflow=2.10+directml", "os=windows"}), ""},
                  {"a machine", a_healthy_machine(), ""}}},
          CannotTell{{{"no release", given({"framework=pytorch"}), ""},
                      {"a release newer than the data", given({"pytorch=99.0"}), ""}}})
