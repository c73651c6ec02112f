// Versions that a person names.
#include <set>

#include "rules/rule.hpp"

namespace rnncheck::rules {

/// A plugin is installed beside a build, which tells.
static bool is_no_plugin(const FrameworkBuild& build) {
    return build.build != "metal" && build.build != "directml";
}

/// Only versions of specified frameworks are evaluated: an installed one evidently has a package for this Python.
Verdict python_not_supported_by_release(const Facts& facts, const Matrix& matrix) {
    if (facts.pythons.empty()) return undecided("no Python version was specified");
    if (!facts.pythons.front().version) return outside_the_data("the version of the active Python is unknown");
    const Version& python = *facts.pythons.front().version;
    const auto judge = [&](const FrameworkBuild& build, const Framework& framework) {
        const std::string name = words_of(framework);
        const auto suits = stack::build_for_python(build, python);
        if (suits.fit == Fit::unknown) return undecided("the data do not show it");
        if (suits.fit == Fit::works) return pass(name + " has a package for Python " + python.text);
        return fault({.subject = name,
                      .message = name + " has no package for Python " + python.text + "; it supports " +
                                 suits.evidence.front().value,
                      .evidence = {{"Python", python.text, "pythons"}, suits.evidence.front()}});
    };
    return judge_frameworks(facts, matrix, is_no_plugin, judge);
}

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
    const bool was_read = row.provenance < Provenance::inferred;  // for this very release
    std::vector<Remedy> remedies{remedy("keras_backend_not_supported/versions", {row.backend})};
    if (auto remedy = keras_2_goes_on(keras, backend)) remedies.insert(remedies.begin(), std::move(*remedy));
    return {
        .severity = was_read ? Severity::error : Severity::warning,
        .subject = words_of(keras),
        .message = words_of(keras) + " does not work with " + words_of(backend) + "; it needs " + wanted,
        .evidence = {{"Keras", keras.version->text, "frameworks"}, {"backend " + row.backend, wanted, row.source.url}},
        .remedies = std::move(remedies),
        .confidence = was_read ? Confidence::certain : Confidence::likely};
}

static void judge_backend(const Framework& keras, const Framework& backend, const Matrix& matrix,
                          VerdictBuilder& answers) {
    const KerasBackend* row = find_where(matrix.keras_backends(), [&](const KerasBackend& one) {
        return one.backend == backend.name && covers(one.first, one.last.value_or(*keras.version), *keras.version);
    });
    if (!row)
        answers.unknown("whether " + words_of(keras) + " works with " + words_of(backend) + " is not in the data");
    else if (!suits(*row, *backend.version))
        answers.fault(unsuited(keras, backend, *row));
    else
        answers.passed(words_of(keras) + " works with " + words_of(backend));
}

static Verdict judge_keras(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    for (const Framework& keras : facts.frameworks)
        for (const Framework& backend : facts.frameworks)
            if (keras.name == "keras" && backend.name != "keras" && keras.version && backend.version)
                judge_backend(keras, backend, matrix, answers);
    return answers.close();
}

/// A specified Keras is compared with the specified or installed backends. A backend that is specified alone installs
/// the Keras version that it requires.
Verdict keras_backend_not_supported(const Facts& facts, const Matrix& matrix) {
    if (only_given(facts)) return judge_keras(facts, matrix);
    auto about = asked_versions(facts);
    if (!about) return not_applicable(about_named_versions);
    const PythonEnvironment* active = active_environment(facts);
    if (active && about->frameworks.front().name == "keras")
        std::ranges::copy_if(facts.frameworks, std::back_inserter(about->frameworks), [&](const Framework& one) {
            return !one.asked && one.name != "keras" && one.environment == active->path;
        });
    return judge_asked(*about, matrix, judge_keras);
}

/// Every toolkit is in the table: a number between two of its rows was never released.
static Finding no_such_cuda(const Version& cuda, const Matrix& matrix) {
    Finding finding = {.subject = "CUDA " + cuda.text,
                       .message = "no CUDA toolkit " + cuda.text +
                                  " was ever released; a driver may report it as the newest CUDA version that it "
                                  "supports",
                       .evidence = {{"CUDA", cuda.text, "runtimes"}},
                       .remedies = {remedy("release_not_in_the_tables")}};
    for (const int minor : {cuda.minor() - 1, cuda.minor() + 1})
        if (const auto row = matrix.driver_for_cuda(make_version({cuda.major(), minor})))
            finding.evidence.push_back({"released", "CUDA " + row->cuda.text, row->source.url});
    return finding;
}

