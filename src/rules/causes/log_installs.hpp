// The build of a framework that runs where a log comes from, and the commands that install it.
#pragma once

#include "rules/causes/log_causes.hpp"
#include "stack/plan.hpp"

namespace rnncheck::rules {

/// The framework of the log, if it names exactly one; else null.
const stack::Framework* only_framework(const LogContext& log);

/// The published build with CUDA that `matrix plan` would choose for the GPU, driver, Python and
/// system that the log shows: of this version of the framework (unset: the newest that runs). Unset
/// where the tables have none, and where builds of another kind apply (a Jetson, an AMD GPU,
/// programs outside Python).
std::optional<PlannedBuild> build_that_runs(
    const std::string& framework, const std::optional<Version>& version, const LogContext& log);

/// The Python that the user specified, else the one in a path of the log.
std::optional<Version> python_known(const LogContext& log);

/// ". It has packages for Python up to 3.8 only", of an old build where the Python is unknown; else
/// "".
std::string pythons_of_build(const PlannedBuild& build, const LogContext& log);

/// The commands that install the build of the table for a version with its flavor ("cu118"); empty
/// where the table has none.
std::vector<std::string> commands_for_flavour(
    const stack::Framework& framework, const LogContext& log);

/// The commands that install the build in the place of the one that is installed:
/// {"python -m pip install ..."}.
std::vector<std::string> commands_that_install(
    const std::string& framework, const PlannedBuild& build);

/// Where the log shows the GPU or the driver, and a published build of its framework runs there:
/// that build instead of a plan that lists it. For causes whose remedy is another build.
void name_build_that_runs(Remedy& remedy, const LogCause& cause, const LogContext& log);

}  // namespace rnncheck::rules
