// Questions that several rules ask of the facts. Pure.
#pragma once

#include "facts/facts.hpp"

namespace rnncheck::rules {

/// The driver's kernel side shows itself: a loaded module, a device node, or the Windows bridge /dev/dxg.
bool kernel_side_seen(const Facts& facts);

/// cuInit succeeded: whatever files and nodes are hidden from us, there is a working driver.
bool driver_answers(const Facts& facts);

/// Nothing of NVIDIA's hardware shows: no PCI device, no kernel side, no GPU that answers.
bool no_nvidia_hardware_seen(const Facts& facts);

/// Every real file of a kind that could be a working library, in the order found.
std::vector<const Library*> usable_copies(const Facts& facts, LibraryKind kind);

/// Whether the look stage listed libraries at all.
bool libraries_listed(const Facts& facts);

/// The copy that the loader gives for this kind; null when none, or not learnt.
const Library* picked(const Facts& facts, LibraryKind kind);

/// The copy with this path (or real path); null when there is none.
const Library* library_at(const Facts& facts, std::string_view path);

/// The runs of a probe, and the one for a target; null when it was never planned.
std::vector<const ProbeRun*> runs_of(const Facts& facts, std::string_view probe);

/// Whether any run of this probe ran to its end.
bool probe_completed(const Facts& facts, std::string_view probe);

using rnncheck::board_of;

/// Places in the facts: "rnn_runs[3]".
std::string place_of(const Facts& facts, const RnnRun& run);
std::string place_of(const Facts& facts, const KernelRun& run);
std::string place_of(const Facts& facts, const ProbeRun& run);
std::string place_of(const Facts& facts, const Gpu& gpu);
std::string place_of(const Facts& facts, const Board& board);

/// The places of everything that was run on a GPU: what a GPU that does not work at all explains.
std::vector<std::string> places_on(const Facts& facts, int gpu);

/// "GPU 0 (NVIDIA GeForce RTX 3090)".
std::string subject_of(const Gpu& gpu);
std::string subject_of(const Board& board);

/// All RNN cases of this copy on this GPU that were tried, and whether every one of them went well (ok or not offered).
struct SweepState {
    int tried = 0;
    int ok = 0;
    bool all_well() const { return tried > 0 && ok == tried; }
};
SweepState sweep_of(const Facts& facts, std::string_view cudnn_path, int gpu);

}  // namespace rnncheck::rules
