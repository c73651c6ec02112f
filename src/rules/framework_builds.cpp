// Builds of frameworks that do not use the GPU, or not through cuDNN.
#include <tuple>

#include "compat/plan.hpp"
#include "rules/rule.hpp"
#include "rules/support/repairs.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

constexpr std::string_view pip_word = "pip ";

Verdict cpu_only_build(const Facts& facts, const Matrix& matrix);

static bool is_plugin(const FrameworkBuild& build) {
    return build.build != "cpu";
}

/// The system that was given has no build with CUDA of any release of this framework.
static bool never_has_cuda(const std::string& os, const Framework& framework, const Matrix& matrix) {
    const auto builds = matrix.framework_builds(framework.name);
    return std::ranges::none_of(builds, [&](const FrameworkBuild& build) { return build.os == os && build.cuda; });
}

static std::string other_system(const std::string& os) {
    if (os == "macos") return "Use Linux or Windows with an NVIDIA GPU: CUDA does not support macOS";
    if (os == "windows") return "Use Linux or WSL 2, for which CUDA builds exist";
    return "Use an operating system for which CUDA builds exist";
}

/// Builds with CUDA that run, else where to look for one.
static std::vector<Remedy> builds_instead(const Facts& facts, const Framework& framework, const FrameworkBuild& build,
                                          const Matrix& matrix) {
    auto remedies = builds_that_run(facts, matrix, framework);
    if (!remedies.empty()) return remedies;
    const auto& os = facts.host.platform;
    return {{.action = Action::install_package,
             .text = os && never_has_cuda(*os, framework, matrix)
                         ? other_system(*os)
                         : "No CUDA build of this version is known to run here; the plan for this version lists those "
                           "that exist",
             .commands = {"rnncheck matrix plan --for " + framework.name + "==" + framework.version->text},
             .verify = "rnncheck doctor",
             .link = build.source.url}};
}

static Finding no_cuda(const Facts& facts, const Framework& framework, const FrameworkBuild& build,
                       const Matrix& matrix) {
    Finding finding;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " is a CPU-only build: it never uses the GPU or cuDNN";
    finding.evidence = {evidence_of(build, "no CUDA")};
    finding.remedies = builds_instead(facts, framework, build, matrix);
    return finding;
}

static Severity severity_of(const std::vector<Framework>& all, const Framework& framework) {
    const bool another_has_cuda =
        std::ranges::any_of(all, [](const Framework& other) { return other.uses_cuda.value_or(false); });
    return is_for_training(framework) && !another_has_cuda ? Severity::error : Severity::warning;
}

static bool has_cublas(const Facts& facts, int cuda_major) {
    return std::ranges::any_of(facts.libraries, [&](const Library& library) {
        return library.kind == LibraryKind::cublas && !library.problem && major_of_file(library) == cuda_major;
    });
}

/// The less of it, the less there is to do besides.
static int wants_from_system(const Facts& facts, const PlannedBuild& build) {
    if (build.libraries != "system") return 0;
    return has_cublas(facts, build.cuda->major()) ? 1 : 2;
}

