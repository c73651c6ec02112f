#include "rules/support/seen.hpp"

#include <algorithm>

namespace rnncheck::rules {

bool kernel_side_seen(const Facts& facts) {
    return facts.driver.module_loaded.value_or(false) || !facts.driver.device_nodes.empty();
}

bool driver_answers(const Facts& facts) {
    return facts.driver.init && facts.driver.init->ok();
}

bool no_nvidia_hardware_seen(const Facts& facts) {
    return facts.host.pci_gpus.empty() && !kernel_side_seen(facts) && facts.cuda_devices.empty() &&
           facts.nvml_devices.empty();
}

std::vector<const Library*> usable_copies(const Facts& facts, LibraryKind kind) {
    std::vector<const Library*> copies;
    for (const auto& library : facts.libraries)
        if (library.kind == kind && !library.problem && !library.stub) copies.push_back(&library);
    return copies;
}

bool libraries_listed(const Facts& facts) {
    return probe_completed(facts, "library_files");
}

const Library* picked(const Facts& facts, LibraryKind kind) {
    for (const auto& library : facts.libraries)
        if (library.kind == kind && library.picked_by_loader) return &library;
    return nullptr;
}

const Library* library_at(const Facts& facts, std::string_view path) {
    for (const auto& library : facts.libraries)
        if (library.path == path || library.real_path == path) return &library;
    return nullptr;
}

std::vector<const ProbeRun*> runs_of(const Facts& facts, std::string_view probe) {
    std::vector<const ProbeRun*> runs;
    for (const auto& run : facts.probe_runs)
        if (run.probe == probe) runs.push_back(&run);
    return runs;
}

bool probe_completed(const Facts& facts, std::string_view probe) {
    const auto runs = runs_of(facts, probe);
    return std::any_of(runs.begin(), runs.end(), [](const ProbeRun* run) { return run->completed(); });
}

std::string subject_of(const Gpu& gpu) {
    return "GPU " + std::to_string(gpu.index) + (gpu.name ? " (" + *gpu.name + ")" : "");
}

std::string subject_of(const Board& board) {
    return "GPU " + std::to_string(board.index) + (board.name ? " (" + *board.name + ")" : "");
}

SweepState sweep_of(const Facts& facts, std::string_view cudnn_path, int gpu) {
    SweepState state;
    for (const auto& run : facts.rnn_runs) {
        if (run.library != cudnn_path || run.gpu != gpu) continue;
        if (run.end == RunEnd::not_supported || run.end == RunEnd::out_of_memory) continue;
        ++state.tried;
        state.ok += run.end == RunEnd::ok;
    }
    return state;
}

}  // namespace rnncheck::rules
