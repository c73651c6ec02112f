// A build of a framework without CUDA.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static bool is_plugin(const FrameworkBuild& build) {
    return build.build != "cpu";
}

static Finding no_cuda(const Framework& framework, const FrameworkBuild& build) {
    Finding finding;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " is a build without CUDA: it never uses cuDNN";
    finding.evidence = {evidence_of(build, "no CUDA")};
    finding.remedies = {{.text = "Install a build with CUDA of the same release",
                         .commands = {"rnncheck matrix plan --for " + framework.name + "==" + framework.version->text},
                         .verify = "rnncheck doctor",
                         .link = build.source.url}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    if (facts.frameworks.empty()) return undecided("no framework was given");
    Answers answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        const bool windows = facts.host.platform == "windows" && framework.name == "tensorflow" && !framework.build;
        if (!builds.with_cuda.empty() && !builds.without_cuda.empty())
            answers.unknown("which build of " + words_of(framework) + " it is was not given, as in pytorch=2.4+cu124");
        else if (!builds.with_cuda.empty())
            answers.good("there is a build of " + words_of(framework) + " with CUDA");
        else if (builds.without_cuda.empty())
            answers.unknown("no release of " + words_of(framework) + " was given");
        else if (windows || is_plugin(builds.without_cuda.front()))
            answers.told_elsewhere("another rule tells why it has no CUDA");
        else
            answers.fault(no_cuda(framework, builds.without_cuda.front()));
    }
    return answers.close();
}

extern const Rule cpu_only_build{.title = "The framework is a build without CUDA",
                                 .layer = Layer::runtime,
                                 .worst = Severity::error,
                                 .needs = Stage::look,
                                 .check = check,
                                 .asks = "a framework with its release"};

}  // namespace rnncheck::rules
