// An administrator closed a GPU to all compute processes.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::gpu_compute_prohibited {

static Finding closed(const Facts& facts, const std::string& subject, const std::string& source,
                      std::vector<std::string> explains, const std::string& of_board = "") {
    explains.emplace_back("driver.init");
    return {.subject = subject,
            .message = "CUDA is prohibited on " + subject + " by its compute mode",
            .evidence = {{"compute mode", "prohibited", source}},
            .remedies = {on_host(
                facts, {.action = Action::configure_driver,
                        .text = "Set the compute mode to DEFAULT, or select another GPU with CUDA_VISIBLE_DEVICES",
                        .commands = {"sudo nvidia-smi --compute-mode=DEFAULT" + of_board},
                        .risk = Risk::needs_root,
                        .verify = "nvidia-smi --query-gpu=compute_mode --format=csv",
                        .link = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"})},
            .explains = std::move(explains)};
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (!board.compute_mode) return not_reported(facts, "its compute mode");
    if (*board.compute_mode != "prohibited") return pass("CUDA is allowed on the GPU");
    Finding finding = closed(facts, subject_of(board), board_fact(facts, board, "compute_mode"),
                             places_on(facts, board), " -i " + std::to_string(board.index));
    finding.severity = severity_on(facts, board, Severity::error);
    return fault(std::move(finding));
}

static Verdict check(const Facts& facts, const Matrix&) {
    Verdict verdict = over_boards(facts, judge_board);
    bool all_known = !facts.cuda_devices.empty();
    for (const auto& gpu : facts.cuda_devices) {
        all_known &= gpu.compute_mode.has_value();
        const Board* board = board_of(facts, gpu);
        const bool told = board && board->compute_mode == "prohibited";
        if (gpu.compute_mode == "prohibited" && !told)
            verdict.findings.push_back(closed(facts, subject_of(gpu), "cuda_devices", places_on(facts, gpu.index)));
    }
    if (!verdict.findings.empty()) return fault_or(std::move(verdict.findings), {});
    if (facts.nvml_devices.empty() && all_known) return pass("CUDA is allowed on every GPU that it sees");
    return verdict;
}

extern const Rule rule{
    .title = "CUDA is prohibited on a GPU (compute mode)", .layer = Layer::gpu, .stage = Stage::ask, .check = check};

}  // namespace rnncheck::rules::gpu_compute_prohibited
