// A GPU serves one process only, and another process has it.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::gpu_exclusive_mode_busy {

static std::vector<Remedy> remedies(const Facts& facts) {
    Remedy free =
        on_host(facts, {.action = Action::free_resources,
                        .text = "Wait for the other process to finish, stop it, or allow several processes on the GPU",
                        .commands = {"nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv",
                                     "sudo nvidia-smi --compute-mode=DEFAULT"},
                        .risk = Risk::needs_root,
                        .verify = "nvidia-smi --query-gpu=compute_mode --format=csv",
                        .link = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"});
    if (!facts.driver.mps_pipe) return {free};
    return {
        {.action = Action::change_environment,
         .text =
             "MPS is configured, and programs can share the GPU only through it: start them as the same user and with "
             "the same CUDA_MPS_PIPE_DIRECTORY as the MPS control daemon, and check that the daemon is running",
         .commands = {"echo get_server_list | nvidia-cuda-mps-control", "printenv CUDA_MPS_PIPE_DIRECTORY"},
         .link = "https://docs.nvidia.com/deploy/mps/index.html"},
        free};
}

static Finding busy(const Facts& facts, const Board& board) {
    const std::string pids =
        join_with_and(each(board.processes, [](const auto& process) { return std::to_string(process.pid); }));
    return {.severity = severity_on(facts, board, Severity::error),
            .subject = subject_of(board),
            .message = subject_of(board) + " is in exclusive-process mode and in use by process " + pids,
            .evidence = {{"compute mode", *board.compute_mode, board_fact(facts, board, "compute_mode")},
                         {"processes on the GPU", pids, board_fact(facts, board, "processes")}},
            .remedies = remedies(facts),
            .confidence = Confidence::likely,
            .explains = places_on(facts, board)};
}

/// A kernel of ours ran there in spite of it, as it does under MPS.
static bool serves_us(const Facts& facts, const Board& board) {
    const Gpu* gpu = gpu_of(facts, board);
    return gpu && std::ranges::any_of(facts.kernel_runs, [&](const KernelRun& run) {
               return run.gpu == gpu->index && run.result && run.result->ok();
           });
}

static Verdict judge_board(const Facts& facts, const Board& board) {
    if (!board.compute_mode) return not_reported(facts, "its compute mode");
    if (*board.compute_mode == "prohibited") return not_applicable("compute mode prohibits all processes");
    if (*board.compute_mode != "exclusive_process") return pass("the GPU allows several processes");
    if (board.processes.empty()) return pass("no other process uses the GPU");
    if (serves_us(facts, board)) return not_applicable("rnncheck can use the GPU together with the other process");
    // In this mode the server of MPS is the one process, and all others share the GPU through it.
    if (facts.driver.mps_pipe) return not_applicable("MPS is configured, and its server is expected to use the GPU");
    return fault(busy(facts, board));
}

static Verdict check(const Facts& facts, const Matrix&) {
    Finding refused;
    refused.message = "the GPU is busy or unavailable to this process (CUDA_ERROR_DEVICE_UNAVAILABLE)";
    refused.confidence = Confidence::likely;
    refused.remedies = remedies(facts);
    refused.evidence = {{"pipes of the MPS control daemon", if_known(facts.driver.mps_pipe), "driver.mps_pipe"}};
    const auto refusals = cuda_failures(facts, cuda_device_unavailable);
    const Verdict boards = over_boards(facts, judge_board);
    if (boards.outcome == Outcome::fault) return boards;
    if (!refusals.empty()) return fault_or(findings_for(refusals, refused), {});
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.driver.init && !lower_cause(facts)) return undecided("the result of cuInit is unknown");
    return boards;
}

extern const Rule rule{.title = "A GPU in exclusive mode is in use by another process",
                       .layer = Layer::gpu,
                       .stage = Stage::ask,
                       .check = check,
                       .yields_to = {"gpu_compute_prohibited"}};

}  // namespace rnncheck::rules::gpu_exclusive_mode_busy
