// What the boards report of their health, and the test kernel on them.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

static std::vector<Remedy> against_loss(const Facts& facts) {
    return {on_host(facts, remedy("gpu_fell_off_bus"))};
}

static Finding lost(const Facts& facts, const Board& board) {
    auto explains = places_on(facts, board);
    explains.insert(explains.end(), {"cuda_devices", "driver.init"});
    return {.subject = subject_of(board),
            .message = subject_of(board) + " does not respond on the PCI bus: the driver lost it",
            .evidence = {{"failed call", in_words(*board.unreachable), board_fact(facts, board, "unreachable")}},
            .remedies = against_loss(facts),
            .confidence = board.unreachable->code == nvml_gpu_is_lost ? Confidence::certain : Confidence::likely,
            .explains = std::move(explains)};
}

/// Something that only a board which answers can tell.
static bool answers(const Board& board) {
    return board.compute_mode || board.memory_free_mib || board.memory_total_mib || board.persistence;
}

static Verdict judge_loss(const Facts& facts, const Board& board) {
    if (board.unreachable) return fault(lost(facts, board));
    return answers(board) ? pass("the board responds") : undecided("the board reported nothing");
}

static bool speaks_of_loss(const CallResult& call) {
    return (call.call.starts_with("nvml") && call.code == nvml_gpu_is_lost) || contains(call.text, "GPU is lost") ||
           contains(call.text, "GPU_IS_LOST") || contains(call.text, "fallen off the bus");
}

/// The driver lost a GPU that it had: it no longer answers on the PCI bus.
Verdict gpu_fell_off_bus(const Facts& facts, const Matrix&) {
    const Verdict boards = over_boards(facts, judge_loss);
    if (boards.outcome == Outcome::fault) return boards;
    Finding finding;
    finding.message = "a call reported a lost GPU: it no longer responds on the PCI bus";
    finding.remedies = against_loss(facts);
    return fault_or(findings_for(failures_where(facts, speaks_of_loss), finding),
                    failures_are_known(facts) ? boards : undecided("a run on the GPU failed for an unknown reason"));
}

/// `board` is null where it is not known which one it was.
static std::vector<Remedy> against_errors(const Facts& facts, const Board* board) {
    std::vector<std::string> commands = {"nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT"};
    if (board) commands.push_back("sudo nvidia-smi --gpu-reset -i " + std::to_string(board->index));
    return {on_host(facts, remedy("gpu_memory_ecc_error", {}, commands))};
}

static Finding counted_errors(const Facts& facts, const Board& board) {
    return {.subject = subject_of(board),
            .message = subject_of(board) + " had " +
                       pluralized(*board.ecc_uncorrected_since_boot,
                                  "uncorrectable memory error", "uncorrectable memory errors") +
                       " since its driver was loaded",
            .evidence = {{"uncorrectable errors since the driver was loaded",
                          std::to_string(*board.ecc_uncorrected_since_boot),
                          board_fact(facts, board, "ecc_uncorrected_since_boot")}},
            .remedies = against_errors(facts, &board)};
}

/// Errors of the board's earlier life are history: they were repaired, or gpu_memory_repair_pending tells.
static Verdict judge_errors(const Facts& facts, const Board& board) {
    const auto errors = board.ecc_uncorrected_since_boot;
    if (errors && *errors > 0) return fault(counted_errors(facts, board));
    if (errors) return pass("no uncorrectable memory error since the driver was loaded");
    if (board.ecc_enabled.value_or(false))
        return undecided("ECC is enabled, but the board did not report the number of uncorrectable errors");
    return not_reported(facts, "memory errors", {"nvmlDeviceGetEccMode"});
}

/// The memory of a GPU had errors that its error correction could not repair.
Verdict gpu_memory_ecc_error(const Facts& facts, const Matrix&) {
    Finding reported;
    reported.message = "a CUDA call reported an uncorrectable memory error (CUDA_ERROR_ECC_UNCORRECTABLE)";
    reported.remedies = against_errors(facts, facts.nvml_devices.size() == 1 ? &facts.nvml_devices.front() : nullptr);
    auto findings = findings_for(cuda_failures(facts, cuda_ecc_uncorrectable), reported);
    const Verdict boards = over_boards(facts, judge_errors);
    append(findings, boards.findings);
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.driver.init && !lower_cause(facts)) return undecided("the result of cuInit is unknown");
    return boards;
}

static Finding needs_repair(const Facts& facts, const Board& board, const char* field, Severity severity,
                            const std::string& what) {
    Finding finding;
    finding.severity = severity;
    finding.subject = subject_of(board);
    finding.message = finding.subject + ' ' + what;
    finding.evidence = {{field, "true", board_fact(facts, board, field)}};
    finding.remedies = {on_host(facts, severity == Severity::error
                                           ? remedy("gpu_memory_repair_pending/replace")
                                           : remedy("gpu_memory_repair_pending/reset", {std::to_string(board.index)}))};
    return finding;
}

