// Packages of one Python environment that overwrite each other; what their metadata exclude, stack/
// compares.
#include "rules/rule.hpp"
#include "rules/support/frameworks.hpp"

namespace rnncheck::rules {

namespace {

/// Two packages of cuDNN of one major: nvidia-cudnn-cu11 and nvidia-cudnn-cu12
/// have the same files in nvidia/cudnn/lib.
bool shares_directory(const PythonPackage& one, const PythonPackage& other) {
    return is_cudnn(one) && is_cudnn(other) && one.name != other.name &&
           one.directory == other.directory &&
           one.version.substr(0, one.version.find('.')) ==
               other.version.substr(0, other.version.find('.'));
}

/// The first such pair of one environment; several would state the same.
Verdict judge_packages(const std::vector<PythonPackage>& packages) {
    for (std::size_t i = 0; i < packages.size(); ++i)
        for (std::size_t j = i + 1; j < packages.size(); ++j) {
            const PythonPackage &one = packages[i], &other = packages[j];
            if (!shares_directory(one, other))
                continue;
            return fault({
                .severity = Severity::warning,
                .subject = one.name,
                .message = one.name + " " + one.version + " and " + other.name + " " +
                           other.version + " are both installed in " + one.directory +
                           ", where they have the same files: the one installed later "
                           "overwrote the other",
                .evidence =
                    {{one.name, one.version, "pythons"}, {other.name, other.version, "pythons"}},
                .remedies = {remedy("framework_requirements_conflict/overwrite")},
            });
        }
    return pass("no two packages of cuDNN are installed in one directory");
}

Verdict judge_installed_packages(const Facts& facts) {
    const auto environments = possibly_active(facts);
    if (environments.empty())
        return without_environment(facts, "the packages of cuDNN");
    VerdictBuilder result;
    for (const PythonEnvironment* environment : environments)
        result.add(judge_packages(environment->packages));
    return result.finish();
}

}  // namespace

/// What the metadata of packages exclude is a question of versions; of a
/// machine the rule evaluates only what their files show.
Verdict framework_requirements_conflict(const Facts& facts, const Matrix&) {
    return judge_installed_packages(facts);
}

}  // namespace rnncheck::rules
