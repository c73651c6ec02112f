// cuDNN is of a later major than the framework knows.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static Finding newer(const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    const std::string major = std::to_string(build.cudnn->major());
    Finding finding;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " was built for cuDNN " + major + " and cannot use cuDNN " + cudnn.text;
    finding.evidence = {{"cuDNN", cudnn.text, "cudnns"}, evidence_of(build, "cuDNN " + build.cudnn->text)};
    finding.remedies = {{.text = "Install cuDNN " + major + ", from " + build.cudnn->text +
                                 " on, beside or instead of it; or take a release of the framework made for cuDNN " +
                                 std::to_string(cudnn.major()),
                         .commands = {},
                         .verify = "rnncheck doctor",
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    const Version* cudnn = given_cudnn(facts);
    if (!cudnn) return undecided("no cuDNN was given");
    return judge_frameworks(
        facts, matrix, takes_system_libraries,
        [&](const FrameworkBuild& build, const Framework& framework) -> Answered {
            if (!build.cudnn) return not_told();
            return serves(*cudnn, *build.cudnn) == Serves::too_new ? at_fault(newer(framework, build, *cudnn)) : well();
        });
}

extern const Rule cudnn_newer_than_framework_supports{
    .title = "cuDNN is of a later major than the framework was built for",
    .layer = Layer::cudnn,
    .worst = Severity::error,
    .needs = Stage::look,
    .check = check,
    .asks = "cudnn= and a framework"};

}  // namespace rnncheck::rules
