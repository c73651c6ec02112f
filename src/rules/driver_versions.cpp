// The driver and the CUDA that programs would use on it.
#include "rules/rule.hpp"
#include "rules/support/cases.hpp"

namespace rnncheck::rules {

// --- Versions that a person gives ---------------------------------------------------------------------------------

/// `cuda` is the CUDA version of `thing` if a newer libcuda by itself would run it.
static Finding too_old_for(const Facts& facts, const Matrix& matrix, const std::string& thing,
                           const std::vector<Evidence>& evidence, const std::optional<Version>& cuda) {
    const std::string driver = driver_version(facts)->text;
    const Gpu* gpu = given_gpu(facts);
    Finding finding = {.subject = "driver " + driver,
                       .message = "driver " + driver + " is too old for " + thing,
                       .evidence = {{"driver", driver, "driver.library_version"}}};
    append(finding.evidence, evidence);
    const auto package =
        cuda ? stack::compat_package(driver_asked(facts), *cuda, gpu ? gpu->compute_capability : std::nullopt, matrix)
             : std::nullopt;
    if (package)
        finding.evidence.push_back(
            {package->name, "provides a newer libcuda, on data center GPUs only", package->source});
    return finding;
}

/// Unknown where the drivers of the systems that it may be of differ about this CUDA.
static stack::Suitability given_driver_runs(const Facts& facts, const Matrix& matrix, const Version& cuda) {
    stack::DriverAsked driver = driver_asked(facts);
    const ContainerImage* image = stack::given_image(facts, matrix);
    std::optional<stack::Suitability> first;
    for (const std::string& system : systems_of_driver(facts)) {
        driver.os = system;
        const auto other = image ? stack::driver_runs_image(driver, *image, facts, matrix)
                                 : stack::driver_runs_cuda(driver, cuda, matrix);
        if (!first) first = other;
        if (other.fit != Fit::unknown && (other.fit != first->fit || other.limited != first->limited))
            return {.fit = Fit::unknown,
                    .why = "Linux and Windows need different drivers for CUDA " + cuda.text +
                           ", and os= was not specified"};
    }
    return *first;
}

static void judge_cuda(const Facts& facts, const Matrix& matrix, const Version& cuda, VerdictBuilder& answers) {
    const auto runs = given_driver_runs(facts, matrix, cuda);
    if (runs.outside) return answers.outside(runs.why);
    if (runs.fit == Fit::unknown) return answers.depends(runs.why);
    if (runs.fit == Fit::does_not_work)
        return answers.fault(too_old_for(facts, matrix, "CUDA " + cuda.text, runs.evidence, cuda));
    answers.passed(!runs.why.empty() ? runs.why
                                     : "driver " + driver_version(facts)->text + " runs CUDA " + cuda.text +
                                           (runs.limited ? " with minor-version compatibility" : ""),
                   runs.evidence);
}

/// Only what brings its own CUDA: what takes the system's is judged with that.
static void judge_framework(const Facts& facts, const Matrix& matrix, const Framework& framework,
                            VerdictBuilder& answers) {
    const auto systems = systems_of_driver(facts);
    std::vector<FrameworkBuild> builds = builds_of(facts, matrix, framework).with_cuda;
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        return (given_cuda(facts) && takes_system_libraries(build)) || (!on_wsl(facts) && !includes(systems, build.os));
    });
    const std::string name = words_of(framework);
    judge_builds(builds, framework, answers, [&](const FrameworkBuild& build) -> Verdict {
        stack::DriverAsked driver = driver_asked(facts);
        if (!on_wsl(facts)) driver.os = build.os;
        auto runs = stack::driver_runs_cuda(driver, *build.cuda, matrix);
        if (runs.outside) return outside_the_data(runs.why);
        if (runs.fit == Fit::unknown) return depends_on_choice(runs.why);
        if (runs.fit != Fit::does_not_work) return pass("driver " + driver.version->text + " runs " + name);
        runs.evidence.push_back(evidence_of(build, "CUDA " + build.cuda->text));
        return fault(too_old_for(facts, matrix, name + ", which is built for CUDA " + build.cuda->text, runs.evidence,
                                 build.cuda));
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
    const Version driver = *driver_version(facts);
    if (reaches(driver, *build->driver_min))
        answers.passed("driver " + driver.text + " runs " + what, evidence);
    else if (may_reach(driver, *build->driver_min))
        answers.depends("it depends on the exact version of driver " + driver.text + ": " + what + " needs " +
                        build->driver_min->text + " or newer");
    else
        answers.fault(too_old_for(facts, matrix, what, evidence, make_version({build->cuda_major, 0})));
}

static void judge_gpu(const Facts& facts, const Matrix& matrix, const Gpu& gpu, VerdictBuilder& answers) {
    const Version driver = *driver_version(facts);
    if (!gpu.compute_capability) return;
    if (stack::driver_still_drives(driver, *gpu.compute_capability, matrix).fit == Fit::does_not_work)
        return answers.no_pass("driver " + driver.text + " no longer supports " + words_of(gpu));
    auto knows = stack::driver_knows(driver, *gpu.compute_capability, matrix);
    if (knows.fit == Fit::unknown) return;  // gpu_too_old tells
    Evidence& first = knows.evidence.back();
    first.what = "first CUDA version for " + words_of(gpu);
    if (knows.fit == Fit::works)
        return answers.passed("driver " + driver.text + " supports " + words_of(gpu), knows.evidence);
    answers.fault(
        too_old_for(facts, matrix, words_of(gpu) + ", which requires CUDA " + first.value, knows.evidence, {}));
}

static Verdict judge_given(const Facts& facts, const Matrix& matrix) {
    const auto driver = driver_version(facts);
    if (!driver) return undecided("no driver version was specified");
    if (stack::any_jetson(facts, matrix)) return undecided("Jetson drivers are part of JetPack and follow other rules");
    if (!given_cuda(facts) && !given_cudnn(facts) && !given_gpu(facts) && facts.frameworks.empty())
        return undecided("nothing that needs a driver was specified: cuda=, cudnn=, gpu= or a framework");
    VerdictBuilder answers;
    const auto branch = matrix.cuda_of_driver(*driver);
    if (!branch && branch.coverage != Coverage::newer_than_data)
        answers.outside(outside_data("driver " + driver->text, branch.coverage, matrix));
    if (const Version* cuda = given_cuda(facts)) judge_cuda(facts, matrix, *cuda, answers);
    judge_cudnn(facts, matrix, answers);
    for (const Framework& framework : facts.frameworks) judge_framework(facts, matrix, framework, answers);
    for (const Gpu& gpu : facts.cuda_devices) judge_gpu(facts, matrix, gpu, answers);
    return answers.close();
}

// --- This machine -------------------------------------------------------------------------------------------------

/// The update, and the GPUs that it does not help; if it helps none, the alternative.
static std::vector<Remedy> update_or_instead(const Facts& facts, const Matrix& matrix,
                                             const std::optional<Version>& oldest, const Version& cuda) {
    Remedy update = remedy("driver_too_old/update", {oldest ? " to " + oldest->text + " or later" : ""},
                           driver_install_commands(facts, oldest));
    std::vector<Remedy> instead;
    for (const Gpu& gpu : facts.cuda_devices) {
        const auto row = matrix.architecture(gpu.compute_capability);
        if (!row || !oldest) continue;
        const bool ignored = row->last_driver_branch && *row->last_driver_branch < oldest->major();
        if (!ignored && (!row->last_cuda || *row->last_cuda >= cuda)) continue;
        const std::string until = row->last_cuda ? row->last_cuda->text : cuda.text;
        const std::string link = row->driver_source.value_or(row->source).url;
        if (!ignored) {
            instead.push_back(remedy("driver_too_old/no_longer", {cuda.text, row->name, until, link}));
            continue;
        }
        const std::string last = "driver branch " + std::to_string(*row->last_driver_branch) + " is the last one for " +
                                 row->name + ", and later drivers ignore this GPU";
        update.text += ". For " + words_of(gpu) + ", " + last;
        instead.push_back(remedy("driver_too_old/ignored", {last, until, link}));
    }
    if (!instead.empty() && instead.size() == facts.cuda_devices.size()) return {instead.front()};
    const Remedy older_build = remedy("driver_too_old/older_build", {facts.driver.cuda_version->text});
    // Who may not touch the driver begins with what is in reach.
    if (in_container(facts) || !batch_system(facts).empty()) return {older_build, on_host(facts, update)};
    return {on_host(facts, update), older_build};
}

static Finding too_old(const Facts& facts, const Matrix& matrix, const std::string& subject, const std::string& what,
                       const Version& cuda) {
    const auto driver = driver_asked(facts);
    const auto row = stack::drivers_for(cuda, driver.os, matrix);
    return {.subject = subject,
            .message = "the driver supports CUDA up to " + driver.cuda->text + ", too old for " + what,
            .evidence = {{"newest CUDA version supported by the driver", driver.cuda->text, "driver.cuda_version"},
                         {"CUDA runtime", cuda.text, "runtimes"},
                         {"driver version", if_known(driver.version),
                          driver_library_version(facts) ? "driver.library_version" : "driver.nvml_version"},
                         {"oldest driver for CUDA " + cuda.text, row ? row->oldest_driver.text : "",
                          row ? row->oldest_source.url : "matrix"}},
            .remedies = update_or_instead(facts, matrix, row ? std::optional(row->oldest_driver) : std::nullopt, cuda),
            .explains = {cuda_for_driver(cuda.major())}};
}

/// No build with CUDA of a release that is asked about runs on the driver.
static void judge_asked_framework(const Facts& facts, const Matrix& matrix, const Framework& framework,
                                  VerdictBuilder& answers) {
    const auto builds = builds_of(facts, matrix, framework).with_cuda;
    const bool none = std::ranges::all_of(builds, [&](const FrameworkBuild& build) {
        return stack::driver_runs_cuda(driver_asked(facts), *build.cuda, matrix).fit == Fit::does_not_work;
    });
    if (builds.empty() || !none) return;
    const Version& cuda = *builds.front().cuda;
    const std::string name = words_of(framework);
    Finding finding = too_old(facts, matrix, name, name + ", which is built for CUDA " + cuda.text, cuda);
    finding.evidence.push_back(evidence_of(builds.front(), "CUDA " + cuda.text));
    answers.fault(std::move(finding));
}

static Verdict without_runtimes(const Facts& facts) {
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (usable_copies(facts, LibraryKind::cudart).empty()) return not_applicable("no CUDA runtime was found");
    return undecided("no CUDA runtime reported its version");
}

Verdict driver_too_old(const Facts& facts, const Matrix& matrix) {
    if (only_given(facts)) return judge_given(facts, matrix);
    VerdictBuilder asked;
    for (const Framework& framework : facts.frameworks) {
        if (framework.asked && !framework.version) return undecided("the version to check is unknown");
        if (framework.asked && facts.driver.cuda_version) judge_asked_framework(facts, matrix, framework, asked);
    }
    if (const Verdict verdict = asked.close(); verdict.outcome == Outcome::fault) return verdict;
    if (facts.runtimes.empty()) return without_runtimes(facts);
    if (driver_library_absent(facts)) return not_applicable("no driver library was found");
    if (!facts.driver.cuda_version) return undecided("the CUDA version that the driver supports is unknown");
    VerdictBuilder answers;
    bool any_suits = false, limited = false;
    for (const auto& runtime : facts.runtimes) {
        const auto runs = runtime.version ? stack::driver_runs_cuda(driver_asked(facts), *runtime.version, matrix)
                                          : stack::Suitability{.fit = Fit::unknown};
        if (runs.fit == Fit::unknown)
            answers.unknown("whether the driver supports the CUDA runtime " + runtime.library + " is unknown");
        any_suits |= runs.fit == Fit::works;
        limited |= runs.limited;
        if (runs.fit == Fit::does_not_work)
            answers.fault(too_old(facts, matrix, runtime.library,
                                  "the CUDA runtime " + runtime.version->text + " at " + runtime.library,
                                  *runtime.version));
    }
    Verdict verdict = answers.close_or(
        pass(limited ? "the driver runs every CUDA runtime found, some with minor-version compatibility"
                     : "the driver supports CUDA up to " + facts.driver.cuda_version->text +
                           ", which covers every CUDA runtime found"));
    // Programs ask for one CUDA major by name: those for the runtime that suits are well served. One that did not
    // answer may be it.
    if (any_suits || !silent_copy(facts, LibraryKind::cudart).empty())
        for (Finding& finding : verdict.findings) finding.severity = Severity::warning;
    return verdict;
}

/// A CUDA release on a driver that is older than the release's own.
Verdict minor_version_compatibility(const Facts& facts, const Matrix& matrix) {
    const auto driver = driver_version(facts);
    const Version* cuda = given_cuda(facts);
    if (!driver || !cuda) return undecided("driver= and cuda= were not both specified");
    auto runs = given_driver_runs(facts, matrix, *cuda);
    if (runs.outside) return outside_the_data(runs.why);
    if (runs.fit == Fit::unknown) return undecided(runs.why);
    if (runs.fit == Fit::does_not_work) return not_applicable("the driver does not support this CUDA version");
    if (!runs.limited) return pass("CUDA " + cuda->text + " runs with all its features");
    runs.evidence.insert(runs.evidence.begin(), {"driver", driver->text, "driver.library_version"});
    return fault({.subject = "driver " + driver->text,
                  .message = "CUDA " + cuda->text + " runs on driver " + driver->text +
                             " with minor-version compatibility: features that need a newer driver, and PTX code "
                             "compiled by CUDA " +
                             cuda->text + ", do not work",
                  .evidence = std::move(runs.evidence),
                  .remedies = {remedy("minor_version_compatibility")}});
}

static std::vector<Remedy> remedies(const Facts& facts, const std::optional<Version>& needed = {}) {
    return {remedy("ptx_newer_than_driver", {}, driver_install_commands(facts, needed))};
}

static Finding newer_compiler(const Facts& facts, const Matrix& matrix, const Nvrtc& nvrtc) {
    const Version &own = *nvrtc.version, &of_driver = *facts.driver.cuda_version;
    const auto row = stack::drivers_for(own, driver_asked(facts).os, matrix);
    Finding finding = {
        .severity = Severity::warning,
        .subject = nvrtc.library,
        .message = "PTX compiled by NVRTC " + own.text + " at " + nvrtc.library +
                   " cannot be loaded by this driver, which supports CUDA up to " + of_driver.text,
        .evidence = {{"NVRTC", own.text, "nvrtcs"},
                     {"newest CUDA version supported by the driver", of_driver.text, "driver.cuda_version"}},
        .remedies = remedies(facts, row ? std::optional(row->full_driver) : std::nullopt)};
    if (own.major() > of_driver.major()) finding.symptoms = {cuda_for_driver(own.major())};
    return finding;
}

/// Where no driver rejected PTX, and no compiler is newer than it.
static Verdict whether_ptx_was_loaded(const Facts& facts) {
    if (!failures_are_known(facts)) return undecided("a run on the GPU failed for an unknown reason");
    if (std::ranges::any_of(facts.kernel_runs, code_was_loaded)) return pass("the driver loaded PTX code");
    if (!facts.nvrtcs.empty()) return pass("no NVRTC is newer than the CUDA version that the driver supports");
    if (const auto why = lower_cause(facts)) return not_applicable(*why);
    if (facts.driver.init && facts.cuda_devices.empty()) return not_applicable("there is no GPU to load code on");
    return undecided("no code was loaded on a GPU");
}

Verdict ptx_newer_than_driver(const Facts& facts, const Matrix& matrix) {
    const auto failures = failures_where(facts, [](const CallResult& call) {
        return is_cuda_failure(call, cuda_unsupported_ptx_version) ||
               contains(call.text, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    });
    if (failures.empty() && driver_library_absent(facts)) return not_applicable("no driver library was found");
    VerdictBuilder answers;
    answers.faults(findings_for(failures, {.message = "the driver rejected PTX code of a newer CUDA version than it "
                                                      "supports (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)",
                                           .remedies = remedies(facts)}));
    for (const auto& nvrtc : facts.nvrtcs) {
        if (!facts.driver.cuda_version)
            answers.unknown("the CUDA version that the driver supports is unknown");
        else if (!nvrtc.version)
            answers.unknown("NVRTC at " + nvrtc.library + " did not report its version");
        else if (*nvrtc.version > *facts.driver.cuda_version)
            answers.fault(newer_compiler(facts, matrix, nvrtc));
    }
    return answers.close_or(whether_ptx_was_loaded(facts));
}

}  // namespace rnncheck::rules
