// Other processes hold nearly all memory of a GPU.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules::gpu_memory_held_by_other_process {

static Finding held(const Facts& facts, const Board& board) {
    return {
        .severity = severity_on(facts, board, Severity::warning),
        .subject = subject_of(board),
        .message =
            subject_of(board) + " has only " + free_of_total(board) + " of memory free; in use by " + holders_of(board),
        .evidence = {{"free memory", free_of_total(board), board_fact(facts, board, "memory_free_mib")},
                     {"processes on the GPU", holders_of(board), board_fact(facts, board, "processes")}},
        .remedies = {{.action = Action::free_resources,
                      .text =
                          "Stop your processes that are no longer needed, such as idle notebooks, or use another GPU. "
                          "TensorFlow and JAX allocate nearly all memory unless configured otherwise",
                      .commands = {"nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"},
                      .verify = "nvidia-smi --query-gpu=memory.free,memory.total --format=csv",
                      .link = "https://www.tensorflow.org/guide/gpu#limiting_gpu_memory_growth"}},
        .symptoms = {place_of(facts, board)}};
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (!board.memory_free_mib) return not_reported(facts, "free memory");
    if (memory_is_low(board))
        return board.processes.empty() ? not_applicable("no process is visible on the GPU") : fault(held(facts, board));
    if (!board.memory_total_mib) return undecided("the board's memory size is unknown");
    return pass("enough GPU memory is free");
}

extern const Rule rule{.title = "Other processes use most of a GPU's memory",
                       .layer = Layer::gpu,
                       .max_severity = Severity::warning,
                       .stage = Stage::ask,
                       .check = [](const Facts& facts, const Matrix&) { return over_boards(facts, judge_board); },
                       .yields_to = {"gpu_out_of_memory"}};

}  // namespace rnncheck::rules::gpu_memory_held_by_other_process
