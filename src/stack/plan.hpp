// What can run on a machine that is described by a GPU, a driver, a Python and a system. Pure: the
// tables in, a plan out. Builds that are not known to work are never listed as if they were.
#pragma once

#include "stack/questions.hpp"

namespace rnncheck {

/// What a plan is for, as its document shows it, and nothing else: the stack's first GPU, driver,
/// Python and system.
struct PlannedFor {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::optional<Version>, gpu, "compute capability");
    RNNCHECK_FIELD(std::string, gpu_name, "name of the GPU, if it was specified by name");
    RNNCHECK_FIELD(
        std::optional<bool>, data_center, "whether it is a data center board, if that is known");
    RNNCHECK_FIELD(std::optional<Version>, driver, "version or branch of the driver");
    RNNCHECK_FIELD(std::optional<Version>, python, "version of Python");
    RNNCHECK_FIELD(std::string, os, "linux or windows") = "linux";
    RNNCHECK_FIELD(
        std::string,
        driver_os,
        "windows under WSL, where the driver is that of Windows; else empty");
    RNNCHECK_FIELD(std::string, framework, "the requested framework; empty for all");
    RNNCHECK_FIELDS_END
};

PlannedFor planned_for(
    const stack::Stack& stack, const std::string& framework, const Matrix& matrix);

/// A published build, as it would run there. `last` is always set.
struct PlannedBuild : FrameworkBuild {
    Fit fit = Fit::works;
    bool minor_version_only = false;   ///< runs by minor-version compatibility alone
    std::vector<std::string> reasons;  ///< what keeps it from working, or from being known to
    std::vector<std::string>
        notes;  ///< what to know before using it, each a clause about the build
    std::vector<std::string> defects;  ///< known ones of its cuDNN
    std::optional<Version>
        driver_full;  ///< oldest driver with all features of its CUDA; `driver_min` runs it
    std::optional<Version> cudnn_by_pip;  ///< unset if its packages require one version
    std::vector<std::string> sources;

    static void fields(auto& self, auto&& visit) {
        visit("first", self.first, "first version of this row");
        visit("last", self.last, "last version; 2.4 means every 2.4.x");
        visit("build", self.build, "flavour, in the framework's own word");
        visit("os", self.os, "linux, windows or macos");
        visit(
            "fit",
            self.fit,
            "whether it runs there: works, compiles_first, unknown or does_not_work");
        visit(
            "minor_version_only",
            self.minor_version_only,
            "whether it runs by minor-version compatibility alone");
        visit("reasons", self.reasons, "what keeps it from working, or from being known to");
        visit("notes", self.notes, "what to know before using it");
        visit("defects", self.defects, "known defects of its cuDNN, each with what to do about it");
        visit(
            "after_install",
            self.after_install,
            "what else has to be done before it finds its libraries; empty for nothing");
        visit("cuda", self.cuda, "CUDA it is built with");
        visit("cudnn", self.cudnn, "cuDNN it is built with or requires");
        visit(
            "cudnn_by_pip",
            self.cudnn_by_pip,
            "newest cuDNN in the data that pip installs with it, if its packages allow later ones");
        visit("without_cudnn", self.without_cudnn, "whether it never opens cuDNN");
        visit(
            "libraries", self.libraries, "where CUDA and cuDNN come from: system, inside, wheels");
        visit("driver_min", self.driver_min, "oldest driver that runs it");
        visit("driver_full", self.driver_full, "oldest driver with all features of its CUDA");
        visit("python_first", self.python_first, "oldest Python");
        visit("python_last", self.python_last, "newest Python");
        visit("targets", self.targets, "GPUs it has code for: sm_.. machine code, compute_.. PTX");
        visit("install", self.install, "the command that installs it");
        visit("sources", self.sources, "where this comes from");
    }
};

