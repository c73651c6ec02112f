#include "base/text.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    rnn_call_failed,
    Fires{
        {{"execution failed",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cudnnRNNForward", 8, "CUDNN_STATUS_EXECUTION_FAILED"});
          }),
          "cudnnRNNForward returned 8 (CUDNN_STATUS_EXECUTION_FAILED)"},
         {"the process died",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cudnnRNNForward", -1, "crashed with SIGSEGV"});
          }),
          "cudnnRNNForward: crashed with SIGSEGV"},
         {"without a reason",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {});
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::failed)
                      run.result.reset();
          }),
          "the reason is unknown"}}},
    silent_about_cases(
        {{"memory errors are another fault",
          but([](Facts& f) {
              one_case(
                  f, RunEnd::failed, {"cuCtxSynchronize", 214, "CUDA_ERROR_ECC_UNCORRECTABLE"});
          }),
          ""},
         {"no code for the GPU is another fault",
          but([](Facts& f) {
              one_case(
                  f, RunEnd::failed, {"cuCtxSynchronize", 209, "CUDA_ERROR_NO_BINARY_FOR_GPU"});
          }),
          ""},
         {"memory that ran out is another fault",
          but([](Facts& f) {
              one_case(f, RunEnd::out_of_memory, {"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"});
          }),
          ""},
         {"cuDNN fails while hardly any memory is free",
          but([](Facts& f) {
              one_case(f, RunEnd::failed, {"cudnnRNNForward", 4, "CUDNN_STATUS_INTERNAL_ERROR"});
              f.nvml_devices.front().memory_free_mib = 100;
          }),
          ""},
         {"a process that hangs in the kernel is another fault",
          but([](Facts& f) {
              one_case(
                  f,
                  RunEnd::failed,
                  {"cudnnRNNForward", stuck_in_kernel, "hangs inside the kernel"});
              const RnnRun& lost = *std::ranges::find(f.rnn_runs, RunEnd::failed, &RnnRun::end);
              ProbeRun& run = probe_run(f, "rnn_forward");
              run.target = "GPU 0 " + std::string(name_of(lost.rnn_api)) + ' ' + lost.library;
              run.end = ProbeEnd::stuck;
              run.last_call = "cudnnRNNForward";
          }),
          ""}}),
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"no case was run", but([](Facts& f) { no_cases(f); }), ""},
         {"all cases were skipped",
          but([](Facts& f) {
              all_cases(
                  f, RunEnd::skipped, {"?", -1, "not tried: earlier cases ended the process"});
          }),
          ""}}})

TEST_CASE(
    "rnn_call_failed: a kernel that nobody promises is a note, and one that PyTorch takes by "
    "default an error") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto judged = [](Algorithm algorithm, Dtype dtype) {
        Facts facts = a_healthy_machine();
        one_case(facts, RunEnd::failed, {"cudnnRNNForward", -1, "crashed with SIGSEGV"});
        for (RnnRun& run : facts.rnn_runs)
            if (run.end == RunEnd::failed)
                run.rnn_case.algorithm = algorithm, run.rnn_case.dtype = dtype;
        return (*find_named(all_rules(), "rnn_call_failed"))->check(facts, Matrix::bundled());
    };
    for (const Algorithm algorithm : {Algorithm::persist_static, Algorithm::persist_dynamic}) {
        const Verdict verdict = judged(algorithm, Dtype::fp32);
        REQUIRE(verdict.findings.size() == 1);
        CHECK(verdict.findings[0].severity == Severity::note);
        CHECK(contains(verdict.findings[0].message, "not a problem of this machine"));
        CHECK(contains(verdict.findings[0].message, name_of(algorithm)));
    }
    CHECK(
        judged(Algorithm::persist_static_small_h, Dtype::bf16).findings.at(0).severity ==
        Severity::note);
    CHECK(
        judged(Algorithm::persist_static_small_h, Dtype::fp32).findings.at(0).severity ==
        Severity::error);
    CHECK(judged(Algorithm::standard, Dtype::fp32).findings.at(0).severity == Severity::error);
}

using namespace rnncheck;
using namespace rnncheck::test;

TEST_CASE("a case that failed is not explained by the hang of another process") {
    const auto* rule = rnncheck::find_named(rnncheck::all_rules(), "rnn_call_failed");
    const Verdict verdict = (*rule)->check(
        but([](Facts& f) {
            one_case(f, RunEnd::failed, {"cudnnRNNForward", 8, "EXECUTION_FAILED"});
            ProbeRun& run = probe_run(f, "rnn_forward");
            run.end = ProbeEnd::timed_out;
            run.last_call = "cudnnRNNForward";
            run.hang = Hang{"uninterruptible", {}, {}, {}, {}};
        }),
        Matrix::bundled());
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings.front().message.ends_with("returned 8 (EXECUTION_FAILED)"));
}

TEST_CASE(
    "cases that must work are shown with all processes that ended in cases, and those that nobody "
    "promises beside") {
    Facts facts = a_healthy_machine();
    const auto crashes_in = [&](Algorithm algorithm, const std::string& output) {
        one_case(facts, RunEnd::failed, {"cudnnRNNForward", -1, "crashed with SIGSEGV"});
        RnnRun* lost = nullptr;
        for (RnnRun& run : facts.rnn_runs)
            if (run.end == RunEnd::failed)
                lost = &run;
        lost->rnn_case.algorithm = algorithm;
        ProbeRun process;
        process.probe = "rnn_forward";
        process.target = "GPU 0 " + std::string(name_of(lost->rnn_api)) + ' ' + lost->library;
        process.end = ProbeEnd::crashed;
        process.last_call = "cudnnRNNForward " + output;
        process.output_tail = output;
        lost->result->call = *process.last_call;
        facts.probe_runs.push_back(process);
    };
    crashes_in(Algorithm::persist_static, "first");
    crashes_in(Algorithm::standard, "second");
    crashes_in(Algorithm::standard, "third");
    const Verdict verdict =
        (*find_named(all_rules(), "rnn_call_failed"))->check(facts, Matrix::bundled());
    REQUIRE(verdict.findings.size() == 1);
    const Finding& finding = verdict.findings.front();
    std::vector<std::string> outputs;
    bool any_unsupported = false;
    for (const Evidence& evidence : finding.evidence) {
        if (evidence.what == "its last output")
            outputs.push_back(evidence.value);
        any_unsupported |= contains(evidence.value, "no problem by itself: the case needs");
    }
    CHECK(finding.severity == Severity::error);
    CHECK(finding.message.starts_with("2 RNN cases"));
    CHECK(finding.explains.size() == 3);
    CHECK(outputs == std::vector<std::string>{"first", "second", "third"});
    CHECK(any_unsupported);
}
