// Versions that a person names.
#include <set>

#include "matrix/ranges.hpp"
#include "rules/rule.hpp"
#include "rules/support/verdict_builder.hpp"

namespace rnncheck::rules {

/// A plugin is installed beside a build, which tells.
static bool is_no_plugin(const FrameworkBuild& build) {
    return build.build != "metal" && build.build != "directml";
}

/// A release of a framework has no package for this Python. An installed framework has its package; one that is asked
/// about may have none for the Python that runs.
Verdict python_not_supported_by_release(const Facts& facts, const Matrix& matrix) {
    if (facts.pythons.empty() || !facts.pythons.front().version) return undecided("no Python version was specified");
    const Version& python = *facts.pythons.front().version;
    const auto judge = [&](const FrameworkBuild& build, const Framework& framework) {
        const std::string name = words_of(framework);
        const auto suits = compat::build_for_python(build, python);
        if (suits.fit == Fit::unknown) return undecided("the data do not show it");
        if (suits.fit == Fit::works) return pass(name + " has a package for Python " + python.text);
        return fault({.subject = name,
                      .message = name + " has no package for Python " + python.text + "; it supports " +
                                 suits.evidence.front().value,
                      .evidence = {{"Python", python.text, "pythons"}, suits.evidence.front()}});
    };
    return judge_frameworks(facts, matrix, is_no_plugin, judge);
}

Verdict keras_backend_not_supported(const Facts& facts, const Matrix& matrix);

static bool suits(const KerasBackend& row, const Version& backend) {
    const bool old_enough = !row.backend_last || within(backend, *row.backend_last);
    return old_enough && (!row.backend_first || backend >= *row.backend_first || agree(*row.backend_first, backend));
}

/// Since 2.16 `import keras` beside TensorFlow is Keras 3, and Keras 2 goes on as a package of its own.
/// https://github.com/tensorflow/tensorflow/releases/tag/v2.16.1
static std::optional<Remedy> keras_2_goes_on(const Framework& keras, const Framework& backend) {
    if (backend.name != "tensorflow" || keras.version->major() != 2 || *backend.version < make_version({2, 16}))
        return std::nullopt;
    const std::string release =
        std::to_string(backend.version->major()) + "." + std::to_string(backend.version->minor());
    return remedy("keras_backend_not_supported/keras_2", {release});
}

static Finding unsuited(const Framework& keras, const Framework& backend, const KerasBackend& row) {
    const std::string wanted =
        (row.backend_first ? "version " + row.backend_first->text + (row.backend_last ? "" : " or later")
                           : std::string()) +
        (row.backend_last ? " up to " + row.backend_last->text : "");
    Finding finding;
    if (row.provenance >= Provenance::inferred) {  // the row was not read for this very release
        finding.severity = Severity::warning;
        finding.confidence = Confidence::likely;
    }
    finding.subject = words_of(keras);
    finding.message = words_of(keras) + " does not work with " + words_of(backend) + "; it needs " + wanted;
    finding.evidence = {{"Keras", keras.version->text, "frameworks"},
                        {"backend " + row.backend, wanted, row.source.url}};
    finding.remedies = {remedy("keras_backend_not_supported/versions", {row.backend})};
    if (auto remedy = keras_2_goes_on(keras, backend))
        finding.remedies.insert(finding.remedies.begin(), std::move(*remedy));
    return finding;
}

static void judge_backend(const Framework& keras, const Framework& backend, const Matrix& matrix,
                          VerdictBuilder& answers) {
    for (const KerasBackend& row : matrix.keras_backends()) {
        if (row.backend != backend.name || !covers(row.first, row.last.value_or(*keras.version), *keras.version))
            continue;
        if (!suits(row, *backend.version)) return answers.fault(unsuited(keras, backend, row));
        return answers.passed(words_of(keras) + " works with " + words_of(backend));
    }
    answers.unknown("whether " + words_of(keras) + " works with " + words_of(backend) + " is not in the data");
}

/// Keras, when asked about, meets the backends installed. A backend that is asked about brings the Keras it wants.
static Verdict judge_keras_here(const Facts& facts, const Matrix& matrix) {
    auto about = asked_versions(facts);
    const PythonEnvironment* active = active_environment(facts);
    if (about && active && about->frameworks.front().name == "keras")
        for (const Framework& framework : facts.frameworks)
            if (!framework.asked && framework.name != "keras" && framework.environment == active->path)
                about->frameworks.push_back(framework);
    return about ? judge_asked(*about, matrix, keras_backend_not_supported) : not_applicable(about_named_versions);
}

/// A release of Keras that does not work with the release of its backend.
Verdict keras_backend_not_supported(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_keras_here(facts, matrix);
    VerdictBuilder answers;
    for (const Framework& keras : facts.frameworks)
        for (const Framework& backend : facts.frameworks)
            if (keras.name == "keras" && backend.name != "keras" && keras.version && backend.version)
                judge_backend(keras, backend, matrix, answers);
    return answers.close();
}

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
    finding.remedies = {remedy("release_not_in_the_tables")};
    return finding;
}

