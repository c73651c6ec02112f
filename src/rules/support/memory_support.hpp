// Calls that found too little memory, and who holds the memory of a GPU. Pure.
#pragma once

#include "report/finding.hpp"
#include "rules/support/seen.hpp"

namespace rnncheck::rules {

/// The call found too little memory, or it can be supposed: cuDNN answered NOT_INITIALIZED or INTERNAL_ERROR while
/// hardly any memory of the GPU was free.
bool found_no_memory(const Facts& facts, int gpu, const CallResult& result);

/// A tiny kernel or a recurrent-network case that was not computed because memory ran out.
struct WantOfMemory {
    const CallResult* call = nullptr;  ///< null when it is unknown
    const RnnRun* run = nullptr;       ///< null for the tiny kernel
    std::string source;                ///< its place in the facts
};

/// In the order in which they were run on the GPU.
std::vector<WantOfMemory> wants_of_memory(const Facts& facts, int gpu);

/// gpu_out_of_memory tells what there is to tell about this board's memory.
bool told_as_out_of_memory(const Facts& facts, const Board& board);

/// "process 4711 (20000 MiB) and process 4712"; empty when none is seen.
std::string holders_of(const Board& board);

/// Why processes that hold memory may not be seen from here.
std::string why_unseen(const Facts& facts);

}  // namespace rnncheck::rules
