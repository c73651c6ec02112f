#include "rules/support/boards.hpp"

#include <algorithm>
#include <array>

#include "rules/support/verdict_builder.hpp"

namespace rnncheck::rules {

static Verdict without_boards(const Facts& facts) {
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (facts.driver.nvml_init && !facts.driver.nvml_init->ok())
        return undecided("NVML does not work: " + in_words(*facts.driver.nvml_init));
    if (!probe_completed(facts, "nvml_devices")) return undecided("querying NVML did not finish");
    if (facts.cuda_devices.empty()) return not_applicable("there is no GPU");
    if (!facts.driver.nvml_init && libraries_listed(facts) && usable_copies(facts, LibraryKind::nvml).empty())
        return not_applicable("NVML is not installed, so the boards cannot be queried");
    return undecided("NVML listed no board");
}

Verdict over_boards(const Facts& facts, Verdict (*judge)(const Facts&, const Board&)) {
    if (facts.nvml_devices.empty()) return without_boards(facts);
    VerdictBuilder answers;
    for (const Board& board : facts.nvml_devices) answers.add(judge(facts, board));
    return answers.close();
}

/// nvmlReturn_t (nvml.h): uninitialized, driver not loaded, GPU lost, reset required, versions do not match, unknown.
static bool is_fault_of_nvml(const CallResult& call) {
    constexpr std::array<std::int64_t, 6> codes{1, 9, 15, 16, 18, 999};
    return std::ranges::find(codes, call.code) != codes.end();
}

Verdict not_reported(const Facts& facts, const std::string& what, std::initializer_list<std::string_view> calls) {
    for (const ProbeRun* run : runs_of(facts, "nvml_devices"))
        for (const CallResult& call : run->failed_calls)
            if (std::ranges::find(calls, call.call) != calls.end() && is_fault_of_nvml(call))
                return undecided(what + " could not be read: " + call.call + " returned " + std::to_string(call.code));
    if (probe_completed(facts, "nvml_devices")) return not_applicable("the board does not report " + what);
    return undecided("querying NVML did not finish, so " + what + " is unknown");
}

const Gpu* gpu_of(const Facts& facts, const Board& board) {
    for (const auto& gpu : facts.cuda_devices)
        if (board_of(facts, gpu) == &board) return &gpu;
    return nullptr;
}

std::vector<std::string> places_on(const Facts& facts, const Board& board) {
    const Gpu* gpu = gpu_of(facts, board);
    return gpu ? places_on(facts, gpu->index) : std::vector<std::string>();
}

Severity severity_on(const Facts& facts, const Board& board, Severity severity) {
    return facts.cuda_devices.empty() || gpu_of(facts, board) ? severity : Severity::note;
}

bool memory_is_low(const Board& board) {
    if (!board.memory_free_mib) return false;
    return *board.memory_free_mib < 512 ||
           (board.memory_total_mib && *board.memory_free_mib * 20 < *board.memory_total_mib);
}

std::string free_of_total(const Board& board) {
    const std::string total = board.memory_total_mib ? " of " + std::to_string(*board.memory_total_mib) : "";
    return std::to_string(board.memory_free_mib.value_or(0)) + total + " MiB";
}

std::string board_fact(const Facts& facts, const Board& board, const std::string& field) {
    return place_of(facts, board) + '.' + field;
}

void set_aside(const Facts& facts, const Gpu& gpu, Finding& finding) {
    const Board* board = board_of(facts, gpu);
    finding.severity = Severity::note;
    finding.message += "; programs use " + subject_of(facts.cuda_devices.front()) +
                       " by default, so only programs that select this GPU or use all GPUs are affected";
    if (board && board->display_active)
        finding.evidence.push_back({"drives a display", *board->display_active ? "yes" : "no", "nvml_devices"});
    finding.remedies.insert(finding.remedies.begin(), remedy("gpu_arch_not_in_build/other_gpu"));
}

}  // namespace rnncheck::rules
