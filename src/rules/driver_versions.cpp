// The driver and the CUDA that programs would use on it.
#include "matrix/ranges.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

// --- Versions that a person gives ---------------------------------------------------------------------------------

static Finding too_old_for(const Facts& facts, const Matrix& matrix, const std::string& thing, const Version& cuda,
                           const std::vector<Evidence>& evidence) {
    const Version driver = *driver_version(facts);
    const Gpu* gpu = given_gpu(facts);
    Finding finding;
    finding.subject = "driver " + driver.text;
    finding.message = "driver " + driver.text + " is too old for " + thing;
    finding.evidence = {{"driver", driver.text, "driver.library_version"}};
    append(finding.evidence, evidence);
    if (const auto package =
            compat::compat_package(driver_asked(facts), cuda, gpu ? gpu->compute_capability : std::nullopt, matrix))
        finding.evidence.push_back(
            {package->name, "provides a newer libcuda, on data center GPUs only", package->source});
    return finding;
}

static void judge_cuda(const Facts& facts, const Matrix& matrix, const Version& cuda, VerdictBuilder& answers) {
    const auto runs = given_driver_runs(facts, matrix, cuda);
    if (runs.outside) return answers.outside(runs.why);
    if (runs.fit == Fit::unknown) return answers.depends(runs.why);
    if (runs.fit == Fit::does_not_work)
        return answers.fault(too_old_for(facts, matrix, "CUDA " + cuda.text, cuda, runs.evidence));
    answers.passed(!runs.why.empty() ? runs.why
                                     : "driver " + driver_version(facts)->text + " runs CUDA " + cuda.text +
                                           (runs.limited ? " with minor-version compatibility" : ""),
                   runs.evidence);
}

/// Only what brings its own CUDA: what takes the system's is judged with that.
static void judge_framework(const Facts& facts, const Matrix& matrix, const Framework& framework,
                            VerdictBuilder& answers) {
    std::vector<FrameworkBuild> builds = builds_of(facts, matrix, framework).with_cuda;
    if (given_cuda(facts)) std::erase_if(builds, takes_system_libraries);
    const auto systems = systems_of_driver(facts);
    const bool wsl = on_wsl(facts);
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        return !wsl && std::ranges::find(systems, build.os) == systems.end();
    });
    compat::DriverAsked driver = driver_asked(facts);
    const std::string good = "driver " + driver.version->text + " runs " + words_of(framework);
    judge_builds(builds, framework, answers, [&](const FrameworkBuild& build) -> Verdict {
        driver.os = wsl ? "windows" : build.os;
        auto runs = compat::driver_runs_cuda(driver, *build.cuda, matrix);
        if (runs.fit == Fit::unknown) return undecided("the data do not show it");
        if (runs.fit != Fit::does_not_work) return pass(good);
        runs.evidence.push_back(evidence_of(build, "CUDA " + build.cuda->text));
        return fault(too_old_for(facts, matrix, words_of(framework) + ", which is built for CUDA " + build.cuda->text,
                                 *build.cuda, runs.evidence));
    });
}

/// The oldest driver that NVIDIA's support matrix names for this cuDNN, where no CUDA version was specified that tells
/// it.
static void judge_cudnn(const Facts& facts, const Matrix& matrix, VerdictBuilder& answers) {
    const Version* cudnn = given_cudnn(facts);
    const auto built_for = cudnn ? facts.cudnns.front().built_for_cuda : std::nullopt;
    if (!built_for || given_cuda(facts) || systems_of_driver(facts).front() == "windows") return;
    const auto build = matrix.cudnn_build(*cudnn, built_for->major());
    if (!build || !build->driver_min) return;
    const std::string what = "cuDNN " + cudnn->text + " for CUDA " + std::to_string(build->cuda_major);
    const std::vector<Evidence> evidence = {{"oldest driver for " + what, build->driver_min->text, build->source.url}};
    if (reaches(*driver_version(facts), *build->driver_min))
        answers.passed("driver " + driver_version(facts)->text + " runs " + what, evidence);
    else
        answers.fault(too_old_for(facts, matrix, what, make_version({build->cuda_major, 0}), evidence));
}

