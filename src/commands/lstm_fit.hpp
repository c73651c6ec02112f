// The largest batch or length that fits into GPU memory: calculated, then tried.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// Runs one size on what `calculated` tells of, in a process of its own: its RnnFit. Nothing when the time is over.
using TrySize = std::function<std::optional<RnnFit>(const RnnFit& calculated, int size)>;

struct FitSearch {
    RnnFit calculated;
    std::optional<int> largest;    ///< the largest that ran
    std::optional<RnnFit> failed;  ///< the smallest above it that did not
    int trials = 0;
    bool out_of_time = false;  ///< the deadline passed before the search was over
};

struct FitOptions {
    std::string root;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::function<void(std::string_view)> progress;
};

/// Around the calculated size: up until one does not run, or down until one does, and then between, to half a percent.
FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size);

/// find_fit for every calculation that survey() brought, each trial as a probe of its own.
std::vector<FitSearch> find_fits(const Facts& facts, const FitOptions& options);

/// healthy when a size was found for each; problem when nothing ran for another reason than memory; else, and where the
/// time was over before, undetermined.
Exit code_of(const std::vector<FitSearch>& searches);

std::string fit_text(const Facts& facts, const std::vector<FitSearch>& searches);
std::string fit_json(const Facts& facts, const std::vector<FitSearch>& searches);

}  // namespace rnncheck
