// Builds of frameworks that do not use the GPU, or not through cuDNN.
#include <tuple>

#include "rules/conflicts.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

/// How much besides the package there is to install: 0 for a build that bundles
/// its libraries, 1 where the system has its CUDA already, 2 where that is
/// missing too.
static int wants_from_system(const Facts& facts, const PlannedBuild& build) {
    if (build.libraries != "system")
        return 0;
    const bool has_cublas = std::ranges::any_of(facts.libraries, [&](const Library& library) {
        return library.kind == LibraryKind::cublas && !library.problem &&
               major_of_file(library) == build.cuda->major();
    });
    if (has_cublas)
        return 1;
    return 2;
}

/// The build with CUDA of the framework's version, whatever the flavour installed, that runs here
/// best: machine code before PTX code, all features before minor-version compatibility, one that
/// bundles its libraries before one that uses those of the system, then the CUDA nearest to the
/// driver's. Unset if none is known to run, or if GPU or driver are unknown.
static std::optional<PlannedBuild> best_build_here(
    const Facts& facts, const Matrix& matrix, const Framework& framework) {
    stack::Stack stack = stack_of(facts, matrix);
    const PythonEnvironment* environment = environment_of(facts, framework);
    stack.python.reset();
    if (environment && environment->version)
        stack.python = stack::known_python(*environment->version);
    if (!framework.version || !stack::gpu_of(stack) || !stack.driver)
        return std::nullopt;
    const auto builds = planned_builds(as_named(framework), facts.host.platform, stack, matrix);
    const auto best = std::ranges::min_element(builds, {}, [&](const PlannedBuild& build) {
        int cuda = build.cuda->major() * 100 + build.cuda->minor();
        if (!build.minor_version_only)
            cuda = -cuda;  // the newest that the driver runs in full, the oldest of the others
        return std::tuple(
            build.fit, build.minor_version_only, wants_from_system(facts, build), cuda);
    });
    if (best == builds.end())
        return std::nullopt;
    return *best;
}

/// Never a build that is not known to run here.
static Remedy with_cuda_instead(const Facts& facts, const Matrix& matrix, Framework framework) {
    const auto build = best_build_here(facts, matrix, framework);
    std::optional<std::string> command;
    if (build)
        command = by_pip(environment_of(facts, framework), build->install);
    if (command) {
        std::string notes;
        for (const std::string& note : build->notes)
            notes += "; it " + note;
        if (!build->after_install.empty())
            notes += ". " + build->after_install;
        std::vector<std::string> commands = {*command};
        // Without this pip keeps the files of both packages in one directory.
        if (const auto& package = framework.package)
            commands.insert(
                commands.begin(),
                pip(facts, framework, "uninstall -y " + package->substr(0, package->find(' '))));
        return remedy(
            "cpu_only_build/replace", {build->cuda->text, notes, build->sources.front()}, commands);
    }
    Remedy none = remedy("cpu_only_build/none_here");
    if (framework.version)
        none.commands = {plan_of_version(as_named(framework))};
    framework.build.reset();
    const auto builds = builds_of(facts, matrix, framework).with_cuda;
    if (!builds.empty())
        none.link = builds.front().source.url;
    return none;
}

/// By the files of an installed framework: whether it has libraries of CUDA.
static void judge_installed(
    const Facts& facts,
    const Matrix& matrix,
    const Framework& framework,
    bool another_has_cuda,
    VerdictBuilder& result) {
    const std::string name = words_of(framework);
    if (framework.uses_cuda.value_or(false))
        return result.passed(name + " has CUDA");
    if (!framework.uses_cuda) {
        // No build without CUDA was published, so none can have been installed
        // by mistake.
        if (!framework.version || builds_of(facts, matrix, framework).without_cuda.empty())
            return result.not_applicable(
                "the files of " + name + " do not show whether it has CUDA");
        return result.unknown(
            "the files of " + name + " could not be read, so whether it has CUDA is unknown");
    }
    // A CPU build of a framework for inference is usual beside one that trains, e.g. to verify
    // exported models.
    const bool trains = is_for_training(framework);
    Severity severity = error_if(trains);
    if (another_has_cuda && trains)
        severity = Severity::warning;
    if (another_has_cuda && !trains)
        severity = Severity::note;
    result.fault({
        .severity = severity,
        .subject = name,
        .part = part_of(framework),
        .message = name + " in " + framework.environment +
                   " is a CPU-only build: it never uses the GPU or cuDNN",
        .evidence =
            {{"package", framework.package.value_or("unknown"), "frameworks"},
             {"no CUDA libraries in its files",
              framework.evidence.value_or("frameworks"),
              "frameworks"}},
        .remedies = {with_cuda_instead(facts, matrix, framework)},
    });
}

