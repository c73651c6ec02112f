#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cuda_runtime_unusable,
    Fires{
        {{"cannot be opened",
          but([](Facts& f) {
              f.runtimes = {
                  {cudart12,
                   {},
                   {},
                   CallResult{"dlopen", -1, "libgcc_s.so.1: cannot open shared object file"}}};
          }),
          "cannot be opened: libgcc_s.so.1: cannot open"},
         {"has no version call",
          but([](Facts& f) {
              f.runtimes = {
                  {cudart12,
                   {},
                   {},
                   CallResult{
                       "cudaRuntimeGetVersion", -1, "the library does not export this function"}}};
          }),
          "does not report its version: cudaRuntimeGetVersion"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"it only reports that there is no driver",
          but([](Facts& f) {
              f.runtimes = {
                  {cudart12,
                   {},
                   {},
                   CallResult{"cudaRuntimeGetVersion", 35, "CUDA driver version is insufficient"}}};
          }),
          ""},
         {"a pipe on its way is another fault",
          but([](Facts& f) {
              f.runtimes = {
                  {cudart12,
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
              without(f, LibraryKind::cudart);
              f.runtimes.clear();
          }),
          ""},
         {"a file left behind beside it is nobody's",
          but([](Facts& f) {
              add_library(
                  f,
                  LibraryKind::cudart,
                  toolkit + "libcudart.so.12.0.1",
                  toolkit + "libcudart.so.12.0.1")
                  .soname = "libcudart.so.12";
              f.runtimes.push_back(
                  {toolkit + "libcudart.so.12.0.1", {}, {}, CallResult{"dlopen", -1, "broken"}});
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"it did not respond", but([](Facts& f) { f.runtimes.clear(); }), ""},
         {"it reported nothing", but([](Facts& f) { f.runtimes.front().version.reset(); }), ""}}})
