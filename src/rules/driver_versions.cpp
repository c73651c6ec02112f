// The driver and the CUDA that programs would use on it.
#include "base/if_any.hpp"
#include "rules/conflicts.hpp"
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules {

/// Of the frameworks that bundle this CUDA runtime: what installs the same version built for the
/// newest CUDA that the driver runs.
static std::vector<std::string> builds_instead(
    const Facts& facts, const Matrix& matrix, const std::string& runtime) {
    std::vector<std::string> commands;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const bool bundles = includes(directories_of(framework), directory_of(runtime));
        // What --for names is not installed: there is nothing to replace.
        if (!bundles || !framework.version || framework.requested)
            continue;
        auto builds = planned_builds(
            as_named(framework), facts.host.platform, stack_of(facts, matrix), matrix);
        std::erase_if(builds, [](const PlannedBuild& build) {
            return !stack::bundles_libraries(build) || stack::is_of_conda(build);
        });
        const auto newest = std::ranges::max_element(
            builds, {}, [](const PlannedBuild& build) { return *build.cuda; });
        if (newest == builds.end())
            continue;
        append(
            commands, install_here(facts, framework.name, newest->install + in_place_of_installed));
    }
    return commands;
}

/// The update, and the GPUs that it does not help; if it helps none, the alternative. `runtime`:
/// where it is.
static std::vector<Remedy> update_or_instead(
    const Facts& facts,
    const Matrix& matrix,
    const std::optional<Version>& oldest,
    const Version& cuda,
    const std::string& runtime) {
    Remedy update = remedy(
        "driver_too_old/update",
        {if_any(" to ", oldest, " or later")},
        driver_install_commands(facts, oldest));
    std::vector<Remedy> instead;
    for (const Gpu& gpu : facts.cuda_devices) {
        const auto row = matrix.architecture(gpu.compute_capability);
        if (!row || !oldest)
            continue;
        // Two ends of support: a driver branch that no longer knows the GPU,
        // and a CUDA that has no code for it, which a newer driver does not
        // change.
        const bool ignored = row->last_driver_branch && *row->last_driver_branch < oldest->major();
        if (!ignored && (!row->last_cuda || *row->last_cuda >= cuda))
            continue;
        const std::string until = row->last_cuda.value_or(cuda).text;
        const std::string link = row->driver_source.value_or(row->source).url;
        if (!ignored) {
            instead.push_back(
                remedy("driver_too_old/no_longer", {cuda.text, row->name, until, link}));
            continue;
        }
        const std::string last = "driver branch " + std::to_string(*row->last_driver_branch) +
                                 " is the last one for " + row->name +
                                 ", and later drivers ignore this GPU";
        update.text += ". For " + words_of(gpu) + ", " + last;
        instead.push_back(remedy("driver_too_old/ignored", {last, until, link}));
    }
    if (!instead.empty() && instead.size() == facts.cuda_devices.size())
        return {instead.front()};
    const Remedy older_build = remedy(
        "driver_too_old/older_build",
        {facts.driver.cuda_version->text},
        builds_instead(facts, matrix, runtime));
    // Users who cannot update the driver get the other fix first.
    if (in_container(facts) || !batch_system(facts).empty())
        return {older_build, on_host(facts, update)};
    return {on_host(facts, update), older_build};
}

/// `what` needs `cuda`, which is newer than what the driver runs.
static Finding too_old(
    const Facts& facts,
    const Matrix& matrix,
    const std::string& subject,
    const std::string& what,
    const Version& cuda) {
    const auto driver = driver_of(facts);
    const auto row = stack::drivers_for(cuda, driver.os, matrix);
    std::string source = "driver.nvml_version";
    if (driver_library_version(facts))
        source = "driver.library_version";
    std::optional<Version> oldest;
    Evidence oldest_driver = {"oldest driver for CUDA " + cuda.text, "", "matrix"};
    if (row) {
        oldest = row->oldest_driver;
        oldest_driver.value = row->oldest_driver.text;
        oldest_driver.source = row->oldest_source.url;
    }
    return {
        .subject = subject,
        .message = "the driver supports CUDA up to " + driver.cuda->text + ", too old for " + what,
        .evidence =
            {{"newest CUDA version supported by the driver",
              driver.cuda->text,
              "driver.cuda_version"},
             {"CUDA runtime", cuda.text, "runtimes"},
             {"driver version", if_known(driver.version), source},
             std::move(oldest_driver)},
        .remedies = update_or_instead(facts, matrix, oldest, cuda, subject),
        .explains = {cuda_for_driver(cuda.major())},
    };
}

