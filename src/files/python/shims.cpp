// The shims of pyenv, asdf and mise. How each finds the version, from its documentation:
// https://github.com/pyenv/pyenv#understanding-python-version-selection
// https://asdf-vm.com/manage/configuration.html (.tool-versions)
// https://mise.jdx.dev/configuration.html (mise.toml, .tool-versions)
#include <re2/re2.h>

#include "base/text.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

constexpr std::size_t most_setting = 64 * 1024;
constexpr int most_parents = 64;

/// A version as it is set, and by what.
struct Setting {
    std::string version;
    std::string set_by;
};

/// The first word of pyenv's files: "3.12.1", or the first of several lines or versions separated by ':'.
std::string first_word(const std::string& text) {
    const std::string trimmed(trim(text));
    return trimmed.substr(0, trimmed.find_first_of(":\n "));
}

/// The line "python 3.12.1 3.11.7" of a .tool-versions.
std::string in_tool_versions(const std::string& text) {
    static const re2::RE2 line(R"((?m)^\s*python\s+(\S+))", re2::RE2::Latin1);
    std::string version;
    re2::RE2::PartialMatch(text, line, &version);
    return version;
}

/// python = "3.12", ["3.12", "3.11"] or {version = "3.12"} in the table [tools].
std::string in_mise_settings(const std::string& text) {
    static const re2::RE2 table(R"(^\s*\[([^\]]*)\])", re2::RE2::Latin1);
    static const re2::RE2 entry(R"(^\s*python\s*=[^"']*["']([^"']+)["'])", re2::RE2::Latin1);
    std::string section, version;
    for (const std::string& line : split(text, '\n')) {
        if (re2::RE2::PartialMatch(line, table, &section)) continue;
        if (section == "tools" && re2::RE2::PartialMatch(line, entry, &version)) return version;
    }
    return "";
}

std::string version_in_file(const std::string& name, const std::string& text) {
    if (name.ends_with(".toml")) return in_mise_settings(text);
    return name.ends_with(".tool-versions") ? in_tool_versions(text) : first_word(text);
}

std::optional<Setting> set_in(const Root& root, const std::string& file) {
    const auto text = root.read(file, most_setting);
    const std::string version = text ? version_in_file(file, *text) : "";
    return version.empty() ? std::nullopt : std::optional(Setting{version, file});
}

/// By the nearest of these files in the current directory or above it.
std::optional<Setting> set_above(const Root& root, std::string directory, const std::vector<std::string>& names) {
    for (int up = 0; directory.starts_with('/') && up < most_parents; ++up) {
        for (const std::string& name : names)
            if (auto setting = set_in(root, (directory == "/" ? "" : directory) + '/' + name)) return setting;
        if (directory == "/") break;
        directory = directory_of(directory);
    }
    return std::nullopt;
}

struct Manager {
    std::string name;
    std::string versions;                ///< the directory with one prefix per version
    std::string variable;                ///< that sets the version for one shell
    std::vector<std::string> files;      ///< that set it for a directory
    std::vector<std::string> of_person;  ///< that set it otherwise
};

std::optional<Manager> manager_of(const Root& root, const Variables& variables, const std::string& data) {
    const std::string home = value_of(variables, "HOME");
    std::string settings = value_of(variables, "XDG_CONFIG_HOME");
    if (settings.empty()) settings = home + "/.config";
    if (root.exists(data + "/versions"))
        return Manager{"pyenv", data + "/versions", "PYENV_VERSION", {".python-version"}, {data + "/version"}};
    if (!root.exists(data + "/installs")) return std::nullopt;
    const std::string versions = data + "/installs/python";
    if (file_name(data) == "mise")
        return Manager{"mise",
                       versions,
                       "MISE_PYTHON_VERSION",
                       {"mise.local.toml", "mise.toml", ".mise.toml", ".tool-versions"},
                       {settings + "/mise/config.toml", home + "/.tool-versions"}};
    return Manager{"asdf", versions, "ASDF_PYTHON_VERSION", {".tool-versions"}, {home + "/.tool-versions"}};
}

std::optional<Setting> setting_of(const Root& root, const Variables& variables, const Manager& manager) {
    const std::string in_variable = first_word(value_of(variables, manager.variable));
    if (!in_variable.empty()) return Setting{in_variable, manager.variable};
    if (auto above = set_above(root, value_of(variables, "PWD"), manager.files)) return above;
    for (const std::string& file : manager.of_person)
        if (auto setting = set_in(root, file)) return setting;
    return std::nullopt;
}

}  // namespace

std::optional<Shim> shim_at(const Root& root, const Variables& variables, const std::string& path) {
    const std::string shims = directory_of(path);
    if (file_name(shims) != "shims") return std::nullopt;
    const auto manager = manager_of(root, variables, directory_of(shims));
    if (!manager) return std::nullopt;
    Shim shim{manager->name};
    const auto setting = setting_of(root, variables, *manager);
    if (!setting) return shim;
    shim.set_by = setting->set_by;
    const std::string prefix = manager->versions + '/' + setting->version;
    if (contains(setting->version, "/") || !root.exists(prefix)) return shim;
    shim.prefix = prefix;
    const std::string program = prefix + "/bin/" + file_name(path);
    if (root.exists(program)) shim.program = program;
    return shim;
}

}  // namespace rnncheck::python
