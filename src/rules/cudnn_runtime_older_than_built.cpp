// The cuDNN that a framework loads is older than the one it was built with.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static Finding older(const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    Finding finding;
    finding.subject = words_of(framework);
    finding.message = "cuDNN " + cudnn.text + " is older than the " + build.cudnn->text + " that " +
                      words_of(framework) + " was built with";
    finding.evidence = {{"cuDNN", cudnn.text, "cudnns"}, evidence_of(build, "cuDNN " + build.cudnn->text)};
    finding.remedies = {{.text = "Install cuDNN " + build.cudnn->text + " or a later one of major " +
                                 std::to_string(build.cudnn->major()),
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
            return serves(*cudnn, *build.cudnn) == Serves::too_old ? at_fault(older(framework, build, *cudnn)) : well();
        });
}

extern const Rule cudnn_runtime_older_than_built{.title = "cuDNN is older than the one the framework was built with",
                                                 .layer = Layer::cudnn,
                                                 .worst = Severity::error,
                                                 .needs = Stage::look,
                                                 .check = check,
                                                 .asks = "cudnn= and a framework"};

}  // namespace rnncheck::rules
