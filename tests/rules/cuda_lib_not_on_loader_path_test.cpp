#include "support/installed_machines.hpp"

RULE_TEST(
    cuda_lib_not_on_loader_path,
    Fires{
        {{"it is there, and is not found",
          but([](Facts& f) { loses(add_tensorflow(f), "libcublas"); }),
          "TensorFlow 2.15.1 (cuda) opens libcublas.so.12, which is at " + toolkit +
              "libcublas.so.12"}}},
    silent_about_frameworks(
        {{"it is nowhere",
          but([](Facts& f) {
              loses(add_tensorflow(f), "libcublas");
              without(f, LibraryKind::cublas);
          }),
          ""}}),
    undecided_without_search())
