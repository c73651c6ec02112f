// A build for GPUs that are not used through cuDNN.
#include "rules/rule.hpp"

namespace rnncheck::rules::plugin_without_cudnn_rnn {

static Finding no_cudnn(const Framework& framework, const FrameworkBuild& build) {
    return {
        .subject = words_of(framework),
        .message = words_of(framework) + " uses the GPU through " + build.build +
                   ", which has no cuDNN: layers that request cuDNN's recurrent networks fail",
        .evidence = {evidence_of(build, "no CUDA")},
        .remedies = {
            {.action = Action::change_program,
             .text =
                 "Use the generic recurrent layers or run this layer on the CPU; on an NVIDIA GPU, use a CUDA build",
             .commands = {"rnncheck matrix plan --for " + framework.name + "==" + framework.version->text},
             .verify = "rnncheck doctor",
             .link = build.source.url}}};
}

static Finding installed_plugin(const Framework& framework) {
    const bool other_make = framework.build == "rocm";
    Finding finding;
    finding.subject = words_of(framework);
    finding.message = words_of(framework) + " in " + framework.environment +
                      (other_make ? " is built for GPUs of another vendor and cannot use the NVIDIA GPU"
                                  : " uses the GPU without cuDNN: layers that request cuDNN's recurrent networks fail");
    finding.evidence = {{"package", framework.package.value_or("unknown"), "frameworks"}};
    for (const std::string& plugin : framework.plugins) finding.evidence.push_back({"plugin", plugin, "frameworks"});
    finding.remedies = {
        {.action = Action::change_program,
         .text = "Use the generic recurrent layers or run this layer on the CPU; on an NVIDIA GPU, use a CUDA build",
         .commands = {"rnncheck matrix plan --for " + framework.name +
                      (framework.version ? "==" + framework.version->text : "")},
         .link = "https://github.com/microsoft/tensorflow-directml-plugin"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix);

static Verdict judge_machine(const Facts& facts, const Matrix& matrix) {
    if (const auto about = asked_versions(facts)) return judge_asked_versions(about, matrix, check);
    if (const auto verdict = without_frameworks(facts)) return *verdict;
    VerdictBuilder answers;
    for (const Framework& framework : judged_frameworks(facts, matrix)) {
        const bool plugin = framework.build == "directml" || framework.build == "metal" || framework.build == "rocm";
        if (!framework.build && !framework.uses_cuda.value_or(false))
            answers.unknown("the build of " + words_of(framework) + " could not be read from its files");
        else if (!plugin)
            answers.passed("every framework that uses the GPU uses it through CUDA");
        else if (framework.build == "rocm" && no_nvidia_hardware_seen(facts))
            answers.irrelevant("ROCm has its own recurrent networks");
        else
            answers.fault(installed_plugin(framework));
    }
    return answers.close();
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_machine(facts, matrix);
    VerdictBuilder answers;
    for (const Framework& framework : facts.frameworks) {
        const Builds builds = builds_of(facts, matrix, framework);
        const bool for_cpu_or_cuda = builds.without_cuda.empty() || framework.build == "cpu";
        if (!framework.build)
            answers.unknown("the build of " + words_of(framework) + " was not specified");
        else if (for_cpu_or_cuda)
            answers.irrelevant("it is not a plugin build");
        else
            answers.fault(no_cudnn(framework, builds.without_cuda.front()));
    }
    return answers.close();
}

extern const Rule rule{.title = "The framework build uses the GPU without cuDNN",
                       .layer = Layer::runtime,
                       .max_severity = Severity::warning,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "a framework with its build"};

}  // namespace rnncheck::rules::plugin_without_cudnn_rnn