static void note(VerdictBuilder& answers, const std::string& what, Coverage coverage, const Matrix& matrix) {
    if (coverage == Coverage::known)
        answers.passed("every specified version is in the compatibility data");
    else
        answers.outside(outside_data(what, coverage, matrix));
}

static void note_cuda(VerdictBuilder& answers, const Version& cuda, const Matrix& matrix) {
    const Coverage coverage = matrix.driver_for_cuda(cuda).coverage;
    if (coverage == Coverage::silent && parts_written(cuda) > 1 &&
        matrix.driver_for_cuda(make_version({cuda.major(), 0})))
        answers.fault(no_such_cuda(cuda, matrix));
    else
        note(answers, "CUDA " + cuda.text, coverage, matrix);
}

static void note_cudnn(VerdictBuilder& answers, const Cudnn& cudnn, const Matrix& matrix) {
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

static void note_framework(VerdictBuilder& answers, const Facts& facts, const Matrix& matrix,
                           const Framework& framework) {
    const Coverage coverage = framework.name == "keras" ? coverage_of_keras(*framework.version, matrix)
                                                        : builds_of(facts, matrix, framework).coverage;
    if (coverage == Coverage::known) return note(answers, "", coverage, matrix);
    answers.outside(outside_data(words_of(framework), coverage, matrix) + builds_there_are(facts, matrix, framework));
}

static void note_frameworks(VerdictBuilder& answers, const Facts& facts, const Matrix& matrix) {
    for (const Framework& framework : facts.frameworks)
        if (framework.version) note_framework(answers, facts, matrix, framework);
}

/// A release that a person names, and that the tables do not know or know to have never been published.
Verdict release_not_in_the_tables(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    if (const auto driver = driver_version(facts))
        note(answers, "driver " + driver->text, matrix.cuda_of_driver(*driver).coverage, matrix);
    if (const Version* cuda = given_cuda(facts)) note_cuda(answers, *cuda, matrix);
    if (given_cudnn(facts)) note_cudnn(answers, facts.cudnns.front(), matrix);
    for (const Gpu& gpu : facts.cuda_devices)
        if (gpu.compute_capability)
            note(answers, words_of(gpu), matrix.architecture(*gpu.compute_capability).coverage, matrix);
    note_frameworks(answers, facts, matrix);
    return answers.close();
}

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

static void judge_dtype_of_cudnn(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit,
                                 const Version& cudnn, const Matrix& matrix) {
    const Coverage coverage = matrix.cudnn_build(cudnn, 0).coverage;
    const std::string what = "cuDNN " + cudnn.text;
    if (coverage != Coverage::known && coverage != Coverage::silent)
        answers.outside(outside_data(what, coverage, matrix));
    else if (cudnn < limit.first)
        answers.fault(unsupported(dtype, limit, what, {"cuDNN", cudnn.text, "cudnns"}));
}

static void judge_dtype_of_gpu(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit,
                               const Gpu& gpu) {
    if (!gpu.compute_capability)
        answers.unknown("the compute capability of a GPU is unknown");
    else if (*gpu.compute_capability < *limit.capability_min)
        answers.fault(unsupported(dtype, limit, words_of(gpu),
                                  {"compute capability", gpu.compute_capability->text, "cuda_devices"}));
}

/// A framework with its own cuDNN, where none was given.
static void judge_dtype_of_framework(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit,
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

/// The data type wanted has no recurrent kernel here.
Verdict rnn_dtype_not_supported(const Facts& facts, const Matrix& matrix) {
    if (!facts.network || !facts.network->dtype) return undecided("no data type was specified");
    const std::string dtype(name_of(*facts.network->dtype));
    const auto limit = matrix.rnn_limit(dtype);
    if (!limit) return pass("every known cuDNN version and GPU supports recurrent networks of type " + dtype);
    VerdictBuilder answers;
    const Version* cudnn = given_cudnn(facts);
    if (cudnn) judge_dtype_of_cudnn(answers, dtype, *limit, *cudnn, matrix);
    if (!cudnn)
        for (const Framework& framework : facts.frameworks)
            judge_dtype_of_framework(answers, dtype, *limit, facts, matrix, framework);
    if (limit->capability_min)
        for (const Gpu& gpu : facts.cuda_devices) judge_dtype_of_gpu(answers, dtype, *limit, gpu);
    if (!cudnn && facts.frameworks.empty()) answers.unknown("cudnn= was not specified");
    if (limit->capability_min && facts.cuda_devices.empty()) answers.unknown("gpu= was not specified");
    answers.passed("cuDNN and GPU support recurrent networks of type " + dtype,
                   {{"recurrent networks of type " + dtype, limit->rule, limit->source.url}});
    return answers.close();
}

/// One installation; `subject` names it with its path, if it has one.
struct Found {
    std::string name, subject, source;
    std::optional<Version> version;
    Action action;
};

static Finding mismatch(const Found& found, const std::string& expected, const std::string& profile) {
    return {
        .subject = found.subject,
        .message = "the version of " + found.subject + " is " + found.version->text + ", but '" + profile +
                   "' expects " + expected,
        .evidence = {{"version of " + found.name, found.version->text, found.source},
                     {"expected version", expected, "expected"}},
        .remedies = {{.action = found.action,
                      .text = "Install " + found.name + ' ' + expected + ", or change 'expect' in '" + profile + "'",
                      .verify = "rnncheck doctor --profile " + shell_quoted(profile)}}};
}

static void compare(VerdictBuilder& answers, const std::vector<Found>& all, const std::string& name,
                    const std::optional<std::string>& text, const std::string& profile) {
    if (!text) return;
    const auto wanted = expected_version(*text);
    if (!wanted) return answers.unknown("'" + *text + "' is not a version that can be expected");
    const std::string expected = wanted->version.text + (wanted->or_later ? " or a later version" : "");
    if (all.empty()) answers.unknown("no version of " + name + " is known; '" + profile + "' expects " + expected);
    for (const Found& found : all)
        if (!found.version)
            answers.unknown("the version of " + found.subject + " is unknown; '" + profile + "' expects " + expected);
        else if (!wanted->fits(*found.version))
            answers.fault(mismatch(found, expected, profile));
        else
            answers.passed("all versions are as '" + profile + "' expects");
}

template <class Copies>
static std::vector<Found> each_of(const Copies& copies, const std::string& name, const std::string& source) {
    std::vector<Found> all;
    for (const auto& copy : copies)
        all.push_back({name, name + " at " + copy.library, source, copy.version, Action::install_package});
    return all;
}

/// A version is not the one that the profile of a gate expects.
Verdict version_not_expected(const Facts& facts, const Matrix&) {
    if (!facts.expected) return not_applicable("no profile expects a version");
    const ExpectedVersions& expected = *facts.expected;
    VerdictBuilder answers;
    compare(answers,
            {{"the driver", "the driver", "driver.library_version", driver_version(facts), Action::install_driver}},
            "the driver", expected.driver, expected.profile);
    compare(answers, each_of(facts.runtimes, "the CUDA runtime", "runtimes"), "the CUDA runtime", expected.cuda,
            expected.profile);
    compare(answers, each_of(facts.cudnns, "cuDNN", "cudnns"), "cuDNN", expected.cudnn, expected.profile);
    return answers.close();
}

/// At the first stage: where another was switched off, the versions that it would have shown are an open question too.

}  // namespace rnncheck::rules
