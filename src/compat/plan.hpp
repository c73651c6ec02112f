// What can run on a machine that is described by a GPU, a driver, a Python and a system. Pure: the tables in, a plan
// out. Builds that are not known to work are never offered as if they were.
#pragma once

#include "compat/questions.hpp"
#include "facts/facts.hpp"

namespace rnncheck {

/// What is not given restricts nothing.
struct PlanQuestion {
    std::optional<Version> gpu;       ///< compute capability
    std::string gpu_name;             ///< as the question named it; "" when it gave the capability
    std::optional<bool> data_center;  ///< a board that forward-compatibility packages are made for
    std::optional<Version> driver;    ///< version (535.104.05) or branch (535)
    std::optional<Version> python;    ///< major.minor
    std::string os = "linux";         ///< linux, windows
    std::string driver_os;            ///< whose drivers count: windows under WSL; "": those of `os`
    std::string framework;            ///< "" asks for all

    static void fields(auto& self, auto&& visit) {
        visit("gpu", self.gpu, "compute capability");
        visit("gpu_name", self.gpu_name, "name of the GPU, if it was specified by name");
        visit("data_center", self.data_center, "whether it is a data center board, if that is known");
        visit("driver", self.driver, "version or branch of the driver");
        visit("python", self.python, "version of Python");
        visit("os", self.os, "linux or windows");
        visit("driver_os", self.driver_os, "windows under WSL, where the driver is that of Windows; else empty");
        visit("framework", self.framework, "the requested framework; empty for all");
    }
};

/// What facts tell of it: the first GPU and Python, and the driver by its library.
PlanQuestion plan_question(const Facts& facts, const Matrix& matrix);

/// A published build, as it would run there. `last` is always set.
struct PlannedBuild : FrameworkBuild {
    Fit fit = Fit::works;
    bool limited = false;                ///< runs by minor-version compatibility alone
    std::vector<std::string> because;    ///< what keeps it from working, or from being known to
    std::vector<std::string> notes;      ///< what to know before using it
    std::optional<Version> driver_full;  ///< oldest driver with all features of its CUDA; `driver_min` runs it
    std::vector<std::string> sources;

    static void fields(auto& self, auto&& visit) {
        visit("first", self.first, "first version of this row");
        visit("last", self.last, "last version; 2.4 means every 2.4.x");
        visit("build", self.build, "flavour, in the framework's own word");
        visit("os", self.os, "linux, windows or macos");
        visit("fit", self.fit, "whether it runs there: works, compiles_first, unknown or does_not_work");
        visit("limited", self.limited, "whether it runs by minor-version compatibility alone");
        visit("because", self.because, "what keeps it from working, or from being known to");
        visit("notes", self.notes, "what to know before using it");
        visit("cuda", self.cuda, "CUDA it is built with");
        visit("cudnn", self.cudnn, "cuDNN it is built with or requires");
        visit("without_cudnn", self.without_cudnn, "whether it never opens cuDNN");
        visit("libraries", self.libraries, "where CUDA and cuDNN come from: system, inside, wheels");
        visit("driver_min", self.driver_min, "oldest driver that runs it");
        visit("driver_full", self.driver_full, "oldest driver with all features of its CUDA");
        visit("python_first", self.python_first, "oldest Python");
        visit("python_last", self.python_last, "newest Python");
        visit("targets", self.targets, "GPUs it has code for: sm_.. machine code, compute_.. PTX");
        visit("install", self.install, "the command that installs it");
        visit("sources", self.sources, "where this comes from");
    }
};

/// What of one framework can run.
struct FrameworkPlan {
    std::string framework;
    std::optional<PlannedBuild> newest;  ///< the newest version that works; else that compiles first; else unset
    std::vector<PlannedBuild> others;    ///< all further builds that work or compile first, newest first
    std::vector<std::string> versions;   ///< of all these: "1.8 to 2.7"
    std::vector<std::string> undecided;  ///< ranges of versions of which none is known to run, but may
    std::vector<std::string> undecided_because;  ///< what is unknown about the newest of these
    std::optional<PlannedBuild> perhaps;         ///< without `newest`: the newest that may run, for all the data tell
    std::optional<PlannedBuild> newer;  ///< the newest version of all, where it is not `newest`: `because` says why

    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework, "its name");
        visit("newest", self.newest, "the newest version that runs there");
        visit("others", self.others, "further builds that run there, newest first");
        visit("versions", self.versions, "ranges of versions of which some build runs there, oldest first");
        visit("undecided", self.undecided,
              "ranges of versions of which no build is known to run, but the data do not rule it out");
        visit("undecided_because", self.undecided_because, "what is unknown about the newest of these");
        visit("perhaps", self.perhaps,
              "if none is known to run: the newest that the data do not cover; `because` shows what is unknown");
        visit("newer", self.newer, "the newest version of all if it is none of these, with the reason");
    }
};

