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
    return facts.host.pci_gpus.empty() && !kernel_side_seen(facts) && facts.gpus.empty() && facts.boards.empty();
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

template <class Thing>
static std::string place_in(const char* list, const std::vector<Thing>& things, const Thing& thing) {
    return std::string(list) + '[' + std::to_string(&thing - things.data()) + ']';
}

std::string place_of(const Facts& facts, const RnnRun& run) {
    return place_in("rnn_runs", facts.rnn_runs, run);
}

std::string place_of(const Facts& facts, const KernelRun& run) {
    return place_in("kernel_runs", facts.kernel_runs, run);
}

std::string place_of(const Facts& facts, const ProbeRun& run) {
    return place_in("probe_runs", facts.probe_runs, run);
}

std::string place_of(const Facts& facts, const Gpu& gpu) {
    return place_in("gpus", facts.gpus, gpu);
}

std::string place_of(const Facts& facts, const Board& board) {
    return place_in("boards", facts.boards, board);
}

std::vector<std::string> places_on(const Facts& facts, int gpu) {
    std::vector<std::string> places;
    for (const KernelRun& run : facts.kernel_runs)
        if (run.gpu == gpu) places.push_back(place_of(facts, run));
    for (const RnnRun& run : facts.rnn_runs)
        if (run.gpu == gpu) places.push_back(place_of(facts, run));
    const std::string name = "GPU " + std::to_string(gpu);
    for (const ProbeRun& run : facts.probe_runs)
        if (run.target == name || run.target.starts_with(name + ' ')) places.push_back(place_of(facts, run));
    return places;
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
        if (run.end == RunEnd::not_offered || run.end == RunEnd::out_of_memory) continue;
        ++state.tried;
        state.ok += run.end == RunEnd::ok;
    }
    return state;
}

}  // namespace rnncheck::rules
