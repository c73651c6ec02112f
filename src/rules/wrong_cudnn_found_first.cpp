// A cuDNN that is found before the one a framework brings along.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static Finding other_first(const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " brings cuDNN " + build.cudnn->text + " along; where cuDNN " + cudnn.text +
                      " is found first, through LD_LIBRARY_PATH or in the system, it is refused or fails";
    finding.evidence = {{"cuDNN", cudnn.text, "cudnns"}, evidence_of(build, "cuDNN " + build.cudnn->text)};
    finding.remedies = {{.text = "Take the folder of cuDNN " + cudnn.text +
                                 " out of LD_LIBRARY_PATH for this program; it needs no cuDNN of the system",
                         .commands = {"echo $LD_LIBRARY_PATH"},
                         .verify = "rnncheck doctor",
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    const Version* cudnn = given_cudnn(facts);
    if (!cudnn) return undecided("no cuDNN was given");
    return judge_frameworks(
        facts, matrix, brings_libraries, [&](const FrameworkBuild& build, const Framework& framework) -> Answered {
            if (!build.cudnn) return not_told();
            return serves(*cudnn, *build.cudnn) == Serves::well ? well()
                                                                : at_fault(other_first(framework, build, *cudnn));
        });
}

extern const Rule wrong_cudnn_found_first{.title = "A cuDNN found first is not the one the framework brings along",
                                          .layer = Layer::cudnn,
                                          .worst = Severity::warning,
                                          .needs = Stage::look,
                                          .check = check,
                                          .asks = "cudnn= and a framework"};

}  // namespace rnncheck::rules
