#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cudnn_shadowed,
    Fires{
        {{"LD_LIBRARY_PATH has an older one",
          but([](Facts& f) {
              Framework& torch = add_torch(f);
              add_older_cudnn9(f);
              std::swap(torch.directories_before, torch.directories_after);
              torch.libraries[0] =
                  library_from("/opt/old/lib/libcudnn.so.9", "LD_LIBRARY_PATH", "9.0.0");
          }),
          "because of LD_LIBRARY_PATH, PyTorch 2.4.1 (cu121) loads cuDNN 9.0.0 from /opt/old/lib"},
         {"LD_LIBRARY_PATH has another major",
          but([](Facts& f) {
              add_torch(f);
              library_named(f, "libcudnn.so.8").found_via = FoundVia::ld_library_path;
          }),
          "LD_LIBRARY_PATH puts the cuDNN 8 of /usr/local/cuda-12.4/lib64 before the cuDNN 9"},
         {"an older major before it",
          given({"pytorch=2.4", "cudnn=8.9.7", "os=linux"}),
          "PyTorch 2.4 bundles cuDNN 9.1.0"},
         {"an older minor before it",
          given({"pytorch=2.8+cu128", "cudnn=9.1.0", "os=linux"}),
          "if cuDNN 9.1.0 is found first"}}},
    Silent{
        {{"the very one", given({"pytorch=2.4", "cudnn=9.1.0", "os=linux"}), ""},
         {"it takes the system's", given({"tensorflow=2.10", "cudnn=8.9.7", "os=linux"}), ""},
         {"PyTorch's own comes before LD_LIBRARY_PATH",
          but([](Facts& f) {
              add_torch(f);
              add_older_cudnn9(f);
          }),
          ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no cuDNN", given({"pytorch=2.4"}), ""}, {"no framework", given({"cudnn=8.9.7"}), ""}}})
