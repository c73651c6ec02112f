#include "commands/gpu_memory_watch.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::int64_t used_mib(const Board& board) {
    return *board.memory_total_mib - *board.memory_free_mib;
}

/// Nothing where NVML does not list the command: in a container it has other process ids, so all
/// would seem to be others.
std::optional<std::int64_t> used_by_others(
    const Board& board, const std::function<bool(pid_t)>& belongs_to_command) {
    std::int64_t others = 0;
    bool lists_command = false;
    for (const GpuProcess& process : board.processes) {
        if (belongs_to_command(static_cast<pid_t>(process.pid)))
            lists_command = true;
        else
            others += process.memory_mib.value_or(0);
    }
    if (!lists_command)
        return std::nullopt;
    return others;
}

/// One digit behind the point.
std::string gib(std::int64_t mib) {
    const std::int64_t tenths = (mib * 10 + 512) / 1024;
    return concat(tenths / 10, ".", tenths % 10);
}

/// The peak of one GPU; "s before the end" shows whether it can have caused the end.
std::string in_words(const GpuMemoryUse& use, Clock::time_point end) {
    const auto before_end =
        std::chrono::duration_cast<std::chrono::seconds>(end - use.time).count();
    const std::string name = if_any(" (", use.board.name, ")");
    std::string line = concat(
        "GPU ",
        use.board.index,
        name,
        ": ",
        gib(used_mib(use.board)),
        " of ",
        gib(*use.board.memory_total_mib),
        " GiB of its memory were in use ",
        before_end,
        " s before the end");
    if (use.used_by_others_mib.value_or(0) > 0)
        line += concat(
            ", ",
            gib(*use.used_by_others_mib),
            " GiB of it by processes that do not belong to the command");
    return line;
}

/// Whether it is worth a line: little was left, or others held much.
bool is_nearly_full(const GpuMemoryUse& use) {
    const double total = static_cast<double>(*use.board.memory_total_mib);
    constexpr double nearly_all = 0.9, much_for_others = 0.25;
    return static_cast<double>(used_mib(use.board)) >= nearly_all * total ||
           static_cast<double>(use.used_by_others_mib.value_or(0)) >= much_for_others * total;
}

}  // namespace

milliseconds GpuMemoryWatch::look(const std::function<bool(pid_t)>& belongs_to_command) {
    constexpr milliseconds while_querying(100), longest(60000), never(std::chrono::hours(1));
    if (query_) {
        const auto found = query_->look();
        if (!found)
            return while_querying;
        take(*found, belongs_to_command);
        query_.reset();
        is_unresponsive_ = found->nvml_devices.empty();
    }
    // NVML is missing or hangs, and would do so again.
    if (is_unresponsive_)
        return never;
    const auto now = Clock::now();
    if (now < next_query_)
        return std::chrono::ceil<milliseconds>(next_query_ - now);
    // In a process of its own, whose answer a later look takes: NVML may hang.
    query_.emplace("nvml_devices");
    next_query_ = now + interval_;
    // A long run is watched less often: each query costs a process.
    interval_ = std::min(2 * interval_, longest);
    return while_querying;
}

void GpuMemoryWatch::stop(const std::function<bool(pid_t)>& belongs_to_command) {
    if (!query_)
        return;
    // Never waits: the command has ended, and the user wants to know why.
    if (const auto found = query_->look())
        take(*found, belongs_to_command);
    query_.reset();
}

void GpuMemoryWatch::take(
    const Facts& found, const std::function<bool(pid_t)>& belongs_to_command) {
    for (const Board& board : found.nvml_devices) {
        if (!board.memory_total_mib || !board.memory_free_mib)
            continue;
        // The peak, not the last value: before it ends, a process frees its memory.
        const auto before = most_used_.find(board.index);
        if (before != most_used_.end() && used_mib(before->second.board) >= used_mib(board))
            continue;
        most_used_[board.index] = {board, Clock::now(), used_by_others(board, belongs_to_command)};
    }
}

std::vector<std::string> in_words(
    const std::map<int, GpuMemoryUse>& most_used, Clock::time_point end) {
    std::vector<GpuMemoryUse> uses;
    for (const auto& [index, use] : most_used)
        uses.push_back(use);
    // The fullest GPU first.
    std::ranges::stable_sort(
        uses, {}, [](const GpuMemoryUse& use) { return *use.board.memory_free_mib; });
    return mapped(uses, [&](const GpuMemoryUse& use) { return in_words(use, end); });
}

std::string fullest_in_words(const std::map<int, GpuMemoryUse>& most_used, Clock::time_point end) {
    std::map<int, GpuMemoryUse> full = most_used;
    std::erase_if(full, [](const auto& use) { return !is_nearly_full(use.second); });
    if (full.empty())
        return "";
    return in_words(full, end).front();
}

}  // namespace rnncheck
