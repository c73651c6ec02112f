#include "support/given_machine.hpp"
#include "support/installed_machines.hpp"

RULE_TEST(
    cuda_version_mismatch,
    Fires{
        {{"installed, and only CUDA 12 there",
          but([](Facts& f) {
              Framework& torch = add_torch(f);
              torch.cuda = v("11.8");
              torch.libraries[1].soname = "libcublas.so.11";
              loses(torch, "libcublas");
          }),
          "was built for CUDA 11.8 and opens libcublas.so.11; the installed CUDA version is 12"},
         {"another major",
          given({"tensorflow=2.10", "cuda=12.2", "os=linux"}),
          "TensorFlow 2.10 was built for CUDA 11.2, which CUDA 12.2 does not provide"},
         {"another minor before CUDA 11",
          given({"tensorflow=2.3", "cuda=10.2", "os=linux"}),
          "was built for CUDA 10.1"}}},
    Silent{
        {{"a minor of its major", given({"tensorflow=2.10", "cuda=11.8", "os=linux"}), ""},
         {"it bundles its own", given({"pytorch=2.4", "cuda=13.0", "os=linux"}), ""},
         {"a machine", a_healthy_machine(), ""}}},
    WhenUndecided{
        {{"no CUDA", given({"tensorflow=2.10"}), ""}, {"no framework", given({"cuda=12.2"}), ""}}})
