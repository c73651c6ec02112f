// Versions that a person names.
#include "rules/conflicts.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

using stack::ConflictKind;

/// The version has no package for the Python of the environment. An installed
/// framework evidently has one, so only versions that --for names are
/// evaluated.
Verdict python_not_supported(const Facts& facts, const Matrix& matrix) {
    return verdict_of_named(ConflictKind::python_not_supported, facts, matrix);
}

/// A version that --for names is newer or older than all in the tables.
Verdict version_not_in_data(const Facts& facts, const Matrix& matrix) {
    return verdict_of_named(ConflictKind::version_not_in_data, facts, matrix);
}

/// The data type of the network needs a newer cuDNN or GPU, such as BF16 for
/// its recurrent networks.
Verdict rnn_dtype_not_supported(const Facts& facts, const Matrix& matrix) {
    return verdict_of_named(ConflictKind::rnn_dtype_not_supported, facts, matrix);
}

/// A specified Keras is compared with the specified or installed backends. A backend that is
/// specified alone installs the Keras version that it requires.
Verdict keras_backend_not_supported(const Facts& facts, const Matrix& matrix) {
    auto named = named_stack(facts);
    if (!named)
        return not_applicable(about_named_versions);
    const PythonEnvironment* active = active_environment(facts);
    if (active && named->frameworks.front().name == "keras")
        for (const Framework& one : facts.frameworks)
            if (!one.requested && one.name != "keras" && one.environment == active->path)
                named->frameworks.push_back(as_named(one));
    return verdict_of_named(ConflictKind::keras_backend_not_supported, *named, matrix);
}

/// One installation; `subject` names it with its path, if it has one.
struct Found {
    std::string subject;
    std::optional<Version> version;
};

/// Every installation of `name` against the text of the profile, which may name
/// a prefix ("9.1") or a lower bound (">=535"); no text expects nothing.
static void compare(
    VerdictBuilder& result,
    const std::vector<Found>& all,
    const std::string& name,
    const std::string& source,
    const std::optional<std::string>& text,
    const std::string& profile) {
    if (!text)
        return;
    const auto wanted = expected_version(*text);
    if (!wanted)
        return result.unknown("'" + *text + "' is not a version that can be expected");
    std::string expected = wanted->version.text;
    if (wanted->or_later)
        expected += " or a later version";
    const std::string expects = "'" + profile + "' expects " + expected;
    std::string place = "version_not_expected/package";
    if (name == "the driver")
        place = "version_not_expected/driver";
    if (all.empty())
        result.unknown("no version of " + name + " is known; " + expects);
    for (const auto& [subject, version] : all)
        if (!version)
            result.unknown("the version of " + subject + " is unknown; " + expects);
        else if (wanted->fits(*version))
            result.passed("all versions are as '" + profile + "' expects");
        else
            result.fault({
                .subject = subject,
                .message =
                    "the version of " + subject + " is " + version->text + ", but " + expects,
                .evidence =
                    {{"version of " + name, version->text, source},
                     {"expected version", expected, "expected"}},
                .remedies = {remedy(
                    place, {name + ' ' + expected, profile, shell_quoted(profile)})},
            });
}

/// Driver, CUDA runtimes and cuDNNs against the versions that a profile expects
/// of every machine of a kind. It evaluates no compatibility.
Verdict version_not_expected(const Facts& facts, const Matrix&) {
    if (!facts.expected || !facts.expected->names_versions())
        return not_applicable("no profile expects a version");
    const ExpectedMachine& expected = *facts.expected;
    const std::string& profile = expected.profile;
    VerdictBuilder result;
    compare(
        result,
        {{"the driver", driver_version(facts)}},
        "the driver",
        "driver.library_version",
        expected.driver,
        profile);
    const auto runtimes = mapped(facts.runtimes, [](const Runtime& runtime) {
        return Found{"the CUDA runtime at " + runtime.library, runtime.version};
    });
    compare(result, runtimes, "the CUDA runtime", "runtimes", expected.cuda, profile);
    const auto cudnns = mapped(facts.cudnns, [](const Cudnn& one) {
        return Found{"cuDNN at " + one.library, one.version};
    });
    compare(result, cudnns, "cuDNN", "cudnns", expected.cudnn, profile);
    return result.finish();
}

}  // namespace rnncheck::rules