/// The engine's part for what is wrong with the driver, if a framework's own CUDA is: its repairs
/// then hold here.
static stack::Part part_of_driver(
    const Facts& facts, const Matrix& matrix, const Runtime& runtime) {
    for (const Framework& framework : judged_frameworks(facts, matrix))
        if (includes(directories_of(framework), directory_of(runtime.library)))
            return {stack::PartKind::driver};
    return {};
}

/// An installed framework whose documentation requires a later driver than its CUDA does.
static void judge_documented(
    const Facts& facts, const Matrix& matrix, const Framework& framework, VerdictBuilder& result) {
    auto builds = builds_of(facts, matrix, framework).with_cuda;
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        return framework.cuda && !agree(*build.cuda, *framework.cuda);
    });
    const stack::Driver driver = driver_of(facts);
    // Only what its documentation adds: a driver that does not run the CUDA of
    // the build is the fault of judge_runtimes().
    const auto is_too_new = [&](const FrameworkBuild& build) {
        return stack::driver_runs_build(driver, build, matrix).fit == Fit::does_not_work &&
               stack::driver_runs_cuda(driver, *build.cuda, matrix).fit != Fit::does_not_work;
    };
    if (builds.empty() || framework.requested || !std::ranges::all_of(builds, is_too_new))
        return;
    const auto& needed = builds.front().driver_min;
    result.fault({
        .subject = words_of(framework),
        .part = {stack::PartKind::driver},
        .message = "driver " + driver.version->text + " is too old for " + words_of(framework) +
                   ", which requires " + needed->text + " or later",
        .evidence =
            {{"driver", driver.version->text, "driver.library_version"},
             evidence_of(builds.front(), "driver " + needed->text + " or later")},
        .remedies = {on_host(
            facts,
            remedy(
                "driver_too_old/update",
                {" to " + needed->text + " or later"},
                driver_install_commands(facts, needed)))},
    });
}

/// The rule needs a CUDA to compare the driver with.
static Verdict without_runtimes(const Facts& facts) {
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    if (usable_copies(facts, LibraryKind::cudart).empty())
        return not_applicable("no CUDA runtime was found");
    return undecided("no CUDA runtime reported its version");
}

/// Every CUDA runtime that was found; whether one runs with minor-version compatibility alone.
static bool judge_runtimes(const Facts& facts, const Matrix& matrix, VerdictBuilder& result) {
    std::vector<Finding> findings;
    bool any_suits = false, limited = false;
    for (const auto& runtime : facts.runtimes) {
        stack::Compatibility runs{.fit = Fit::unknown};
        if (runtime.version)
            runs = stack::driver_runs_cuda(driver_of(facts), *runtime.version, matrix);
        if (runs.fit == Fit::unknown)
            result.unknown(
                "whether the driver supports the CUDA runtime " + runtime.library + " is unknown");
        any_suits |= runs.fit == Fit::works;
        limited |= runs.minor_version_only;
        if (runs.fit != Fit::does_not_work)
            continue;
        findings.push_back(too_old(
            facts,
            matrix,
            runtime.library,
            "the CUDA runtime " + runtime.version->text + " at " + runtime.library,
            *runtime.version));
        findings.back().part = part_of_driver(facts, matrix, runtime);
    }
    // Programs request one CUDA major by name: those for the runtime that suits are well served.
    // One that did not respond may be it.
    if (any_suits || !unresponsive_library(facts, LibraryKind::cudart).empty())
        for (Finding& finding : findings)
            finding.severity = Severity::warning;
    result.faults(std::move(findings));
    return limited;
}

