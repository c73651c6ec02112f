#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    several_cuda_runtimes,
    Fires{
        {{"two versions",
          but([](Facts& f) {
              add_library(
                  f,
                  LibraryKind::cudart,
                  "/opt/cuda-13.0/lib64/libcudart.so.13",
                  "/opt/cuda-13.0/lib64/libcudart.so.13.0.48");
              f.runtimes.push_back(
                  {"/opt/cuda-13.0/lib64/libcudart.so.13", v("13.0"), v("12.4"), {}});
          }),
          "2 versions of the CUDA runtime are installed (12.4 and 13.0); the loader finds 12.4"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"two installations of one version",
          but([](Facts& f) {
              add_library(
                  f,
                  LibraryKind::cudart,
                  "/opt/cuda/lib64/libcudart.so.12",
                  "/opt/cuda/lib64/libcudart.so.12.4.99");
              f.runtimes.push_back({"/opt/cuda/lib64/libcudart.so.12", v("12.4"), v("12.4"), {}});
          }),
          ""},
         {"none installed",
          but([](Facts& f) {
              without(f, LibraryKind::cudart);
              f.runtimes.clear();
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"one of two was silent",
          but([](Facts& f) {
              f.runtimes.push_back(
                  {"/opt/cuda/lib64/libcudart.so.12", {}, {}, CallResult{"dlopen", -1, "broken"}});
          }),
          ""}}})
