// A log joined with the facts of a machine, which decide where they can.
#include <algorithm>
#include <stdexcept>

#include "judge.hpp"
#include "support/catch.hpp"
#include "support/healthy_machine.hpp"
#include "support/logs.hpp"

using namespace rnncheck;
using namespace rnncheck::test;

namespace {

constexpr const char* insufficient_driver =
    "RuntimeError: cudaGetDeviceCount() failed: CUDA driver version is insufficient for CUDA "
    "runtime version\n";
constexpr const char* unknown = "RuntimeError: the frobnicator gave up on tensor 7\n";

Report joined(Facts machine, std::string_view log) {
    machine.log = log_read(log);
    return judge(std::move(machine), bundled_matrix(), {});
}

const Finding& finding_of(const Report& report, std::string_view rule) {
    for (const Finding& finding : report.findings)
        if (finding.rule == rule)
            return finding;
    throw std::out_of_range(std::string(rule));
}

bool rests_on_log(const Finding& finding) {
    for (const Evidence& evidence : finding.evidence)
        if (evidence.source.starts_with("log.events["))
            return true;
    return false;
}

}  // namespace

TEST_CASE("a cause that the machine has is one finding, with what both show") {
    const Report report = joined(
        but([](Facts& f) { f.driver.cuda_version = parse_version("11.4"); }), insufficient_driver);
    const Finding& finding = finding_of(report, "driver_too_old");
    CHECK(finding.severity == Severity::error);
    CHECK(rests_on_log(finding));
    CHECK(report.verdict == OverallVerdict::problems);
    CHECK(std::count_if(report.findings.begin(), report.findings.end(), [](const Finding& f) {
              return f.rule == "driver_too_old";
          }) == 1);
}

TEST_CASE("a cause that the machine does not show now is a note, and the error stays unexplained") {
    const Report report = joined(a_healthy_machine(), insufficient_driver);
    const Finding& finding = finding_of(report, "driver_too_old");
    CHECK(finding.severity == Severity::note);
    CHECK(finding.message.find("does not show") != std::string::npos);
    CHECK(report.verdict == OverallVerdict::undetermined);
}

TEST_CASE("an error that nobody knows is no clean bill for the machine") {
    CHECK(joined(a_healthy_machine(), unknown).verdict != OverallVerdict::healthy);
    CHECK(joined(a_healthy_machine(), "Epoch 1/3\n").verdict == OverallVerdict::healthy);
}
