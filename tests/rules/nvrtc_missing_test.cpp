#include "judge.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    nvrtc_missing,
    Fires{
        {{"no NVRTC anywhere",
          but([](Facts& f) {
              without(f, LibraryKind::nvrtc);
              without(f, LibraryKind::nvrtc_builtins);
              f.nvrtcs.clear();
          }),
          "libnvrtc was not found; cuDNN 8.9.7 at"},
         {"its builtins are missing",
          but([](Facts& f) {
              without(f, LibraryKind::nvrtc_builtins);
              f.nvrtcs = {
                  {nvrtc12,
                   v("12.4"),
                   false,
                   CallResult{"nvrtcCompileProgram", 7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"}}};
          }),
          "libnvrtc-builtins.so.12.4 was not found; NVRTC 12.4"},
         {"only builtins of another release",
          but([](Facts& f) {
              f.nvrtcs = {
                  {nvrtc12,
                   v("12.6"),
                   false,
                   CallResult{"nvrtcCompileProgram", 7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"}}};
          }),
          "libnvrtc-builtins.so.12.6"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"it compiles, wherever its builtins are",
          but([](Facts& f) { without(f, LibraryKind::nvrtc_builtins); }),
          ""},
         {"only as a Python package",
          but([](Facts& f) {
              for (auto& l : f.libraries) {
                  if (l.kind == LibraryKind::nvrtc) {
                      l.picked_by_loader = false;
                      l.found_via = FoundVia::wheel;
                  }
              }
          }),
          ""},
         {"no cuDNN",
          but([](Facts& f) {
              no_cudnn(f);
              without(f, LibraryKind::nvrtc);
              f.nvrtcs.clear();
          }),
          ""},
         {"cuDNN 7 needs none",
          but([](Facts& f) {
              cudnn_version(f, "7.6.5");
              without(f, LibraryKind::nvrtc);
              f.nvrtcs.clear();
          }),
          ""},
         {"no driver, which comes first",
          after(
              without_driver(),
              [](Facts& f) {
                  without(f, LibraryKind::nvrtc);
                  f.nvrtcs.clear();
              }),
          ""},
         {"it fails for another reason",
          but([](Facts& f) {
              f.nvrtcs = {
                  {nvrtc12,
                   v("12.4"),
                   false,
                   CallResult{"nvrtcCompileProgram", 6, "NVRTC_ERROR_COMPILATION"}}};
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"it did not respond", but([](Facts& f) { f.nvrtcs.clear(); }), ""},
         {"search did not finish",
          but([](Facts& f) {
              without(f, LibraryKind::nvrtc);
              f.nvrtcs.clear();
              std::erase_if(
                  f.probe_runs, [](const auto& run) { return run.probe == "library_files"; });
          }),
          ""}}})

TEST_CASE("a damaged file explains the lack of its own kind alone: NVRTC or its builtins") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto is_reported = [](LibraryKind damaged) {
        const Facts facts = but([&](Facts& f) {
            without(f, LibraryKind::nvrtc_builtins);
            f.nvrtcs = {
                {nvrtc12,
                 v("12.4"),
                 false,
                 CallResult{"nvrtcCompileProgram", 7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"}}};
            Library& file =
                add_library(f, damaged, "/opt/other/lib.so.12", "/opt/other/lib.so.12", true);
            file.problem = FileProblem::truncated;
        });
        const Report report = judge(facts, Matrix::bundled(), {});
        return std::ranges::find(report.findings, "nvrtc_missing", &Finding::rule) !=
               report.findings.end();
    };
    CHECK(is_reported(LibraryKind::nvrtc));
    CHECK(!is_reported(LibraryKind::nvrtc_builtins));
}
