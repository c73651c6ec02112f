// Without persistence mode the driver initializes the GPUs again for every program that is alone on them.
#include "rules/rule.hpp"
#include "rules/support/boards.hpp"

namespace rnncheck::rules::persistence_mode_off {

constexpr double slow_start_ms = 3000;

/// The process that started the driver and asked it for its GPUs.
static const ProbeRun* start_of_driver(const Facts& facts) {
    for (const ProbeRun* run : runs_of(facts, "driver_api"))
        if (run->completed()) return run;
    return nullptr;
}

static std::string seconds(const ProbeRun& run) {
    return short_number(run.elapsed_ms / 1000) + " s";
}

static Finding slow_start(const Facts& facts, const Board& board, const ProbeRun& run) {
    return {
        .subject = "NVIDIA driver",
        .message = "persistence mode is off, and the driver took " + seconds(run) +
                   " to initialize: each CUDA program that starts on idle GPUs waits that long",
        .evidence = {{"driver initialization", seconds(run), "probe_runs"},
                     {"persistence mode of " + subject_of(board), "off", board_fact(facts, board, "persistence")}},
        .remedies = {on_host(
            facts,
            {.action = Action::configure_driver,
             .text = "Keep the driver initialized between programs: enable persistence mode until the next boot. To "
                     "enable it at every boot, run nvidia-persistenced without --no-persistence-mode, "
                     "which Ubuntu's service passes to it",
             .commands = {"sudo nvidia-smi -pm 1", "systemctl cat nvidia-persistenced"},
             .risk = Risk::needs_root,
             .verify = "nvidia-smi --query-gpu=persistence_mode --format=csv",
             .link = "https://docs.nvidia.com/deploy/driver-persistence/index.html"})},
        .confidence = Confidence::likely};
}

static Verdict check(const Facts& facts, const Matrix&) {
    if (const auto verdict = without_cuinit(facts)) return *verdict;
    if (!driver_answers(facts)) return not_applicable("the driver does not initialize");
    const auto off =
        std::ranges::find_if(facts.nvml_devices, [](const Board& board) { return board.persistence == false; });
    const bool all_on =
        std::ranges::all_of(facts.nvml_devices, [](const Board& board) { return board.persistence == true; });
    if (off == facts.nvml_devices.end())
        return all_on && !facts.nvml_devices.empty() ? pass("persistence mode is on")
                                                     : not_reported(facts, "its persistence mode");
    const ProbeRun* run = start_of_driver(facts);
    if (!run) return undecided("querying the driver did not finish");
    if (run->elapsed_ms < slow_start_ms) return pass("persistence mode is off, but the driver initializes quickly");
    return fault(slow_start(facts, *off, *run));
}

extern const Rule rule{.title = "Persistence mode is off, and the driver initializes slowly",
                       .layer = Layer::driver,
                       .max_severity = Severity::note,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::persistence_mode_off
