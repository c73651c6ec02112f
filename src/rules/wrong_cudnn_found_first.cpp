// A cuDNN that is found before the one a framework brings along.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static void other_first(Finding& finding, const Framework& framework, const FrameworkBuild& build,
                        const Version& cudnn) {
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.message = words_of(framework) + " brings cuDNN " + build.cudnn->text + " along; where cuDNN " + cudnn.text +
                      " is found first, through LD_LIBRARY_PATH or in the system, it is refused or fails";
    finding.remedies = {{.text = "Take the folder of cuDNN " + cudnn.text +
                                 " out of LD_LIBRARY_PATH for this program; it needs no cuDNN of the system",
                         .commands = {"echo $LD_LIBRARY_PATH"},
                         .verify = "rnncheck doctor",
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    return judge_cudnn_of_frameworks(
        facts, matrix, brings_libraries, [](Serves how) { return how != Serves::well; }, other_first);
}

extern const Rule wrong_cudnn_found_first{.title = "A cuDNN found first is not the one the framework brings along",
                                          .layer = Layer::cudnn,
                                          .worst = Severity::warning,
                                          .needs = Stage::look,
                                          .check = check,
                                          .asks = "cudnn= and a framework"};

}  // namespace rnncheck::rules
