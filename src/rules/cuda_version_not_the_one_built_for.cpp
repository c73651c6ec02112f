// The CUDA installed is not the one that a framework loads.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

/// Since CUDA 11 the runtime's file name carries the major alone; before, each release had its own.
static bool same_files(const Version& cuda, const Version& wanted) {
    return cuda.major() == wanted.major() && (wanted.major() >= 11 || cuda.minor() == wanted.minor());
}

static Finding other_cuda(const Framework& framework, const FrameworkBuild& build, const Version& cuda) {
    Finding finding;
    finding.subject = words_of(framework);
    finding.message =
        words_of(framework) + " was built for CUDA " + build.cuda->text + " and does not find it in CUDA " + cuda.text;
    finding.evidence = {{"CUDA", cuda.text, "runtimes"}, evidence_of(build, "CUDA " + build.cuda->text)};
    finding.remedies = {{.text = "Install CUDA " + build.cuda->text +
                                 " beside it, or take a release of the framework for CUDA " +
                                 std::to_string(cuda.major()),
                         .commands = {"rnncheck matrix show framework_builds framework=" + framework.name},
                         .verify = "rnncheck doctor",
                         .link = "https://developer.nvidia.com/cuda-toolkit-archive"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    const Version* cuda = given_cuda(facts);
    if (!cuda) return undecided("no CUDA was given");
    return judge_frameworks(facts, matrix, takes_system_libraries,
                            [&](const FrameworkBuild& build, const Framework& framework) -> Answered {
                                return same_files(*cuda, *build.cuda) ? well()
                                                                      : at_fault(other_cuda(framework, build, *cuda));
                            });
}

extern const Rule cuda_version_not_the_one_built_for{
    .title = "The CUDA installed is not the one the framework was built for",
    .layer = Layer::runtime,
    .worst = Severity::error,
    .needs = Stage::look,
    .check = check,
    .asks = "cuda= and a framework"};

}  // namespace rnncheck::rules