/// Which builds of one framework can run.
struct FrameworkPlan {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, framework, "its name");
    /// Else one that compiles first, else one of conda-forge; else unset.
    RNNCHECK_FIELD(std::optional<PlannedBuild>, newest, "the newest version that runs there");
    RNNCHECK_FIELD(
        std::vector<PlannedBuild>, others, "further builds that run there, newest first");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        versions,
        "ranges of versions of which some build runs there, oldest first");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        undecided,
        "ranges of versions of which no build is known to run, but the data do not rule it out");
    RNNCHECK_FIELD(
        std::vector<std::string>, undecided_reasons, "what is unknown about the newest of these");
    RNNCHECK_FIELD(
        std::optional<PlannedBuild>,
        possible,
        "if none is known to run: the newest that the data do not cover; `reasons` "
        "shows what is unknown");
    RNNCHECK_FIELD(
        std::optional<PlannedBuild>,
        newer,
        "the newest version of all if it is none of these, with the reason");
    RNNCHECK_FIELDS_END
};

/// Everything that `rnncheck matrix plan` shows.
struct Plan {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(PlannedFor, request, "what the plan is for");
    RNNCHECK_FIELD(
        std::vector<std::string>, obstacles, "why no build can be listed; empty if one can");
    RNNCHECK_FIELD(std::vector<std::string>, remarks, "what holds for every framework");
    RNNCHECK_FIELD(std::vector<FrameworkPlan>, frameworks, "the plan for each framework");
    RNNCHECK_FIELDS_END
};

/// With machine code or, compiled at the first use, from PTX.
inline bool runs(const PlannedBuild& build) {
    return build.fit == Fit::works || build.fit == Fit::compiles_first;
}

/// Evaluates one published build against the first GPU, the driver and the Python of a stack. What
/// the stack leaves open restricts nothing.
PlannedBuild plan_build(
    const FrameworkBuild& build, const stack::Stack& stack, const Matrix& matrix);

/// The row's build of this version alone.
FrameworkBuild of_version(FrameworkBuild row, const Version& version);

/// The command for the newest version of the row; with a GPU also what keeps pip from a cuDNN that
/// is too new for it. Empty if there is none, or if every cuDNN that its packages require is too
/// new.
std::string install_command(
    const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix);

/// Whether something runs.
bool has_builds(const Plan& plan);
/// Nothing runs, but for some builds the data do not show it.
bool leaves_open(const Plan& plan);

/// The builds of one framework, or of all ("") that run with the stack. UsageError for an unknown
/// framework, with the known ones.
Plan make_plan(const stack::Stack& stack, const std::string& framework, const Matrix& matrix);

/// A build of a version, and the GPUs that it runs on.
struct NeededBuild {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(PlannedBuild, build, "the build and what it needs");
    RNNCHECK_FIELD(
        std::vector<Version>,
        gpus,
        "compute capabilities that it and its cuDNN have machine code for; a cuDNN that "
        "is not known rules "
        "out those alone that none for its CUDA has code for");
    RNNCHECK_FIELD(
        std::vector<Version>,
        gpus_compiling_first,
        "those for which the driver compiles PTX at the first use");
    RNNCHECK_FIELDS_END
};

/// What a version needs: the reverse of a plan.
struct Needs {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, framework, "its name");
    RNNCHECK_FIELD(Version, version, "the requested version");
    RNNCHECK_FIELD(
        std::vector<NeededBuild>,
        builds,
        "its builds with CUDA, for every system or the requested one");
    RNNCHECK_FIELD(
        std::vector<std::string>,
        without_cuda,
        "systems for which there are builds, but none with CUDA; the requested one also "
        "if there is no build");
    RNNCHECK_FIELD(
        std::optional<Version>,
        newest_known,
        "the newest version in the data, if the requested one is newer");
    RNNCHECK_FIELDS_END
};

/// For the stack's system (unset: every one) and Python. Without builds if the data have none of
/// this version. UsageError for an unknown framework, or an unknown build of a known version.
Needs needs_of(
    const stack::Framework& framework, const Matrix& matrix, const stack::Stack& stack = {});

}  // namespace rnncheck
