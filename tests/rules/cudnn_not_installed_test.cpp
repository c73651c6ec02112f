#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_not_installed,
    Fires{
        {{"no copy anywhere", but(no_cudnn), "cuDNN is not installed"},
         {"only parts",
          but([](Facts& f) {
              without(f, LibraryKind::cudnn);
              f.cudnns.clear();
              no_cases(f);
          }),
          "cuDNN is installed only in part"},
         {"without a driver too", after(without_driver(), no_cudnn), "cuDNN is not installed"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a damaged one is another fault",
          but([](Facts& f) {
              library_of(f, LibraryKind::cudnn).problem = FileProblem::not_elf;
              f.cudnns.clear();
          }),
          ""},
         {"only as a Python package",
          but([](Facts& f) {
              no_cudnn(f);
              add_wheel_cudnn9(f);
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"search did not finish",
          but([](Facts& f) {
              no_cudnn(f);
              std::erase_if(
                  f.probe_runs, [](const auto& run) { return run.probe == "library_files"; });
          }),
          ""}}})
