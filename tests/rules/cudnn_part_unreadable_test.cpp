#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_part_unreadable,
    Fires{
        {{"cut off",
          but([](Facts& f) {
              Library& part = library_named(f, "libcudnn_adv_infer.so.8");
              part.problem = FileProblem::truncated;
              part.problem_detail = "ends before its section headers";
          }),
          "the library libcudnn_adv_infer.so.8 of cuDNN 8.9.7 at"},
         {"a text file",
          but([](Facts& f) {
              Library& part = library_named(f, "libcudnn_ops_infer.so.8");
              part.problem = FileProblem::not_elf;
              part.problem_detail = "is a text file";
              part.machine.reset();
          }),
          "libcudnn_ops_infer.so.8 is a text file"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a part for convolutions only",
          but([](Facts& f) {
              library_named(f, "libcudnn_cnn_train.so.8").problem = FileProblem::truncated;
          }),
          ""},
         {"missing is another fault",
          but([](Facts& f) { remove_library(f, "libcudnn_adv_infer.so.8"); }),
          ""},
         {"a broken one that nobody loads",
          but([](Facts& f) {
              add_library(
                  f,
                  LibraryKind::cudnn_part,
                  "/old/libcudnn_adv_infer.so.8",
                  "/old/libcudnn_adv_infer.so.8.1.0")
                  .problem = FileProblem::truncated;
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a part was not read completely",
          but([](Facts& f) { library_named(f, "libcudnn_adv_infer.so.8").machine.reset(); }),
          ""},
         {"search did not finish",
          but([](Facts& f) {
              std::erase_if(
                  f.probe_runs, [](const auto& run) { return run.probe == "library_files"; });
          }),
          ""}}})
