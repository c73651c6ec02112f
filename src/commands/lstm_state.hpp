// A run of `rnncheck lstm` kept in a file while it goes on, and gone on with later.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/lstm_report.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// What a file tells of the run that wrote it. `machine` is empty when that had not come to use a GPU.
struct EarlierRun {
    RnnRequest request;
    std::string machine;
    std::vector<RnnRun> runs;
};

/// InputError when it cannot be read or is no document of `rnncheck lstm --output`.
EarlierRun read_earlier_run(const std::string& path);

/// One word for all that results depend on: driver, GPUs, copies of cuDNN, what the environment says of TF32, and
/// rnncheck itself.
std::string machine_digest(const Facts& facts);

/// Every case that is to run on this machine, in order, as skipped: not yet run.
std::vector<RnnRun> planned_cases(const Facts& facts, const std::string& root);

/// The runs in the order of the plan; where one is missing the plan's own stands.
std::vector<RnnRun> by_plan(const std::vector<RnnRun>& plan, const std::vector<RnnRun>& runs);

/// Those of the earlier run that were tried and are in the plan, with the paths that this machine has: a document for
/// others may have words in place of private parts of a path.
std::vector<RnnRun> taken_over(const std::vector<RnnRun>& earlier, const std::vector<RnnRun>& plan);

/// Keeps the document of a run in a file, whole at every moment.
class LstmState {
  public:
    /// `file` may be empty: then nothing is written. Writes the first document, so that a wrong name shows at once.
    LstmState(std::string file, const RnnRequest& request, std::optional<EarlierRun> earlier, bool show_private);

    /// Plans the cases and takes over those of the earlier run. InputError when that was on another machine, or on this
    /// one before it was changed.
    void plan(Facts& facts, const std::string& root);

    /// Writes a document when the last one is old enough for its cost not to count.
    void keep(const std::function<Facts()>& so_far);

    /// All cases in order.
    Facts in_order(Facts facts) const;

    /// All cases, and the smallest one, made fit to be shown.
    Facts shown(const Facts& facts, LstmBesides& besides) const;

    /// Writes what shown() gave.
    void finish(const Facts& shown, const LstmBesides& besides) const;

  private:
    Facts presentable(const Facts& facts) const;
    void write(const Facts& facts);

    std::string file_, machine_;
    std::optional<EarlierRun> earlier_;
    bool show_private_;
    std::vector<RnnRun> plan_;
    std::chrono::steady_clock::time_point due_{};
};

}  // namespace rnncheck
