// The parts of `rnncheck lstm`: its options, the run that can be resumed, and what is found out beside the verdict.
#pragma once

#include <chrono>
#include <map>

#include "commands/common_options.hpp"
#include "process/survey.hpp"

namespace rnncheck {

// lstm_options.cpp: what to run, and which options cannot be used together.

/// As given; what is unset or empty was not.
struct LstmOptions {
    /// What the options of one case change in a network, by their names without dashes. What is not given keeps the
    /// value of the log's network or of a small LSTM: 64 units, 8 sequences of 16 steps.
    std::map<std::string, std::function<void(RnnCase&)>> changes;
    std::optional<Level> level;
    std::optional<Dialect> interface;
    std::optional<FitSize> fit;
    std::optional<int> device;
    std::optional<double> dropout, deadline_s;
    std::string log, cudnn, root, save, resume, repro, svg;
    bool no_shrink = false;
};

/// The result reads them once the command line is parsed. UsageError names the option that cannot be, or cannot be
/// with another, and a file of --svg or --emit-repro that cannot be written: nobody should wait for a run to learn
/// that.
std::function<LstmOptions()> declare_lstm_options(CLI::App& app);

/// What to run. UsageError says why a network cannot be; InputError why the log holds none.
RnnRequest request_of(const LstmOptions& given, const Log& log);

// lstm_state.cpp: a run, its cases in order, its report, and the file that keeps it so that it can be resumed.

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
              const ReportOptions& options);

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
    ReportOptions options_;
    std::vector<RnnRun> plan_;
    std::chrono::steady_clock::time_point due_{};
};

// lstm_extras.cpp, lstm_repro.cpp: the smallest case that fails, that case as a program, the largest size that fits
// into memory, and what the run shows about the failure in a log.

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