static bool is_better(const Facts& facts, const PlannedBuild& a, const PlannedBuild& b) {
    const auto rank = [&](const PlannedBuild& build) {
        return std::tuple(build.fit, build.limited, wants_from_system(facts, build));
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.limited ? *a.cuda < *b.cuda : *a.cuda > *b.cuda;  // as near to the driver's as can be
}

/// The build with CUDA of the framework's version, whatever the flavour installed, that runs here best: machine code
/// before PTX code, all features before minor-version compatibility, one that brings its libraries before one that
/// wants them from the system. Unset where none is known to run, or GPU or driver are not known.
static std::optional<PlannedBuild> best_build_here(const Facts& facts, const Matrix& matrix,
                                                   const Framework& framework) {
    if (!framework.version) return std::nullopt;
    PlanQuestion question = plan_question(facts, matrix);
    question.driver = driver_version(facts);
    const PythonEnvironment* environment = environment_of(facts, framework);
    question.python = environment ? environment->version : std::nullopt;
    if (!question.gpu || !question.driver) return std::nullopt;
    std::optional<PlannedBuild> best;
    for (const PlannedBuild& planned : planned_builds(facts, matrix, framework, question))
        if (!best || is_better(facts, planned, *best)) best = planned;
    return best;
}

static std::string what_it_needs(const PlannedBuild& build) {
    std::string text;
    for (const std::string& note : build.notes)
        if (!note.starts_with("known defect")) text += "; it " + note;
    return text;
}

static Remedy install(const Facts& facts, const Framework& framework, const PlannedBuild& build) {
    std::vector<std::string> commands;
    const auto& package = framework.package;
    if (package) commands.push_back(pip(facts, framework, "uninstall -y " + package->substr(0, package->find(' '))));
    commands.push_back(pip(facts, framework, build.install.substr(pip_word.size())));
    return {.action = Action::install_package,
            .text = "Replace it with the CUDA " + build.cuda->text + " build" + what_it_needs(build),
            .commands = std::move(commands),
            .link = build.sources.front()};
}

/// Never a build that is not known to run here.
static Remedy look_for_one(const Facts& facts, const Matrix& matrix, Framework framework) {
    framework.build.reset();
    const auto builds = builds_of(facts, matrix, framework).with_cuda;
    std::vector<std::string> commands;
    if (framework.version) commands = {"rnncheck matrix plan --for " + framework.name + "==" + framework.version->text};
    return {
        .action = Action::install_package,
        .text =
            "Use a CUDA build; no build of this version is known to run here, and the plan shows what each build needs",
        .commands = std::move(commands),
        .link = builds.empty() ? "" : builds.front().source.url};
}

static Finding installed_without_cuda(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    Finding finding;
    finding.subject = words_of(framework);
    finding.message =
        words_of(framework) + " in " + framework.environment + " is a CPU-only build: it never uses the GPU or cuDNN";
    finding.evidence = {{"package", framework.package.value_or("unknown"), "frameworks"},
                        {"no CUDA libraries in its files", framework.shown_by.value_or("frameworks"), "frameworks"}};
    const auto build = best_build_here(facts, matrix, framework);
    const bool by_pip = build && build->install.starts_with(pip_word);
    finding.remedies = {by_pip ? install(facts, framework, *build) : look_for_one(facts, matrix, framework)};
    return finding;
}

static void judge_installed(const Facts& facts, const Matrix& matrix, const std::vector<Framework>& all,
                            const Framework& framework, VerdictBuilder& answers) {
    if (framework.uses_cuda.value_or(false)) return answers.passed(words_of(framework) + " has CUDA");
    if (!framework.uses_cuda) {
        if (!framework.version || builds_of(facts, matrix, framework).without_cuda.empty())
            return answers.irrelevant("the files of " + words_of(framework) + " do not show whether it has CUDA");
        return answers.unknown("the files of " + words_of(framework) +
                               " could not be read, so whether it has CUDA is unknown");
    }
    Finding finding = installed_without_cuda(facts, matrix, framework);
    finding.severity = severity_of(all, framework);
    answers.fault(std::move(finding));
}

static Verdict judge_build_here(const Facts& facts, const Matrix& matrix) {
    if (const auto about = asked_versions(facts)) return judge_asked_versions(about, matrix, cpu_only_build);
    if (const auto verdict = without_frameworks(facts)) return *verdict;
    if (no_nvidia_hardware_seen(facts)) return not_applicable("no NVIDIA GPU was found");
    const auto all = judged_frameworks(facts, matrix);
    VerdictBuilder answers;
    for (const Framework& framework : all) judge_installed(facts, matrix, all, framework, answers);
    return answers.close();
}

/// The build without CUDA that pip gives on the system that was told, although the same package has builds with CUDA.
static const FrameworkBuild* default_without_cuda(const Facts& facts, const Framework& framework,
                                                  const Builds& builds) {
    if (framework.build || !facts.host.platform) return nullptr;
    const auto& cpu = builds.without_cuda;
    const auto found = std::ranges::find_if(cpu, is_default);
    const bool other_is_default = std::ranges::any_of(builds.with_cuda, is_default);
    const bool same_package = found != cpu.end() && std::ranges::any_of(builds.with_cuda, [&](const auto& build) {
                                  return build.package == found->package;
                              });
    return same_package && !other_is_default ? &*found : nullptr;
}

static Finding cpu_by_default(const Facts& facts, const Framework& framework, const FrameworkBuild& build,
                              const Matrix& matrix) {
    Finding finding;
    finding.subject = words_of(framework);
    finding.severity = Severity::warning;
    finding.message = words_of(framework) + " as pip installs it on " + *facts.host.platform +
                      " is a CPU-only build, unless the index of a CUDA build is given";
    finding.evidence = {evidence_of(build, "no CUDA")};
    finding.remedies = builds_instead(facts, framework, build, matrix);
    return finding;
}

/// A build of a framework without CUDA.
Verdict cpu_only_build(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_build_here(facts, matrix);
    if (facts.frameworks.empty()) return undecided("no framework was specified");
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        if (const FrameworkBuild* cpu = default_without_cuda(facts, framework, builds))
            answers.fault(cpu_by_default(facts, framework, *cpu, matrix));
        else if (!builds.with_cuda.empty() && !builds.without_cuda.empty())
            answers.unknown("the build of " + words_of(framework) + " was not specified (example: pytorch=2.4+cu124)");
        else if (!builds.with_cuda.empty())
            answers.passed(words_of(framework) + " has a CUDA build",
                           {evidence_of(builds.with_cuda.front(), libraries_of(builds.with_cuda.front()))});
        else if (builds.without_cuda.empty())
            answers.unknown(framework.version ? outside_data(words_of(framework), builds.coverage, matrix)
                                              : "no version of " + words_of(framework) + " was specified");
        else if (is_plugin(builds.without_cuda.front()))
            answers.no_pass("it is a build for other devices");
        else
            answers.fault(no_cuda(facts, framework, builds.without_cuda.front(), matrix));
    }
    return answers.close();
}

