// Rules about specified versions ("what if driver=535 cuda=12.4"): what was specified, and what follows from the
// tables. Pure.
#pragma once

#include <functional>

#include "facts/facts.hpp"
#include "matrix/ranges.hpp"
#include "rules/support/verdict_builder.hpp"
#include "rules/support/words.hpp"
#include "stack/plan.hpp"

namespace rnncheck {
struct Rule;
}

namespace rnncheck::rules {

/// Why a rule about specified versions does not apply to a machine.
inline constexpr const char* about_named_versions = "it applies only to versions specified with --for or matrix check";

/// Null when not given.
const Version* given_cuda(const Facts& facts);
const Version* given_cudnn(const Facts& facts);
const Gpu* given_gpu(const Facts& facts);

using stack::cudnn_builds_of;
using stack::evidence_of;
using stack::outside_data;

/// Whose drivers the given one may be among. Three numbers are Linux's alone; two may be either's (570.26, 528.33), and
/// a branch ("535") is named alike on both.
std::vector<std::string> systems_of_driver(const Facts& facts);

/// "GPU" and what was given: "compute capability 8.6", "GeForce RTX 3090 (8.6)".
std::string words_of(const Gpu& gpu);
/// "PyTorch 2.4", "TensorFlow 2.10".
std::string words_of(const Framework& framework);

/// The published builds of a framework that what was given (release, flavour, system) may mean.
struct Builds {
    std::vector<FrameworkBuild> with_cuda;
    std::vector<FrameworkBuild> without_cuda;
    Coverage coverage = Coverage::known;  ///< when there are none at all: why
};
Builds builds_of(const Facts& facts, const Matrix& matrix, const Framework& framework);

/// "CUDA 12.4, cuDNN 9.1.0", or "no CUDA".
std::string libraries_of(const FrameworkBuild& build);

/// Of builds that differ, the one whose answer is the framework's.
struct DecidingBuild {
    const FrameworkBuild* build = nullptr;  ///< null: it depends on the build, and none is the default
    /// "its default build, cu128, unlike cu126"; "" if no build differs; if none decides, "no problem with cu126; a
    /// problem with cu128".
    std::string words;
};
/// `answers` has a number for each of the builds, at least one: above 0 no problem, 0 unknown, below 0 a problem; equal
/// numbers are the same answer. If builds differ, the default one of the package index decides; if the system is
/// unknown, that of Linux, unless another system has a better answer.
DecidingBuild deciding_build(const Framework& framework, const std::vector<FrameworkBuild>& builds,
                             const std::vector<int>& answers);
/// What `pip install PACKAGE==VERSION` gives, without an index or an extra.
bool is_default(const FrameworkBuild& build);
/// What is different once that build is installed: of what was given, also the libraries that it takes from the system.
std::vector<GivenValue> changes_to(const FrameworkBuild& build, const Version& version, const Facts& given);
/// To pip, another build of torch 2.8.0 satisfies torch==2.8.0, too.
constexpr const char* in_place_of_installed = " --force-reinstall";
using Judge = std::function<Verdict(const FrameworkBuild&)>;
/// A framework is at fault when the deciding one of the builds that it may be is; well when none is. Else it depends on
/// the build. `judge` is undecided if the tables do not show it, and passes with a reason.
void judge_builds(const std::vector<FrameworkBuild>& builds, const Framework& framework, VerdictBuilder& answers,
                  const Judge& judge);

/// The versions that --for specifies on a machine, as `matrix check` would have them: with the system and the active
/// Python. Unset without --for.
std::optional<Facts> asked_versions(const Facts& facts);

/// A rule's verdict on these versions. As in `matrix check`, what was not specified does not make it undecided.
Verdict judge_asked(const Facts& asked, const Matrix& matrix, Verdict (*function)(const Facts&, const Matrix&));

/// Which builds a rule is about.
bool takes_system_libraries(const FrameworkBuild& build);
bool brings_libraries(const FrameworkBuild& build);

/// Every framework with a release, by those builds that `speaks_of` picks.
Verdict judge_frameworks(const Facts& facts, const Matrix& matrix, bool (*speaks_of)(const FrameworkBuild&),
                         const std::function<Verdict(const FrameworkBuild&, const Framework&)>& judge);

/// What was specified, once for each CUDA and cuDNN of the tables that it may mean; the facts themselves if both are
/// complete, or not in the tables.
std::vector<Facts> as_full_versions(const Facts& facts, const Matrix& matrix);

/// The rule's verdict if it is the same for all of `possible`, else that it depends on the version.
Verdict judge_possible(const Rule& rule, const Facts& told, const std::vector<Facts>& possible, const Matrix& matrix);

/// The specified driver as a query of the tables: with the CUDA that the driver reports, and the system whose drivers
/// count.
stack::DriverAsked driver_asked(const Facts& facts);

}  // namespace rnncheck::rules
