// The largest batch or length that fits into GPU memory: calculated, then tried.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/matrix.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// Runs one size on what `calculated` tells of, in a process of its own: its RnnFit. Nothing when the time is over.
using TrySize = std::function<std::optional<RnnFit>(const RnnFit& calculated, int size)>;

struct FitOptions {
    std::string root;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::function<void(std::string_view)> progress;
};

/// Around the calculated size: up until one does not run, or down until one does, and then between, to half a percent.
FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size);

/// find_fit for every calculation that survey() brought, each trial as a probe of its own.
std::vector<FitSearch> find_fits(const Facts& facts, const FitOptions& options);

/// healthy when a size was found for each; problems when nothing ran for another reason than memory; else, and where
/// the time was over before, undetermined. Without a search, why there was none.
Report fit_report(const Facts& facts, std::vector<FitSearch> searches, const Matrix& matrix);

}  // namespace rnncheck
