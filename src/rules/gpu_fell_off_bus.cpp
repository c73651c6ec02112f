// The driver lost a GPU that it had: it no longer answers on the PCI bus.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/remedies.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::gpu_fell_off_bus {

static std::vector<Remedy> remedies(const Facts& facts) {
    return {on_host(
        facts, {.text = "Look in the kernel log for Xid 79. Restart the machine; if the GPU is lost again, check its "
                        "power cables, seat, cooling and power supply, and have it replaced if that does not help",
                .commands = {"sudo dmesg | grep -E 'Xid|fallen off the bus'", "sudo reboot"},
                .risk = Risk::disruptive,
                .verify = "nvidia-smi -L",
                .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})};
}

static Finding lost(const Facts& facts, const Board& board) {
    Finding finding;
    finding.subject = subject_of(board);
    finding.explains = places_on(facts, board);
    finding.explains.insert(finding.explains.end(), {"cuda_devices", "driver.init"});
    finding.message = finding.subject + " does not answer on the PCI bus: the driver lost it";
    finding.confidence = board.unreachable->code == nvml_gpu_is_lost ? Confidence::certain : Confidence::likely;
    finding.evidence = {{"failed call", in_words(*board.unreachable), board_fact(facts, board, "unreachable")}};
    finding.remedies = remedies(facts);
    return finding;
}

/// Something that only a board which answers can tell.
static bool answers(const Board& board) {
    return board.compute_mode || board.memory_free_mib || board.memory_total_mib || board.persistence;
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (board.unreachable) return fault(lost(facts, board));
    return answers(board) ? pass("the board answers") : undecided("the board told nothing of itself");
}

static bool speaks_of_loss(const CallResult& call) {
    return (call.call.starts_with("nvml") && call.code == nvml_gpu_is_lost) || contains(call.text, "GPU is lost") ||
           contains(call.text, "GPU_IS_LOST") || contains(call.text, "fallen off the bus");
}

static Verdict check(const Facts& facts, const Matrix&) {
    const Verdict boards = over_boards(facts, judge_board);
    if (boards.outcome == Outcome::fault) return boards;
    Finding finding;
    finding.message = "a call found a GPU lost: it does not answer on the PCI bus any more";
    finding.remedies = remedies(facts);
    for (const auto& failed : failed_calls(facts))
        if (speaks_of_loss(failed.call)) return fault_or(findings_for({failed}, finding), {});
    return failures_are_known(facts) ? boards : undecided("a run on the GPU failed, and the reason is not known");
}

extern const Rule rule{.title = "A GPU fell off the PCI bus",
                       .layer = Layer::gpu,
                       .max_severity = Severity::error,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::gpu_fell_off_bus
