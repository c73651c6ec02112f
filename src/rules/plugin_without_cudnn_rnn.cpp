// A build for GPUs that are not used through cuDNN.
#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/framework_support.hpp"

namespace rnncheck::rules {

static Finding no_cudnn(const Framework& framework, const FrameworkBuild& build) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " reaches the GPU through " + build.build +
                      ", which has no cuDNN: layers that ask for its recurrent networks fail";
    finding.evidence = {evidence_of(build, "no CUDA")};
    finding.remedies = {
        {.text = "Use the generic recurrent layers, or run this layer on the CPU; on an NVIDIA GPU a build with CUDA",
         .commands = {"rnncheck matrix plan --for " + framework.name + "==" + framework.version->text},
         .verify = "rnncheck doctor",
         .link = build.source.url}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    Answers answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        const bool for_cpu_or_cuda = builds.without_cuda.empty() || framework.build == "cpu";
        if (!framework.build)
            answers.unknown("which build of " + words_of(framework) + " it is was not given");
        else if (for_cpu_or_cuda)
            answers.no_matter("it is no build for a plugin");
        else
            answers.fault(no_cudnn(framework, builds.without_cuda.front()));
    }
    return answers.close();
}

extern const Rule plugin_without_cudnn_rnn{.title = "The build uses the GPU without cuDNN",
                                           .layer = Layer::runtime,
                                           .worst = Severity::warning,
                                           .needs = Stage::look,
                                           .check = check,
                                           .asks = "a framework with its build"};

}  // namespace rnncheck::rules
