#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cuda_runtime_missing,
    Fires{
        {{"no libcudart anywhere",
          but([](Facts& f) {
              without(f, LibraryKind::cudart);
              f.runtimes.clear();
          }),
          "no CUDA runtime (libcudart) was found"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"no driver, which comes first",
          after(
              without_driver(),
              [](Facts& f) {
                  without(f, LibraryKind::cudart);
                  f.runtimes.clear();
              }),
          ""},
         {"a damaged one is another fault",
          but([](Facts& f) {
              library_of(f, LibraryKind::cudart).problem = FileProblem::truncated;
              f.runtimes.clear();
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"search did not finish",
          but([](Facts& f) {
              without(f, LibraryKind::cudart);
              f.runtimes.clear();
              std::erase_if(
                  f.probe_runs, [](const auto& run) { return run.probe == "library_files"; });
          }),
          ""}}})
