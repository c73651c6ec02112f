#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using namespace rnncheck;
using namespace rnncheck::test;

/// GPUs of one kind that gave bitwise identical results.
Facts alike(int count) {
    Facts f = a_healthy_machine();
    for (RnnRun& run : f.rnn_runs)
        if (run.end == RunEnd::ok)
            run.digest = "00ff";
    const auto runs = f.rnn_runs;
    for (int index = 1; index < count; ++index) {
        Gpu gpu = f.cuda_devices.front();
        gpu.index = index;
        f.cuda_devices.push_back(gpu);
        for (RnnRun run : runs) {
            run.gpu = index;
            f.rnn_runs.push_back(run);
        }
    }
    return f;
}

/// Of `count` GPUs the last one gives different results in one case.
Facts one_unlike(int count) {
    Facts f = alike(count);
    for (RnnRun& run : f.rnn_runs)
        if (run.gpu == count - 1 && run.end == RunEnd::ok) {
            run.digest = "00fe";
            break;
        }
    return f;
}

}  // namespace

RULE_TEST(
    gpu_results_differ,
    Fires{
        {{"one of four",
          one_unlike(4),
          "GPU 3 (NVIDIA GeForce RTX 3090) returned results that are not bitwise identical to "
          "those of other "
          "GPUs of its model in 1 of"},
         {"one of three",
          one_unlike(3),
          "GPU 2 (NVIDIA GeForce RTX 3090) returned results that are not bitwise identical to "
          "those of other "
          "GPUs of its model in 1 of 43 recurrent networks; every result is within its"},
         {"one of two", one_unlike(2), "which GPU is at fault is unknown"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"all alike", alike(4), ""},
         {"of other kinds",
          after(one_unlike(2), [](Facts& f) { f.cuda_devices.back().name = "NVIDIA A100"; }),
          ""},
         {"with fewer multiprocessors",
          after(one_unlike(4), [](Facts& f) { f.cuda_devices.back().multiprocessors = 80; }),
          ""},
         {"a wrong case is another fault",
          after(
              one_unlike(4),
              [](Facts& f) {
                  for (RnnRun& run : f.rnn_runs)
                      if (run.digest == "00fe")
                          run.end = RunEnd::incorrect;
              }),
          ""},
         {"not the same result twice is another fault",
          after(
              one_unlike(4),
              [](Facts& f) {
                  for (RnnRun& run : f.rnn_runs)
                      if (run.digest == "00fe")
                          run.bitwise_repeatable = false;
              }),
          ""},
         {"a case that gives different results each time shows nothing of a card",
          after(
              one_unlike(4),
              [](Facts& f) {
                  const std::string unlike =
                      describe(std::ranges::find(f.rnn_runs, "00fe", &RnnRun::digest)->rnn_case);
                  for (RnnRun& run : f.rnn_runs)
                      if (run.gpu == 0 && describe(run.rnn_case) == unlike)
                          run.bitwise_repeatable = false;
              }),
          ""},
         {"no driver", without_driver(), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"no digests",
          after(
              alike(2),
              [](Facts& f) {
                  for (RnnRun& run : f.rnn_runs)
                      run.digest.reset();
              }),
          ""},
         {"no case was run on GPUs of one kind",
          after(alike(2), [](Facts& f) { no_cases(f); }),
          ""}}})

TEST_CASE("a card that gives different results is a warning where it is known which, else a note") {
    const auto* rule = find_named(all_rules(), "gpu_results_differ");
    const auto severity = [&](const Facts& facts) {
        return (*rule)->check(facts, Matrix::bundled()).findings.at(0).severity;
    };
    CHECK(severity(one_unlike(3)) == Severity::warning);
    CHECK(severity(one_unlike(2)) == Severity::note);
}
