// GPUs that this process may not use, or that others use.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// The severity of what is wrong with a board, a note when CUDA gives this process other GPUs than
/// that one.
static Severity severity_on(const Facts& facts, const Board& board, Severity severity) {
    if (facts.cuda_devices.empty() || gpu_of(facts, board))
        return severity;
    return Severity::note;
}

/// NVML shows the mode of every board, CUDA that of the GPUs that it lists.
static Finding closed(
    const Facts& facts,
    const std::string& subject,
    const std::string& source,
    std::vector<std::string> explains,
    const std::string& of_board = "") {
    explains.emplace_back("driver.init");
    return {
        .subject = subject,
        .message = "CUDA is prohibited on " + subject + " by its compute mode",
        .evidence = {{"compute mode", "prohibited", source}},
        .remedies = {on_host(facts, remedy("gpu_compute_prohibited", {of_board}))},
        .explains = std::move(explains),
    };
}

/// `nvidia-smi --compute-mode=PROHIBITED` makes a GPU reject every CUDA
/// context. Administrators reserve a GPU for display in this way.
Verdict gpu_compute_prohibited(const Facts& facts, const Matrix&) {
    Verdict verdict = over_boards(facts, [&](const Board& board) {
        if (!board.compute_mode)
            return not_reported(facts, "its compute mode");
        if (*board.compute_mode != "prohibited")
            return pass("CUDA is allowed on the GPU");
        Finding finding = closed(
            facts,
            subject_of(board),
            board_fact(facts, board, "compute_mode"),
            places_on(facts, board),
            " -i " + std::to_string(board.index));
        finding.severity = severity_on(facts, board, Severity::error);
        finding.gpu = board.index;
        return fault(std::move(finding));
    });
    bool all_known = !facts.cuda_devices.empty();
    for (const auto& gpu : facts.cuda_devices) {
        all_known &= gpu.compute_mode.has_value();
        const Board* board = board_of(facts, gpu);
        const bool reported = board && board->compute_mode == "prohibited";
        if (gpu.compute_mode != "prohibited" || reported)
            continue;
        verdict.findings.push_back(
            closed(facts, subject_of(gpu), "cuda_devices", places_on(facts, gpu.index)));
        verdict.findings.back().gpu = gpu.index;
    }
    if (!verdict.findings.empty())
        return fault_or(std::move(verdict.findings), {});
    if (facts.nvml_devices.empty() && all_known)
        return pass("CUDA is allowed on every GPU that it sees");
    return verdict;
}

/// Under MPS a client is rejected when its server has failed or has another
/// user.
static std::vector<Remedy> for_shared_gpu(const Facts& facts) {
    Remedy free = on_host(facts, remedy("gpu_exclusive_mode_busy/free"));
    if (!facts.driver.mps_pipe)
        return {free};
    return {remedy("gpu_exclusive_mode_busy/mps"), free};
}

/// A kernel of ours ran there in spite of it, as it does under MPS.
static bool our_kernel_ran(const Facts& facts, const Board& board) {
    const Gpu* gpu = gpu_of(facts, board);
    return gpu && std::ranges::any_of(facts.kernel_runs, [&](const KernelRun& run) {
               return run.gpu == gpu->index && run.result && run.result->ok();
           });
}

