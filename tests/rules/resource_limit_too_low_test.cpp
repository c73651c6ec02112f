#include "judge.hpp"
#include "support/broken_machines.hpp"
#include "support/rule_test.hpp"

namespace {

using namespace rnncheck;

Facts limited(const char* probe, LimitKind kind, ProbeEnd end = ProbeEnd::limited) {
    return test::but([&](Facts& f) {
        ProbeRun& run = test::probe_run(f, probe);
        run.end = end;
        run.limit = kind;
        run.reason = "the memory limit of the control group (64 MiB)";
        run.signal = "SIGKILL";
        run.last_call = "cudnnCreate";
        run.peak_memory_mib = 61;
    });
}

Facts with_limit(Facts f, ResourceLimit limit) {
    f.host.limits = {std::move(limit)};
    return f;
}

Facts case_without_memory() {
    auto f = test::a_healthy_machine();
    f.rnn_runs.front().end = RunEnd::skipped;
    f.rnn_runs.front().skip_reason = SkipReason::host_memory;
    return f;
}

const ResourceLimit on_memory{LimitKind::memory, 64 << 20, {}, 60 << 20, 2, "memory.max"};
const ResourceLimit on_address_space{LimitKind::address_space, 150 << 20, {}, {}, {}, "RLIMIT_AS"};

Finding finding_of(const Facts& facts) {
    return (*find_named(all_rules(), "resource_limit_too_low"))
        ->check(facts, Matrix::bundled())
        .findings.at(0);
}

}  // namespace

RULE_TEST(
    resource_limit_too_low,
    Fires{
        {{"the control group's memory",
          with_limit(limited("cudnn_library", LimitKind::memory), on_memory),
          "the memory limit of the control group (64 MiB) is too low for cuDNN"},
         {"the limits are unknown",
          limited("cudnn_library", LimitKind::memory),
          "the memory limit of the control group (64 MiB) is too low for cuDNN"},
         {"address space",
          with_limit(limited("driver_api", LimitKind::address_space), on_address_space),
          "the limit on address space (ulimit -v: 150 MiB) is too low for the NVIDIA driver "
          "library"},
         {"a process was not started",
          limited("driver_api", LimitKind::open_files, ProbeEnd::not_started),
          "its process could not be started"},
         {"no memory for the reference",
          with_limit(case_without_memory(), on_address_space),
          "is too low for 1 RNN case, which could not be checked"}}},
    Silent{
        {{"healthy", a_healthy_machine(), ""},
         {"a limit that nothing reached", with_limit(a_healthy_machine(), on_memory), ""}}},
    WhenUndecided{
        {{"nothing collected", nothing_collected(), ""},
         {"a probe crashed",
          but([](Facts& f) { probe_run(f, "driver_api").end = ProbeEnd::crashed; }),
          ""}}})

TEST_CASE("a limit is an error where it stops a vendor's library") {
    CHECK(finding_of(limited("cudnn_library", LimitKind::memory)).severity == Severity::error);
    CHECK(finding_of(limited("library_files", LimitKind::memory)).severity == Severity::warning);
    CHECK(
        finding_of(limited("driver_api", LimitKind::open_files, ProbeEnd::not_started)).severity ==
        Severity::warning);
}

TEST_CASE("a limit is raised where it was set") {
    auto facts = with_limit(limited("cudnn_library", LimitKind::memory), on_memory);
    const auto text = [&] { return finding_of(facts).remedies.at(0).text; };
    CHECK(contains(text(), "MemoryMax="));
    facts.host.environment["SLURM_JOB_ID"] = "7";
    CHECK(contains(text(), "#SBATCH --mem="));
    facts.host.container = "docker";
    CHECK(contains(text(), "docker run --memory"));
    facts.host.container = "kubernetes";
    CHECK(contains(text(), "limits: memory:"));
    facts = with_limit(limited("cudnn_library", LimitKind::address_space), on_address_space);
    CHECK(
        finding_of(facts).remedies.at(0).commands ==
        std::vector<std::string>{"ulimit -v unlimited"});
}

TEST_CASE("nothing else is concluded from what a limit stopped") {
    for (const char* probe :
         {"driver_api",
          "cudnn_library",
          "cuda_runtime",
          "nvml_devices",
          "rnn_forward",
          "ptx_launch"}) {
        const Report report = judge(limited(probe, LimitKind::memory), Matrix::bundled(), {});
        for (const Finding& finding : report.findings) {
            INFO(probe << ": " << finding.rule << ' ' << finding.message);
            CHECK(finding.rule == "resource_limit_too_low");
        }
    }
}
