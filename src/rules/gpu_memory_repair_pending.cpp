// A GPU waits for a reset to take bad memory out of use, or cannot repair it any more.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::gpu_memory_repair_pending {

static Finding found(const Facts& facts, const Board& board, const char* field, Severity severity,
                     const std::string& what) {
    Finding finding;
    finding.severity = severity;
    finding.subject = subject_of(board);
    finding.message = finding.subject + ' ' + what;
    finding.evidence = {{field, "true", board_fact(facts, board, field)}};
    const bool replace = severity == Severity::error;
    finding.remedies = {on_host(facts, {.action = replace ? Action::replace_hardware : Action::reset_gpu,
                                        .text = replace ? "Replace the GPU; until then, use another one"
                                                        : "Stop all work on this GPU, then reset it or reboot",
                                        .commands = {"nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT"},
                                        .risk = replace ? Risk::safe : Risk::disruptive,
                                        .verify = "nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT",
                                        .link = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html"})};
    if (!replace)
        finding.remedies.front().commands.push_back("sudo nvidia-smi --gpu-reset -i " + std::to_string(board.index));
    return finding;
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (board.remapping_failed.value_or(false))
        return fault(
            found(facts, board, "remapping_failed", Severity::error, "failed to remap a defective memory row"));
    if (board.remapping_pending.value_or(false))
        return fault(found(facts, board, "remapping_pending", Severity::warning,
                           "needs a reset to remap a defective memory row"));
    if (board.retirement_pending.value_or(false))
        return fault(found(facts, board, "retirement_pending", Severity::warning,
                           "needs a reboot to retire a defective memory page"));
    const bool remaps = board.remapping_failed && board.remapping_pending;
    const bool retires = board.retirement_pending.has_value();
    if (remaps && retires) return pass("no memory repair is pending");
    // A board repairs its memory in one of the two ways and is silent about the other.
    if (remaps) return not_reported(facts, "page retirement, and no row replacement is pending");
    if (retires) return not_reported(facts, "row remapping in full, and no page retirement is pending");
    return not_reported(facts, "memory repairs",
                        {"nvmlDeviceGetRemappedRows", "nvmlDeviceGetRetiredPagesPendingStatus"});
}

extern const Rule rule{.title = "A GPU memory repair is pending or failed",
                       .layer = Layer::gpu,
                       .stage = Stage::ask,
                       .check = [](const Facts& facts, const Matrix&) { return over_boards(facts, judge_board); }};

}  // namespace rnncheck::rules::gpu_memory_repair_pending
