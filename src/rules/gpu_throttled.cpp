// A GPU holds its clocks down because of heat or power.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/board_support.hpp"

namespace rnncheck::rules {

/// The other reasons (idle, power cap, clocks set by the user) belong to normal work.
static std::vector<std::string> troubling(const Board& board) {
    constexpr std::array<std::string_view, 4> bad{"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake",
                                                  "sw_thermal_slowdown"};
    std::vector<std::string> found;
    for (const auto& reason : board.throttle_reasons)
        if (std::find(bad.begin(), bad.end(), reason) != bad.end()) found.push_back(reason);
    return found;
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    const auto reasons = troubling(board);
    if (reasons.empty()) {
        if (board.unreachable) return not_applicable("the driver lost this GPU");
        if (!probe_completed(facts, "nvml_devices")) return undecided("NVML was not asked to the end");
        return pass("no GPU is slowed down by heat or power");
    }
    Finding finding;
    finding.severity = Severity::warning;
    finding.subject = subject_of(board);
    finding.message = finding.subject + " is slowed down by heat or power (" + listing(reasons) + ")";
    finding.evidence = {{"reasons for low clocks", listing(reasons), board_fact(facts, board, "throttle_reasons")}};
    finding.remedies = {{.text = "Check fans, dust, air flow and the room for heat reasons, and power cables and "
                                 "supply for power reasons. Results "
                                 "stay right, only slower",
                         .commands = {"nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"},
                         .verify = "nvidia-smi -q -d PERFORMANCE",
                         .link = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"}};
    return fault(std::move(finding));
}

static Verdict check(const Facts& facts, const Matrix&) {
    return over_boards(facts, judge_board);
}

extern const Rule gpu_throttled{.title = "A GPU is slowed down by heat or power",
                                .layer = Layer::gpu,
                                .worst = Severity::warning,
                                .needs = Stage::ask,
                                .check = check};

}  // namespace rnncheck::rules
