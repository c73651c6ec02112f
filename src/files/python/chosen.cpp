// Which Python environment is examined, and which ones a person may have meant instead.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/python/distributions.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

using Environments = std::vector<PythonEnvironment>;

/// One environment may be reached by several names and links.
bool is_same(const Root& root, const PythonEnvironment& one, const PythonEnvironment& other) {
    return one.path == other.path || root.real_path(one.path) == root.real_path(other.path);
}

/// What an environment is used for, by what is installed in it.
struct Contents {
    bool rnncheck = false, framework = false;
};

/// All directories of the environment count: rnncheck may be installed in
/// another one than the framework.
Contents contents_of(const Root& root, const PythonEnvironment& environment) {
    Contents contents;
    std::vector<Distribution> distributions;
    for (const std::string& directory : environment.package_directories)
        append(distributions, distributions_in(root, directory));
    if (environment.kind == "conda")
        append(distributions, conda_distributions(root, environment.path));
    for (const Distribution& distribution : distributions) {
        contents.rnncheck |= distribution.name == "rnncheck";
        contents.framework |= parse_distribution_name(distribution.name).has_value();
    }
    return contents;
}

/// pipx, uvx and `uv tool install` give each program an environment of its
/// own, which no person works in.
bool is_of_tool(const PythonEnvironment& environment) {
    return environment.kind == "pipx" || contains(environment.path, "/uv/tools/") ||
           contains(environment.path, "/archive-v");
}

/// Why a program on PATH leads to no environment.
std::string why_not_followed(
    const Root& root, const Variables& variables, const std::string& program) {
    if (const auto shim = shim_at(root, variables, program); shim && !shim->program)
        return "it is a shim of " + shim->manager + ", and " + why_without_program(*shim);
    return "the Python that it runs is unknown";
}

PythonEnvironment passed_over(
    const std::string& path, const std::string& found_by, const std::string& why) {
    PythonEnvironment environment;
    environment.path = path;
    environment.found_by = found_by;
    environment.passed_over = why;
    return environment;
}

/// What a variable names and is not there any more.
PythonEnvironment removed(const std::string& path) {
    PythonEnvironment environment;
    environment.path = path;
    environment.kind = "venv";
    environment.missing_interpreter = path + "/bin/python";
    return environment;
}

/// Looks at each way by which a person may have named an environment, in
/// the order of environments.hpp.
class Choice {
  public:
    Choice(const Root& root, const Variables& variables) : root_(root), variables_(variables) {
    }

    Environments chosen(const std::optional<std::string>& requested) {
        if (requested) {
            activate(environment_at(root_, variables_, *requested), "--python");
            return result();
        }
        look_at_variables();
        look_at_path();
        if (const std::string own = value_of(variables_, "RNNCHECK_PYTHON"); !own.empty())
            activate(environment_at(root_, variables_, own), "python -m rnncheck");
        if (!active_)
            look_at_own();
        if (!active_ && on_path_)
            activate(on_path_, name_of_path());
        for (const auto& [variable, environment] : named_)
            if (!active_ && !environment.missing_interpreter)
                activate(environment, variable);
        for (const auto& [variable, environment] : named_)
            if (!active_)
                activate(environment, variable);
        add_others();
        return result();
    }

    std::optional<PythonEnvironment> on_path() {
        look_at_variables();
        look_at_path();
        return on_path_;
    }

  private:
    using Named = std::pair<std::string, PythonEnvironment>;

    void activate(std::optional<PythonEnvironment> environment, const std::string& by) {
        if (!environment)
            return;
        environment->found_by = by;
        environment->active = true;
        active_ = std::move(environment);
    }

