#include "judge.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/matrix_copy.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

Report judged(const Facts& facts, const Selection& selection = {}) {
    return judge(facts, Matrix::bundled(), selection);
}

Facts without_anything() {
    Facts facts;
    facts.tool.stages = {"look", "query", "run"};
    facts.host.pci_listed = true;
    facts.driver.module_loaded = false;
    for (const char* probe :
         {"host_system", "driver_files", "library_files", "driver_api", "nvml_devices"}) {
        ProbeRun run;
        run.probe = probe;
        facts.probe_runs.push_back(run);
    }
    return facts;
}

const RuleVerdict& verdict_of(const Report& report, const std::string& rule) {
    for (const auto& verdict : report.verdicts)
        if (verdict.rule == rule)
            return verdict;
    throw std::out_of_range(rule);
}

const Finding* finding_of(const Report& report, const std::string& rule) {
    for (const auto& finding : report.findings)
        if (finding.rule == rule)
            return &finding;
    return nullptr;
}

}  // namespace

TEST_CASE("a healthy machine is healthy") {
    const Report report = judged(a_healthy_machine());
    for (const auto& finding : report.findings)
        UNSCOPED_INFO(finding.rule << ": " << finding.message);
    for (const auto& verdict : report.verdicts)
        if (verdict.outcome == Outcome::undecided)
            UNSCOPED_INFO(verdict.rule << " undecided: " << verdict.reason);
    CHECK(report.verdict == OverallVerdict::healthy);
    CHECK(report.counts.fault == 0);
    CHECK(report.findings.empty());
}

TEST_CASE("nothing collected is never healthy") {
    const Report report = judged(nothing_collected());
    CHECK(report.verdict == OverallVerdict::undetermined);
    CHECK(report.counts.pass == 0);
}

TEST_CASE("a machine without a GPU is a problem unless it is expected") {
    CHECK(judged(without_anything()).verdict == OverallVerdict::problems);
    Selection expected;
    expected.allow_no_gpu = true;
    const Report report = judged(without_anything(), expected);
    CHECK(report.verdict != OverallVerdict::problems);
    REQUIRE(finding_of(report, "driver_missing"));
    CHECK(finding_of(report, "driver_missing")->severity == Severity::note);
}

TEST_CASE("a card without a driver is no machine without a GPU") {
    Facts facts = without_anything();
    facts.host.pci_gpus = {{"0000:01:00.0", "0x2204", {}}};
    Selection expected;
    expected.allow_no_gpu = true;
    CHECK(judged(facts, expected).verdict == OverallVerdict::problems);
}

TEST_CASE("ignored faults are reported but do not count") {
    Selection ignoring;
    ignoring.ignore = {{"driver_missing", ""}};
    const Report report = judged(without_anything(), ignoring);
    REQUIRE(finding_of(report, "driver_missing"));
    CHECK(finding_of(report, "driver_missing")->severity == Severity::note);
    CHECK(verdict_of(report, "driver_missing").outcome == Outcome::fault);
}

TEST_CASE("only and skip exclude rules, which the report shows") {
    Selection only;
    only.only = {"driver_missing"};
    const Report report = judged(without_anything(), only);
    CHECK(report.findings.size() == 1);
    Selection skip;
    skip.skip = {"driver_missing"};
    CHECK(
        verdict_of(judged(without_anything(), skip), "driver_missing").outcome ==
        Outcome::not_applicable);
}

TEST_CASE("a rule yields only to rules that are evaluated") {
    Facts facts = but([](Facts& f) {
        f.rnn_runs.front().end = RunEnd::failed;
        f.rnn_runs.front().result = CallResult{"cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"};
    });
    const Report all = judged(facts);
    CHECK(finding_of(all, "gpu_out_of_memory"));
    CHECK_FALSE(finding_of(all, "rnn_call_failed"));
    CHECK(verdict_of(all, "rnn_call_failed").outcome == Outcome::not_applicable);
    CHECK(verdict_of(all, "rnn_call_failed").reason == "explained by gpu_out_of_memory");
    Selection selection;
    selection.skip = {"gpu_out_of_memory"};
    CHECK(finding_of(judged(facts, selection), "rnn_call_failed"));
}

TEST_CASE("what a rule could not learn stays unknown when its finding yields") {
    const Facts facts = but([](Facts& f) {
        f.kernel_runs.front().result =
            CallResult{"cuModuleLoadDataEx", 214, "CUDA_ERROR_ECC_UNCORRECTABLE"};
        Gpu second = f.cuda_devices.front();
        second.index = 1;
        f.cuda_devices.push_back(second);
    });
    const Report report = judged(facts);
    CHECK(finding_of(report, "gpu_memory_ecc_error"));
    CHECK_FALSE(finding_of(report, "kernel_launch_failed"));
    CHECK(verdict_of(report, "kernel_launch_failed").outcome == Outcome::undecided);
}

TEST_CASE("a required rule that cannot decide makes the whole undetermined") {
    Selection require;
    require.require = {"rnn_result_wrong"};
    CHECK(judged(a_healthy_machine(), require).verdict == OverallVerdict::healthy);
    const Facts no_runs = but([](Facts& f) {
        f.rnn_runs.clear();
        f.tool.stages = {"look", "query"};
    });
    CHECK(judged(no_runs, require).verdict == OverallVerdict::undetermined);
}

