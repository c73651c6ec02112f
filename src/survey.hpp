// Runs the probes stage by stage, each in a process of its own, and merges what they learn. Knows no single probe.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "facts/facts.hpp"

namespace rnncheck {

struct SurveyOptions {
    std::string root;                   ///< folder to look below instead of /
    bool ask = true;                    ///< whether vendor libraries may be opened
    bool run = true;                    ///< whether the GPU may be used
    std::optional<double> deadline_s;   ///< seconds for everything
    std::set<std::string> skip;         ///< probes not to run
    std::function<void(std::string_view)> progress;  ///< told what is under way, often; may be empty
};

/// Never throws for what the machine does: that is in the facts.
Facts survey(const SurveyOptions& options);

/// What the hidden command `probe` does: the side of the wire inside the probe's process. Reads the facts so far
/// from isolate::input_descriptor and answers on isolate::answer_descriptor, or, started by hand, on stdout.
/// Returns the exit code.
int run_probe_here(std::string_view name, const std::string& target, const std::string& root, int first_step);

}  // namespace rnncheck
