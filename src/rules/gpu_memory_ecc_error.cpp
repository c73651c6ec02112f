// The memory of a GPU had errors that its error correction could not repair.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::gpu_memory_ecc_error {

/// `board` is null where it is not known which one it was.
static std::vector<Remedy> remedies(const Facts& facts, const Board* board) {
    std::vector<std::string> commands = {"nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT"};
    if (board) commands.push_back("sudo nvidia-smi --gpu-reset -i " + std::to_string(board->index));
    return {on_host(facts, {.action = Action::reset_gpu,
                            .text = "Stop all work on this GPU, then reset it or reboot; do not trust results computed "
                                    "since the error. If errors recur, replace the GPU",
                            .commands = commands,
                            .risk = Risk::disruptive,
                            .verify = "nvidia-smi -q -d ECC",
                            .link = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html"})};
}

static Finding counted_errors(const Facts& facts, const Board& board) {
    return {.subject = subject_of(board),
            .message = subject_of(board) + " had " + std::to_string(*board.ecc_uncorrected_since_boot) +
                       " uncorrectable memory error(s) since its driver was loaded",
            .evidence = {{"uncorrectable errors since the driver was loaded",
                          std::to_string(*board.ecc_uncorrected_since_boot),
                          board_fact(facts, board, "ecc_uncorrected_since_boot")}},
            .remedies = remedies(facts, &board)};
}

/// Errors of the board's earlier life are history: they were repaired, or gpu_memory_repair_pending tells.
static Verdict judge_board(const Facts& facts, const Board& board) {
    const auto errors = board.ecc_uncorrected_since_boot;
    if (errors && *errors > 0) return fault(counted_errors(facts, board));
    if (errors) return pass("no uncorrectable memory error since the driver was loaded");
    if (board.ecc_enabled.value_or(false))
        return undecided("ECC is enabled, but the board did not report the number of uncorrectable errors");
    return not_reported(facts, "memory errors", {"nvmlDeviceGetEccMode"});
}

static Verdict check(const Facts& facts, const Matrix&) {
    Finding reported;
    reported.message = "a CUDA call reported an uncorrectable memory error (CUDA_ERROR_ECC_UNCORRECTABLE)";
    reported.remedies = remedies(facts, facts.nvml_devices.size() == 1 ? &facts.nvml_devices.front() : nullptr);
    auto findings = findings_for(cuda_failures(facts, cuda_ecc_uncorrectable), reported);
    const Verdict boards = over_boards(facts, judge_board);
    append(findings, boards.findings);
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.driver.init && !lower_cause(facts)) return undecided("the result of cuInit is unknown");
    return boards;
}

extern const Rule rule{
    .title = "GPU memory had uncorrectable errors", .layer = Layer::gpu, .stage = Stage::ask, .check = check};

}  // namespace rnncheck::rules::gpu_memory_ecc_error
