// Builds of frameworks that do not use the GPU, or not through cuDNN.
#include <tuple>

#include "rules/rule.hpp"
#include "rules/support/repairs.hpp"

namespace rnncheck::rules {

static std::string plan_of_version(const Framework& framework) {
    return "rnncheck matrix plan --for " + framework.name +
           (framework.version ? "==" + framework.version->text : std::string());
}

/// Builds of a known version, of any flavour and system, that run or compile first.
static std::vector<PlannedBuild> planned_builds(const Facts& facts, const Matrix& matrix, Framework framework,
                                                const PlanQuestion& question) {
    std::vector<PlannedBuild> planned;
    framework.build.reset();
    for (FrameworkBuild& build : builds_of(facts, matrix, framework).with_cuda) {
        build.first = *framework.version;
        build.last = framework.version;
        planned.push_back(plan_build(build, question, matrix));
    }
    std::erase_if(planned, [](const PlannedBuild& build) { return !runs(build) || build.install.empty(); });
    return planned;
}

/// Builds of the framework's version that run with everything else that was specified, as commands; the newest CUDA
/// first.
static std::vector<Remedy> builds_that_run(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const PlanQuestion question = plan_question(facts, matrix);
    std::vector<Remedy> remedies;
    auto builds = planned_builds(facts, matrix, framework, question);
    std::ranges::stable_sort(builds, std::greater(), [](const PlannedBuild& build) { return *build.cuda; });
    for (const PlannedBuild& build : builds)
        if (build.os == question.os && build.fit == Fit::works)
            remedies.push_back({.action = Action::install_package,
                                .text = "Install its build for CUDA " + build.cuda->text + " (" + build.build + ")",
                                .commands = {build.install + in_place_of_installed},
                                .link = build.sources.front(),
                                .changes = changes_to(build, *framework.version, facts)});
    return remedies;
}

/// What to do where no build with CUDA of this version runs with what was given.
static Remedy without_builds(const Facts& facts, const Framework& framework, const FrameworkBuild& build,
                             const Matrix& matrix) {
    const auto builds = matrix.framework_builds(framework.name);
    const auto never_on = [&](const std::string& os) {
        return facts.host.platform == os &&
               std::ranges::none_of(builds, [&](const FrameworkBuild& other) { return other.os == os && other.cuda; });
    };
    const char* place = never_on("macos")     ? "cpu_only_build/macos"
                        : never_on("windows") ? "cpu_only_build/windows"
                                              : "cpu_only_build/none_known";
    return remedy(place, {plan_of_version(framework), build.source.url});
}

/// For specified versions only. With `only_by_default` the build is the one that pip installs by default.
static Finding without_cuda(const Facts& facts, const Framework& framework, const FrameworkBuild& build,
                            const Matrix& matrix, bool only_by_default) {
    const std::string name = words_of(framework);
    const auto& os = facts.host.platform;
    auto remedies = builds_that_run(facts, matrix, framework);
    if (remedies.empty()) remedies = {without_builds(facts, framework, build, matrix)};
    return {.severity = only_by_default ? Severity::warning : Severity::error,
            .subject = name,
            .message = only_by_default ? name + " as pip installs it on " + *os +
                                             " is a CPU-only build, unless the index of a CUDA build is given"
                                       : name + " is a CPU-only build: it never uses the GPU or cuDNN",
            .evidence = {evidence_of(build, "no CUDA")},
            .remedies = std::move(remedies)};
}

/// The less of it, the less there is to do besides.
static int wants_from_system(const Facts& facts, const PlannedBuild& build) {
    if (build.libraries != "system") return 0;
    const bool has_cublas = std::ranges::any_of(facts.libraries, [&](const Library& library) {
        return library.kind == LibraryKind::cublas && !library.problem && major_of_file(library) == build.cuda->major();
    });
    return has_cublas ? 1 : 2;
}

/// The build with CUDA of the framework's version, whatever the flavour installed, that runs here best: machine code
/// before PTX code, all features before minor-version compatibility, one that bundles its libraries before one
/// that uses those of the system, then the CUDA nearest to the driver's. Unset if none is known to run, or if GPU or
/// driver are unknown.
static std::optional<PlannedBuild> best_build_here(const Facts& facts, const Matrix& matrix,
                                                   const Framework& framework) {
    PlanQuestion question = plan_question(facts, matrix);
    question.driver = driver_version(facts);
    const PythonEnvironment* environment = environment_of(facts, framework);
    question.python = environment ? environment->version : std::nullopt;
    if (!framework.version || !question.gpu || !question.driver) return std::nullopt;
    const auto builds = planned_builds(facts, matrix, framework, question);
    const auto best = std::ranges::min_element(builds, {}, [&](const PlannedBuild& build) {
        const int cuda = build.cuda->major() * 100 + build.cuda->minor();
        return std::tuple(build.fit, build.limited, wants_from_system(facts, build), build.limited ? cuda : -cuda);
    });
    return best == builds.end() ? std::nullopt : std::optional(*best);
}

/// Never a build that is not known to run here.
static Remedy with_cuda_instead(const Facts& facts, const Matrix& matrix, Framework framework) {
    const auto build = best_build_here(facts, matrix, framework);
    const auto command = build ? by_pip(environment_of(facts, framework), build->install) : std::nullopt;
    if (command) {
        std::string notes;
        for (const std::string& note : build->notes)
            if (!note.starts_with("known defect")) notes += (note == build->after_install ? ". " : "; it ") + note;
        std::vector<std::string> commands = {*command};
        if (const auto& package = framework.package)
            commands.insert(commands.begin(),
                            pip(facts, framework, "uninstall -y " + package->substr(0, package->find(' '))));
        return remedy("cpu_only_build/replace", {build->cuda->text, notes, build->sources.front()}, commands);
    }
    Remedy none = remedy("cpu_only_build/none_here");
    if (framework.version) none.commands = {plan_of_version(framework)};
    framework.build.reset();
    const auto builds = builds_of(facts, matrix, framework).with_cuda;
    if (!builds.empty()) none.link = builds.front().source.url;
    return none;
}

static void judge_installed(const Facts& facts, const Matrix& matrix, const Framework& framework, bool another_has_cuda,
                            VerdictBuilder& answers) {
    const std::string name = words_of(framework);
    if (framework.uses_cuda.value_or(false)) return answers.passed(name + " has CUDA");
    if (!framework.uses_cuda) {
        if (!framework.version || builds_of(facts, matrix, framework).without_cuda.empty())
            return answers.irrelevant("the files of " + name + " do not show whether it has CUDA");
        return answers.unknown("the files of " + name + " could not be read, so whether it has CUDA is unknown");
    }
    // A CPU build of a framework for inference is usual beside one that trains, e.g. to verify exported models.
    const Severity beside = is_for_training(framework) ? Severity::warning : Severity::note;
    const Severity alone = is_for_training(framework) ? Severity::error : Severity::warning;
    answers.fault(
        {.severity = another_has_cuda ? beside : alone,
         .subject = name,
         .message = name + " in " + framework.environment + " is a CPU-only build: it never uses the GPU or cuDNN",
         .evidence = {{"package", framework.package.value_or("unknown"), "frameworks"},
                      {"no CUDA libraries in its files", framework.shown_by.value_or("frameworks"), "frameworks"}},
         .remedies = {with_cuda_instead(facts, matrix, framework)}});
}

static Verdict judge_builds_here(const Facts& facts, const Matrix& matrix) {
    if (const auto verdict = without_frameworks(facts)) return *verdict;
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    const auto all = judged_frameworks(facts, matrix);
    const bool any_has_cuda =
        std::ranges::any_of(all, [](const Framework& one) { return one.uses_cuda.value_or(false); });
    VerdictBuilder answers;
    for (const Framework& framework : all) judge_installed(facts, matrix, framework, any_has_cuda, answers);
    return answers.close();
}

/// The build without CUDA that pip gives on the system that was told, although the same package has builds with CUDA.
static const FrameworkBuild* default_without_cuda(const Facts& facts, const Framework& framework,
                                                  const Builds& builds) {
    if (framework.build || !facts.host.platform || std::ranges::any_of(builds.with_cuda, is_default)) return nullptr;
    const FrameworkBuild* cpu = find_where(builds.without_cuda, is_default);
    return cpu && find_by(builds.with_cuda, &FrameworkBuild::package, cpu->package) ? cpu : nullptr;
}

Verdict cpu_only_build(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_builds_here(facts, matrix);
    if (facts.frameworks.empty()) return undecided("no framework was specified");
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const std::string name = words_of(framework);
        const Builds builds = builds_of(facts, matrix, framework);
        if (const FrameworkBuild* cpu = default_without_cuda(facts, framework, builds))
            answers.fault(without_cuda(facts, framework, *cpu, matrix, true));
        else if (!builds.with_cuda.empty() && !builds.without_cuda.empty())
            answers.unknown("the build of " + name + " was not specified (example: pytorch=2.4+cu124)");
        else if (!builds.with_cuda.empty())
            answers.passed(name + " has a CUDA build",
                           {evidence_of(builds.with_cuda.front(), libraries_of(builds.with_cuda.front()))});
        else if (builds.without_cuda.empty())
            answers.unknown(framework.version ? outside_data(name, builds.coverage, matrix)
                                              : "no version of " + name + " was specified");
        else if (builds.without_cuda.front().build != "cpu")
            answers.no_pass("it is a build for other devices");
        else
            answers.fault(without_cuda(facts, framework, builds.without_cuda.front(), matrix, false));
    }
    return answers.close();
}