/// Without a GPU of NVIDIA a CPU-only build is the one to install.
static Verdict judge_builds_here(const Facts& facts, const Matrix& matrix) {
    if (const auto verdict = without_frameworks(facts))
        return *verdict;
    if (no_nvidia_hardware_seen(facts))
        return not_applicable("no NVIDIA GPU was found");
    const auto all = judged_frameworks(facts, matrix);
    const bool any_has_cuda = std::ranges::any_of(
        all, [](const Framework& one) { return one.uses_cuda.value_or(false); });
    VerdictBuilder result;
    for (const Framework& framework : all)
        judge_installed(facts, matrix, framework, any_has_cuda, result);
    return result.finish();
}

/// A framework that was built without CUDA computes on the CPU and reports no
/// error at all, which is why nothing but its files shows it.
Verdict cpu_only_build(const Facts& facts, const Matrix& matrix) {
    if (const auto named = named_stack(facts))
        return verdict_of_named(stack::ConflictKind::cpu_only_build, *named, matrix);
    return judge_builds_here(facts, matrix);
}

/// DirectML and Metal, as their makers write them.
static std::string plugin_in_words(const std::string& build) {
    if (build == "directml")
        return "DirectML";
    return "Metal";
}

/// ROCm has recurrent networks of its own, but for another vendor's GPUs.
static Finding installed_plugin(const Framework& framework) {
    std::string how = " uses the GPU through " + plugin_in_words(*framework.build) +
                      ", which has no recurrent networks of cuDNN at all";
    if (framework.build == "rocm")
        how = " is built for GPUs of another vendor and cannot use the NVIDIA GPU";
    Finding finding = {
        .subject = words_of(framework),
        .part = part_of(framework),
        .message = words_of(framework) + " in " + framework.environment + how,
        .evidence = {{"package", framework.package.value_or("unknown"), "frameworks"}},
        .remedies = {without_plugin(as_named(framework))},
    };
    for (const std::string& plugin : framework.plugins)
        finding.evidence.push_back({"plugin", plugin, "frameworks"});
    return finding;
}

/// The build of a framework shows a plugin; one that uses CUDA needs no build
/// name.
static Verdict judge_plugins_here(const Facts& facts, const Matrix& matrix) {
    if (const auto verdict = without_frameworks(facts))
        return *verdict;
    VerdictBuilder result;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const bool plugin = framework.build == "directml" || framework.build == "metal" ||
                            framework.build == "rocm";
        if (!framework.build && !framework.uses_cuda.value_or(false))
            result.unknown(
                "the build of " + words_of(framework) + " could not be read from its files");
        else if (!plugin)
            result.passed("every framework that uses the GPU uses it through CUDA");
        else if (framework.build == "rocm" && no_nvidia_hardware_seen(facts))
            result.not_applicable("ROCm has its own recurrent networks");
        else
            result.fault(installed_plugin(framework));
    }
    return result.finish();
}

/// The framework uses the GPU, but through an API that has no recurrent
/// networks of cuDNN: DirectML, Metal or ROCm.
Verdict plugin_without_cudnn_rnn(const Facts& facts, const Matrix& matrix) {
    if (const auto named = named_stack(facts))
        return verdict_of_named(stack::ConflictKind::plugin_without_cudnn_rnn, *named, matrix);
    return judge_plugins_here(facts, matrix);
}

/// TensorFlow after 2.10 has no CUDA on Windows itself. By the versions in the
/// active environment, or those that --for names.
Verdict tf_no_native_windows_gpu(const Facts& facts, const Matrix& matrix) {
    if (const auto verdict = without_frameworks(facts))
        return *verdict;
    stack::Stack stack = stack_of(facts, matrix);
    return verdict_of(stack::ConflictKind::tf_no_native_windows_gpu, stack, matrix);
}

}  // namespace rnncheck::rules
