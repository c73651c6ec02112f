// A release that a person names, and that the tables do not know or know to have never been published.
#include <algorithm>

#include "matrix/ranges.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"
#include "rules/support/versions.hpp"

namespace rnncheck::rules {

/// Every toolkit is in the table: a number between two of its rows was never released.
static Finding no_such_cuda(const Version& cuda, const Matrix& matrix) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.subject = "CUDA " + cuda.text;
    finding.message =
        "no CUDA toolkit " + cuda.text + " was ever released; a driver may name it as the newest CUDA that it supports";
    finding.evidence = {{"CUDA", cuda.text, "runtimes"}};
    for (const Version& near :
         {make_version({cuda.major(), cuda.minor() - 1}), make_version({cuda.major(), cuda.minor() + 1})})
        if (const auto row = matrix.driver_for_cuda(near))
            finding.evidence.push_back({"released", "CUDA " + row->cuda.text, row->source.url});
    finding.remedies = {
        {.text = "Give the CUDA of the toolkit or of the framework's wheels, not the one in nvidia-smi's headline",
         .commands = {"nvcc --version"},
         .verify = "rnncheck matrix show driver_for_cuda",
         .link = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"}};
    return finding;
}

static void note(Answers& answers, const std::string& what, Coverage coverage, const Matrix& matrix) {
    if (coverage == Coverage::known)
        answers.good("the tables know every release that was given");
    else
        answers.outside(outside_data(what, coverage, matrix));
}

static void judge_cuda(Answers& answers, const Version& cuda, const Matrix& matrix) {
    const Coverage coverage = matrix.driver_for_cuda(cuda).coverage;
    if (coverage == Coverage::silent && parts_written(cuda) > 1 &&
        matrix.driver_for_cuda(make_version({cuda.major(), 0})))
        answers.fault(no_such_cuda(cuda, matrix));
    else
        note(answers, "CUDA " + cuda.text, coverage, matrix);
}

static Coverage coverage_of_cudnn(const Version& cudnn, const Matrix& matrix) {
    return cudnn_builds_of(cudnn, matrix).empty() ? matrix.cudnn_build(cudnn, 0).coverage : Coverage::known;
}

static void judge_frameworks(Answers& answers, const Facts& facts, const Matrix& matrix) {
    for (const Framework& framework : facts.frameworks)
        if (framework.version && framework.name != "keras")  // Keras has no builds, only backends
            note(answers, words_of(framework), builds_of(facts, matrix, framework).coverage, matrix);
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return not_applicable(about_named_releases);
    Answers answers;
    if (const Version* driver = given_driver(facts))
        note(answers, "driver " + driver->text, matrix.cuda_of_driver(*driver).coverage, matrix);
    if (const Version* cuda = given_cuda(facts)) judge_cuda(answers, *cuda, matrix);
    if (const Version* cudnn = given_cudnn(facts))
        note(answers, "cuDNN " + cudnn->text, coverage_of_cudnn(*cudnn, matrix), matrix);
    for (const Gpu& gpu : facts.gpus)
        if (gpu.compute_capability)
            note(answers, words_of(gpu), matrix.architecture(*gpu.compute_capability).coverage, matrix);
    judge_frameworks(answers, facts, matrix);
    return answers.close();
}

extern const Rule release_not_in_the_tables{.title = "A release that was given is not in the tables",
                                            .layer = Layer::runtime,
                                            .worst = Severity::warning,
                                            .needs = Stage::look,
                                            .check = check,
                                            .asks = "a release of anything"};

}  // namespace rnncheck::rules
