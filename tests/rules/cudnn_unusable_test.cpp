#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_unusable,
    Fires{
        {{"cannot be opened",
          but([](Facts& f) {
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
              f.cudnns.front().failure =
                  CallResult{"dlopen", -1, "libz.so.1: cannot open shared object file"};
              no_cases(f);
          }),
          "cannot be opened: libz.so.1: cannot open"},
         {"has no version call",
          but([](Facts& f) {
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
              f.cudnns.front().failure =
                  CallResult{"cudnnGetVersion", -1, "the library does not export this function"};
          }),
          "does not report its version: cudnnGetVersion"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a missing part is another fault",
          but([](Facts& f) {
              remove_library(f, "libcudnn_ops_infer.so.8");
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
              f.cudnns.front().failure = CallResult{
                  "dlopen", -1, "libcudnn_ops_infer.so.8: cannot open shared object file"};
          }),
          ""},
         {"a broken part is another fault",
          but([](Facts& f) {
              library_named(f, "libcudnn_ops_infer.so.8").problem = FileProblem::not_elf;
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
              f.cudnns.front().failure =
                  CallResult{"dlopen", -1, "/x/libcudnn_ops_infer.so.8: invalid ELF header"};
          }),
          ""},
         {"a pipe on its way is another fault",
          but([](Facts& f) {
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
              f.cudnns.front().failure = CallResult{
                  "dlopen",
                  would_block,
                  "not opened: the loader would come to /x/libcuda.so.1, which is a "
                  "named pipe (FIFO), not a file, and wait there forever"};
          }),
          ""},
         {"the RNN API is another matter",
          but([](Facts& f) {
              rnn_api_fails(f, "cudnnAdvInferVersionCheck", 4, "CUDNN_STATUS_INTERNAL_ERROR");
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"its process ended early",
          but([](Facts& f) {
              f.cudnns.clear();
              probe_run(f, "cudnn_library").end = ProbeEnd::crashed;
          }),
          ""},
         {"it reported nothing",
          but([](Facts& f) {
              f.cudnns.front() = {};
              f.cudnns.front().library = cudnn8;
          }),
          ""}}})