/// A board in exclusive-process mode with a process on it, where none of ours
/// ran.
static Verdict judge_exclusive_mode(const Facts& facts, const Board& board) {
    if (!board.compute_mode)
        return not_reported(facts, "its compute mode");
    if (*board.compute_mode == "prohibited")
        return not_applicable("compute mode prohibits all processes");
    if (*board.compute_mode != "exclusive_process")
        return pass("the GPU allows several processes");
    if (board.processes.empty())
        return pass("no other process uses the GPU");
    if (our_kernel_ran(facts, board))
        return not_applicable("rnncheck can use the GPU together with the other process");
    // In this mode the server of MPS is the one process, and all others share the GPU through it.
    if (facts.driver.mps_pipe)
        return not_applicable("MPS is configured, and its server is expected to use the GPU");
    const std::string pids = join_with_and(
        mapped(board.processes, [](const auto& process) { return std::to_string(process.pid); }));
    return fault({
        .severity = severity_on(facts, board, Severity::error),
        .subject = subject_of(board),
        .gpu = board.index,
        .message =
            subject_of(board) + " is in exclusive-process mode and in use by process " + pids,
        .evidence =
            {{"compute mode", *board.compute_mode, board_fact(facts, board, "compute_mode")},
             {"processes on the GPU", pids, board_fact(facts, board, "processes")}},
        .remedies = for_shared_gpu(facts),
        .confidence = Confidence::likely,
        .explains = places_on(facts, board),
    });
}

/// In exclusive-process mode the first process has the GPU to itself; every
/// other gets CUDA_ERROR_DEVICE_UNAVAILABLE (46) until it ends.
Verdict gpu_exclusive_mode_busy(const Facts& facts, const Matrix&) {
    const Verdict boards =
        over_boards(facts, [&](const Board& board) { return judge_exclusive_mode(facts, board); });
    if (boards.outcome == Outcome::fault)
        return boards;
    const Finding rejected{
        .message = "the GPU is busy or unavailable to this process (CUDA_ERROR_DEVICE_UNAVAILABLE)",
        .evidence =
            {{"pipes of the MPS control daemon",
              if_known(facts.driver.mps_pipe),
              "driver.mps_pipe"}},
        .remedies = for_shared_gpu(facts),
        .confidence = Confidence::likely,
    };
    const auto refusals = cuda_failures(facts, cuda_device_unavailable);
    if (!refusals.empty())
        return fault_or(findings_for(refusals, rejected), {});
    if (!failures_are_known(facts))
        return undecided("a run on the GPU failed for an unknown reason");
    if (facts.driver.init || lower_cause(facts))
        return boards;
    return undecided("the result of cuInit is unknown");
}

/// Little memory is free: held by processes that are seen, or not.
static Verdict judge_free_memory(const Facts& facts, const Board& board, bool held) {
    if (!board.memory_free_mib)
        return not_reported(facts, "free memory");
    if (!memory_is_low(board) && board.memory_total_mib)
        return pass("enough GPU memory is free");
    if (!memory_is_low(board))
        return undecided("the board's memory size is unknown");
    if (held && board.processes.empty())
        return not_applicable("no process is visible on the GPU");
    if (!held && !board.processes.empty())
        return not_applicable("processes use the memory");
    std::string processes = "none visible", users = ", and no visible process uses the rest";
    Remedy fix = on_host(facts, remedy("gpu_memory_low"));
    if (held) {
        processes = processes_on(board);
        users = "; in use by " + processes;
        fix = remedy("gpu_memory_held_by_other_process");
    }
    const std::string free = free_of_total(board);
    return fault({
        .severity = severity_on(facts, board, Severity::warning),
        .subject = subject_of(board),
        .gpu = board.index,
        .message = subject_of(board) + " has only " + free + " of memory free" + users,
        .evidence =
            {{"free memory", free, board_fact(facts, board, "memory_free_mib")},
             {"processes on the GPU", processes, board_fact(facts, board, "processes")}},
        .remedies = {fix},
        .symptoms = {place_of(facts, board)},
    });
}

/// Other programs hold so much of the memory that a context, cuDNN's kernels
/// and a small network may not fit.
Verdict gpu_memory_held_by_other_process(const Facts& facts, const Matrix&) {
    return over_boards(
        facts, [&](const Board& board) { return judge_free_memory(facts, board, true); });
}

/// The same where no process is to be seen that holds it: those of other
/// containers or of Windows, or memory that a program which crashed did not
/// return.
Verdict gpu_memory_low(const Facts& facts, const Matrix&) {
    return over_boards(
        facts, [&](const Board& board) { return judge_free_memory(facts, board, false); });
}

}  // namespace rnncheck::rules
