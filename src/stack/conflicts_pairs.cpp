// Frameworks of one environment against each other: what their packages require, and which cuDNN
// they get together.
#include <algorithm>

#include "matrix/ranges.hpp"
#include "stack/checks.hpp"
#include "stack/conflicts.hpp"
#include "stack/questions.hpp"

namespace rnncheck::stack {

namespace {

/// What pip would install: without a build, what the name alone gives.
std::vector<FrameworkBuild> builds_by_pip(
    const Stack& stack, const Framework& framework, const Matrix& matrix) {
    std::vector<FrameworkBuild> builds = builds_of(stack, framework, matrix).with_cuda;
    if (!framework.build && std::ranges::any_of(builds, is_default))
        std::erase_if(builds, [](const FrameworkBuild& build) { return !is_default(build); });
    return builds;
}

/// "cuDNN 9.10.2 for CUDA 12 exactly".
std::string requirement_of(const FrameworkBuild& build) {
    const std::string words =
        "cuDNN " + build.cudnn->text + " for CUDA " + std::to_string(build.cuda->major());
    if (build.cudnn_or_newer)
        return words + " or later";
    return words + " exactly";
}

/// An error where pip rejects the pair, a warning where it installs both and
/// one loses its files.
Conflict between(
    const Framework& one,
    const FrameworkBuild& build,
    const Framework& other,
    const FrameworkBuild& other_build,
    Together together) {
    Conflict conflict{
        .kind = ConflictKind::framework_requirements_conflict,
        .parts = {framework_part(one), framework_part(other)},
        .why = "pip cannot install " + words_of(one) + " and " + words_of(other) +
               " in one environment: one requires " + requirement_of(build) + ", the other " +
               requirement_of(other_build),
        .builds = {build, other_build},
    };
    for (const FrameworkBuild* of : {&build, &other_build})
        conflict.evidence.push_back(evidence_of(*of, "requires " + requirement_of(*of)));
    if (together == Together::exclude)
        return conflict;
    conflict.severity = Severity::warning;
    conflict.confidence = Confidence::likely;
    conflict.why =
        words_of(one) + " and " + words_of(other) +
        " install cuDNN packages for different CUDA versions into the same directory, "
        "nvidia/cudnn: the "
        "later one overwrites the other, so one of the frameworks gets a cuDNN for another CUDA";
    return conflict;
}

/// Another build than pip installs by default may be meant.
bool any_build_conflicts(
    const Stack& stack, const Matrix& matrix, const Framework& one, const Framework& other) {
    const auto others = builds_of(stack, other, matrix).with_cuda;
    return std::ranges::any_of(
        builds_of(stack, one, matrix).with_cuda, [&](const FrameworkBuild& build) {
            return std::ranges::any_of(others, [&](const FrameworkBuild& other_build) {
                return build.os == other_build.os && together(build, other_build) != Together::fit;
            });
        });
}

/// By the requirements of the builds that pip would install of both; only
/// builds of one system can be in one environment.
void judge_pair(
    const Stack& stack,
    const Matrix& matrix,
    const Framework& one,
    const Framework& other,
    JudgementBuilder& judgements) {
    const std::string names = words_of(one) + " and " + words_of(other);
    const auto builds = builds_by_pip(stack, one, matrix),
               others = builds_by_pip(stack, other, matrix);
    std::optional<Together> all;
    bool differ = false;
    for (const FrameworkBuild& build : builds)
        for (const FrameworkBuild& other_build : others) {
            if (build.os != other_build.os)
                continue;
            const Together result = together(build, other_build);
            differ |= all && *all != result;
            all = result;
        }
    if (!all)
        return judgements.unknown("what the packages of " + names + " require is not in the data");
    if (differ)
        return judgements.unknown(
            "it depends on the builds of " + names + ", which were not specified");
    if (*all == Together::unknown)
        return judgements.unknown("which cuDNN " + names + " require is not in the data");
    if (*all == Together::fit && any_build_conflicts(stack, matrix, one, other))
        return judgements.block_pass(
            names + " can be installed in one environment, but not every build of them");
    const FrameworkBuild &build = builds.front(), &other_build = others.front();
    if (*all != Together::fit)
        return judgements.conflict(between(one, build, other, other_build, *all));
    judgements.passed(
        names + " can be installed in one environment",
        {evidence_of(build, libraries_of(build)),
         evidence_of(other_build, libraries_of(other_build))});
}

/// One contains its cuDNN, the other takes that of the system, and the two are of the same file
/// name.
Conflict two_cudnns(
    const Framework& with_own,
    const FrameworkBuild& own,
    const Framework& of_system,
    const Known& system) {
    const std::string file = "libcudnn.so." + std::to_string(system.major());
    const std::string name = words_of(with_own), other = words_of(of_system);
    return {
        .kind = ConflictKind::framework_requirements_conflict,
        .parts = {framework_part(of_system), framework_part(with_own)},
        .severity = Severity::note,
        .confidence = Confidence::possible,
        .why = name + " loads its own cuDNN " + own.cudnn->text + " and " + other + " cuDNN " +
               system.words + " of the system, both as " + file +
               ": in one process both get that of the framework imported " + "first, " +
               own.cudnn->text + " if it is " + name +
               "; a library of cuDNN that is then looked up on the loader's search path is of "
               "the other version, " +
               "or is not found",
        .evidence =
            {evidence_of(own, "cuDNN " + own.cudnn->text),
             {"cuDNN of the system", system.words, system.source},
             {"with PyTorch 2.5.1 and CTranslate2 4.5.0",
              "Unable to load any of libcudnn_cnn.so.9.1.0",
              "https://github.com/OpenNMT/CTranslate2/issues/1826"}},
    };
}

/// On Linux, where libraries are found by their names.
void note_two_cudnns(
    const Stack& stack,
    const Matrix& matrix,
    const Framework& with_own,
    const Framework& of_system,
    JudgementBuilder& judgements) {
    const auto own = builds_by_pip(stack, with_own, matrix),
               others = builds_by_pip(stack, of_system, matrix);
    const FrameworkBuild* build = find_where(own, [&](const FrameworkBuild& one) {
        return one.os == "linux" && one.cudnn && bundles_libraries(one);
    });
    const bool same_file = build && std::ranges::any_of(others, [&](const FrameworkBuild& other) {
                               return other.os == "linux" && takes_system_libraries(other) &&
                                      other.cudnn && other.cudnn->major() == build->cudnn->major();
                           });
    if (!same_file)
        return;
    const Known* system = version_in(stack.cudnn);
    if (!system)
        judgements.block_pass(
            "which cuDNN " + words_of(with_own) + " and " + words_of(of_system) +
            " get depends on that of the system, which was not specified");
    else if (system->major() == build->cudnn->major() && !agree(*build->cudnn, *system))
        judgements.conflict(two_cudnns(with_own, *build, of_system, *system));
}

}  // namespace

/// Two frameworks that cannot share a Python environment, or share one cuDNN in
/// one process although each was built for its own.
Judgement framework_requirements_conflict(const Stack& stack, const Matrix& matrix) {
    std::vector<Framework> named = stack.frameworks;
    std::erase_if(named, [](const Framework& one) { return !one.version || one.name == "keras"; });
    if (named.size() < 2)
        return undecided("two frameworks with their versions were not specified");
    std::ranges::stable_sort(
        named, {}, &Framework::name);  // one conflict of a pair, in whichever order it is given
    JudgementBuilder judgements;
    for (auto one = named.begin(); one != named.end(); ++one)
        for (auto other = std::next(one); other != named.end(); ++other)
            judge_pair(stack, matrix, *one, *other, judgements);
    for (auto one = named.begin(); one != named.end(); ++one)
        for (auto other = std::next(one); other != named.end(); ++other)
            for (const auto& [with_own, of_system] : {std::pair(one, other), std::pair(other, one)})
                note_two_cudnns(stack, matrix, *with_own, *of_system, judgements);
    return judgements.close();
}

}  // namespace rnncheck::stack
