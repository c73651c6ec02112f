// Two packages of one framework share a directory, one with CUDA and one without.
#include "compat/plan.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules::cpu_and_gpu_packages_both_installed {

/// "tensorflow 2.18.0" without the release.
static std::string name_in(const std::string& package) {
    return package.substr(0, package.find(' '));
}

static std::vector<std::string> packages_of(const Framework& framework) {
    std::vector<std::string> names;
    if (framework.package) names.push_back(name_in(*framework.package));
    for (const std::string& other : framework.other_packages) names.push_back(name_in(other));
    return names;
}

static bool is_without_cuda(const std::string& package) {
    return contains(package, "-cpu") || contains(package, "-intel") || package == "intel-tensorflow" ||
           package == "onnxruntime" || package == "paddlepaddle" || package == "mxnet";
}

/// The one with CUDA: what is left when the others are gone.
static std::string one_to_keep(const Framework& framework, const std::vector<std::string>& names) {
    const auto with = std::ranges::find_if_not(names, is_without_cuda);
    const std::string name = with == names.end() ? names.front() : *with;
    const bool old_name = name == "tensorflow-gpu" && framework.version && framework.version->major() >= 2;
    return old_name ? "tensorflow" : name;
}

/// PaddlePaddle 3 with CUDA is in an index of its own: the table knows the command, for the CUDA of the files if told.
static std::string install_of(const Facts& facts, const Matrix& matrix, const Framework& framework,
                              const std::string& package) {
    constexpr std::string_view pip_start = "pip ";
    const std::string otherwise = "install " + package + (framework.version ? "==" + framework.version->text : "");
    Framework named = framework;
    named.build.reset();
    auto builds = builds_of(facts, matrix, named).with_cuda;
    std::erase_if(builds, [&](const FrameworkBuild& build) {
        return build.package != package || !build.install.starts_with(pip_start) ||
               (framework.cuda && build.cuda != framework.cuda);
    });
    if (builds.empty() || std::ranges::any_of(builds, is_default)) return otherwise;
    builds.front().first = *framework.version;
    builds.front().last = framework.version;
    return install_command(builds.front(), std::nullopt, matrix).substr(pip_start.size());
}

static std::vector<std::string> commands_for(const Facts& facts, const Matrix& matrix, const Framework& framework,
                                             const std::vector<std::string>& names) {
    return {pip(facts, framework, "uninstall -y " + join(names, " ")),
            pip(facts, framework, install_of(facts, matrix, framework, one_to_keep(framework, names)))};
}

static Finding both(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const auto names = packages_of(framework);
    const bool cuda_won = framework.uses_cuda.value_or(false);
    std::vector<std::string> listed = framework.other_packages;
    listed.insert(listed.begin(), framework.package.value_or(framework.name));
    return {.severity = cuda_won ? Severity::warning : Severity::error,
            .subject = words_of(framework),
            .message = join_with_and(listed) + " are installed in one environment and overwrite each other's files; " +
                       (cuda_won ? "the CUDA files are in place until the other package is updated"
                                 : "the files in place have no CUDA support"),
            .evidence = {{"packages", join_with_and(listed), "frameworks"},
                         {"build identified from its files", cuda_won ? "with CUDA" : "without CUDA",
                          framework.shown_by.value_or("frameworks")}},
            .remedies = {{.action = Action::reinstall_package,
                          .text = "Uninstall both packages, then install only the one with CUDA",
                          .commands = commands_for(facts, matrix, framework, names),
                          .link = "https://www.tensorflow.org/install/pip"}}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    const auto judge = [&](const Framework& framework, VerdictBuilder& answers) {
        const auto names = packages_of(framework);
        const auto without = std::ranges::count_if(names, is_without_cuda);
        const bool mixed = without > 0 && without < static_cast<std::ptrdiff_t>(names.size());
        if (!framework.package && !framework.other_packages.empty())
            answers.unknown("the installed packages of " + words_of(framework) + " are unknown");
        else if (mixed && !framework.uses_cuda)
            answers.unknown("the package that installed the files of " + words_of(framework) + " is unknown");
        else if (mixed)
            answers.fault(both(facts, matrix, framework));
    };
    return over_frameworks(facts, matrix, "no framework in the active environment has both a CPU and a GPU package",
                           judge);
}

extern const Rule rule{.title = "CPU and GPU packages of a framework are installed in the same environment",
                       .layer = Layer::runtime,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::cpu_and_gpu_packages_both_installed