static Verdict judge_repair(const Facts& facts, const Board& board) {
    if (board.remapping_failed.value_or(false))
        return fault(
            needs_repair(facts, board, "remapping_failed", Severity::error, "failed to remap a defective memory row"));
    if (board.remapping_pending.value_or(false))
        return fault(needs_repair(facts, board, "remapping_pending", Severity::warning,
                                  "needs a reset to remap a defective memory row"));
    if (board.retirement_pending.value_or(false))
        return fault(needs_repair(facts, board, "retirement_pending", Severity::warning,
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

/// Of the reasons for low clocks those that slow work down for as long as they last: heat and power that is lacking.
/// The others (idle, power cap, clocks set by the user) belong to normal work.
static std::vector<std::string> lasting_slowdowns(const Board& board) {
    constexpr std::array<std::string_view, 4> lasting{"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake",
                                                      "sw_thermal_slowdown"};
    std::vector<std::string> found;
    for (const auto& reason : board.throttle_reasons)
        if (std::ranges::find(lasting, reason) != lasting.end()) found.push_back(reason);
    return found;
}

static std::string causes(const std::vector<std::string>& reasons) {
    const auto any = [&](std::string_view word) {
        return std::ranges::any_of(reasons, [&](const std::string& reason) { return contains(reason, word); });
    };
    const std::string heat = "Check fans, dust, airflow and room temperature",
                      power = "Check power cables and power supply";
    if (any("thermal") && any("power")) return heat + ". " + power;
    if (any("thermal")) return heat;
    if (any("power")) return power;
    return heat + ", then power cables and power supply: the driver does not report which one is the cause";
}

static Verdict judge_clocks(const Facts& facts, const Board& board) {
    const auto reasons = lasting_slowdowns(board);
    if (reasons.empty()) {
        if (board.unreachable) return not_applicable("the driver lost this GPU");
        if (!probe_completed(facts, "nvml_devices")) return undecided("querying NVML did not finish");
        return pass("no GPU is throttled because of heat or power");
    }
    return fault(
        {.subject = subject_of(board),
         .message = subject_of(board) + " is throttled because of heat or power (" + join_with_and(reasons) + ")",
         .evidence = {{"reasons for reduced clocks", join_with_and(reasons),
                       board_fact(facts, board, "throttle_reasons")}},
         .remedies = {on_host(facts, remedy("gpu_throttled", {causes(reasons)}))}});
}

static Finding failed(const Facts& facts, const KernelRun& run) {
    const bool computed = !run.result || run.result->ok();
    const std::string place = place_of(facts, run);
    return {.subject = gpu_subject(facts, run.gpu),
            .message = computed ? gpu_subject(facts, run.gpu) + " returned incorrect results from a test kernel"
                                : gpu_subject(facts, run.gpu) + " cannot run a test kernel: " + in_words(*run.result),
            .evidence = {{"call", if_known(run.result), place + ".result"},
                         {"correct",
                          !run.correct   ? ""
                          : *run.correct ? "yes"
                                         : "no",
                          place + ".correct"}},
            .remedies = {on_host(facts,
                                 remedy(computed ? "kernel_launch_failed/incorrect" : "kernel_launch_failed/failed"))},
            .symptoms = {place},
            .explains = places_on(facts, run.gpu)};
}

static void judge(const Facts& facts, const KernelRun& run, VerdictBuilder& answers) {
    if ((run.result && !run.result->ok()) || run.correct == false) return answers.fault(failed(facts, run));
    if (!run.result || !run.correct)
        return answers.unknown("the result of the test kernel on " + gpu_subject(facts, run.gpu) + " is unknown");
    answers.passed("a test kernel returned correct results on every GPU");
}

/// The shortest way through driver, compiler and hardware does not work: a test kernel.
Verdict kernel_launch_failed(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    for (const auto& run : facts.kernel_runs) judge(facts, run, answers);
    for (const auto& gpu : facts.cuda_devices)
        if (std::ranges::find(facts.kernel_runs, gpu.index, &KernelRun::gpu) == facts.kernel_runs.end())
            answers.unknown("no test kernel was run on " + subject_of(gpu));
    const auto nothing_there = without_gpu(facts);
    return facts.kernel_runs.empty() && nothing_there ? *nothing_there : answers.close();
}

/// A GPU waits for a reset to take bad memory out of use, or cannot repair it any more.
Verdict gpu_memory_repair_pending(const Facts& facts, const Matrix&) {
    return over_boards(facts, judge_repair);
}

/// A GPU holds its clocks down because of heat or power.
Verdict gpu_throttled(const Facts& facts, const Matrix&) {
    return over_boards(facts, judge_clocks);
}

}  // namespace rnncheck::rules