static Remedy without_plugin(const Framework& framework) {
    return remedy("plugin_without_cudnn_rnn", {plan_of_version(framework)});
}

static Finding installed_plugin(const Framework& framework) {
    const bool other_make = framework.build == "rocm";
    Finding finding = {
        .subject = words_of(framework),
        .message = words_of(framework) + " in " + framework.environment +
                   (other_make ? " is built for GPUs of another vendor and cannot use the NVIDIA GPU"
                               : " uses the GPU without cuDNN: layers that request cuDNN's recurrent networks fail"),
        .evidence = {{"package", framework.package.value_or("unknown"), "frameworks"}},
        .remedies = {without_plugin(framework)}};
    for (const std::string& plugin : framework.plugins) finding.evidence.push_back({"plugin", plugin, "frameworks"});
    return finding;
}

static Verdict judge_plugins_here(const Facts& facts, const Matrix& matrix) {
    if (const auto verdict = without_frameworks(facts)) return *verdict;
    VerdictBuilder answers;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const bool plugin = framework.build == "directml" || framework.build == "metal" || framework.build == "rocm";
        if (!framework.build && !framework.uses_cuda.value_or(false))
            answers.unknown("the build of " + words_of(framework) + " could not be read from its files");
        else if (!plugin)
            answers.passed("every framework that uses the GPU uses it through CUDA");
        else if (framework.build == "rocm" && no_nvidia_hardware_seen(facts))
            answers.irrelevant("ROCm has its own recurrent networks");
        else
            answers.fault(installed_plugin(framework));
    }
    return answers.close();
}