    void look_at_variables() {
        for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
            const std::string path = value_of(variables_, name);
            if (!path.starts_with('/'))
                continue;
            auto environment = environment_at(root_, variables_, path);
            if (!environment && root_.surely_absent(path))
                environment = removed(normal_path(path));
            if (environment)
                named_.emplace_back(name, std::move(*environment));
        }
    }

    bool is_named(const PythonEnvironment& environment) const {
        return std::ranges::any_of(
            named_, [&](const Named& one) { return is_same(root_, one.second, environment); });
    }

    /// The first that leads somewhere. An environment made for rnncheck alone,
    /// as uvx puts it on PATH, is none.
    void look_at_path() {
        for (const char* name : {"python", "python3"})
            for (const std::string& program : programs_on_path(root_, variables_, name)) {
                auto environment = environment_at(root_, variables_, program);
                if (!environment) {
                    others_.push_back(
                        passed_over(program, "PATH", why_not_followed(root_, variables_, program)));
                    continue;
                }
                if (const Contents has = contents_of(root_, *environment);
                    has.rnncheck && !has.framework && !is_named(*environment)) {
                    add_tool(*environment, "PATH");
                    continue;
                }
                if (!on_path_)
                    on_path_ = std::move(environment);
                break;
            }
    }

    void add_tool(PythonEnvironment environment, const std::string& by) {
        if (is_of_tool(environment))
            return;
        environment.found_by = by;
        environment.passed_over = "rnncheck is installed in it and no framework is";
        others_.push_back(std::move(environment));
    }

    /// ENV/bin/rnncheck was meant for ENV.
    void look_at_own() {
        const std::string own = value_of(variables_, "own_program");
        if (own.empty() || !root_.prefix().empty())
            return;
        const std::string directory = directory_of(directory_of(own));
        if (!root_.exists(directory + "/pyvenv.cfg") && !root_.exists(directory + "/conda-meta"))
            return;
        auto environment = environment_at(root_, variables_, directory);
        if (!environment || (on_path_ && is_same(root_, *environment, *on_path_)))
            return;
        if (contents_of(root_, *environment).framework)
            activate(std::move(environment), "rnncheck's own environment");
        else
            add_tool(std::move(*environment), "rnncheck's own environment");
    }

    /// "VIRTUAL_ENV" rather than "PATH" where both lead to the same environment.
    std::string name_of_path() const {
        for (const auto& [variable, environment] : named_)
            if (is_same(root_, environment, *on_path_))
                return variable;
        if (value_of(variables_, "SUDO_USER").empty())
            return "PATH";
        return "PATH as sudo sets it";
    }

    /// conda's base environment stays set below an active virtual
    /// environment: nothing is wrong with that.
    bool is_base_below(const std::string& variable) const {
        return variable == "CONDA_PREFIX" && active_ && active_->found_by == "VIRTUAL_ENV";
    }

    void add_others() {
        if (on_path_ && active_ && !is_same(root_, *on_path_, *active_)) {
            on_path_->found_by = "PATH";
            on_path_->passed_over = "rnncheck was started from another environment";
            others_.push_back(*on_path_);
        }
        for (auto& [variable, environment] : named_) {
            if (!active_ || is_same(root_, environment, *active_) || is_base_below(variable))
                continue;
            environment.found_by = variable;
            environment.passed_over = "another variable comes first";
            if (on_path_)
                environment.passed_over = "the python on PATH is another one";
            if (environment.missing_interpreter)
                environment.passed_over = "its interpreter does not exist";
            others_.push_back(environment);
        }
    }

    Environments result() const {
        Environments environments;
        if (active_)
            environments.push_back(*active_);
        for (const PythonEnvironment& other : others_)
            if (!find_by(environments, &PythonEnvironment::path, other.path))
                environments.push_back(other);
        return environments;
    }

    const Root& root_;
    const Variables& variables_;
    std::optional<PythonEnvironment> active_, on_path_;
    std::vector<Named> named_;  ///< by variables
    Environments others_;
};

}  // namespace

Environments chosen_environments(
    const Root& root, const Variables& variables, const std::optional<std::string>& requested) {
    return Choice(root, variables).chosen(requested);
}

std::optional<PythonEnvironment> active_environment(
    const Root& root, const Variables& variables, const std::optional<std::string>& requested) {
    const Environments chosen = chosen_environments(root, variables, requested);
    if (chosen.empty() || chosen.front().active != true)
        return std::nullopt;
    return chosen.front();
}

std::optional<PythonEnvironment> environment_on_path(const Root& root, const Variables& variables) {
    return Choice(root, variables).on_path();
}

}  // namespace rnncheck::python
