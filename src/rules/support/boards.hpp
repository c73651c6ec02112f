// Rules that evaluate each board. Pure.
#pragma once

#include <functional>
#include <initializer_list>

#include "rules/support/words.hpp"

namespace rnncheck::rules {

/// Calls `judge` for every board and combines the verdicts: any fault, else undecided if any board
/// is, else pass if any board passes, else not applicable. Without boards, the reason why NVML
/// listed none.
Verdict over_boards(const Facts& facts, const std::function<Verdict(const Board&)>& judge);

/// A value that a board did not report: not supported when NVML was queried to the end, else
/// unknown; unknown too when one of `calls` failed otherwise than for a board that has no such
/// thing.
Verdict not_reported(
    const Facts& facts,
    const std::string& what,
    std::initializer_list<std::string_view> calls = {});

/// The CUDA ordinal's view of a board; null when CUDA does not see it.
const Gpu* gpu_of(const Facts& facts, const Board& board);

/// NVML's record of the GPU with this CUDA ordinal; null if there is none.
const Board* board_at(const Facts& facts, int gpu);

/// Less than 512 MiB or 5 % of the memory is free: too little for a context, cuDNN's kernels and a
/// small network.
bool memory_is_low(const Board& board);

/// The places of everything that was run on the board's GPU.
std::vector<std::string> places_on(const Facts& facts, const Board& board);

/// "300 of 24576 MiB".
std::string free_of_total(const Board& board);

/// "nvml_devices[0].memory_free_mib": the board's place in the facts.
std::string board_fact(const Facts& facts, const Board& board, const std::string& field);

}  // namespace rnncheck::rules
