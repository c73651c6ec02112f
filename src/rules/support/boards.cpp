#include "rules/support/boards.hpp"

#include "base/if_any.hpp"
#include "rules/support/verdict_builder.hpp"

namespace rnncheck::rules {

/// NVML listed no board. Without its library that is no fault: nothing for
/// recurrent networks needs NVML.
static Verdict without_boards(const Facts& facts) {
    if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    if (facts.driver.nvml_init && !facts.driver.nvml_init->ok())
        return undecided("NVML does not work: " + in_words(*facts.driver.nvml_init));
    if (!probe_completed(facts, "nvml_devices"))
        return undecided("querying NVML did not finish");
    if (facts.cuda_devices.empty())
        return not_applicable("there is no GPU");
    if (!facts.driver.nvml_init && libraries_listed(facts) &&
        usable_copies(facts, LibraryKind::nvml).empty())
        return not_applicable("NVML is not installed, so the boards cannot be queried");
    return undecided("NVML listed no board");
}

Verdict over_boards(const Facts& facts, const std::function<Verdict(const Board&)>& judge) {
    if (facts.nvml_devices.empty())
        return without_boards(facts);
    VerdictBuilder result;
    for (const Board& board : facts.nvml_devices)
        result.add(judge(board));
    return result.finish();
}

Verdict not_reported(
    const Facts& facts, const std::string& what, std::initializer_list<std::string_view> calls) {
    // nvmlReturn_t (nvml.h): uninitialized, driver not loaded, GPU lost, reset required, versions
    // differ, unknown.
    constexpr std::int64_t faults_of_nvml[] = {1, 9, 15, 16, 18, 999};
    for (const ProbeRun* run : runs_of(facts, "nvml_devices"))
        for (const CallResult& call : run->failed_calls)
            if (includes(calls, call.call) && includes(faults_of_nvml, call.code))
                return undecided(
                    what + " could not be read: " + call.call + " returned " +
                    std::to_string(call.code));
    if (probe_completed(facts, "nvml_devices"))
        return not_applicable("the board does not report " + what);
    return undecided("querying NVML did not finish, so " + what + " is unknown");
}

const Gpu* gpu_of(const Facts& facts, const Board& board) {
    return find_where(
        facts.cuda_devices, [&](const Gpu& gpu) { return board_of(facts, gpu) == &board; });
}

const Board* board_at(const Facts& facts, int gpu) {
    // CUDA may number the GPUs in another order than NVML (CUDA_DEVICE_ORDER),
    // so the two are matched by the board, not by the number.
    const Gpu* device = gpu_at(facts, gpu);
    if (!device)
        return nullptr;
    return board_of(facts, *device);
}

std::vector<std::string> places_on(const Facts& facts, const Board& board) {
    const Gpu* gpu = gpu_of(facts, board);
    if (!gpu)
        return {};
    return places_on(facts, gpu->index);
}

bool memory_is_low(const Board& board) {
    if (!board.memory_free_mib)
        return false;
    return *board.memory_free_mib < 512 ||
           (board.memory_total_mib && *board.memory_free_mib * 20 < *board.memory_total_mib);
}

std::string free_of_total(const Board& board) {
    const std::string total = if_any(" of ", board.memory_total_mib);
    return std::to_string(board.memory_free_mib.value_or(0)) + total + " MiB";
}

std::string board_fact(const Facts& facts, const Board& board, const std::string& field) {
    return place_of(facts, board) + '.' + field;
}

}  // namespace rnncheck::rules
