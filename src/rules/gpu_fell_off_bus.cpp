// The driver lost a GPU that it had: it no longer answers on the PCI bus.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::gpu_fell_off_bus {

static std::vector<Remedy> remedies(const Facts& facts) {
    return {
        on_host(facts, {.action = Action::restart_node,
                        .text = "Check the kernel log for Xid 79, then reboot. If the GPU is lost again, check its "
                                "power cables, seat, cooling and power supply; if that does not help, replace the GPU",
                        .commands = {"sudo dmesg | grep -E 'Xid|fallen off the bus'", "sudo reboot"},
                        .risk = Risk::disruptive,
                        .verify = "nvidia-smi -L",
                        .link = "https://docs.nvidia.com/deploy/xid-errors/index.html"})};
}

static Finding lost(const Facts& facts, const Board& board) {
    auto explains = places_on(facts, board);
    explains.insert(explains.end(), {"cuda_devices", "driver.init"});
    return {.subject = subject_of(board),
            .message = subject_of(board) + " does not respond on the PCI bus: the driver lost it",
            .evidence = {{"failed call", in_words(*board.unreachable), board_fact(facts, board, "unreachable")}},
            .remedies = remedies(facts),
            .confidence = board.unreachable->code == nvml_gpu_is_lost ? Confidence::certain : Confidence::likely,
            .explains = std::move(explains)};
}

/// Something that only a board which answers can tell.
static bool answers(const Board& board) {
    return board.compute_mode || board.memory_free_mib || board.memory_total_mib || board.persistence;
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (board.unreachable) return fault(lost(facts, board));
    return answers(board) ? pass("the board responds") : undecided("the board reported nothing");
}

static bool speaks_of_loss(const CallResult& call) {
    return (call.call.starts_with("nvml") && call.code == nvml_gpu_is_lost) || contains(call.text, "GPU is lost") ||
           contains(call.text, "GPU_IS_LOST") || contains(call.text, "fallen off the bus");
}

static Verdict check(const Facts& facts, const Matrix&) {
    const Verdict boards = over_boards(facts, judge_board);
    if (boards.outcome == Outcome::fault) return boards;
    Finding finding;
    finding.message = "a call reported a lost GPU: it no longer responds on the PCI bus";
    finding.remedies = remedies(facts);
    return fault_or(findings_for(failures_where(facts, speaks_of_loss), finding),
                    failures_are_known(facts) ? boards : undecided("a run on the GPU failed for an unknown reason"));
}

extern const Rule rule{
    .title = "A GPU has fallen off the PCI bus", .layer = Layer::gpu, .stage = Stage::ask, .check = check};

}  // namespace rnncheck::rules::gpu_fell_off_bus
