// The data type wanted has no recurrent kernel here.
#include "rules/rule.hpp"

namespace rnncheck::rules::rnn_dtype_not_supported {

static Finding unsupported(const std::string& dtype, const RnnLimit& limit, const std::string& what,
                           Evidence evidence) {
    return {.subject = dtype,
            .message = what + " does not support recurrent networks of type " + dtype + ", which require cuDNN " +
                       limit.first.text +
                       (limit.capability_min ? " and compute capability " + limit.capability_min->text : ""),
            .evidence = {std::move(evidence), {"recurrent networks of type " + dtype, limit.rule, limit.source.url}},
            .remedies = {{.action = Action::change_program,
                          .text = "Use fp32 or fp16 for the recurrent layers, or the version that the message names",
                          .verify = "rnncheck doctor",
                          .link = limit.source.url}}};
}

static void judge_cudnn(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit, const Version& cudnn,
                        const Matrix& matrix) {
    const Coverage coverage = matrix.cudnn_build(cudnn, 0).coverage;
    const std::string what = "cuDNN " + cudnn.text;
    if (coverage != Coverage::known && coverage != Coverage::silent)
        answers.outside(outside_data(what, coverage, matrix));
    else if (cudnn < limit.first)
        answers.fault(unsupported(dtype, limit, what, {"cuDNN", cudnn.text, "cudnns"}));
}

static void judge_gpu(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit, const Gpu& gpu) {
    if (!gpu.compute_capability)
        answers.unknown("the compute capability of a GPU is unknown");
    else if (*gpu.compute_capability < *limit.capability_min)
        answers.fault(unsupported(dtype, limit, words_of(gpu),
                                  {"compute capability", gpu.compute_capability->text, "cuda_devices"}));
}

/// A framework with its own cuDNN, where none was given.
static void judge_framework(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit,
                            const Facts& facts, const Matrix& matrix, const Framework& framework) {
    judge_builds(builds_of(facts, matrix, framework).with_cuda, framework, answers,
                 [&](const FrameworkBuild& build) -> Verdict {
                     if (!build.cudnn) return undecided("the data do not show it");
                     if (*build.cudnn >= limit.first)
                         return pass("the cuDNN of " + words_of(framework) + " supports it");
                     return fault(unsupported(dtype, limit,
                                              words_of(framework) + ", built with cuDNN " + build.cudnn->text + ",",
                                              evidence_of(build, "cuDNN " + build.cudnn->text)));
                 });
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_versions);
    if (!facts.network || !facts.network->dtype) return undecided("no data type was specified");
    const std::string dtype(name_of(*facts.network->dtype));
    const auto limit = matrix.rnn_limit(dtype);
    if (!limit) return pass("every known cuDNN version and GPU supports recurrent networks of type " + dtype);
    VerdictBuilder answers;
    const Version* cudnn = given_cudnn(facts);
    if (cudnn) judge_cudnn(answers, dtype, *limit, *cudnn, matrix);
    if (!cudnn)
        for (const Framework& framework : facts.frameworks)
            judge_framework(answers, dtype, *limit, facts, matrix, framework);
    if (limit->capability_min)
        for (const Gpu& gpu : facts.cuda_devices) judge_gpu(answers, dtype, *limit, gpu);
    if (!cudnn && facts.frameworks.empty()) answers.unknown("cudnn= was not specified");
    if (limit->capability_min && facts.cuda_devices.empty()) answers.unknown("gpu= was not specified");
    answers.passed("cuDNN and GPU support recurrent networks of type " + dtype,
                   {{"recurrent networks of type " + dtype, limit->rule, limit->source.url}});
    return answers.close();
}

extern const Rule rule{.title = "Recurrent networks of this data type are not supported",
                       .layer = Layer::rnn,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "dtype=, cudnn= and gpu="};

}  // namespace rnncheck::rules::rnn_dtype_not_supported
