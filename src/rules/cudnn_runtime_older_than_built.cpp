// The cuDNN that a framework loads is older than the one it was built with.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static void older(Finding& finding, const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    finding.message = "cuDNN " + cudnn.text + " is older than the " + build.cudnn->text + " that " +
                      words_of(framework) + " was built with";
    finding.remedies = {{.text = "Install cuDNN " + build.cudnn->text + " or a later one of major " +
                                 std::to_string(build.cudnn->major()),
                         .commands = {},
                         .verify = "rnncheck doctor",
                         .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return judge_cudnn_of_frameworks(
        facts, matrix, takes_system_libraries, [](Serves how) { return how == Serves::too_old; }, older);
}

extern const Rule cudnn_runtime_older_than_built{.title = "cuDNN is older than the one the framework was built with",
                                                 .layer = Layer::cudnn,
                                                 .worst = Severity::error,
                                                 .needs = Stage::look,
                                                 .check = check,
                                                 .asks = "cudnn= and a framework"};

}  // namespace rnncheck::rules
