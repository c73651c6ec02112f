// The smallest case that still fails, found by trying smaller ones, each in a process of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report/report.hpp"

namespace rnncheck {

struct ShrinkOptions {
    std::string root;
    double seconds = 60;  ///< for all trials together
    std::function<void(std::string_view)> progress;
};

/// The first of the worst cases: wrong before failed before refused, but for those that lacked memory; of the v8
/// interface before the legacy one, of which no program can be written. Null when there is none.
const RnnRun* worst_run(const Facts& facts);

/// Runs the first of the worst cases alone and, where that fails too, shrinks it. Nothing when every case is right, no
/// time was left to try it, or the process of the case hangs inside the kernel, which no other process should run into.
std::optional<MinimalCase> smallest_failing(const Facts& facts, const ShrinkOptions& options);

}  // namespace rnncheck
