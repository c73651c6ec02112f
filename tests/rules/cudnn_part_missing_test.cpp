#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    cudnn_part_missing,
    Fires{
        {{"the part with recurrent networks",
          but([](Facts& f) {
              remove_library(f, "libcudnn_adv_infer.so.8");
              rnn_api_fails(
                  f, "cudnnAdvInferVersionCheck", 11, "CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING");
          }),
          "lacks libcudnn_adv_infer.so.8, so its RNN API cannot be used; searched: "
          "/usr/local/cuda-12.4/lib64 and "
          "the loader's search path"},
         {"not even the version answers",
          but([](Facts& f) {
              remove_library(f, "libcudnn_ops_infer.so.8");
              f.cudnns.clear();
              no_cases(f);
              probe_run(f, "cudnn_library").end = ProbeEnd::crashed;
          }),
          "lacks libcudnn_ops_infer.so.8"},
         {"only another major's parts are there",
          but([](Facts& f) {
              std::erase_if(
                  f.libraries, [](const Library& l) { return l.path.ends_with("_infer.so.8"); });
              add_wheel_cudnn9(f);
              rnn_api_fails(f, "cudnnAdvInferVersionCheck", 11, "");
          }),
          "libcudnn_ops_infer.so.8"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a part for convolutions only",
          but([](Facts& f) {
              remove_library(f, "libcudnn_cnn_train.so.8");
              f.cudnns.front().rnn_usable.reset();
          }),
          ""},
         {"the RNN API answers all the same",
          but([](Facts& f) { remove_library(f, "libcudnn_adv_infer.so.8"); }),
          ""},
         {"the part is elsewhere on the loader's path",
          but([](Facts& f) {
              f.cudnns.front().rnn_usable.reset();
              Library& part = library_named(f, "libcudnn_adv_infer.so.8");
              part.path = "/usr/lib/libcudnn_adv_infer.so.8";
              part.real_path = part.path;
          }),
          ""},
         {"a file left behind beside it is nobody's",
          but([](Facts& f) {
              add_library(
                  f,
                  LibraryKind::cudnn,
                  toolkit + "libcudnn.so.9.1.0",
                  toolkit + "libcudnn.so.9.1.0")
                  .soname = "libcudnn.so.8";
          }),
          ""},
         {"cuDNN 7 is one file",
          but([](Facts& f) {
              without(f, LibraryKind::cudnn_part);
              cudnn_version(f, "7.6.5");
              f.cudnns.front().rnn_usable.reset();
          }),
          ""},
         {"none installed", but(no_cudnn), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a major that the tables do not know",
          but([](Facts& f) {
              cudnn_version(f, "12.0.0");
              f.cudnns.front().rnn_usable.reset();
          }),
          ""},
         {"search did not finish",
          but([](Facts& f) {
              without(f, LibraryKind::cudnn_part);
              f.cudnns.front().rnn_usable.reset();
              std::erase_if(
                  f.probe_runs, [](const auto& run) { return run.probe == "library_files"; });
          }),
          ""}}})