static void judge_gpu(const Matrix& matrix, const Version& driver, const Gpu& gpu, VerdictBuilder& answers) {
    if (!gpu.compute_capability) return;
    if (compat::driver_still_drives(driver, *gpu.compute_capability, matrix).fit == Fit::does_not_work)
        return answers.no_pass("driver " + driver.text + " no longer supports " + words_of(gpu));
    auto knows = compat::driver_knows(driver, *gpu.compute_capability, matrix);
    if (knows.fit == Fit::unknown) return;  // gpu_too_old tells
    const std::string first = knows.evidence.back().value;
    knows.evidence.back().what = "first CUDA version for " + words_of(gpu);
    if (knows.fit == Fit::works)
        return answers.passed("driver " + driver.text + " supports " + words_of(gpu), knows.evidence);
    Finding finding;
    finding.subject = "driver " + driver.text;
    finding.message = "driver " + driver.text + " is too old for " + words_of(gpu) + ", which requires CUDA " + first;
    finding.evidence = {{"driver", driver.text, "driver.library_version"}};
    append(finding.evidence, knows.evidence);
    answers.fault(std::move(finding));
}

static Verdict judge_given(const Facts& facts, const Matrix& matrix) {
    const auto driver = driver_version(facts);
    if (!driver) return undecided("no driver version was specified");
    if (compat::any_jetson(facts, matrix))
        return undecided("Jetson drivers are part of JetPack and follow other rules");
    if (!given_cuda(facts) && !given_cudnn(facts) && !given_gpu(facts) && facts.frameworks.empty())
        return undecided("nothing that needs a driver was specified: cuda=, cudnn=, gpu= or a framework");
    VerdictBuilder answers;
    const auto branch = matrix.cuda_of_driver(*driver);
    if (!branch) answers.outside(outside_data("driver " + driver->text, branch.coverage, matrix));
    if (const Version* cuda = given_cuda(facts)) judge_cuda(facts, matrix, *cuda, answers);
    judge_cudnn(facts, matrix, answers);
    for (const Framework& framework : facts.frameworks) judge_framework(facts, matrix, framework, answers);
    for (const Gpu& gpu : facts.cuda_devices) judge_gpu(matrix, *driver, gpu, answers);
    return answers.close();
}

// --- This machine -------------------------------------------------------------------------------------------------

static std::string last_branch_of(const Architecture& row) {
    return "driver branch " + std::to_string(*row.last_driver_branch) + " is the last one for " + row.name +
           ", and later drivers ignore this GPU";
}

static bool is_ignored(const Architecture& row, const Version& driver) {
    return row.last_driver_branch && *row.last_driver_branch < driver.major();
}

/// What helps a GPU for which a later driver does not; nothing where that is of use.
static std::optional<Remedy> instead_of_update(const Architecture& row, const Version& driver, const Version& cuda) {
    const bool ignored = is_ignored(row, driver);
    if (!ignored && (!row.last_cuda || *row.last_cuda >= cuda)) return std::nullopt;
    return Remedy{
        .action = Action::install_package,
        .text = (ignored ? "Do not update the driver: " + last_branch_of(row)
                         : "A newer driver does not help: CUDA " + cuda.text + " no longer supports " + row.name) +
                ". Use a build for CUDA " + (row.last_cuda ? row.last_cuda->text : cuda.text) + " or earlier",
        .link = row.driver_source.value_or(row.source).url};
}

/// The update, unless it is of no use to any GPU here.
static std::pair<Remedy, bool> update_or_instead(const Facts& facts, const Matrix& matrix, Remedy update,
                                                 const std::optional<Version>& oldest, const Version& cuda) {
    std::optional<Remedy> instead;
    bool any_gains = facts.cuda_devices.empty() || !oldest;
    for (const Gpu& gpu : facts.cuda_devices) {
        const auto row = compat::architecture_of(gpu, matrix);
        const auto other = row && oldest ? instead_of_update(*row, *oldest, cuda) : std::nullopt;
        any_gains |= !other;
        if (other && is_ignored(*row, *oldest)) update.text += ". For " + words_of(gpu) + ", " + last_branch_of(*row);
        if (other && !instead) instead = other;
    }
    return any_gains ? std::pair(update, true) : std::pair(*instead, false);
}