static Finding no_cudnn(const Framework& framework, const FrameworkBuild& build) {
    return {
        .subject = words_of(framework),
        .message = words_of(framework) + " uses the GPU through " + build.build +
                   ", which has no cuDNN: layers that request cuDNN's recurrent networks fail",
        .evidence = {evidence_of(build, "no CUDA")},
        .remedies = {
            {.action = Action::change_program,
             .text =
                 "Use the generic recurrent layers or run this layer on the CPU; on an NVIDIA GPU, use a CUDA build",
             .commands = {"rnncheck matrix plan --for " + framework.name + "==" + framework.version->text},
             .verify = "rnncheck doctor",
             .link = build.source.url}}};
}

static Finding installed_plugin(const Framework& framework) {
    const bool other_make = framework.build == "rocm";
    Finding finding;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " in " + framework.environment +
                      (other_make ? " is built for GPUs of another vendor and cannot use the NVIDIA GPU"
                                  : " uses the GPU without cuDNN: layers that request cuDNN's recurrent networks fail");
    finding.evidence = {{"package", framework.package.value_or("unknown"), "frameworks"}};
    for (const std::string& plugin : framework.plugins) finding.evidence.push_back({"plugin", plugin, "frameworks"});
    finding.remedies = {remedy("plugin_without_cudnn_rnn",
                               {framework.name, (framework.version ? "==" + framework.version->text : "")})};
    return finding;
}

Verdict plugin_without_cudnn_rnn(const Facts& facts, const Matrix& matrix);

