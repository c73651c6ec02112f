// A GPU holds its clocks down because of heat or power.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::gpu_throttled {

/// Of the reasons for low clocks those that slow work down for as long as they last: heat and power that is lacking.
/// The others (idle, power cap, clocks set by the user) belong to normal work.
static std::vector<std::string> lasting_slowdowns(const Board& board) {
    constexpr std::array<std::string_view, 4> lasting{"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake",
                                                      "sw_thermal_slowdown"};
    std::vector<std::string> found;
    for (const auto& reason : board.throttle_reasons)
        if (std::ranges::find(lasting, reason) != lasting.end()) found.push_back(reason);
    return found;
}

static std::string causes(const std::vector<std::string>& reasons) {
    const auto any = [&](std::string_view word) {
        return std::ranges::any_of(reasons, [&](const std::string& reason) { return contains(reason, word); });
    };
    const std::string heat = "Check fans, dust, airflow and room temperature",
                      power = "Check power cables and power supply";
    if (any("thermal") && any("power")) return heat + ". " + power;
    if (any("thermal")) return heat;
    if (any("power")) return power;
    return heat + ", then power cables and power supply: the driver does not report which one is the cause";
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    const auto reasons = lasting_slowdowns(board);
    if (reasons.empty()) {
        if (board.unreachable) return not_applicable("the driver lost this GPU");
        if (!probe_completed(facts, "nvml_devices")) return undecided("querying NVML did not finish");
        return pass("no GPU is throttled because of heat or power");
    }
    return fault(
        {.subject = subject_of(board),
         .message = subject_of(board) + " is throttled because of heat or power (" + join_with_and(reasons) + ")",
         .evidence = {{"reasons for reduced clocks", join_with_and(reasons),
                       board_fact(facts, board, "throttle_reasons")}},
         .remedies = {on_host(facts, {.action = Action::investigate,
                                      .text = causes(reasons) + ". Results are correct, only slower",
                                      .commands = {"nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"},
                                      .verify = "nvidia-smi -q -d PERFORMANCE",
                                      .link = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"})}});
}

extern const Rule rule{.title = "A GPU is throttled because of heat or power",
                       .layer = Layer::gpu,
                       .max_severity = Severity::warning,
                       .stage = Stage::ask,
                       .check = [](const Facts& facts, const Matrix&) { return over_boards(facts, judge_board); }};

}  // namespace rnncheck::rules::gpu_throttled