TEST_CASE("a question that was switched off is not open") {
    const Facts no_run = but([](Facts& f) {
        f.rnn_runs.clear();
        f.kernel_runs.clear();
        std::erase_if(f.probe_runs, [](const auto& run) {
            return run.probe == "rnn_forward" || run.probe == "ptx_launch";
        });
        f.tool.stages = {"look", "query"};
    });
    const Report report = judged(no_run);
    CHECK(report.verdict == OverallVerdict::healthy);
    CHECK(verdict_of(report, "rnn_result_wrong").outcome == Outcome::not_applicable);
    CHECK(verdict_of(report, "rnn_result_wrong").reason.find("switched off") != std::string::npos);
}

TEST_CASE("where nothing at all was evaluated, nothing is fine") {
    Facts looked = nothing_collected();
    looked.tool.stages = {"look"};
    Selection selection;
    selection.only = {"rnn_result_wrong"};
    const Report report = judged(looked, selection);
    CHECK(contains(verdict_of(report, "rnn_result_wrong").reason, "switched off"));
    CHECK(report.verdict == OverallVerdict::undetermined);
}

TEST_CASE("findings are in the order of repair: errors first, the lowest layer first") {
    const Report report = judged(but([](Facts& f) {
        f.driver.kernel_version = v("535.104.05");
        f.driver.init = CallResult{"cuInit", 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"};
        f.nvml_devices.front().throttle_reasons = {"hw_slowdown"};  // a warning of a low layer
        for (auto& run : f.rnn_runs)
            run.end = RunEnd::incorrect;
    }));
    REQUIRE_FALSE(report.findings.empty());
    CHECK(std::is_sorted(
        report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
            return std::tie(a.severity, a.layer) < std::tie(b.severity, b.layer);
        }));
}

TEST_CASE("nodes that the first CUDA program makes leave the machine undetermined, not faulty") {
    const Report report = judged(but([](Facts& f) {
        f.driver.device_nodes.clear();
        f.driver.init = CallResult{"cuInit", 999, "CUDA_ERROR_UNKNOWN"};
        f.cuda_devices.clear();
        f.kernel_runs.clear();
        f.rnn_runs.clear();
    }));
    CHECK(report.verdict == OverallVerdict::undetermined);
    REQUIRE(finding_of(report, "device_nodes_missing"));
    CHECK(finding_of(report, "device_nodes_missing")->severity == Severity::note);
}

TEST_CASE("with nodes to come the verdict stays open even where nothing was to run") {
    const Report report = judged(but([](Facts& f) {
        f.tool.stages = {"look", "query"};
        f.driver.device_nodes.clear();
        f.driver.init = CallResult{"cuInit", 999, "CUDA_ERROR_UNKNOWN"};
        f.cuda_devices.clear();
        f.nvml_devices.clear();
        f.kernel_runs.clear();
        f.rnn_runs.clear();
    }));
    CHECK(report.verdict == OverallVerdict::undetermined);
}

TEST_CASE("no problem found with nothing run on a GPU is stated as such") {
    const auto sentence = [](std::vector<std::string> stages, bool gpu) {
        Selection selection;
        selection.allow_no_gpu = true;
        Facts facts = gpu ? a_healthy_machine() : without_anything();
        facts.kernel_runs.clear();
        facts.rnn_runs.clear();
        std::erase_if(
            facts.probe_runs, [](const ProbeRun& run) { return run.target.starts_with("GPU "); });
        facts.tool.stages = std::move(stages);
        return judged(facts, selection).sentence;
    };
    CHECK(
        sentence({"look", "query"}, true) ==
        "no problem found, but nothing was run on a GPU, as requested");
    CHECK(
        sentence({"look"}, true) ==
        "no problem found, but only files were examined; nothing was run on a GPU");
    CHECK(contains(sentence({"look", "query", "run"}, true), "nothing was run on a GPU"));
    CHECK(contains(sentence({"look", "query", "run"}, false), "nothing was run on a GPU"));
    CHECK(contains(judged(a_healthy_machine()).sentence, "recurrent networks work: all"));
}

TEST_CASE("a deadline that cuts a sweep short leaves the machine undetermined") {
    const Report report = judged(but([](Facts& f) {
        for (std::size_t i = 5; i < f.rnn_runs.size(); ++i) {
            f.rnn_runs[i].end = RunEnd::skipped;
            f.rnn_runs[i].result = CallResult{"?", -1, "not tried: the deadline passed"};
        }
    }));
    CHECK(report.verdict == OverallVerdict::undetermined);
}

TEST_CASE("a cause that only the tables given have is reported") {
    const MatrixCopy copy;
    for (const char* file : {"log_causes.json", "log_evidence.json"})
        copy.replace(file, "\"cudnn_rnn_under_xla_jit\"", "\"a_cause_of_these_tables\"");
    Facts facts;
    facts.log.emplace().events.emplace_back().signature = "cudnn_rnn_under_xla";
    const Report report = judge(facts, Matrix::from_directory(copy.directory), {});
    const Finding* cause = finding_of(report, "a_cause_of_these_tables");
    REQUIRE(cause);
    CHECK(!cause->title.empty());
    CHECK(!finding_of(report, "cudnn_rnn_under_xla_jit"));
}

TEST_CASE(
    "a finding is at most as severe as its rule allows, and its evidence has no unknown values") {
    const Facts throttled =
        but([](Facts& f) { f.nvml_devices.front().throttle_reasons = {"hw_slowdown"}; });
    const Report warned = judged(throttled);
    REQUIRE(finding_of(warned, "gpu_throttled"));
    CHECK(finding_of(warned, "gpu_throttled")->severity == Severity::warning);
    const Report report = judged(without_anything());
    const Finding* missing = finding_of(report, "driver_missing");
    REQUIRE(missing);
    CHECK(!missing->evidence.empty());
    CHECK(std::ranges::none_of(
        missing->evidence, [](const Evidence& evidence) { return evidence.value.empty(); }));
}
