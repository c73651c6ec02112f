#include "base/text.hpp"
#include "support/cudnn_machines.hpp"
#include "support/rule_test.hpp"

RULE_TEST(
    rnn_call_rejected,
    Fires{
        {{"bad parameter",
          but([](Facts& f) {
              one_case(
                  f, RunEnd::rejected, {"cudnnSetRNNDataDescriptor", 3, "CUDNN_STATUS_BAD_PARAM"});
          }),
          "rejects 1 RNN case, first"},
         {"without a reason",
          but([](Facts& f) {
              one_case(f, RunEnd::rejected, {});
              for (auto& run : f.rnn_runs)
                  if (run.end == RunEnd::rejected)
                      run.result.reset();
          }),
          "the reason is unknown"},
         {"each GPU has its finding",
          but([](Facts& f) {
              add_second_gpu(f);
              all_cases(
                  f, RunEnd::rejected, {"cudnnSetRNNDescriptor_v8", 3, "CUDNN_STATUS_BAD_PARAM"});
          }),
          "GPU 0"}}},
    silent_about_cases(
        {{"mixed parts are another fault",
          but([](Facts& f) {
              all_cases(
                  f,
                  RunEnd::rejected,
                  {"cudnnSetRNNDescriptor_v8", 14, "CUDNN_STATUS_VERSION_MISMATCH"});
          }),
          ""}}),
    undecided_about_cases({}))

TEST_CASE(
    "rnn_call_rejected: a kernel that nobody promises is a note, and one that PyTorch takes by "
    "default an error") {
    using namespace rnncheck;
    using namespace rnncheck::test;
    const auto judged = [](Algorithm algorithm, Dtype dtype) {
        Facts facts = a_healthy_machine();
        one_case(
            facts, RunEnd::rejected, {"cudnnSetRNNDescriptor_v8", 3, "CUDNN_STATUS_BAD_PARAM"});
        for (RnnRun& run : facts.rnn_runs)
            if (run.end == RunEnd::rejected)
                run.rnn_case.algorithm = algorithm, run.rnn_case.dtype = dtype;
        return (*find_named(all_rules(), "rnn_call_rejected"))->check(facts, Matrix::bundled());
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
