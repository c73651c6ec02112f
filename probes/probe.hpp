// A probe learns facts in a process of its own. May not judge, print or start processes.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "base/files.hpp"
#include "base/folder_list.hpp"
#include "facts/facts.hpp"
#include "facts/stage.hpp"
#include "wire/trace.hpp"

namespace rnncheck {

/// What a probe's process is given.
struct Job {
    Facts facts;         ///< everything learnt in earlier stages
    Root root;           ///< where to look for files
    std::string target;  ///< one of the probe's own targets
    int first_step = 0;  ///< steps before this one were done by an earlier process
};

/// Streams facts as they are learnt: call it as often as something new is known, each time with only the news.
using Learn = std::function<void(const Facts&)>;

/// A step that its process did not survive, told to the probe so that it can be recorded.
struct LostStep {
    int number = 0;
    CallResult result;    ///< the call under way, with how it ended in `text`
    bool tried = true;    ///< false for the steps that were given up after too many losses
};

struct Probe {
    std::string_view title;           ///< "Asks the driver library", reads after the id
    Stage stage;
    std::chrono::seconds limit;       ///< longest time without progress: every vendor call starts it anew
    void (*run)(const Job&, Trace&, const Learn&);
    /// What to look at, one process each. Unset: the whole machine, in one process.
    std::vector<std::string> (*targets)(const Facts&) = nullptr;
    /// For probes with steps: the facts about lost steps. Unset: a lost process is not continued.
    Facts (*lost)(const Job&, const std::vector<LostStep>&) = nullptr;
    /// Number of steps for a target; only with `lost`.
    int (*steps)(const Job&) = nullptr;
    /// Targets with the same text are never run at the same time ("GPU 0"). Unset: no such limit.
    std::string (*exclusive)(const std::string& target) = nullptr;
};

std::span<const Named<Probe>> all_probes();

/// The page docs/probes/<name>.md.
std::string_view probe_page(std::string_view name);

}  // namespace rnncheck
