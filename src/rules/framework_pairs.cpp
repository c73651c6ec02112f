// Frameworks of one Python environment against each other: what their packages require of NVIDIA's.
#include "rules/rule.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules {

using stack::Together;

namespace {

/// What pip would install for a specified framework: without a build, what the name alone gives.
std::vector<FrameworkBuild> builds_by_pip(const Facts& facts, const Matrix& matrix, const Framework& framework) {
    std::vector<FrameworkBuild> builds = builds_of(facts, matrix, framework).with_cuda;
    if (!framework.build && std::ranges::any_of(builds, is_default))
        std::erase_if(builds, [](const FrameworkBuild& build) { return !is_default(build); });
    return builds;
}

/// "cuDNN 9.10.2 for CUDA 12 exactly".
std::string requirement_of(const FrameworkBuild& build) {
    return "cuDNN " + build.cudnn->text + " for CUDA " + std::to_string(build.cuda->major()) +
           (build.cudnn_or_newer ? " or later" : " exactly");
}

struct Pair {
    const Framework &one, &other;
    const FrameworkBuild &build, &other_build;
};

Finding excluded(const Pair& pair) {
    return {.subject = words_of(pair.one),
            .message = "pip cannot install " + words_of(pair.one) + " and " + words_of(pair.other) +
                       " in one environment: one requires " + requirement_of(pair.build) + ", the other " +
                       requirement_of(pair.other_build),
            .remedies = {remedy("framework_requirements_conflict/exclude")}};
}

Finding overwritten(const Pair& pair) {
    return {.severity = Severity::warning,
            .subject = words_of(pair.one),
            .message = words_of(pair.one) + " and " + words_of(pair.other) +
                       " install cuDNN packages for different CUDA versions into the same directory, nvidia/cudnn: the "
                       "later one overwrites the other, so one of the frameworks gets a cuDNN for another CUDA",
            .remedies = {remedy("framework_requirements_conflict/overwrite")},
            .confidence = Confidence::likely};
}

/// Another build than pip installs by default may be meant.
bool any_build_conflicts(const Facts& facts, const Matrix& matrix, const Framework& one, const Framework& other) {
    const auto others = builds_of(facts, matrix, other).with_cuda;
    return std::ranges::any_of(builds_of(facts, matrix, one).with_cuda, [&](const FrameworkBuild& build) {
        return std::ranges::any_of(others, [&](const FrameworkBuild& other_build) {
            return build.os == other_build.os && stack::together(build, other_build) != Together::fit;
        });
    });
}

void judge_pair(const Facts& facts, const Matrix& matrix, const Framework& one, const Framework& other,
                VerdictBuilder& answers) {
    const std::string names = words_of(one) + " and " + words_of(other);
    const auto builds = builds_by_pip(facts, matrix, one), others = builds_by_pip(facts, matrix, other);
    std::optional<Together> all;
    bool differ = false;
    for (const FrameworkBuild& build : builds)
        for (const FrameworkBuild& other_build : others) {
            if (build.os != other_build.os) continue;
            const Together result = stack::together(build, other_build);
            differ |= all && *all != result;
            all = result;
        }
    if (!all) return answers.unknown("what the packages of " + names + " require is not in the data");
    if (differ) return answers.unknown("it depends on the builds of " + names + ", which were not specified");
    if (*all == Together::unknown) return answers.unknown("which cuDNN " + names + " require is not in the data");
    if (*all == Together::fit && any_build_conflicts(facts, matrix, one, other))
        return answers.no_pass(names + " can be installed in one environment, but not every build of them");
    const Pair pair{one, other, builds.front(), others.front()};
    if (*all == Together::fit)
        return answers.passed(names + " can be installed in one environment",
                              {stack::evidence_of(pair.build, libraries_of(pair.build)),
                               stack::evidence_of(pair.other_build, libraries_of(pair.other_build))});
    Finding finding = *all == Together::exclude ? excluded(pair) : overwritten(pair);
    for (const FrameworkBuild* build : {&pair.build, &pair.other_build})
        finding.evidence.push_back(stack::evidence_of(*build, "requires " + requirement_of(*build)));
    answers.fault(std::move(finding));
}

Verdict judge_pairs(const Facts& facts, const Matrix& matrix) {
    std::vector<Framework> named = facts.frameworks;
    std::erase_if(named, [](const Framework& one) { return !one.version || one.name == "keras"; });
    if (named.size() < 2) return undecided("two frameworks with their versions were not specified");
    VerdictBuilder answers;
    for (auto one = named.begin(); one != named.end(); ++one)
        for (auto other = std::next(one); other != named.end(); ++other)
            judge_pair(facts, matrix, *one, *other, answers);
    return answers.close();
}

/// A package of cuDNN, by name and directory.
bool shares_directory(const PythonPackage& one, const PythonPackage& other) {
    return is_cudnn(one) && is_cudnn(other) && one.name != other.name && one.directory == other.directory &&
           one.version.substr(0, one.version.find('.')) == other.version.substr(0, other.version.find('.'));
}

Verdict judge_installed_packages(const Facts& facts) {
    const PythonEnvironment* active = active_environment(facts);
    if (!active) return without_environment(facts, "the packages of cuDNN");
    const auto& packages = active->packages;
    for (std::size_t i = 0; i < packages.size(); ++i)
        for (std::size_t j = i + 1; j < packages.size(); ++j) {
            const PythonPackage &one = packages[i], &other = packages[j];
            if (!shares_directory(one, other)) continue;
            return fault({.severity = Severity::warning,
                          .subject = one.name,
                          .message = one.name + " " + one.version + " and " + other.name + " " + other.version +
                                     " are both installed in " + one.directory +
                                     ", where they have the same files: the one installed later overwrote the other",
                          .evidence = {{one.name, one.version, "pythons"}, {other.name, other.version, "pythons"}},
                          .remedies = {remedy("framework_requirements_conflict/overwrite")}});
        }
    return pass("no two packages of cuDNN are installed in one directory");
}

}  // namespace

/// On a machine, the installed packages; what --for names is compared by judge() as versions.
Verdict framework_requirements_conflict(const Facts& facts, const Matrix& matrix) {
    return only_given(facts) ? judge_pairs(facts, matrix) : judge_installed_packages(facts);
}

}  // namespace rnncheck::rules