static void note(VerdictBuilder& answers, const std::string& what, Coverage coverage, const Matrix& matrix) {
    if (coverage == Coverage::known)
        answers.passed("every specified version is in the compatibility data");
    else
        answers.outside(outside_data(what, coverage, matrix));
}

/// What NVIDIA guarantees of a driver that is newer than the data, the other rules decide: that it runs older CUDA.
static void note_driver(VerdictBuilder& answers, const Version& driver, const Matrix& matrix) {
    const Coverage coverage = matrix.cuda_of_driver(driver).coverage;
    const std::string what = "driver " + driver.text;
    if (coverage == Coverage::newer_than_data)
        answers.no_pass(outside_data(what, coverage, matrix) + "; later drivers run every older CUDA version");
    else
        note(answers, what, coverage, matrix);
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
    const auto& cuda = cudnn.built_for_cuda;
    const auto builds = cudnn_builds_of(release, matrix);
    if (builds.empty())
        note(answers, "cuDNN " + release.text, matrix.cudnn_build(release, 0).coverage, matrix);
    else if (cuda && !find_by(builds, &CudnnBuild::cuda_major, cuda->major()))
        answers.no_pass("another rule reports that cuDNN " + release.text + " has no such build");
    else
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

/// A container image of which neither the data nor its tag show CUDA or a framework's version.
static bool is_unknown_image(const Facts& facts) {
    const bool has_version =
        std::ranges::any_of(facts.frameworks, [](const Framework& one) { return one.version.has_value(); });
    return only_given(facts) && !facts.runtimes.empty() && !facts.runtimes.front().library.empty() && !has_version;
}

/// A release that a person names, and that the tables do not know or know to have never been published.
Verdict release_not_in_the_tables(const Facts& facts, const Matrix& matrix) {
    VerdictBuilder answers;
    if (const auto driver = driver_version(facts)) note_driver(answers, *driver, matrix);
    if (const Version* cuda = given_cuda(facts))
        note_cuda(answers, *cuda, matrix);
    else if (is_unknown_image(facts))
        answers.outside("what the container image " + facts.runtimes.front().library +
                        " contains is not in the data of " + matrix.date());
    if (given_cudnn(facts)) note_cudnn(answers, facts.cudnns.front(), matrix);
    for (const Gpu& gpu : facts.cuda_devices)
        if (gpu.compute_capability)
            note(answers, words_of(gpu), matrix.architecture(*gpu.compute_capability).coverage, matrix);
    for (const Framework& framework : facts.frameworks)
        if (framework.version) note_framework(answers, facts, matrix, framework);
    return answers.close();
}

static Finding unsupported(const std::string& dtype, const RnnLimit& limit, const std::string& what,
                           Evidence evidence) {
    return {.subject = dtype,
            .message = what + " does not support recurrent networks of type " + dtype + ", which require cuDNN " +
                       limit.first.text +
                       (limit.capability_min ? " and compute capability " + limit.capability_min->text : ""),
            .evidence = {std::move(evidence), {"recurrent networks of type " + dtype, limit.rule, limit.source.url}},
            .remedies = {remedy("rnn_dtype_not_supported", {limit.source.url})}};
}

/// A framework with its own cuDNN, where none was given.
static void judge_dtype_of_framework(VerdictBuilder& answers, const std::string& dtype, const RnnLimit& limit,
                                     const Facts& facts, const Matrix& matrix, const Framework& framework) {
    const std::string name = words_of(framework);
    judge_builds(builds_of(facts, matrix, framework).with_cuda, framework, answers, [&](const FrameworkBuild& build) {
        if (!build.cudnn) return undecided("the data do not show it");
        if (*build.cudnn >= limit.first) return pass("the cuDNN of " + name + " supports it");
        return fault(unsupported(dtype, limit, name + ", built with cuDNN " + build.cudnn->text + ",",
                                 evidence_of(build, "cuDNN " + build.cudnn->text)));
    });
}

Verdict rnn_dtype_not_supported(const Facts& facts, const Matrix& matrix) {
    if (!facts.network || !facts.network->dtype) return undecided("no data type was specified");
    const std::string dtype(name_of(*facts.network->dtype));
    const auto limit = matrix.rnn_limit(dtype);
    if (!limit) return pass("every known cuDNN version and GPU supports recurrent networks of type " + dtype);
    VerdictBuilder answers;
    if (const Version* cudnn = given_cudnn(facts)) {
        const std::string what = "cuDNN " + cudnn->text;
        const Coverage coverage = matrix.cudnn_build(*cudnn, 0).coverage;
        if (coverage != Coverage::known && coverage != Coverage::silent)
            answers.outside(outside_data(what, coverage, matrix));
        else if (*cudnn < limit->first)
            answers.fault(unsupported(dtype, *limit, what, {"cuDNN", cudnn->text, "cudnns"}));
    } else {
        for (const Framework& framework : facts.frameworks)
            judge_dtype_of_framework(answers, dtype, *limit, facts, matrix, framework);
        if (facts.frameworks.empty()) answers.unknown("cudnn= was not specified");
    }
    if (limit->capability_min && facts.cuda_devices.empty()) answers.unknown("gpu= was not specified");
    for (const Gpu& gpu : facts.cuda_devices) {
        const auto& capability = gpu.compute_capability;
        if (limit->capability_min && !capability)
            answers.unknown("the compute capability of a GPU is unknown");
        else if (limit->capability_min && *capability < *limit->capability_min)
            answers.fault(
                unsupported(dtype, *limit, words_of(gpu), {"compute capability", capability->text, "cuda_devices"}));
    }
    answers.passed("cuDNN and GPU support recurrent networks of type " + dtype,
                   {{"recurrent networks of type " + dtype, limit->rule, limit->source.url}});
    return answers.close();
}

/// One installation; `subject` names it with its path, if it has one.
struct Found {
    std::string subject;
    std::optional<Version> version;
};

static void compare(VerdictBuilder& answers, const std::vector<Found>& all, const std::string& name,
                    const std::string& source, const std::optional<std::string>& text, const std::string& profile) {
    if (!text) return;
    const auto wanted = expected_version(*text);
    if (!wanted) return answers.unknown("'" + *text + "' is not a version that can be expected");
    const std::string expected = wanted->version.text + (wanted->or_later ? " or a later version" : "");
    const std::string expects = "'" + profile + "' expects " + expected;
    if (all.empty()) answers.unknown("no version of " + name + " is known; " + expects);
    for (const auto& [subject, version] : all)
        if (!version)
            answers.unknown("the version of " + subject + " is unknown; " + expects);
        else if (wanted->fits(*version))
            answers.passed("all versions are as '" + profile + "' expects");
        else
            answers.fault({.subject = subject,
                           .message = "the version of " + subject + " is " + version->text + ", but " + expects,
                           .evidence = {{"version of " + name, version->text, source},
                                        {"expected version", expected, "expected"}},
                           .remedies = {remedy(
                               name == "the driver" ? "version_not_expected/driver" : "version_not_expected/package",
                               {name + ' ' + expected, profile, shell_quoted(profile)})}});
}

Verdict version_not_expected(const Facts& facts, const Matrix&) {
    if (!facts.expected) return not_applicable("no profile expects a version");
    const ExpectedVersions& expected = *facts.expected;
    const std::string& profile = expected.profile;
    VerdictBuilder answers;
    compare(answers, {{"the driver", driver_version(facts)}}, "the driver", "driver.library_version", expected.driver,
            profile);
    const auto runtimes = mapped(facts.runtimes, [](const Runtime& runtime) {
        return Found{"the CUDA runtime at " + runtime.library, runtime.version};
    });
    compare(answers, runtimes, "the CUDA runtime", "runtimes", expected.cuda, profile);
    const auto cudnns = mapped(facts.cudnns, [](const Cudnn& one) {
        return Found{"cuDNN at " + one.library, one.version};
    });
    compare(answers, cudnns, "cuDNN", "cudnns", expected.cudnn, profile);
    return answers.close();
}

}  // namespace rnncheck::rules