/// The driver supports only older CUDA versions than a runtime here. Within one
/// major, minor-version compatibility lets an older driver run a newer CUDA,
/// which is no fault. https://docs.nvidia.com/deploy/cuda-compatibility/
Verdict driver_too_old(const Facts& facts, const Matrix& matrix) {
    if (facts.runtimes.empty())
        return without_runtimes(facts);
    if (driver_library_absent(facts))
        return not_applicable("no driver library was found");
    if (!facts.driver.cuda_version)
        return undecided("the CUDA version that the driver supports is unknown");
    VerdictBuilder result;
    const bool limited = judge_runtimes(facts, matrix, result);
    for (const Framework& framework : judged_frameworks(facts, matrix))
        judge_documented(facts, matrix, framework, result);
    std::string how =
        "the driver runs every CUDA runtime found, some with minor-version compatibility";
    if (!limited)
        how = "the driver supports CUDA up to " + facts.driver.cuda_version->text +
              ", which covers every CUDA runtime found";
    return result.finish_or(pass(how));
}

/// On a machine nothing depends on it: what it rules out, PTX code of a newer
/// CUDA, is seen when it runs (ptx_newer_than_driver).
Verdict minor_version_compatibility(const Facts& facts, const Matrix& matrix) {
    return verdict_of_named(stack::ConflictKind::minor_version_compatibility, facts, matrix);
}

/// A driver of `needed` or later; any newer one where that is unknown.
static std::vector<Remedy> remedies(const Facts& facts, const std::optional<Version>& needed = {}) {
    return {remedy("ptx_newer_than_driver", {}, driver_install_commands(facts, needed))};
}

/// A prediction, so a warning: NVRTC can also generate machine code for the
/// GPU, which an older driver of the same CUDA major loads.
static Finding newer_compiler(const Facts& facts, const Matrix& matrix, const Nvrtc& nvrtc) {
    const Version &own = *nvrtc.version, &of_driver = *facts.driver.cuda_version;
    const auto row = stack::drivers_for(own, driver_of(facts).os, matrix);
    std::optional<Version> needed;
    if (row)
        needed = row->full_driver;
    Finding finding = {
        .severity = Severity::warning,
        .subject = nvrtc.library,
        .message = "PTX compiled by NVRTC " + own.text + " at " + nvrtc.library +
                   " cannot be loaded by this driver, which supports CUDA up to " + of_driver.text,
        .evidence =
            {{"NVRTC", own.text, "nvrtcs"},
             {"newest CUDA version supported by the driver",
              of_driver.text,
              "driver.cuda_version"}},
        .remedies = remedies(facts, needed),
    };
    if (own.major() > of_driver.major())
        finding.symptoms = {cuda_for_driver(own.major())};
    return finding;
}

/// Where no driver rejected PTX, and no compiler is newer than it.
static Verdict whether_ptx_was_loaded(const Facts& facts) {
    if (!failures_are_known(facts))
        return undecided("a run on the GPU failed for an unknown reason");
    if (std::ranges::any_of(facts.kernel_runs, code_was_loaded))
        return pass("the driver loaded PTX code");
    if (!facts.nvrtcs.empty())
        return pass("no NVRTC is newer than the CUDA version that the driver supports");
    if (const auto why = lower_cause(facts))
        return not_applicable(*why);
    if (facts.driver.init && facts.cuda_devices.empty())
        return not_applicable("there is no GPU to load code on");
    return undecided("no code was loaded on a GPU");
}

/// A driver compiles PTX only up to the version of its own CUDA, also where
/// minor-version compatibility lets it run the runtime: a call then returns
/// CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222).
Verdict ptx_newer_than_driver(const Facts& facts, const Matrix& matrix) {
    const auto failures = failures_where(facts, [](const CallResult& call) {
        return is_cuda_failure(call, cuda_unsupported_ptx_version) ||
               contains(call.text, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    });
    if (failures.empty() && driver_library_absent(facts))
        return not_applicable("no driver library was found");
    VerdictBuilder result;
    result.faults(findings_for(
        failures,
        {
            .message = "the driver rejected PTX code of a newer CUDA version than it "
                       "supports (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)",
            .remedies = remedies(facts),
        }));
    for (const auto& nvrtc : facts.nvrtcs) {
        if (!facts.driver.cuda_version)
            result.unknown("the CUDA version that the driver supports is unknown");
        else if (!nvrtc.version)
            result.unknown("NVRTC at " + nvrtc.library + " did not report its version");
        else if (*nvrtc.version > *facts.driver.cuda_version)
            result.fault(newer_compiler(facts, matrix, nvrtc));
    }
    return result.finish_or(whether_ptx_was_loaded(facts));
}

}  // namespace rnncheck::rules
