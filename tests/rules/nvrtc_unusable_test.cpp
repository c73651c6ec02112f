#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    nvrtc_unusable,
    Fires{
        {{"does not compile",
          but([](Facts& f) {
              f.nvrtcs = {
                  {nvrtc12,
                   v("12.4"),
                   false,
                   CallResult{"nvrtcCompileProgram", 6, "NVRTC_ERROR_COMPILATION"}}};
          }),
          "does not compile a test kernel: nvrtcCompileProgram returned 6"},
         {"cannot be opened",
          but([](Facts& f) {
              f.nvrtcs = {{nvrtc12, {}, {}, CallResult{"dlopen", -1, "invalid ELF header"}}};
          }),
          "invalid ELF header"},
         {"does not report why",
          but([](Facts& f) {
              f.nvrtcs = {{nvrtc12, v("12.4"), false, {}}};
          }),
          "does not compile a test kernel"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"missing builtins are another fault",
          but([](Facts& f) {
              without(f, LibraryKind::nvrtc_builtins);
              f.nvrtcs = {
                  {nvrtc12,
                   v("12.4"),
                   false,
                   CallResult{"nvrtcCompileProgram", 7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"}}};
          }),
          ""},
         {"a pipe on its way is another fault",
          but([](Facts& f) {
              f.nvrtcs = {
                  {nvrtc12,
                   {},
                   {},
                   CallResult{
                       "dlopen",
                       would_block,
                       "not opened: the loader would come to /x/libcuda.so.1"}}};
          }),
          ""},
         {"none installed",
          but([](Facts& f) {
              without(f, LibraryKind::nvrtc);
              f.nvrtcs.clear();
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"it did not respond", but([](Facts& f) { f.nvrtcs.clear(); }), ""},
         {"it only reported its version",
          but([](Facts& f) { f.nvrtcs.front().compiles.reset(); }),
          ""}}})