static Verdict judge_plugin_here(const Facts& facts, const Matrix& matrix) {
    if (const auto about = asked_versions(facts)) return judge_asked_versions(about, matrix, plugin_without_cudnn_rnn);
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

/// A build for GPUs that are not used through cuDNN.
Verdict plugin_without_cudnn_rnn(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_plugin_here(facts, matrix);
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        const bool for_cpu_or_cuda = builds.without_cuda.empty() || framework.build == "cpu";
        if (!framework.build)
            answers.unknown("the build of " + words_of(framework) + " was not specified");
        else if (for_cpu_or_cuda)
            answers.irrelevant("it is not a plugin build");
        else
            answers.fault(no_cudnn(framework, builds.without_cuda.front()));
    }
    return answers.close();
}

constexpr const char* guide = "https://www.tensorflow.org/install/pip#windows-native";

/// Some version of TensorFlow for Linux may run on the GPUs.
static bool wsl_may_help(const Facts& facts, const Matrix& matrix) {
    const auto rows = matrix.framework_builds("tensorflow");
    return std::ranges::any_of(rows, [&](const FrameworkBuild& build) {
        return build.os == "linux" && build.cuda && std::ranges::all_of(facts.cuda_devices, [&](const Gpu& gpu) {
                   return !gpu.compute_capability ||
                          compat::build_and_cudnn_on_gpu(build, *gpu.compute_capability, {}, matrix).fit !=
                              Fit::does_not_work;
               });
    });
}

/// In an environment with a Python of its own; nothing where it has no code for the GPU or the driver is too old.
static std::vector<Remedy> last_for_windows(Facts facts, const Matrix& matrix, Framework framework) {
    facts.pythons.clear();
    framework.version = make_version({2, 10});
    std::vector<Remedy> ways = builds_that_run(facts, matrix, framework);
    for (Remedy& way : ways) {
        way.text =
            "Or use TensorFlow 2.10, the last version for native Windows, with CUDA 11.2 and cuDNN 8.1, in a conda "
            "environment with Python 3.7 to 3.10";
        way.commands = {"conda install -c conda-forge cudatoolkit=11.2 cudnn=8.1.0",
                        "pip install \"tensorflow<2.11\" \"numpy<2\""};
        way.verify = "rnncheck doctor";
        way.link = guide;
        way.changes.push_back({"python", "3.10"});
    }
    return ways;
}

/// Those that run on the GPU, where it is known: no version for Windows has code for today's.
static std::vector<Remedy> ways_out(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const Gpu* gpu = given_gpu(facts);
    const ContainerImage* image =
        gpu ? compat::image_instead("tensorflow", *gpu->compute_capability, {}, matrix) : nullptr;
    std::vector<Remedy> ways;
    if (image) ways = {using_image(true, *image, ": no published build of any version runs on this GPU")};
    if (wsl_may_help(facts, matrix)) ways.push_back(remedy("tf_windows_no_gpu_since_2.11"));
    append(ways, last_for_windows(facts, matrix, framework));
    return ways;
}

/// TensorFlow on native Windows has no CUDA from 2.11 on.
Verdict tf_windows_no_gpu_since_2_11(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts))
        if (const auto verdict = without_frameworks(facts)) return *verdict;
    if (!facts.host.platform) return undecided("the operating system is unknown");
    if (*facts.host.platform != "windows") return not_applicable("this is not Windows");
    VerdictBuilder answers;
    for (const Framework& framework : only_given(facts) ? facts.frameworks : judged_frameworks(facts, matrix)) {
        if (framework.name != "tensorflow" || !framework.version) continue;
        const Builds builds = builds_of(facts, matrix, framework);
        if (!builds.with_cuda.empty()) {
            answers.passed(words_of(framework) + " has a build with CUDA for Windows");
            continue;
        }
        if (builds.without_cuda.empty() || *framework.version < make_version({2, 11})) continue;
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
