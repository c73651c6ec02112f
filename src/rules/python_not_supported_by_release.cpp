// A release of a framework has no package for this Python.
#include "rules/rule.hpp"

namespace rnncheck::rules::python_not_supported_by_release {

static Verdict check(const Facts& facts, const Matrix& matrix);

static Finding no_package(const Framework& framework, const Version& python, const Evidence& range) {
    return {
        .subject = words_of(framework),
        .message = words_of(framework) + " has no package for Python " + python.text + "; it supports " + range.value,
        .evidence = {{"Python", python.text, "pythons"}, range}};
}

/// An installed framework has its package; one that is asked about may have none for the Python that runs.
static Verdict judge_asked(const Facts& facts, const Matrix& matrix) {
    auto about = asked_versions(facts);
    if (!about) return not_applicable(about_named_versions);
    const PythonEnvironment* python = active_environment(facts);
    if (!python || !python->version) return undecided("the version of the active Python is unknown");
    about->pythons = {*python};
    return check(*about, matrix);
}

/// A plugin is installed beside a build, which tells.
static bool is_no_plugin(const FrameworkBuild& build) {
    return build.build != "metal" && build.build != "directml";
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (!only_given(facts)) return judge_asked(facts, matrix);
    if (facts.pythons.empty() || !facts.pythons.front().version) return undecided("no Python version was specified");
    const Version& python = *facts.pythons.front().version;
    return judge_frameworks(facts, matrix, is_no_plugin,
                            [&](const FrameworkBuild& build, const Framework& framework) -> Verdict {
                                const auto suits = compat::build_for_python(build, python);
                                if (suits.fit == Fit::unknown) return undecided("the data do not show it");
                                if (suits.fit == Fit::works)
                                    return pass(words_of(framework) + " has a package for Python " + python.text);
                                return fault(no_package(framework, python, suits.evidence.front()));
                            });
}

extern const Rule rule{.title = "The framework version has no package for this Python version",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check,
                       .what_if_inputs = "python= and a framework",
                       .repaired_by_versions = true};

}  // namespace rnncheck::rules::python_not_supported_by_release
