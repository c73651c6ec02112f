#include "base/text.hpp"
#include "judge.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

rnncheck::Facts crash(const std::string& probe, rnncheck::ProbeEnd end, const char* signal) {
    return rnncheck::test::but([&](rnncheck::Facts& f) {
        auto& run = rnncheck::test::probe_run(f, probe);
        run.end = end;
        run.signal = signal;
        run.last_call = probe == "driver_api" ? "cuInit" : "cudnnGetVersion";
    });
}

/// The process of case 1 crashed, and the survey recorded that case as lost.
rnncheck::Facts crash_in_a_case() {
    auto f = crash("rnn_forward", rnncheck::ProbeEnd::crashed, "SIGSEGV");
    auto& run = rnncheck::test::probe_run(f, "rnn_forward");
    run.last_call = "cudnnRNNForward";
    auto& lost = f.rnn_runs.front();
    run.target = "GPU 0 " + std::string(name_of(lost.rnn_api)) + ' ' + lost.library;
    lost.end = rnncheck::RunEnd::failed;
    lost.result = rnncheck::CallResult{"cudnnRNNForward", -1, "crashed with SIGSEGV"};
    return f;
}

/// A part beside the copy that crashed lacks a library.
rnncheck::Facts crash_without(const char* library, bool used) {
    auto f = crash("cudnn_library", rnncheck::ProbeEnd::crashed, "SIGABRT");
    for (auto& part : f.libraries)
        if (part.kind == rnncheck::LibraryKind::cudnn_part) {
            part.missing_needs = {library};
            part.picked_by_loader = used;
        }
    return f;
}

}  // namespace

RULE_TEST(
    probe_crashed,
    Fires{
        {{"cuDNN",
          crash("cudnn_library", ProbeEnd::crashed, "SIGSEGV"),
          "cuDNN /usr/local/cuda-12.4/lib64/libcudnn.so.8 crashed in cudnnGetVersion (SIGSEGV)"},
         {"cuDNN on a GPU",
          crash("rnn_forward", ProbeEnd::crashed, "SIGABRT"),
          "cuDNN /usr/local/cuda-12.4/lib64/libcudnn.so.8 on GPU 0 crashed"},
         {"the driver",
          crash("driver_api", ProbeEnd::crashed, "SIGBUS"),
          "the NVIDIA driver library /usr/lib/x86_64-linux-gnu/libcuda.so.550.54.14 crashed in "
          "cuInit (SIGBUS)"},
         {"in another call than the failed case",
          after(
              crash_in_a_case(),
              [](Facts& f) { probe_run(f, "rnn_forward").last_call = "cudnnDestroy"; }),
          "crashed in cudnnDestroy"},
         {"a part lacks something else than zlib",
          crash_without("libcublas.so.12", true),
          "crashed in cudnnGetVersion"},
         {"a part lacks zlib, which nothing else shows",
          crash_without("libz.so.1", false),
          "crashed in cudnnGetVersion"},
         {"killed from outside",
          crash("cudnn_library", ProbeEnd::killed, "SIGKILL"),
          "was killed by another process in cudnnGetVersion (SIGKILL)"},
         {"while ending",
          crash("cudnn_library", ProbeEnd::crashed_at_exit, "SIGSEGV"),
          "crashed while its process was exiting"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"zlib_missing reports why", crash_without("libz.so.1", true), ""},
         {"a case that is reported as failed", crash_in_a_case(), ""},
         {"skipped by choice",
          but([](Facts& f) { probe_run(f, "rnn_forward").end = ProbeEnd::skipped; }),
          ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"not started",
          but([](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::not_started; }),
          ""},
         {"timed out first",
          but([](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::timed_out; }),
          ""}}})

TEST_CASE("a crash at exit is only noted, and one target is reported once") {
    using namespace rnncheck;
    const auto* rule = find_named(all_rules(), "probe_crashed");
    CHECK(
        (*rule)
            ->check(crash("cudnn_library", ProbeEnd::crashed_at_exit, "SIGSEGV"), Matrix::bundled())
            .findings.at(0)
            .severity == Severity::note);
    auto twice = crash("rnn_forward", ProbeEnd::crashed, "SIGSEGV");
    twice.probe_runs.push_back(test::probe_run(twice, "rnn_forward"));
    const auto findings = (*rule)->check(twice, Matrix::bundled()).findings;
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].subject == "rnn_forward GPU 0 v8 /usr/local/cuda-12.4/lib64/libcudnn.so.8");
}

TEST_CASE(
    "a crash in a case is reported by that case alone, and a crash at exit of the same probe "
    "beside "
    "it") {
    using namespace rnncheck;
    Facts facts = crash_in_a_case();
    ProbeRun exited = test::probe_run(facts, "rnn_forward");
    exited.end = ProbeEnd::crashed_at_exit;
    exited.last_call = "cudnnDestroy";
    facts.probe_runs.push_back(exited);
    std::vector<Finding> crashes = judge(facts, Matrix::bundled(), {}).findings;
    std::erase_if(crashes, [](const Finding& finding) { return finding.rule != "probe_crashed"; });
    REQUIRE(crashes.size() == 1);
    CHECK(crashes.front().severity == Severity::note);
    CHECK(contains(crashes.front().message, "its results are valid"));
}