Verdict plugin_without_cudnn_rnn(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_plugins_here(facts, matrix);
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const std::string name = words_of(framework);
        const Builds builds = builds_of(facts, matrix, framework);
        if (!framework.build)
            answers.unknown("the build of " + name + " was not specified");
        else if (builds.without_cuda.empty() || framework.build == "cpu")
            answers.irrelevant("it is not a plugin build");
        else
            answers.fault({.subject = name,
                           .message = name + " uses the GPU through " + builds.without_cuda.front().build +
                                      ", which has no cuDNN: layers that request cuDNN's recurrent networks fail",
                           .evidence = {evidence_of(builds.without_cuda.front(), "no CUDA")},
                           .remedies = {without_plugin(framework)}});
    }
    return answers.close();
}

/// Some version of TensorFlow for Linux may run on the GPUs.
static bool wsl_may_help(const Facts& facts, const Matrix& matrix) {
    return std::ranges::any_of(matrix.framework_builds("tensorflow"), [&](const FrameworkBuild& build) {
        return build.os == "linux" && build.cuda && !stack::is_of_conda(build) &&
               std::ranges::all_of(facts.cuda_devices, [&](const Gpu& gpu) {
                   return !gpu.compute_capability ||
                          stack::build_and_cudnn_on_gpu(build, *gpu.compute_capability, {}, matrix).fit !=
                              Fit::does_not_work;
               });
    });
}

/// In an environment with a Python of its own; nothing where it has no code for the GPU or the driver is too old.
static std::vector<Remedy> last_for_windows(Facts facts, const Matrix& matrix, Framework framework) {
    facts.pythons.clear();
    framework.version = make_version({2, 10});
    const auto builds = builds_that_run(facts, matrix, framework);
    if (builds.empty()) return {};
    Remedy way = remedy("tf_windows_no_gpu_since_2.11/last_version");
    way.changes = builds.front().changes;
    way.changes.push_back({"python", "3.10"});
    return {way};
}

/// Those that run on the GPU, where it is known: no version for Windows has code for today's.
static std::vector<Remedy> ways_out(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const Gpu* gpu = given_gpu(facts);
    std::vector<Remedy> ways;
    if (gpu) ways = image_instead(true, "tensorflow", *gpu->compute_capability, {}, matrix);
    if (wsl_may_help(facts, matrix)) ways.push_back(remedy("tf_windows_no_gpu_since_2.11"));
    append(ways, last_for_windows(facts, matrix, framework));
    return ways;
}

Verdict tf_windows_no_gpu_since_2_11(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts))
        if (const auto verdict = without_frameworks(facts)) return *verdict;
    if (!facts.host.platform) return undecided("the operating system is unknown");
    if (*facts.host.platform != "windows") return not_applicable("this is not Windows");
    VerdictBuilder answers;
    for (const Framework& framework : only_given(facts) ? facts.frameworks : judged_frameworks(facts, matrix)) {
        if (framework.name != "tensorflow" || !framework.version) continue;
        const Builds builds = builds_of(facts, matrix, framework);
        if (!builds.with_cuda.empty())
            answers.passed(words_of(framework) + " has a build with CUDA for Windows");
        else if (!builds.without_cuda.empty() && *framework.version >= make_version({2, 11}))
            answers.fault({.subject = words_of(framework),
                           .message = words_of(framework) +
                                      " does not support CUDA on native Windows: 2.10 was the last version that did",
                           .evidence = {{"operating system", "windows", "host.platform"},
                                        evidence_of(builds.without_cuda.front(), "no CUDA")},
                           .remedies = ways_out(facts, matrix, framework)});
    }
    return answers.close_or(not_applicable("no TensorFlow version was specified"));
}

}  // namespace rnncheck::rules
