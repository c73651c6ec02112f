// Judging `rnncheck lstm`: the verdict that follows from how the requested cases ended, and the
// causes it names.
#include "base/text.hpp"
#include "judge.hpp"
#include "support/cudnn_machines.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

/// A healthy machine on which its cases were requested, with something changed.
template <class Change>
Report networks(Change change) {
    Facts facts = a_healthy_machine();
    facts.rnn_request.emplace();
    change(facts);
    return judge_networks(facts, Matrix::bundled());
}

std::string rules_of(const Report& report) {
    std::vector<std::string> rules;
    for (const Finding& finding : report.findings)
        rules.push_back(finding.rule);
    return join(rules, " ");
}

bool names(const Report& report, const std::string& rule, Severity severity) {
    return std::ranges::any_of(report.findings, [&](const Finding& finding) {
        return finding.rule == rule && finding.severity == severity;
    });
}

}  // namespace

TEST_CASE(
    "networks: correct cases are healthy, and a wrong, failed or rejected one is a problem of its "
    "rule") {
    CHECK(networks([](Facts&) {}).verdict == OverallVerdict::healthy);
    const std::pair<RunEnd, const char*> ends[] = {
        {RunEnd::incorrect, "rnn_result_wrong"},
        {RunEnd::failed, "rnn_call_failed"},
        {RunEnd::rejected, "rnn_call_rejected"}};
    for (const auto& [end, rule] : ends) {
        const Report report = networks([end = end](Facts& f) {
            one_case(f, end, {"cudnnRNNForward", end == RunEnd::rejected ? 3 : 8, "no"});
        });
        CAPTURE(rules_of(report));
        CHECK(report.verdict == OverallVerdict::problems);
        CHECK(names(report, rule, Severity::error));
        CHECK(report.findings.front().remedies.front().verify.starts_with(
            "rnncheck lstm --device 0 "));
    }
}

TEST_CASE("networks: what was not computed is undetermined, never healthy") {
    const CallResult late = {"?", -1, "not tried: the deadline passed"};
    CHECK(networks([&](Facts& f) {
              one_case(f, RunEnd::skipped, late);
          }).verdict == OverallVerdict::undetermined);
    CHECK(networks([](Facts& f) {
              f.rnn_runs = {good_case(f)};
              f.rnn_runs[0].rnn_case.algorithm = Algorithm::persist_static;
              f.rnn_runs[0].end = RunEnd::not_supported;
          }).verdict == OverallVerdict::undetermined);
    CHECK(networks([](Facts& f) { no_cases(f); }).verdict == OverallVerdict::undetermined);
    const Report elsewhere = networks([](Facts& f) {
        no_cases(f);
        f.rnn_request->gpu = 7;
    });
    CHECK(elsewhere.verdict == OverallVerdict::undetermined);
    CHECK(std::ranges::any_of(elsewhere.verdicts, [](const RuleVerdict& verdict) {
        return verdict.outcome == Outcome::undecided &&
               contains(verdict.reason, "there is no GPU 7");
    }));
    CHECK(judge_networks(Facts(), Matrix::bundled()).verdict == OverallVerdict::undetermined);
}

TEST_CASE("networks: where none could run the cause below is named") {
    const Report report = networks([](Facts& f) { no_cudnn(f); });
    CAPTURE(rules_of(report));
    CHECK(report.verdict == OverallVerdict::problems);
    CHECK(names(report, "cudnn_not_installed", Severity::error));
}

TEST_CASE(
    "networks: a case too large for the free memory is no fault, and one that should fit is") {
    const auto too_large = [](std::int64_t free_bytes) {
        return networks([free_bytes](Facts& f) {
            RnnRun& run = good_case(f);
            run.end = RunEnd::out_of_memory;
            run.result = CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"};
            run.rnn_case.input = run.rnn_case.hidden = 256;
            run.free_bytes = free_bytes;
        });
    };
    const Report no_room = too_large(1 << 20);
    CAPTURE(rules_of(no_room));
    CHECK(no_room.verdict == OverallVerdict::undetermined);
    REQUIRE(names(no_room, "gpu_out_of_memory", Severity::warning));
    CHECK(contains(no_room.findings.front().message, "needs at least 2.0"));
    CHECK(contains(no_room.findings.front().remedies.front().text, "--fit batch"));
    CHECK(too_large(std::int64_t{20} << 30).verdict == OverallVerdict::problems);
}

TEST_CASE(
    "networks: only plain LSTMs must be supported, and a kernel that nobody promises may fail") {
    const auto not_supported = [](auto change) {
        return networks([&](Facts& f) {
            RnnRun& run = good_case(f);
            run.end = RunEnd::not_supported;
            run.result = CallResult{"cudnnRNNForward", 9, "CUDNN_STATUS_NOT_SUPPORTED"};
            change(run);
        });
    };
    CHECK(not_supported([](RnnRun&) {}).verdict == OverallVerdict::problems);
    CHECK(not_supported([](RnnRun& run) {
              run.rnn_case.cell = Cell::gru;
          }).verdict == OverallVerdict::healthy);
    CHECK(not_supported([](RnnRun& run) {
              run.rnn_case.projection = 3;
          }).verdict == OverallVerdict::healthy);
    const auto persistent = [&](RunEnd end) {
        return not_supported([end](RnnRun& run) {
                   run.rnn_case.algorithm = Algorithm::persist_static;
                   run.end = end;
               })
            .verdict;
    };
    CHECK(persistent(RunEnd::failed) == OverallVerdict::healthy);
    CHECK(persistent(RunEnd::rejected) == OverallVerdict::healthy);
    CHECK(persistent(RunEnd::incorrect) == OverallVerdict::problems);
}

TEST_CASE("networks: TF32 where full precision was requested is a warning") {
    const Report report = networks([](Facts& f) {
        for (RnnRun& run : f.rnn_runs)
            if (run.rnn_case.math == MathType::fma)
                run.precision = Precision::tf32;
    });
    CHECK(report.verdict == OverallVerdict::warnings);
    CHECK(names(report, "tf32_reduced_precision", Severity::warning));
}
