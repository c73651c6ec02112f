// A run of `rnncheck lstm`: its cases in order, its report, and the file that keeps it so that it can be resumed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "matrix/matrix.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// What a file holds of the run that wrote it. `machine` is empty when that had not come to use a GPU.
struct EarlierRun {
    Facts facts;
    std::string machine;
};

/// InputError when it cannot be read or is no document of `rnncheck lstm --save`.
EarlierRun read_earlier_run(const std::string& path);

class LstmState {
  public:
    /// `file` may be empty: then nothing is written. Writes the first document, so that a wrong name shows at once.
    LstmState(std::string file, const Matrix& matrix, const RnnRequest& request, std::optional<EarlierRun> earlier,
              bool show_private);

    /// Plans the cases and takes over those of the earlier run. InputError when that was on another machine, or on this
    /// one before it was changed.
    void plan(Facts& facts);

    /// Writes a document when the last one is old enough for its cost not to count.
    void keep(const std::function<Facts()>& so_far);

    /// Every case that was to run, in order; those not run as skipped.
    Facts in_order(Facts facts) const;

    /// Facts that are in order judged and, unless private things are to be shown, redacted.
    Report report(const Facts& facts, LstmExtras extras = {}) const;

    /// Into the file, if there is one.
    void write(const Report& report) const;
    void write(const Facts& facts) const;

  private:
    std::string file_, machine_;
    const Matrix& matrix_;
    std::optional<EarlierRun> earlier_;
    bool show_private_;
    std::vector<RnnRun> plan_;
    std::chrono::steady_clock::time_point due_{};
};

}  // namespace rnncheck
