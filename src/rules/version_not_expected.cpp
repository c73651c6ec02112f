// A version is not the one that the profile of a gate expects.
#include "rules/rule.hpp"
#include "rules/support/verdict_builder.hpp"

namespace rnncheck::rules::version_not_expected {

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

static Verdict check(const Facts& facts, const Matrix&) {
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
extern const Rule rule{
    .title = "A version is not the expected one", .layer = Layer::runtime, .stage = Stage::look, .check = check};

}  // namespace rnncheck::rules::version_not_expected
