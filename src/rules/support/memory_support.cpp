#include "rules/support/memory_support.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "facts/common.hpp"
#include "rules/support/board_support.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/rnn_support.hpp"

namespace rnncheck::rules {

/// NOT_INITIALIZED and INTERNAL_ERROR, by which cuDNN tells a lack of memory too, of cuDNN 7 and 8 and of 9.
static bool may_be_want_of_memory(const CallResult& result) {
    constexpr std::int64_t codes[] = {1, 4, 1001, 4000};
    return result.call.starts_with("cudnn") && std::ranges::find(codes, result.code) != std::end(codes);
}

/// According to NVML, or to CUDA, which knows of the limits of MIG and MPS.
static bool little_was_free(const Facts& facts, int gpu) {
    const Gpu* device = gpu_at(facts, gpu);
    const Board* board = device ? board_of(facts, *device) : nullptr;
    return (board && memory_is_low(*board)) || std::ranges::any_of(facts.rnn_runs, [gpu](const RnnRun& run) {
               return run.gpu == gpu && run.free_bytes && *run.free_bytes < (std::int64_t{512} << 20);
           });
}

bool found_no_memory(const Facts& facts, int gpu, const CallResult& result) {
    return is_out_of_memory(result) || (may_be_want_of_memory(result) && little_was_free(facts, gpu));
}

std::vector<WantOfMemory> wants_of_memory(const Facts& facts, int gpu) {
    std::vector<WantOfMemory> wants;
    for (std::size_t i = 0; i < facts.kernel_runs.size(); ++i) {
        const KernelRun& run = facts.kernel_runs[i];
        if (run.gpu == gpu && run.result && found_no_memory(facts, gpu, *run.result))
            wants.push_back({&*run.result, nullptr, "kernel_runs[" + std::to_string(i) + "].result"});
    }
    for (const Sweep& sweep : sweeps(facts)) {
        if (sweep.gpu != gpu) continue;
        for (const RnnRun* run : sweep.runs) {
            const CallResult* obstacle = obstacle_of(*run);
            if (run->end != RunEnd::out_of_memory && !(obstacle && found_no_memory(facts, gpu, *obstacle))) continue;
            const auto at = std::to_string(run - facts.rnn_runs.data());
            wants.push_back({obstacle, run, "rnn_runs[" + at + "].result"});
        }
    }
    return wants;
}

bool told_as_out_of_memory(const Facts& facts, const Board& board) {
    const Gpu* gpu = gpu_of(facts, board);
    return gpu && !wants_of_memory(facts, gpu->index).empty();
}

std::string holders_of(const Board& board) {
    std::vector<std::string> each;
    for (const auto& process : board.processes)
        each.push_back("process " + std::to_string(process.pid) +
                       (process.memory_mib ? " (" + std::to_string(*process.memory_mib) + " MiB)" : ""));
    return join_with_and(each);
}

std::string why_unseen(const Facts& facts) {
    if (in_container(facts)) return "processes outside this container are not visible";
    if (on_wsl(facts)) return "Windows processes are not visible from WSL";
    return "no visible process uses it";
}

}  // namespace rnncheck::rules
