// Where versions do not fit, the next question is what would. Pure.
#pragma once

#include "facts/facts.hpp"
#include "report/finding.hpp"

namespace rnncheck::rules {

/// Release of the driver, by whatever of it told one.
std::optional<Version> release_of_driver(const Facts& facts);

/// "rnncheck matrix plan gpu=8.6 driver=535.104.05" with this machine's values, the GPU's that the subject names, else
/// the first one's; "" when neither GPU nor driver is known.
std::string plan_command(const Facts& facts, const std::string& subject);

/// The same verdict; each of its findings offers the plan as its last remedy.
Verdict with_plan(Verdict verdict, const Facts& facts);

}  // namespace rnncheck::rules
