// cuDNN is of a later major than the framework knows.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static void newer(Finding& finding, const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    const std::string major = std::to_string(build.cudnn->major());
    finding.message = words_of(framework) + " was built for cuDNN " + major + " and cannot use cuDNN " + cudnn.text;
    finding.remedies = {{.text = "Install cuDNN " + major + ", from " + build.cudnn->text +
                                 " on, beside or instead of it; or take a release of the framework made for cuDNN " +
                                 std::to_string(cudnn.major()),
                         .commands = {},
                         .verify = "rnncheck doctor",
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return judge_cudnn_of_frameworks(
        facts, matrix, takes_system_libraries, [](Serves how) { return how == Serves::too_new; }, newer);
}

extern const Rule cudnn_newer_than_framework_supports{
    .title = "cuDNN is of a later major than the framework was built for",
    .layer = Layer::cudnn,
    .worst = Severity::error,
    .needs = Stage::look,
    .check = check,
    .asks = "cudnn= and a framework"};

}  // namespace rnncheck::rules
