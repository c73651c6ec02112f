// Runs the probes stage by stage, each in a process of its own, and merges what they learn.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "facts/facts.hpp"

namespace rnncheck {

struct SurveyOptions {
    std::string root;                                ///< folder to examine instead of "/"; empty for this machine
    bool ask = true;                                 ///< open vendor libraries
    bool run = true;                                 ///< use the GPU; only with `ask`
    std::optional<double> deadline_s;                ///< seconds for the whole survey
    std::set<std::string> skip;                      ///< probes that are not started
    std::function<void(std::string_view)> progress;  ///< told what is going on, now and then; may be empty
};

Facts survey(const SurveyOptions& options);

}  // namespace rnncheck
