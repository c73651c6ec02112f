// What the boards report of their health, and the test kernel on them.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

/// The driver lost a board: NVML or a call reports it, as the kernel log does
/// with Xid 79. All that failed on it is explained by this.
/// https://docs.nvidia.com/deploy/xid-errors/
Verdict gpu_fell_off_bus(const Facts& facts, const Matrix&) {
    const std::vector<Remedy> remedies{on_host(facts, remedy("gpu_fell_off_bus"))};
    const Verdict boards = over_boards(facts, [&](const Board& board) {
        if (!board.unreachable) {
            const bool responds = board.compute_mode || board.memory_free_mib ||
                                  board.memory_total_mib || board.persistence;
            if (responds)
                return pass("the board responds");
            return undecided("the board reported nothing");
        }
        auto explains = places_on(facts, board);
        append(explains, {"cuda_devices", "driver.init"});
        const bool is_lost = board.unreachable->code == nvml_gpu_is_lost;
        return fault({
            .subject = subject_of(board),
            .gpu = board.index,
            .message = subject_of(board) + " does not respond on the PCI bus: the driver lost it",
            .evidence =
                {{"failed call",
                  in_words(*board.unreachable),
                  board_fact(facts, board, "unreachable")}},
            .remedies = remedies,
            .confidence = certain_if(is_lost),
            .explains = std::move(explains),
        });
    });
    if (boards.outcome == Outcome::fault)
        return boards;
    const Finding reported{
        .message = "a call reported a lost GPU: it no longer responds on the PCI bus",
        .remedies = remedies,
    };
    const auto failures = failures_where(facts, [](const CallResult& call) {
        return (call.call.starts_with("nvml") && call.code == nvml_gpu_is_lost) ||
               contains(call.text, "GPU is lost") || contains(call.text, "GPU_IS_LOST") ||
               contains(call.text, "fallen off the bus");
    });
    Verdict otherwise = boards;
    if (!failures_are_known(facts))
        otherwise = undecided("a run on the GPU failed for an unknown reason");
    return fault_or(findings_for(failures, reported), std::move(otherwise));
}

/// `board` is null where it is not known which one it was.
static std::vector<Remedy> against_errors(const Facts& facts, const Board* board) {
    std::vector<std::string> reset;
    if (board)
        reset = {"sudo nvidia-smi --gpu-reset -i " + std::to_string(board->index)};
    return {on_host(facts, remedy("gpu_memory_ecc_error", {}, reset))};
}

/// Errors of the board's earlier life are history: they were repaired, or gpu_memory_repair_pending
/// shows.
static Verdict judge_errors(const Facts& facts, const Board& board) {
    const auto& errors = board.ecc_uncorrected_since_boot;
    if (errors && *errors <= 0)
        return pass("no uncorrectable memory error since the driver was loaded");
    if (!errors && board.ecc_enabled.value_or(false))
        return undecided(
            "ECC is enabled, but the board did not report the number of uncorrectable errors");
    if (!errors)
        return not_reported(facts, "memory errors", {"nvmlDeviceGetEccMode"});
    return fault({
        .subject = subject_of(board),
        .gpu = board.index,
        .message = subject_of(board) + " had " +
                   pluralized(
                       static_cast<std::size_t>(*errors),
                       "uncorrectable memory error",
                       "uncorrectable memory errors") +
                   " since its driver was loaded",
        .evidence =
            {{"uncorrectable errors since the driver was loaded",
              std::to_string(*errors),
              board_fact(facts, board, "ecc_uncorrected_since_boot")}},
        .remedies = against_errors(facts, &board),
    });
}

/// Memory of the GPU returned data that ECC could not correct. A CUDA call
/// reports it without naming the board, NVML by a counter since the driver was
/// loaded.
Verdict gpu_memory_ecc_error(const Facts& facts, const Matrix&) {
    const Board* only = nullptr;
    if (facts.nvml_devices.size() == 1)
        only = &facts.nvml_devices.front();
    const Finding reported{
        .message =
            "a CUDA call reported an uncorrectable memory error (CUDA_ERROR_ECC_UNCORRECTABLE)",
        .remedies = against_errors(facts, only),
    };
    auto findings = findings_for(cuda_failures(facts, cuda_ecc_uncorrectable), reported);
    const Verdict boards =
        over_boards(facts, [&](const Board& board) { return judge_errors(facts, board); });
    append(findings, boards.findings);
    if (!findings.empty())
        return fault_or(std::move(findings), {});
    if (!failures_are_known(facts))
        return undecided("a run on the GPU failed for an unknown reason");
    if (facts.driver.init || lower_cause(facts))
        return boards;
    return undecided("the result of cuInit is unknown");
}

