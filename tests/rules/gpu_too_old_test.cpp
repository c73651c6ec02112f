#include "base/text.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    gpu_too_old,
    Fires{
        {{"Kepler under CUDA 12",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("3.5");
              no_cases(f);
          }),
          "GPU 0 (NVIDIA GeForce RTX 3090) of compute capability 3.5 is too old for CUDA 12.4 at"},
         {"Volta under cuDNN 9.19",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("7.0");
              no_cases(f);
              f.cudnns.front().version = v("9.19.0");
          }),
          "is too old for cuDNN 9.19.0 at"},
         {"Kepler, and the failing calls agree",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("3.5");
              all_cases(f, RunEnd::skipped, {"cudnnCreate", 6, "CUDNN_STATUS_ARCH_MISMATCH"});
          }),
          "is too old for"},
         {"the second GPU",
          but([](Facts& f) {
              add_second_gpu(f);
              f.cuda_devices.back().compute_capability = v("3.5");
              std::erase_if(f.rnn_runs, [](const RnnRun& run) { return run.gpu == 1; });
          }),
          "GPU 1"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"the cases went well, whatever the table has",
          but([](Facts& f) { f.cuda_devices.front().compute_capability = v("3.5"); }),
          ""},
         {"too new is another fault",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("12.0");
              no_cases(f);
          }),
          ""},
         {"no driver", without_driver(), ""},
         {"neither CUDA nor cuDNN",
          but([](Facts& f) {
              without(f, LibraryKind::cudnn);
              without(f, LibraryKind::cudnn_part);
              f.cudnns.clear();
              no_cases(f);
              without(f, LibraryKind::cudart);
              f.runtimes.clear();
          }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"the capability is not known",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability.reset();
              no_cases(f);
          }),
          ""},
         {"a GPU of the future",
          but([](Facts& f) {
              f.cuda_devices.front().compute_capability = v("20.0");
              no_cases(f);
              f.cudnns.clear();
              without(f, LibraryKind::cudnn);
          }),
          ""},
         {"a CUDA of the future",
          but([](Facts& f) {
              f.runtimes.front().version = v("19.0");
              no_cases(f);
          }),
          ""},
         {"a cuDNN of the future",
          but([](Facts& f) {
              f.cudnns.front().version = v("9.99.0");
              no_cases(f);
          }),
          ""}}})

TEST_CASE("an old card beside a good one is a note, unless programs take it by themselves") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto* rule = find_named(all_rules(), "gpu_too_old");
    const auto finding = [&](int old) {
        const Facts facts = but([&](Facts& f) {
            add_second_gpu(f);
            f.cuda_devices.at(static_cast<std::size_t>(old)).compute_capability = v("3.5");
            std::erase_if(f.rnn_runs, [&](const RnnRun& run) { return run.gpu == old; });
        });
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0);
    };
    CHECK(finding(0).severity == Severity::error);
    CHECK(finding(1).severity == Severity::note);
    CHECK(contains(finding(1).message, "programs use GPU 0"));
    CHECK(
        finding(1).remedies.front().commands ==
        std::vector<std::string>{"export CUDA_VISIBLE_DEVICES=0"});
}
