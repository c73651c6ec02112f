#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

std::optional<Facts> asked_releases(const Facts& facts) {
    Facts about;
    about.tool.stages = {"given"};
    about.host.platform = facts.host.platform;
    for (const Framework& framework : facts.frameworks)
        if (framework.asked) about.frameworks.push_back(framework);
    if (about.frameworks.empty()) return std::nullopt;
    return about;
}

Verdict judge_asked_releases(const std::optional<Facts>& about, const Matrix& matrix,
                             Verdict (*check)(const Facts&, const Matrix&)) {
    if (!about) return not_applicable(about_named_releases);
    const Verdict verdict = check(*about, matrix);
    const bool needs_more = verdict.outcome == Outcome::undecided && verdict.lack == Lack::facts;
    return needs_more ? not_applicable(verdict.reason) : verdict;
}

bool any_build(const FrameworkBuild&) {
    return true;
}

bool takes_system_libraries(const FrameworkBuild& build) {
    return build.cuda && build.libraries == "system";
}

bool brings_libraries(const FrameworkBuild& build) {
    return build.cuda && build.libraries != "system";
}

Verdict judge_frameworks(const Facts& facts, const Matrix& matrix, bool (*speaks_of)(const FrameworkBuild&),
                         const std::function<Answered(const FrameworkBuild&, const Framework&)>& judge) {
    if (facts.frameworks.empty()) return undecided("no framework was given");
    Answers answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        std::vector<FrameworkBuild> spoken_of = builds.with_cuda;
        spoken_of.insert(spoken_of.end(), builds.without_cuda.begin(), builds.without_cuda.end());
        std::erase_if(spoken_of, [&](const FrameworkBuild& build) { return !speaks_of(build); });
        judge_builds(spoken_of, framework, words_of(framework) + " is served", answers,
                     [&](const FrameworkBuild& build) { return judge(build, framework); });
    }
    answers.no_matter("it does not concern the builds of what was given");
    return answers.close();
}

Serves serves(const Version& cudnn, const Version& built_with) {
    if (cudnn.major() != built_with.major())
        return cudnn.major() < built_with.major() ? Serves::too_old : Serves::too_new;
    const bool minors_told = parts_written(cudnn) > 1 && parts_written(built_with) > 1;
    return minors_told && cudnn.minor() < built_with.minor() ? Serves::too_old : Serves::well;
}

Verdict judge_cudnn_of_frameworks(const Facts& facts, const Matrix& matrix, bool (*speaks_of)(const FrameworkBuild&),
                                  bool (*is_fault)(Serves),
                                  void (*describe)(Finding&, const Framework&, const FrameworkBuild&, const Version&)) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    const Version* cudnn = given_cudnn(facts);
    if (!cudnn) return undecided("no cuDNN was given");
    return judge_frameworks(
        facts, matrix, speaks_of, [&](const FrameworkBuild& build, const Framework& framework) -> Answered {
            if (!build.cudnn) return not_told();
            if (!is_fault(serves(*cudnn, *build.cudnn))) return well();
            Finding finding;
            finding.subject = words_of(framework);
            finding.evidence = {{"cuDNN", cudnn->text, "cudnns"}, evidence_of(build, "cuDNN " + build.cudnn->text)};
            describe(finding, framework, build, *cudnn);
            return at_fault(std::move(finding));
        });
}

}  // namespace rnncheck::rules
