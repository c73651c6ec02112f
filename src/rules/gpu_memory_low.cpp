// Little GPU memory is free, and no process is seen that holds it.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::gpu_memory_low {

static Finding little_left(const Facts& facts, const Board& board) {
    return {
        .severity = severity_on(facts, board, Severity::warning),
        .subject = subject_of(board),
        .message = subject_of(board) + " has only " + free_of_total(board) +
                   " of memory free, and no visible process uses the rest",
        .evidence = {{"free memory", free_of_total(board), board_fact(facts, board, "memory_free_mib")},
                     {"processes on the GPU", "none visible", board_fact(facts, board, "processes")}},
        .remedies = {on_host(
            facts, {.action = Action::free_resources,
                    .text = "Check for processes of other users or in other containers, and for processes that ended "
                            "without freeing their memory; a reboot frees all of it. A display also uses memory",
                    .commands = {"nvidia-smi", "sudo fuser -v /dev/nvidia*"},
                    .risk = Risk::needs_root,
                    .verify = "nvidia-smi --query-gpu=memory.free,memory.total --format=csv",
                    .link = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"})},
        .symptoms = {place_of(facts, board)}};
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (!board.memory_free_mib) return not_reported(facts, "free memory");
    if (memory_is_low(board)) {
        if (!board.processes.empty()) return not_applicable("processes use the memory");
        return fault(little_left(facts, board));
    }
    if (!board.memory_total_mib) return undecided("the board's memory size is unknown");
    return pass("enough GPU memory is free");
}

extern const Rule rule{.title = "Little GPU memory is free",
                       .layer = Layer::gpu,
                       .max_severity = Severity::warning,
                       .stage = Stage::ask,
                       .check = [](const Facts& facts, const Matrix&) { return over_boards(facts, judge_board); },
                       .yields_to = {"gpu_out_of_memory"}};

}  // namespace rnncheck::rules::gpu_memory_low