/// GPUs from Ampere on remap defective rows of their memory, older ones retire
/// pages; both take effect only after a reset or reboot. A remapping that
/// failed has no spare rows left.
/// https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/
Verdict gpu_memory_repair_pending(const Facts& facts, const Matrix&) {
    return over_boards(facts, [&](const Board& board) {
        struct Need {
            std::optional<bool> Board::*flag;
            const char *field, *what;
            Severity severity;
        };
        static constexpr Need needs[] = {
            {&Board::remapping_failed,
             "remapping_failed",
             "failed to remap a defective memory row",
             Severity::error},
            {&Board::remapping_pending,
             "remapping_pending",
             "needs a reset to remap a defective memory row",
             Severity::warning},
            {&Board::retirement_pending,
             "retirement_pending",
             "needs a reboot to retire a defective memory page",
             Severity::warning}};
        for (const Need& need : needs) {
            if (!(board.*need.flag).value_or(false))
                continue;
            Remedy repair =
                remedy("gpu_memory_repair_pending/reset", {std::to_string(board.index)});
            if (need.severity == Severity::error)
                repair = remedy("gpu_memory_repair_pending/replace");
            return fault({
                .severity = need.severity,
                .subject = subject_of(board),
                .gpu = board.index,
                .message = subject_of(board) + ' ' + need.what,
                .evidence = {{need.field, "true", board_fact(facts, board, need.field)}},
                .remedies = {on_host(facts, repair)},
            });
        }
        const bool remaps = board.remapping_failed && board.remapping_pending;
        const bool retires = board.retirement_pending.has_value();
        if (remaps && retires)
            return pass("no memory repair is pending");
        // A board repairs its memory in one of the two ways and is silent about the other.
        if (remaps)
            return not_reported(facts, "page retirement, and no row replacement is pending");
        if (retires)
            return not_reported(facts, "row remapping in full, and no page retirement is pending");
        return not_reported(
            facts,
            "memory repairs",
            {"nvmlDeviceGetRemappedRows", "nvmlDeviceGetRetiredPagesPendingStatus"});
    });
}

/// By the words of NVML's reasons; hw_slowdown alone does not show which it
/// was.
static std::string what_to_check(const std::string& reasons) {
    const std::string heat = "Check fans, dust, airflow and room temperature",
                      power = "Check power cables and power supply";
    if (contains(reasons, "thermal") && contains(reasons, "power"))
        return heat + ". " + power;
    if (contains(reasons, "thermal"))
        return heat;
    if (contains(reasons, "power"))
        return power;
    return heat +
           ", then power cables and power supply: the driver does not report which one is the "
           "cause";
}

/// NVML reports why clocks are below those requested. At idle that is normal,
/// so only reasons that mean heat or missing power count.
Verdict gpu_throttled(const Facts& facts, const Matrix&) {
    return over_boards(facts, [&](const Board& board) {
        // Of the reasons for low clocks those that slow work down for as long as they last: heat
        // and power that is lacking. The others (idle, power cap, clocks set by the user) belong to
        // normal work.
        constexpr std::string_view lasting[] = {
            "hw_slowdown", "hw_thermal_slowdown", "hw_power_brake", "sw_thermal_slowdown"};
        auto slowdowns = board.throttle_reasons;
        std::erase_if(
            slowdowns, [&](const std::string& reason) { return !includes(lasting, reason); });
        if (slowdowns.empty()) {
            if (board.unreachable)
                return not_applicable("the driver lost this GPU");
            if (!probe_completed(facts, "nvml_devices"))
                return undecided("querying NVML did not finish");
            return pass("no GPU is throttled because of heat or power");
        }
        const std::string reasons = join_with_and(slowdowns);
        return fault({
            .subject = subject_of(board),
            .gpu = board.index,
            .message =
                subject_of(board) + " is throttled because of heat or power (" + reasons + ")",
            .evidence =
                {{"reasons for reduced clocks",
                  reasons,
                  board_fact(facts, board, "throttle_reasons")}},
            .remedies = {on_host(facts, remedy("gpu_throttled", {what_to_check(reasons)}))},
        });
    });
}

/// A launch that fails points to the driver, incorrect sums to the hardware.
/// What was tried on the GPU after it failed for the same reason.
static Finding failed(const Facts& facts, const KernelRun& run) {
    const std::string place = place_of(facts, run), gpu = gpu_subject(facts, run.gpu);
    const bool computed = !run.result || run.result->ok();
    std::string message = gpu + " returned incorrect results from a test kernel";
    std::string fix = "kernel_launch_failed/incorrect", correct;
    if (!computed) {
        message = gpu + " cannot run a test kernel: " + in_words(*run.result);
        fix = "kernel_launch_failed/failed";
    }
    if (run.correct)
        correct = cell_text(*run.correct);
    return {
        .subject = gpu,
        .gpu = run.gpu,
        .message = std::move(message),
        .evidence =
            {{"call", if_known(run.result), place + ".result"},
             {"correct", correct, place + ".correct"}},
        .remedies = {on_host(facts, remedy(fix))},
        .symptoms = {place},
        .explains = places_on(facts, run.gpu),
    };
}

/// The shortest way through driver, compiler and hardware does not work: a test kernel.
Verdict kernel_launch_failed(const Facts& facts, const Matrix&) {
    const auto nothing_there = without_gpu(facts);
    if (facts.kernel_runs.empty() && nothing_there)
        return *nothing_there;
    VerdictBuilder result;
    for (const auto& run : facts.kernel_runs)
        if ((run.result && !run.result->ok()) || run.correct == false)
            result.fault(failed(facts, run));
        else if (!run.result || !run.correct)
            result.unknown(
                "the result of the test kernel on " + gpu_subject(facts, run.gpu) + " is unknown");
        else
            result.passed("a test kernel returned correct results on every GPU");
    for (const auto& gpu : facts.cuda_devices)
        if (!find_by(facts.kernel_runs, &KernelRun::gpu, gpu.index))
            result.unknown("no test kernel was run on " + subject_of(gpu));
    return result.finish();
}

}  // namespace rnncheck::rules
