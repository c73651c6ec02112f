// A release that a person names, and that the tables do not know or know to have never been published.
#include <set>

#include "matrix/ranges.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules::release_not_in_the_tables {

/// Every toolkit is in the table: a number between two of its rows was never released.
static Finding no_such_cuda(const Version& cuda, const Matrix& matrix) {
    Finding finding;
    finding.subject = "CUDA " + cuda.text;
    finding.message = "no CUDA toolkit " + cuda.text +
                      " was ever released; a driver may report it as the newest CUDA version that it supports";
    finding.evidence = {{"CUDA", cuda.text, "runtimes"}};
    for (const Version& near :
         {make_version({cuda.major(), cuda.minor() - 1}), make_version({cuda.major(), cuda.minor() + 1})})
        if (const auto row = matrix.driver_for_cuda(near))
            finding.evidence.push_back({"released", "CUDA " + row->cuda.text, row->source.url});
    finding.remedies = {{.action = Action::investigate,
                         .text = "Specify the CUDA version of the toolkit or of the framework's wheels, not the one in "
                                 "the first line of nvidia-smi",
                         .commands = {"nvcc --version"},
                         .verify = "rnncheck matrix show driver_for_cuda",
                         .link = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix);

static void note(VerdictBuilder& answers, const std::string& what, Coverage coverage, const Matrix& matrix) {
    if (coverage == Coverage::known)
        answers.passed("every specified version is in the compatibility data");
    else
        answers.outside(outside_data(what, coverage, matrix));
}

static void judge_cuda(VerdictBuilder& answers, const Version& cuda, const Matrix& matrix) {
    const Coverage coverage = matrix.driver_for_cuda(cuda).coverage;
    if (coverage == Coverage::silent && parts_written(cuda) > 1 &&
        matrix.driver_for_cuda(make_version({cuda.major(), 0})))
        answers.fault(no_such_cuda(cuda, matrix));
    else
        note(answers, "CUDA " + cuda.text, coverage, matrix);
}

static void judge_cudnn(VerdictBuilder& answers, const Cudnn& cudnn, const Matrix& matrix) {
    const Version& release = *cudnn.version;
    const auto builds = cudnn_builds_of(release, matrix);
    if (builds.empty()) return note(answers, "cuDNN " + release.text, matrix.cudnn_build(release, 0).coverage, matrix);
    const auto& cuda = cudnn.built_for_cuda;
    const bool exists = !cuda || std::ranges::any_of(builds, [&](const CudnnBuild& build) {
        return build.cuda_major == cuda->major();
    });
    if (!exists) return answers.no_pass("another rule reports that cuDNN " + release.text + " has no such build");
    note(answers, "cuDNN " + release.text, Coverage::known, matrix);
}

/// Keras has no builds, only backends.
static Coverage coverage_of_keras(const Version& keras, const Matrix& matrix) {
    Coverage coverage = Coverage::older_than_data;
    for (const KerasBackend& row : matrix.keras_backends()) {
        if (covers(row.first, row.last, keras) || agree(row.first, keras)) return Coverage::known;
        if (row.first < keras) coverage = Coverage::newer_than_data;
    }
    return coverage;
}

/// "; there are its builds cpu, cu118 and cu124", where the version is known and the build is not.
static std::string builds_there_are(const Facts& facts, const Matrix& matrix, Framework framework) {
    if (!framework.build) return "";
    framework.build.reset();
    const Builds builds = builds_of(facts, matrix, framework);
    std::set<std::string> names;
    for (const auto* some : {&builds.without_cuda, &builds.with_cuda})
        for (const FrameworkBuild& build : *some) names.insert(build.build);
    return names.empty() ? "" : "; there are its builds " + join_with_and({names.begin(), names.end()});
}

static void judge_framework(VerdictBuilder& answers, const Facts& facts, const Matrix& matrix,
                            const Framework& framework) {
    const Coverage coverage = framework.name == "keras" ? coverage_of_keras(*framework.version, matrix)
                                                        : builds_of(facts, matrix, framework).coverage;
    if (coverage == Coverage::known) return note(answers, "", coverage, matrix);
    answers.outside(outside_data(words_of(framework), coverage, matrix) + builds_there_are(facts, matrix, framework));
}

static void judge_frameworks(VerdictBuilder& answers, const Facts& facts, const Matrix& matrix) {
    for (const Framework& framework : facts.frameworks)
        if (framework.version) judge_framework(answers, facts, matrix, framework);
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_asked_versions(asked_versions(facts), matrix, check);
    VerdictBuilder answers;
    if (const auto driver = driver_version(facts))
        note(answers, "driver " + driver->text, matrix.cuda_of_driver(*driver).coverage, matrix);
    if (const Version* cuda = given_cuda(facts)) judge_cuda(answers, *cuda, matrix);
    if (given_cudnn(facts)) judge_cudnn(answers, facts.cudnns.front(), matrix);
    for (const Gpu& gpu : facts.cuda_devices)
        if (gpu.compute_capability)
            note(answers, words_of(gpu), matrix.architecture(*gpu.compute_capability).coverage, matrix);
    judge_frameworks(answers, facts, matrix);
    return answers.close();
}

extern const Rule rule{.title = "A specified version is not in the compatibility data",
                       .layer = Layer::runtime,
                       .max_severity = Severity::warning,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "a version of any component"};

}  // namespace rnncheck::rules::release_not_in_the_tables
