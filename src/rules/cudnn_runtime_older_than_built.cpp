// The cuDNN that a framework loads is older than the one it was built with.
#include "rules/rule.hpp"

namespace rnncheck::rules::cudnn_runtime_older_than_built {

static void older(Finding& finding, const Framework& framework, const FrameworkBuild& build, const Version& cudnn) {
    finding.message = "cuDNN " + cudnn.text + " is older than the " + build.cudnn->text + " that " +
                      words_of(framework) + " was built with";
}

static bool is_older(const CudnnInUse& use) {
    return serves(use.version, use.built_with) == Serves::too_old;
}

static void describe_in_use(Finding& finding, const CudnnInUse& use) {
    const std::string wanted = use.built_with.text, major = std::to_string(use.built_with.major());
    finding.severity = Severity::error;
    finding.message = words_of(use.framework) + " was built with cuDNN " + wanted + ", but loads the older " +
                      use.version.text + " from " + *use.library.path;
    finding.remedies = {
        installing_cudnn(use.facts, use.framework,
                         {.action = Action::install_package,
                          .text = "Install cuDNN " + wanted + " or a later version of major " + major + " where " +
                                  words_of(use.framework) + " finds it",
                          .link = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/linux.html"})};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_cudnn_in_use(facts, matrix, is_older, describe_in_use);
    return judge_cudnn_of_frameworks(
        facts, matrix, takes_system_libraries, [](Serves how) { return how == Serves::too_old; }, older);
}

extern const Rule rule{.title = "cuDNN is older than the version the framework was built with",
                       .layer = Layer::cudnn,
                       .stage = Stage::ask,
                       .check = check,
                       .what_if_inputs = "cudnn= and a framework",
                       .repaired_by_versions = true,
                       .yields_to = {"wrong_cudnn_found_first"}};

}  // namespace rnncheck::rules::cudnn_runtime_older_than_built
