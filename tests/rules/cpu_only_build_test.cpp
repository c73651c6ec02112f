#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(cpu_only_build,
          Fires{{{"the flavour says so", given({"pytorch=2.4+cpu", "os=linux"}),
                  "PyTorch 2.4 (cpu) is a build without CUDA"},
                 {"no release has CUDA on this system", given({"jax=0.4.30", "os=windows"}),
                  "JAX 0.4.30 is a build without CUDA"},
                 {"installed", but([](Facts& f) { add_tensorflow_cpu(f); }),
                  "TensorFlow 2.15.1 (cpu) in /srv/environment is a build without CUDA"}}},
          Silent{{{"with CUDA", given({"pytorch=2.4+cu124", "os=linux"}), ""},
                  {"the Windows rule tells it", given({"tensorflow=2.15", "os=windows"}), ""},
                  {"a plugin", given({"tensorflow=2.10+directml", "os=windows"}), ""},
                  {"no GPU that it could use", but([](Facts& f) {
                       add_tensorflow_cpu(f);
                       no_machine(f);
                   }),
                   ""},
                  {"in an environment that is not active", but([](Facts& f) {
                       add_tensorflow_cpu(f);
                       f.pythons.front().active = false;
                   }),
                   ""},
                  {"with CUDA, installed", but([](Facts& f) { add_torch(f); }), ""},
                  {"a machine", a_healthy_machine(), ""}}},
          CannotTell{{{"its files cannot be read", but([](Facts& f) { add_tensorflow_cpu(f).uses_cuda.reset(); }), ""},
                      {"no release", given({"framework=pytorch"}), ""},
                      {"a release newer than the data", given({"pytorch=99.0"}), ""}}})