struct Plan {
    PlanQuestion asked;
    std::vector<std::string> obstacles;  ///< why nothing can run at all; then `frameworks` is empty
    std::vector<std::string> remarks;    ///< about the GPU and the driver
    std::vector<FrameworkPlan> frameworks;

    static void fields(auto& self, auto&& visit) {
        visit("asked", self.asked, "what the plan is for");
        visit("obstacles", self.obstacles, "why no build can be listed; empty if one can");
        visit("remarks", self.remarks, "what holds for every framework");
        visit("frameworks", self.frameworks, "the plan for each framework");
    }
};

/// The driver in question for builds of a system.
compat::DriverAsked driver_of(const PlanQuestion& question, const std::string& os);

inline bool runs(const PlannedBuild& build) {
    return build.fit == Fit::works || build.fit == Fit::compiles_first;
}

/// One published build against everything that was asked.
PlannedBuild plan_build(const FrameworkBuild& build, const PlanQuestion& question, const Matrix& matrix);

/// The command for this version; with a GPU also what keeps pip from a cuDNN that is too new for it.
std::string install_command(const FrameworkBuild& build, const std::optional<Version>& gpu, const Matrix& matrix);

/// Whether something runs.
bool offers_something(const Plan& plan);
/// Nothing runs, but of something the data do not tell.
bool leaves_open(const Plan& plan);

/// UsageError when there is no such framework, naming those that there are.
Plan make_plan(const PlanQuestion& question, const Matrix& matrix);

/// A build of a version, and the GPUs that it runs on.
struct NeededBuild {
    PlannedBuild build;
    std::vector<Version> gpus;
    std::vector<Version> gpus_compiling_first;

    static void fields(auto& self, auto&& visit) {
        visit("build", self.build, "the build and what it needs");
        visit("gpus", self.gpus,
              "compute capabilities that it and its cuDNN have machine code for; a cuDNN that is not known rules out "
              "those alone that none for its CUDA has code for");
        visit("gpus_compiling_first", self.gpus_compiling_first,
              "those for which the driver compiles PTX at the first use");
    }
};

/// Which builds of a version are asked about; what is not given restricts nothing.
struct NeedsQuestion {
    std::string os;         ///< linux, windows, macos; "": all
    std::string driver_os;  ///< as in PlanQuestion
    std::optional<Version> python;
    std::string build;  ///< flavour; "": all
};

/// What a version needs, the other way round.
struct Needs {
    std::string framework;
    Version version;
    std::vector<NeededBuild> builds;
    std::vector<std::string> without_cuda;
    std::optional<Version> newest_known;

    static void fields(auto& self, auto&& visit) {
        visit("framework", self.framework, "its name");
        visit("version", self.version, "the requested version");
        visit("builds", self.builds, "its builds with CUDA, for every system or the requested one");
        visit("without_cuda", self.without_cuda,
              "systems for which there are builds, but none with CUDA; the requested one also if there is no build");
        visit("newest_known", self.newest_known, "the newest version in the data, if the requested one is newer");
    }
};

/// No builds when the data have none for this version. UsageError when there is no such framework, or no such build of
/// a version that there is.
Needs needs_of(const std::string& framework, const Version& version, const Matrix& matrix,
               const NeedsQuestion& asked = {});

}  // namespace rnncheck
