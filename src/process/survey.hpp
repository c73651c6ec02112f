// Runs the probes stage by stage, each in a separate process, and merges the
// facts they collect. Knows no single probe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "facts/facts.hpp"
#include "process/child.hpp"
#include "process/wire.hpp"

namespace rnncheck {

/// When something must have ended; unset for no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
/// So long after this program was started: a loader with thousands of
/// directories to search takes seconds.
Deadline deadline_after(const std::optional<double>& seconds);
/// So long from now, for what begins when a command has ended.
Deadline deadline_from_now(const std::optional<double>& seconds);
bool is_over(const Deadline& deadline);

/// What to examine, for how long, and whom to inform meanwhile.
struct SurveyOptions {
    /// directory to look below instead of /
    std::string root;
    /// whether vendor libraries may be opened
    bool query = true;
    /// whether the GPU may be used
    bool run = true;
    /// whether the driver may create its device nodes
    bool make_nodes = false;
    /// for everything
    Deadline deadline;
    /// how long a step may be silent, in place of its own limit
    std::optional<std::chrono::seconds> step_limit;
    /// probes not to run
    std::set<std::string> skip;
    /// interpreter or environment whose frameworks are judged
    std::optional<std::string> python;
    /// cases to compute instead of the doctor's
    std::optional<RnnRequest> rnn_request;
    /// called often with what is under way; may be empty
    std::function<void(std::string_view)> progress;
    /// Called once with what is known, while the vendor libraries are queried:
    /// time to prepare what follows. May be empty.
    std::function<void(const Facts&)> meanwhile;
    /// Called with what was found, before the GPU is used; may add cases in
    /// facts.rnn_runs, which are not run again.
    std::function<void(Facts&)> before_run;
    /// Called often while probes run; the function that it is given
    /// returns all that is known so far.
    std::function<void(const std::function<Facts()>&)> checkpoint;
};

/// Never throws because of the machine: its failures are in the facts.
Facts survey(const SurveyOptions& options);

/// Runs one probe on one target in a separate process that receives these
/// facts. Returns only what it found and how it ended. Uses only `root`,
/// `deadline` and `step_limit` of the options.
Facts run_probe(
    std::string_view name,
    const std::string& target,
    const Facts& facts,
    const SurveyOptions& options);

/// One probe in a separate process, for a caller who cannot wait for it. The
/// destructor ends the process.
class RunningProbe {
  public:
    explicit RunningProbe(std::string_view name);
    RunningProbe(const RunningProbe&) = delete;
    RunningProbe& operator=(const RunningProbe&) = delete;

    /// Never waits. What the probe found, once its process has ended or is given up.
    std::optional<Facts> look();

  private:
    Facts found_;
    WireReader reader_;
    std::unique_ptr<process::Process> process_;
};

/// One probe on one target in this process.
struct ProbeCall {
    std::string name;
    std::string target;  ///< empty for a probe without targets
    std::string root;    ///< directory to look below, empty for /
    bool make_nodes = false;
    std::optional<int> facts_from;  ///< descriptor of the facts collected so far, if any
    int answer_to = 1;              ///< descriptor, 1 for standard output
};

/// The hidden command `probe`, which runs in the probe's process. Returns the exit code.
int run_probe_here(const ProbeCall& call);

}  // namespace rnncheck