static Finding too_old(const Facts& facts, const Matrix& matrix, const Runtime& runtime) {
    const std::string cuda = facts.driver.cuda_version->text;
    const std::string needed = runtime.version->text;
    const auto driver = driver_asked(facts);
    const auto row = compat::drivers_for(*runtime.version, driver.os, matrix);
    Finding finding;
    finding.subject = runtime.library;
    finding.explains = {cuda_for_driver(runtime.version->major())};
    finding.message = "the driver supports CUDA up to " + cuda + ", too old for the CUDA runtime " + needed + " at " +
                      runtime.library;
    finding.evidence = {{"newest CUDA version supported by the driver", cuda, "driver.cuda_version"},
                        {"CUDA runtime", needed, "runtimes"},
                        {"driver version", if_known(driver.version),
                         driver_library_version(facts) ? "driver.library_version" : "driver.nvml_version"},
                        {"oldest driver for CUDA " + needed, row ? row->oldest_driver.text : "",
                         row ? row->oldest_source.url : "matrix"}};
    const auto oldest = row ? std::optional(row->oldest_driver) : std::nullopt;
    const auto [update, is_update] = update_or_instead(
        facts, matrix,
        remedy("driver_too_old/update", {(oldest ? " to " + oldest->text + " or later" : std::string())},
               driver_install_commands(facts, oldest)),
        oldest, *runtime.version);
    const Remedy older_build = remedy("driver_too_old/older_build", {cuda});
    finding.remedies = is_update ? std::vector{on_host(facts, update), older_build} : std::vector{update};
    if (!is_update) return finding;
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
        const bool none = std::ranges::all_of(builds, [&](const FrameworkBuild& build) {
            return compat::driver_runs_cuda(driver_asked(facts), *build.cuda, matrix).fit == Fit::does_not_work;
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
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (usable_copies(facts, LibraryKind::cudart).empty()) return not_applicable("no CUDA runtime was found");
    return undecided("no CUDA runtime reported its version");
}

/// The driver does not run the CUDA runtime that programs would use.
Verdict driver_too_old(const Facts& facts, const Matrix& matrix) {
    if (only_given(facts)) return judge_given(facts, matrix);
    for (const Framework& framework : facts.frameworks)
        if (framework.asked && !framework.version) return undecided("the version to check is unknown");
    if (auto asked = too_old_for_asked(facts, matrix); !asked.empty()) return fault_or(std::move(asked), {});
    if (facts.runtimes.empty()) return without_runtimes(facts);
    if (driver_library_absent(facts)) return not_applicable("no driver library was found");
    if (!facts.driver.cuda_version) return undecided("the CUDA version that the driver supports is unknown");
    std::vector<Finding> findings;
    std::string open;
    bool any_suits = false, limited = false;
    for (const auto& runtime : facts.runtimes) {
        compat::Suitability runs{.fit = Fit::unknown, .why = ""};
        if (runtime.version) runs = compat::driver_runs_cuda(driver_asked(facts), *runtime.version, matrix);
        if (runs.fit == Fit::unknown)
            open = "whether the driver supports the CUDA runtime " + runtime.library + " is unknown";
        any_suits |= runs.fit == Fit::works;
        limited |= runs.limited;
        if (runs.fit == Fit::does_not_work) findings.push_back(too_old(facts, matrix, runtime));
    }
    // Programs ask for one CUDA major by name: those for the runtime that suits are well served. One that did not
    // answer may be it.
    const bool another_may = any_suits || !silent_copy(facts, LibraryKind::cudart).empty();
    for (auto& finding : findings) finding.severity = another_may ? Severity::warning : Severity::error;
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!open.empty()) return undecided(open);
    return pass(limited ? "the driver runs every CUDA runtime found, some with minor-version compatibility"
                        : "the driver supports CUDA up to " + facts.driver.cuda_version->text +
                              ", which covers every CUDA runtime found");
}

static Finding limited(const Version& driver, const Version& cuda, std::vector<Evidence> evidence) {
    evidence.insert(evidence.begin(), {"driver", driver.text, "driver.library_version"});
    return {.subject = "driver " + driver.text,
            .message =
                "CUDA " + cuda.text + " runs on driver " + driver.text +
                " with minor-version compatibility: features that need a newer driver, and PTX code compiled by CUDA " +
                cuda.text + ", do not work",
            .evidence = std::move(evidence),
            .remedies = {remedy("minor_version_compatibility")}};
}

/// A CUDA release on a driver that is older than the release's own.
Verdict minor_version_compatibility(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts))
        return not_applicable("driver_too_old reports whether the driver supports the installed CUDA");
    const auto driver = driver_version(facts);
    const Version* cuda = given_cuda(facts);
    if (!driver || !cuda) return undecided("driver= and cuda= were not both specified");
    const auto runs = given_driver_runs(facts, matrix, *cuda);
    if (runs.outside) return outside_the_data(runs.why);
    if (runs.fit == Fit::unknown) return undecided(runs.why);
    if (runs.fit == Fit::does_not_work) return not_applicable("the driver does not support this CUDA version");
    if (!runs.limited) return pass("CUDA " + cuda->text + " runs with all its features");
    return fault(limited(*driver, *cuda, runs.evidence));
}

