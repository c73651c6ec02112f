#include "rules/causes/log_resolvers.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "matrix/ranges.hpp"
#include "rules/causes/log_installs.hpp"
#include "stack/builds.hpp"

namespace rnncheck::rules {

namespace {

/// "torch==1.13.1+cu117 (from -r requirements.txt (line 3))" without what follows the version.
std::string requirement_of(const std::string& text) {
    return text.substr(0, text.find_first_of(" ;("));
}

/// The oldest and the newest Python that some build of the version has a package for. Unset where
/// the table names none.
struct Pythons {
    std::optional<Version> first, last;
};

Pythons pythons_of(
    const stack::Framework& framework, const std::optional<std::string>& os, const Matrix& matrix) {
    const stack::Builds builds = stack::builds_of(framework, os, false, matrix);
    std::vector<FrameworkBuild> all = builds.with_cuda;
    append(all, builds.without_cuda);
    Pythons pythons;
    for (const FrameworkBuild& build : all) {
        if (build.python_first && (!pythons.first || *build.python_first < *pythons.first))
            pythons.first = build.python_first;
        if (build.python_last && (!pythons.last || *build.python_last > *pythons.last))
            pythons.last = build.python_last;
    }
    return pythons;
}

/// Versions of PyTorch that end in +cu118 or +cpu are on its own index alone:
/// https://pytorch.org/get-started/previous-versions/
bool is_on_own_index(const stack::Framework& framework) {
    return framework.name == "pytorch" && framework.build.has_value();
}

void name_index_of_torch(Remedy& remedy, const stack::Framework& framework, const LogContext& log) {
    const auto commands = commands_for_flavour(framework, log);
    if (commands.empty())
        return;
    remedy.text = concat(
        "Versions that end in +",
        *framework.build,
        " are on PyTorch's own index, which the command uses, and not on PyPI. "
        "If pip does not find it there, the index has no build of this version "
        "for this Python and system");
    remedy.commands = commands;
}

/// A new environment with this Python.
std::string environment_with(const Version& python, const LogContext& log) {
    if (log.has("in_conda"))
        return "conda create -n environment python=" + python.text;
    if (log.has("os_windows"))
        return concat("py -", python.text, " -m venv environment");
    return concat("python", python.text, " -m venv environment");
}

/// PyPI has files of PyTorch for Windows from 1.7 on, for earlier versions PyTorch's own page:
/// https://pytorch.org/get-started/previous-versions/
void name_page_of_old_torch(
    Remedy& remedy,
    const stack::Framework& framework,
    bool has_own_environment,
    const LogContext& log) {
    if (framework.name != "pytorch" || !log.has("os_windows") ||
        *framework.version >= make_version({1, 7}))
        return;
    remedy.text +=
        ". PyPI has no package of it for Windows: pip finds it on PyTorch's own page, which the "
        "command names";
    const bool is_venv = has_own_environment && !log.has("in_conda");
    const char* pip = is_venv ? "environment\\Scripts\\pip" : "python -m pip";
    remedy.commands.push_back(concat(
        pip,
        " install torch==",
        framework.version->text,
        " -f https://download.pytorch.org/whl/torch_stable.html"));
}

}  // namespace

std::optional<stack::Framework> requested_framework(const LogContext& log) {
    for (const char* field : {"package", "package2"}) {
        const auto package = log.field("pip_no_version", field);
        if (!package || !contains(*package, "=="))
            continue;
        const auto value = stack::split_given(requirement_of(*package));
        if (!value)
            continue;
        const stack::Given given = stack::read_given({*value}, log.matrix);
        if (!given.stack.frameworks.empty() && given.stack.frameworks.front().version)
            return given.stack.frameworks.front();
    }
    return std::nullopt;
}

void name_pythons_of_requested(Remedy& remedy, const LogContext& log) {
    const auto framework = requested_framework(log);
    if (!framework || log.has("os_macos") || log.has("on_colab"))
        return;
    if (is_on_own_index(*framework) && !log.has("torch_index_named")) {
        name_index_of_torch(remedy, *framework, log);
        return;
    }
    const std::string os = log.has("os_windows") ? "windows" : "linux";
    const Pythons pythons = pythons_of(*framework, os, log.matrix);
    if (!pythons.last)
        return;
    std::string range = "up to " + pythons.last->text;
    if (pythons.first)
        range = concat(pythons.first->text, " to ", pythons.last->text);
    remedy.text = concat(
        words_of(*framework),
        " has packages for Python ",
        range,
        ": install it in an environment with one of these, or install a version that pip lists "
        "after 'from versions:', which are those for the Python in use. If pip lists none although "
        "the Python is in that range, the index has no package for this system or processor");
    const auto python = python_known(log);
    const bool fits = python && is_between(*python, pythons.first, pythons.last);
    if (!fits)
        remedy.commands = {environment_with(*pythons.last, log)};
    name_page_of_old_torch(remedy, *framework, !fits, log);
}

}  // namespace rnncheck::rules
