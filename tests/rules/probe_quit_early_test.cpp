#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts nvml_ended() {
    return rnncheck::test::but([](rnncheck::Facts& f) {
        auto& run = rnncheck::test::probe_run(f, "nvml_devices");
        run.end = rnncheck::ProbeEnd::quit_early;
        run.last_call = "nvmlInit_v2";
        run.exit_code = 0;
    });
}

}  // namespace

RULE_TEST(
    probe_quit_early,
    Fires{
        {{"NVML",
          nvml_ended(),
          "NVML /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 terminated the process in "
          "nvmlInit_v2 with exit "
          "code 0 before it returned a"},
         {"one of our own",
          but([](Facts& f) {
              auto& run = probe_run(f, "library_files");
              run.end = ProbeEnd::quit_early;
              run.exit_code = 3;
          }),
          "rnncheck's own probe library_files ended with exit code 3 before it was "
          "finished; the cause is a "
          "library preloaded into every program or a bug in rnncheck"}}},
    silent_about_probe_ends(),
    undecided_about_probe_ends())

TEST_CASE("what fails in our own probes is not the machine's fault") {
    using namespace rnncheck;
    for (const auto& [rule, end] :
         {std::pair("probe_quit_early", ProbeEnd::quit_early),
          std::pair("probe_crashed", ProbeEnd::crashed)}) {
        const auto facts =
            test::but([end](Facts& f) { test::probe_run(f, "library_files").end = end; });
        const Verdict verdict = (*find_named(all_rules(), rule))->check(facts, Matrix::bundled());
        REQUIRE(verdict.findings.size() == 1);
        CHECK(verdict.findings[0].severity == Severity::warning);
    }
}

TEST_CASE("a process that could not be started is reported as our own failure") {
    using namespace rnncheck;
    const auto facts = test::but([](Facts& f) {
        auto& run = test::probe_run(f, "nvml_devices");
        run.end = ProbeEnd::not_started;
        run.reason = "a pipe could not be created: Too many open files";
    });
    const Verdict verdict =
        (*find_named(all_rules(), "probe_quit_early"))->check(facts, Matrix::bundled());
    CHECK(
        verdict.reason ==
        "rnncheck could not start its process for nvml_devices: a pipe could not be created: Too "
        "many open files");
}
