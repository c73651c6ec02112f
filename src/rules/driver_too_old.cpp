// The driver does not run the CUDA runtime that programs would use.
#include <algorithm>

#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"
#include "rules/support/driver_by_release.hpp"
#include "rules/support/driver_support.hpp"
#include "rules/support/packages.hpp"
#include "rules/support/plan_remedy.hpp"
#include "rules/support/situation.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules::driver_too_old {

enum class Suits { fully, limited, not_at_all, unknown };

/// Only a WSL libcuda has no release in its name; there NVML's word stands in.
static std::optional<Version> driver_release(const Facts& facts) {
    return on_wsl(facts) && !library_release(facts) ? facts.driver.nvml_version : library_release(facts);
}

/// Minor-version compatibility: from CUDA 11 on, a runtime runs on any driver of its own major from the family's
/// oldest release on (https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html). A driver
/// that reports x.1 or later is past that release in any case.
static Suits suits(const Facts& facts, const Matrix& matrix, const Version& runtime) {
    const Version& cuda = *facts.driver.cuda_version;
    if (cuda >= runtime) return Suits::fully;
    if (cuda.major() != runtime.major() || cuda.major() < 11) return Suits::not_at_all;
    if (cuda.minor() > 0) return Suits::limited;
    const auto release = driver_release(facts);
    const auto row = matrix.driver_for_cuda(runtime);
    if (!release || !row) return Suits::unknown;
    return *release >= row->oldest_driver ? Suits::limited : Suits::not_at_all;
}

static Finding too_old(const Facts& facts, const Matrix& matrix, const Runtime& runtime) {
    const std::string cuda = facts.driver.cuda_version->text;
    const std::string needed = runtime.version->text;
    Finding finding;
    finding.subject = runtime.library;
    finding.message = "the driver supports CUDA up to " + cuda + ", too old for the CUDA runtime " + needed + " at " +
                      runtime.library;
    finding.evidence = {{"newest CUDA of the driver", cuda, "driver.cuda_version"},
                        {"CUDA runtime", needed, "runtimes"}};
    if (const auto release = library_release(facts))
        finding.evidence.push_back({"driver release", release->text, "driver.library_version"});
    const auto row = matrix.driver_for_cuda(*runtime.version);
    if (row) finding.evidence.push_back({"oldest driver for CUDA " + needed, row->oldest_driver.text, row->source.url});
    finding.remedies = {
        on_host(facts, {.text = "Update the NVIDIA driver" +
                                (row ? " to " + row->oldest_driver.text + " or newer" : std::string()) + " and restart",
                        .commands = driver_install_commands(facts),
                        .risk = Risk::disruptive,
                        .verify = "nvidia-smi",
                        .link = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"}),
        {.text = "Use a framework build for CUDA " + cuda + " or older; nothing has to change in the system then",
         .commands = {},
         .verify = "rnncheck doctor --only driver_too_old",
         .link = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"}};
    // Who may not touch the driver begins with what is in reach.
    if (in_container(facts) || !batch_system(facts).empty()) std::swap(finding.remedies[0], finding.remedies[1]);
    return finding;
}

/// No build with CUDA of a release that is asked about runs on the driver.
static std::vector<Finding> too_old_for_asked(const Facts& facts, const Matrix& matrix) {
    std::vector<Finding> findings;
    for (const Framework& framework : facts.frameworks) {
        if (!framework.asked || !facts.driver.cuda_version) continue;
        const auto builds = builds_of(facts, matrix, framework).with_cuda;
        const bool none = std::all_of(builds.begin(), builds.end(), [&](const FrameworkBuild& build) {
            return suits(facts, matrix, *build.cuda) == Suits::not_at_all;
        });
        if (builds.empty() || !none) continue;
        Runtime brought;
        brought.version = builds.front().cuda;
        brought.library = words_of(framework);
        Finding finding = too_old(facts, matrix, brought);
        finding.message = "the driver supports CUDA up to " + facts.driver.cuda_version->text + ", too old for " +
                          words_of(framework) + ", which is built for CUDA " + builds.front().cuda->text;
        finding.evidence.push_back(evidence_of(builds.front(), "CUDA " + builds.front().cuda->text));
        findings.push_back(std::move(finding));
    }
    return findings;
}

static Verdict without_runtimes(const Facts& facts) {
    if (!libraries_listed(facts)) return undecided("the library folders could not be searched");
    if (usable_copies(facts, LibraryKind::cudart).empty()) return not_applicable("no CUDA runtime was found");
    return undecided("no CUDA runtime told its version");
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (only_given(facts)) return with_plan(judge_driver_release(facts, matrix), facts);
    for (const Framework& framework : facts.frameworks)
        if (framework.asked && !framework.version) return undecided("which release was asked about is not known");
    if (auto asked = too_old_for_asked(facts, matrix); !asked.empty())
        return with_plan(fault_or(std::move(asked), {}), facts);
    if (facts.runtimes.empty()) return without_runtimes(facts);
    if (driver_library_absent(facts)) return not_applicable("no driver library was found");
    if (!facts.driver.cuda_version) return undecided("the driver did not tell which CUDA it supports");
    std::vector<Finding> findings;
    std::string open;
    bool any_suits = false, limited = false;
    for (const auto& runtime : facts.runtimes) {
        const Suits how = runtime.version ? suits(facts, matrix, *runtime.version) : Suits::unknown;
        if (how == Suits::unknown)
            open = "whether the driver suits the CUDA runtime " + runtime.library + " is not known";
        any_suits |= how == Suits::fully || how == Suits::limited;
        limited |= how == Suits::limited;
        if (how != Suits::not_at_all) continue;
        findings.push_back(too_old(facts, matrix, runtime));
    }
    // Programs ask for one CUDA major by name: those for the runtime that suits are well served. One that did not
    // answer may be it.
    const bool another_may = any_suits || !silent_copy(facts, LibraryKind::cudart).empty();
    for (auto& finding : findings) finding.severity = another_may ? Severity::warning : Severity::error;
    if (!findings.empty()) return with_plan(fault_or(std::move(findings), {}), facts);
    if (!open.empty()) return undecided(open);
    return pass(limited ? "the driver runs every CUDA runtime found, some under minor-version compatibility"
                        : "the driver says that it supports CUDA up to " + facts.driver.cuda_version->text +
                              ", no older than any runtime found");
}

extern const Rule rule{.title = "The NVIDIA driver is too old for the CUDA runtime",
                       .layer = Layer::driver,
                       .worst = Severity::error,
                       .needs = Stage::ask,
                       .check = check,
                       .asks = "driver=, and cuda=, gpu= or a framework"};

}  // namespace rnncheck::rules::driver_too_old