static std::vector<Remedy> remedies(const Facts& facts, const std::optional<Version>& needed = {}) {
    return {remedy("ptx_newer_than_driver", {}, driver_install_commands(facts, needed))};
}

static bool rejects_ptx(const CallResult& call) {
    return is_cuda_failure(call, cuda_unsupported_ptx_version) ||
           contains(call.text, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
}

static Finding newer_compiler(const Facts& facts, const Matrix& matrix, const Nvrtc& nvrtc) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.subject = nvrtc.library;
    if (nvrtc.version->major() > facts.driver.cuda_version->major())
        finding.symptoms = {cuda_for_driver(nvrtc.version->major())};
    finding.message = "PTX compiled by NVRTC " + nvrtc.version->text + " at " + nvrtc.library +
                      " cannot be loaded by this driver, which supports CUDA up to " + facts.driver.cuda_version->text;
    finding.evidence = {
        {"NVRTC", nvrtc.version->text, "nvrtcs"},
        {"newest CUDA version supported by the driver", facts.driver.cuda_version->text, "driver.cuda_version"}};
    const auto row = compat::drivers_for(*nvrtc.version, driver_asked(facts).os, matrix);
    finding.remedies = remedies(facts, row ? std::optional(row->full_driver) : std::nullopt);
    return finding;
}

/// PTX code from a newer CUDA meets a driver whose compiler does not know it.
Verdict ptx_newer_than_driver(const Facts& facts, const Matrix& matrix) {
    Finding refused;
    refused.message =
        "the driver rejected PTX code of a newer CUDA version than it supports (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)";
    refused.remedies = remedies(facts);
    auto findings = findings_for(failures_where(facts, rejects_ptx), refused);
    if (findings.empty() && driver_library_absent(facts)) return not_applicable("no driver library was found");
    std::string open;
    for (const auto& nvrtc : facts.nvrtcs) {
        if (!facts.driver.cuda_version)
            open = "the CUDA version that the driver supports is unknown";
        else if (!nvrtc.version)
            open = "NVRTC at " + nvrtc.library + " did not report its version";
        else if (*nvrtc.version > *facts.driver.cuda_version)
            findings.push_back(newer_compiler(facts, matrix, nvrtc));
    }
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!open.empty()) return undecided(open);
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (!facts.kernel_runs.empty()) return pass("the driver loaded PTX code");
    if (!facts.nvrtcs.empty()) return pass("no NVRTC is newer than the CUDA version that the driver supports");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (facts.driver.init && facts.cuda_devices.empty()) return not_applicable("there is no GPU to load code on");
    return undecided("no code was loaded on a GPU");
}

}  // namespace rnncheck::rules
