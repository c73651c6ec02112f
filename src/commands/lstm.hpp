// The parts of `rnncheck lstm`: its options, the resumable run, and what it reports in addition to
// the verdict.
#pragma once

#include "commands/common_options.hpp"
#include "commands/survey_here.hpp"

namespace rnncheck {

// lstm_options.cpp: what to run, and which options cannot be used together.

/// The largest values of options: cuDNN has 32-bit sizes, and cudnnSetRNNDataDescriptor accepts no
/// longer sequence.
inline constexpr int most_size = 1 << 20, most_steps = 65535;

/// How the network is run. Empty for what was not given.
struct LstmRunOptions {
    std::optional<Level> level;
    std::string from_log;  ///< file
    std::optional<FitSize> fit;
    std::string resume;         ///< file
    std::optional<int> device;  ///< CUDA index
    std::string cudnn;          ///< part of a path
    std::optional<RnnApi> rnn_api;
    std::optional<double> dropout;  ///< probability
    bool no_shrink = false;
    std::optional<double> deadline;  ///< seconds
    std::string root;                ///< directory
};

/// The files to write in addition to those of every report.
struct LstmFileOptions {
    std::string save, svg, emit_repro;
};

struct LstmOptions {
    LstmRunOptions run;
    LstmFileOptions files;
    ReportOptions report;

    RnnCase network = {.input = 64, .hidden = 64, .batch = 8, .sequence_length = 16};

    /// Options of the network that were given, "--hidden"; the others may come from a log. Set by
    /// check_lstm_options().
    std::set<std::string> given;
};

/// Declares all options of `lstm`.
void add_lstm_options(CLI::App& app, LstmOptions& options);

/// Call it once the command line is parsed, before the run. UsageError names an invalid option, two
/// that cannot be used together, or a file of --svg or --emit-repro that cannot be written.
void check_lstm_options(const CLI::App& app, LstmOptions& options);

/// What to run. UsageError states why the network is invalid, InputError why the log contains none.
RnnRequest request_of(const LstmOptions& given, const Log& log);

// lstm_state.cpp: a run, its cases in order, its report, and the file that keeps it so that it can
// be resumed.

/// A saved run. `machine` is empty if the run ended before it used a GPU.
struct EarlierRun {
    Facts facts;
    std::string machine;
};

/// InputError when it cannot be read or is no document of `rnncheck lstm --save`.
EarlierRun read_earlier_run(const std::string& path);

class LstmState {
  public:
    /// `file` may be empty: then nothing is written. Writes the first document, so that a file that
    /// cannot be written is reported at once.
    LstmState(
        std::string file,
        const Matrix& matrix,
        const RnnRequest& request,
        std::optional<EarlierRun> earlier,
        const ReportOptions& options);

    /// Plans the cases and takes over those of the earlier run. InputError when that was on another
    /// machine, or on this one before it was changed.
    void plan(Facts& facts);

    /// Writes a document if the last one is old enough that the cost is small.
    void keep(const std::function<Facts()>& so_far);

    /// Every case that was to run, in order; those not run as skipped.
    Facts in_order(Facts facts) const;

    /// The report about facts that are in order, redacted unless private data are to be shown.
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

// lstm_extras.cpp, lstm_repro.cpp: the smallest case that fails, that case as a program, the
// largest size that fits into memory, and what the run shows about the failure in a log.

/// The first of the worst cases, except those that lacked memory: incorrect before failed before
/// rejected, then the v8 API before the legacy one, for which no program can be written. Null
/// if there is none.
const RnnRun* worst_run(const Facts& facts);

/// Runs the first of the worst cases alone and, if it fails again, reduces it, for 60 seconds at
/// most. Nothing if every case is correct, if no time is left, or if the process of the case hangs
/// inside the kernel, where a further process would hang too.
std::optional<MinimalCase> smallest_failing(
    const Facts& facts, const SurveyOptions& how, bool quiet);

/// Runs one size of the network of `calculated`, in a process of its own: its RnnFit. Nothing when
/// the time is over.
using TrySize = std::function<std::optional<RnnFit>(const RnnFit& calculated, int size)>;

/// largest_size() around the calculated one.
FitSearch find_fit(const RnnFit& calculated, const TrySize& try_size);

/// find_fit() for every calculation of the survey.
std::vector<FitSearch> find_fits(const Facts& facts, const SurveyOptions& how, bool quiet);

/// One failing case as a C++ program, for a person who has no rnncheck: a report to NVIDIA. Under
/// 180 lines, no header of ours, the case's own numbers by their formula, and the expected values
/// of the worst element and some others of its array, with the limits. Its exit code is 0 when all
/// is correct, 1 when a number is wrong, 2 when a call failed. For the v8 API alone.
std::string reproducer(const Facts& facts, const RnnRun& run);

/// `facts` are those of a machine on which the network of `config` was run, or of one that has no
/// GPU.
LogReplay replay_of(const LogRnnConfig& config, const Facts& facts);

}  // namespace rnncheck
