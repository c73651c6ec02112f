// The shims of pyenv, asdf and mise. How each finds the version:
// https://github.com/pyenv/pyenv#understanding-python-version-selection,
// libexec/pyenv-version-name, pyenv-latest and pyenv-which there
// https://asdf-vm.com/manage/configuration.html (.tool-versions), internal/resolve and
// internal/shims in its sources https://mise.jdx.dev/configuration.html (mise.toml,
// .tool-versions), src/shims.rs in its sources
#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t most_setting = 64 * 1024, most_versions = 16;
constexpr int most_parents = 64;

/// Versions as they are set, the first one first, and by what.
struct Setting {
    Words versions;
    std::string set_by;
};

/// Versions may be separated by ':' or by white space, by the form of the file.
Words words_in(std::string text, const std::string& separators) {
    for (char& c : text)
        if (contains(separators, std::string_view(&c, 1)))
            c = ' ';
    Words words = split(text, ' ');
    std::erase(words, "");
    if (words.size() > most_versions)
        words.resize(most_versions);
    return words;
}

/// The first word of each line of pyenv's files, which may be
/// several versions separated by ':'.
Words in_version_file(const std::string& text) {
    Words versions;
    for (const std::string& line : split(text, '\n')) {
        const Words words = words_in(line, " \t\r");
        if (!words.empty() && !words.front().starts_with('#'))
            append(versions, words_in(words.front(), ":"));
    }
    return versions;
}

/// The line "python 3.12.1 3.11.7" of a .tool-versions.
Words in_tool_versions(const std::string& text) {
    for (const std::string& line : split(text, '\n')) {
        Words words = words_in(line.substr(0, line.find('#')), " \t\r");
        if (words.empty() || words.front() != "python")
            continue;
        words.erase(words.begin());
        return words;
    }
    return {};
}

/// python = "3.12", ["3.12", "3.11"] or {version = "3.12"} in the table
/// [tools], also "core:python".
Words in_mise_settings(const std::string& text) {
    static const re2::RE2 table(R"(^\s*\[([^\]]*)\]\s*(?:#.*)?$)", re2::RE2::Latin1);
    static const re2::RE2 entry(
        R"(^\s*(?:python|["'](?:core:)?python["'])\s*=(.*))", re2::RE2::Latin1);
    static const re2::RE2 value(R"(["']([^"']+)["'])", re2::RE2::Latin1);
    std::string section, rest;
    for (const std::string& line : split(text, '\n')) {
        if (re2::RE2::PartialMatch(line, table, &section))
            continue;
        if (section != "tools" || !re2::RE2::PartialMatch(line, entry, &rest))
            continue;
        Words versions;
        re2::StringPiece left(rest);
        for (std::string version; re2::RE2::FindAndConsume(&left, value, &version);)
            versions.push_back(version);
        return versions;
    }
    return {};
}

Words versions_in_file(const std::string& name, const std::string& text) {
    if (name.ends_with(".toml"))
        return in_mise_settings(text);
    if (name.ends_with(".tool-versions"))
        return in_tool_versions(text);
    return in_version_file(text);
}

/// What distinguishes the three managers; their logic is the same otherwise.
struct Manager {
    std::string name;
    /// the directory on PATH
    std::string shims;
    /// the directory with one prefix per version
    std::string versions;
    /// that sets the version for one shell
    std::string variable;
    /// that set it for a directory
    std::vector<std::string> files;
    /// that set it otherwise
    std::vector<std::string> of_person;

    bool is_pyenv() const {
        return name == "pyenv";
    }
    /// asdf takes "3.11" only for a version of this very name.
    bool takes_newest() const {
        return name != "asdf";
    }
    /// What pyenv and mise do if no version is set or none has the program; asdf gives up.
    bool ends_with_system() const {
        return name != "asdf";
    }
};

std::optional<Setting> set_in(const Root& root, const std::string& file) {
    const auto text = root.read(file, most_setting);
    Words versions;
    if (text)
        versions = versions_in_file(file, *text);
    if (versions.empty())
        return std::nullopt;
    return Setting{std::move(versions), file};
}

/// By the nearest of the manager's files in the current directory or above it.
/// For pyenv an empty file counts, too.
std::optional<Setting> set_above(const Root& root, std::string directory, const Manager& manager) {
    for (int up = 0; directory.starts_with('/') && up < most_parents; ++up) {
        for (const std::string& name : manager.files) {
            std::string file = directory + '/' + name;
            if (directory == "/")
                file = '/' + name;
            if (auto setting = set_in(root, file))
                return setting;
            if (manager.is_pyenv() && root.exists(file))
                return Setting{{"system"}, file};
        }
        if (directory == "/")
            break;
        directory = directory_of(directory);
    }
    return std::nullopt;
}

