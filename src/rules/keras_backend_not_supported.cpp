// A release of Keras that does not work with the release of its backend.
#include "rules/rule.hpp"

namespace rnncheck::rules::keras_backend_not_supported {

static Verdict check(const Facts& facts, const Matrix& matrix);

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
    return Remedy{.action = Action::install_package,
                  .text =
                      "For code written for Keras 2, install tf-keras and set TF_USE_LEGACY_KERAS=1 in the environment "
                      "before TensorFlow is imported; pip replaces Keras 2 with the Keras 3 that TensorFlow requires",
                  .commands = {"pip install \"tf-keras==" + release + ".*\""},
                  .link = "https://github.com/tensorflow/tensorflow/releases/tag/v2.16.1"};
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
    finding.remedies = {{.action = Action::install_package,
                         .text = "Install compatible versions in a new environment",
                         .commands = {"rnncheck matrix show keras_backends backend=" + row.backend},
                         .verify = "python -c \"import keras; print(keras.__version__)\"",
                         .link = "https://keras.io/getting_started/"}};
    if (auto remedy = keras_2_goes_on(keras, backend))
        finding.remedies.insert(finding.remedies.begin(), std::move(*remedy));
    return finding;
}

static void judge(const Framework& keras, const Framework& backend, const Matrix& matrix, VerdictBuilder& answers) {
    for (const KerasBackend& row : matrix.keras_backends()) {
        if (row.backend != backend.name || !covers(row.first, row.last.value_or(*keras.version), *keras.version))
            continue;
        if (!suits(row, *backend.version)) return answers.fault(unsuited(keras, backend, row));
        return answers.passed(words_of(keras) + " works with " + words_of(backend));
    }
    answers.unknown("whether " + words_of(keras) + " works with " + words_of(backend) + " is not in the data");
}

/// Keras, when asked about, meets the backends installed. A backend that is asked about brings the Keras it wants.
static Verdict judge_asked(const Facts& facts, const Matrix& matrix) {
    auto about = asked_versions(facts);
    const PythonEnvironment* active = active_environment(facts);
    if (about && active && about->frameworks.front().name == "keras")
        for (const Framework& framework : facts.frameworks)
            if (!framework.asked && framework.name != "keras" && framework.environment == active->path)
                about->frameworks.push_back(framework);
    return judge_asked_versions(about, matrix, check);
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_asked(facts, matrix);
    VerdictBuilder answers;
    for (const Framework& keras : facts.frameworks)
        for (const Framework& backend : facts.frameworks)
            if (keras.name == "keras" && backend.name != "keras" && keras.version && backend.version)
                judge(keras, backend, matrix, answers);
    return answers.close();
}

extern const Rule rule{.title = "Keras does not support this version of its backend",
                       .layer = Layer::runtime,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "keras= and its backend"};

}  // namespace rnncheck::rules::keras_backend_not_supported
