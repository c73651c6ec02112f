// cuDNN is of a later major than the framework knows.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_newer_than_framework_supports {

static void newer(Finding& finding, const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    finding.message = words_of(framework) + " was built for cuDNN " + std::to_string(build.cudnn->major()) +
                      " and cannot use cuDNN " + cudnn.text;
}

/// Its file name is of the framework's major all the same: somebody made a link, or renamed it.
static bool is_newer(const CudnnInUse& use) {
    return serves(use.version, use.built_with) == Serves::too_new;
}

static void describe_in_use(Finding& finding, const CudnnInUse& use) {
    const std::string major = std::to_string(use.built_with.major());
    finding.severity = Severity::error;
    finding.message = words_of(use.framework) + " was built for cuDNN " + major + ", but " + *use.library.path +
                      ", which it loads, is cuDNN " + use.version.text;
    finding.remedies = {
        installing_cudnn(use.facts, use.framework,
                         {.action = Action::install_package,
                          .text = "Remove the link or file of that name, then install cuDNN " + major,
                          .risk = Risk::disruptive,
                          .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"})};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_cudnn_in_use(facts, matrix, is_newer, describe_in_use);
    return judge_cudnn_of_frameworks(
        facts, matrix, takes_system_libraries, [](Serves how) { return how == Serves::too_new; }, newer);
}

extern const Rule rule{.title = "cuDNN is of a newer major version than the framework supports",
                       .layer = Layer::cudnn,
                       .stage = Stage::ask,
                       .check = check,
                       .what_if_inputs = "cudnn= and a framework",
                       .repaired_by_versions = true};

}  // namespace rnncheck::rules::cudnn_newer_than_framework_supports