/// By what is beside the directory of shims: pyenv has versions/, the others
/// installs/, of which mise's has mise's name.
std::optional<Manager> manager_of(
    const Root& root, const Variables& variables, const std::string& shims) {
    if (file_name(shims) != "shims")
        return std::nullopt;
    const std::string data = directory_of(shims), home = value_of(variables, "HOME");
    std::string settings = value_of(variables, "XDG_CONFIG_HOME");
    if (settings.empty())
        settings = home + "/.config";
    if (root.exists(data + "/versions"))
        return Manager{
            "pyenv",
            shims,
            data + "/versions",
            "PYENV_VERSION",
            {".python-version"},
            {data + "/version"}};
    if (!root.exists(data + "/installs"))
        return std::nullopt;
    const std::string versions = data + "/installs/python";
    if (file_name(data) == "mise")
        return Manager{
            "mise",
            shims,
            versions,
            "MISE_PYTHON_VERSION",
            {"mise.local.toml",
             "mise.toml",
             ".mise.local.toml",
             ".mise.toml",
             ".config/mise/config.toml",
             ".config/mise.toml",
             ".mise/config.toml",
             "mise/config.toml",
             ".tool-versions"},
            {settings + "/mise/config.toml", home + "/.tool-versions"}};
    return Manager{
        "asdf",
        shims,
        versions,
        "ASDF_PYTHON_VERSION",
        {".tool-versions"},
        {home + "/.tool-versions"}};
}

/// In the order of the three: the variable, a file of the project, the user's own.
std::optional<Setting> setting_of(
    const Root& root, const Variables& variables, const Manager& manager) {
    const Words in_variable =
        words_in(value_of(variables, manager.variable), manager.is_pyenv() ? ":" : " ,");
    if (!in_variable.empty())
        return Setting{in_variable, manager.variable};
    if (auto above = set_above(root, value_of(variables, "PWD"), manager))
        return above;
    for (const std::string& file : manager.of_person)
        if (auto setting = set_in(root, file))
            return setting;
    return std::nullopt;
}

bool is_executable(const Root& root, const std::string& path) {
    const auto about = root.status(path);
    return about && about->is_regular() && (about->mode & 0111);
}

/// 3.11.7 is a version of 3.11; 3.12.0rc1, 3.13.0t (no global lock) and
/// 3.13-dev are taken only by their full names.
bool is_plain_version_of(const std::string& name, const std::string& wanted) {
    static const re2::RE2 special(R"((?:a|b|rc)\d+$|-dev$|-src$|-latest$|\dt$)");
    const bool begins = name.starts_with(wanted + '.') || name.starts_with(wanted + '-');
    return begins && !re2::RE2::PartialMatch(name, special);
}

/// The prefix of a version as it is set, "3.11.7" or "3.11"; nothing when it is
/// not installed.
std::optional<std::string> prefix_of_version(
    const Root& root, const Manager& manager, const std::string& set) {
    if (!manager.is_pyenv() && set.starts_with("path:/"))
        return set.substr(5);
    if (contains(set, "/"))
        return std::nullopt;
    std::string wanted = set;
    for (const std::string_view start : {"python-", "prefix:"})
        if (!root.exists(manager.versions + '/' + wanted) && wanted.starts_with(start))
            wanted.erase(0, start.size());
    if (root.exists(manager.versions + '/' + wanted))
        return manager.versions + '/' + wanted;
    if (!manager.takes_newest())
        return std::nullopt;
    std::optional<std::pair<Version, std::string>> newest;
    for (const std::string& name : root.names_in(manager.versions)) {
        std::optional<Version> version;
        if (is_plain_version_of(name, wanted))
            version = find_version(name, 1);
        if (version && (!newest || newest->first < *version))
            newest = {*version, name};
    }
    if (!newest)
        return std::nullopt;
    return manager.versions + '/' + newest->second;
}

/// What a shell would find without the shims.
std::optional<std::string> system_program(
    const Root& root, Variables variables, const Manager& manager, const std::string& name) {
    for (const std::string& program : programs_on_path(root, variables, name))
        if (directory_of(program) != manager.shims)
            return program;
    return std::nullopt;
}

}  // namespace

std::vector<std::string> programs_on_path(
    const Root& root, const Variables& variables, const std::string& name) {
    std::vector<std::string> found;
    if (contains(name, "/"))
        return found;
    for (const std::string& entry : split(value_of(variables, "PATH"), ':')) {
        const std::string here = value_of(variables, "PWD");
        // an empty entry is here
        const std::string path = path_in(here, entry) + '/' + name;
        if (path.starts_with('/') && is_executable(root, path))
            add_once(found, path);
    }
    return found;
}

std::string why_without_program(const Shim& shim) {
    if (shim.set_by.empty())
        return "no version is set";
    return "version " + shim.version + ", set by " + shim.set_by + ", is not installed";
}

std::optional<Shim> shim_at(const Root& root, const Variables& variables, const std::string& path) {
    const auto manager = manager_of(root, variables, directory_of(path));
    if (!manager)
        return std::nullopt;
    Shim shim{manager->name};
    const std::string name = file_name(path);
    auto setting = setting_of(root, variables, *manager);
    if (setting) {
        shim.version = join(setting->versions, " ");
        shim.set_by = setting->set_by;
    } else {
        setting.emplace();
    }
    if (manager->ends_with_system())
        setting->versions.push_back("system");
    for (const std::string& version : setting->versions) {
        if (version == "system") {
            shim.program = system_program(root, variables, *manager, name);
        } else if (const auto prefix = prefix_of_version(root, *manager, version)) {
            const std::string program = *prefix + "/bin/" + name;
            if (is_executable(root, program))
                shim.program = program;
        }
        if (shim.program)
            break;
    }
    return shim;
}

}  // namespace rnncheck::python
