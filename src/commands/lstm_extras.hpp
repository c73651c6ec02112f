// What `rnncheck lstm` finds out beside the verdict: the smallest case that fails, that case as a program, the largest
// size that fits into memory, and what the run shows about the failure in a log.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/survey.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// How further cases are tried, each in a process of its own.
struct TrialOptions {
    std::string root;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    bool quiet = false;  ///< without a line of progress

    /// For the next process; nothing when the deadline has passed.
    std::optional<SurveyOptions> next() const;
};

/// The first of the worst cases: wrong before failed before refused, but for those that lacked memory; of the v8
/// interface before the legacy one, of which no program can be written. Null when there is none.
const RnnRun* worst_run(const Facts& facts);

/// Runs the first of the worst cases alone and, where that fails too, shrinks it, for 60 seconds at most. Nothing when
/// every case is right, no time was left to try it, or the process of the case hangs inside the kernel, which no other
/// process should run into.
std::optional<MinimalCase> smallest_failing(const Facts& facts, const TrialOptions& options);

/// Runs one size of the network of `calculated`, in a process of its own: its RnnFit. Nothing when the time is over.
using TrySize = std::function<std::optional<RnnFit>(const RnnFit& calculated, int size)>;

/// largest_size() around the calculated one.
FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size);

/// find_fit for every calculation that survey() brought.
std::vector<FitSearch> find_fits(const Facts& facts, const TrialOptions& options);

/// One failing case as a C++ program, for a person who has no rnncheck: a report to NVIDIA. Under 180 lines, no header
/// of ours, the case's own numbers by their formula, and what must come out of the worst element and some others of its
/// array, with the limits. Its exit code is 0 when all is correct, 1 when a number is wrong, 2 when a call failed. For
/// the v8 interface alone.
std::string reproducer(const Facts& facts, const RnnRun& run);

/// `facts` are those of a machine on which the network of `config` was run, or of one that has no GPU.
LogReplay replay_of(const LogRnnConfig& config, const Facts& facts);

}  // namespace rnncheck
