// A probe learns facts in a process of its own. May not judge, print or start processes.
#pragma once

#include <chrono>
#include <span>

#include "base/directory_list.hpp"
#include "base/files.hpp"
#include "facts/common.hpp"
#include "facts/facts.hpp"
#include "process/wire.hpp"

namespace rnncheck {

/// What a probe's process is given.
struct Job {
    /// everything found in earlier stages, and by earlier processes of this target
    Facts facts;
    /// where to look for files
    Root root;
    /// one of the probe's own targets
    std::string target;
};

/// A step that its process did not survive, or that no process began, reported
/// to the probe so that it can be recorded.
struct LostStep {
    int number = 0;
    /// the call under way, with how it ended in `text`
    CallResult result;
    /// why no process began it
    std::optional<SkipReason> skipped = {};
};

/// What a probe needs that examines its target in steps, each of which may end the process.
struct Steps {
    /// By step, whether the job's facts hold it already.
    std::vector<bool> (*done)(const Job&);
    /// Facts about lost steps.
    Facts (*lost)(const Job&, const std::vector<LostStep>&);
    /// Steps of one group use the same kernels: after two losses the
    /// rest of the group is given up.
    std::string (*group)(const Job&, int step);
};

/// One probe; probes/NAME.cpp defines it under its name.
/// docs/recipes.md shows how to add one.
struct Probe {
    /// "Queries the driver library", reads after the id
    std::string_view title;
    Stage stage;
    /// longest time without progress: every vendor call starts it again, a step has its own
    std::chrono::seconds limit;
    void (*run)(const Job&, ProbeWriter&);
    /// What to look at, one process each. Unset: the whole machine, in one process.
    std::vector<std::string> (*targets)(const Facts&) = nullptr;
    /// Unset: a lost process is not continued.
    std::optional<Steps> steps = {};
    /// Targets with the same text are never run at the same time
    /// ("GPU 0"). Unset: no such limit.
    std::string (*exclusive)(const std::string& target) = nullptr;
    /// Where its process is lost, nothing more is run on what it had
    /// exclusively: it would be lost there as well.
    bool blocks_gpu = false;
    /// Of a probe that starts the driver: how long the others that do may be
    /// silent from now on, by what this one found and how long it took;
    /// nothing where that is not enough.
    std::optional<std::chrono::milliseconds> (*start_limit)(
        const Facts&, std::chrono::milliseconds) = nullptr;
    /// Runs only while another probe's process is silent, to find out why.
    bool hang_diagnostic = false;
};

std::span<const Named<Probe>> all_probes();

/// From now on this process does not open what may lead the loader to a pipe or
/// a device in a place where a library is looked for, for it would wait there:
/// the opening fails with the code would_block and a text that names the pipe.
void reject_blocking_files(const Facts& facts);

}  // namespace rnncheck
