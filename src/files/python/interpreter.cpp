// From a path to a prefix: the directory above bin, of which pyvenv.cfg (PEP
// 405), conda-meta or lib/pythonX.Y show what it is.
#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/python/distributions.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

constexpr std::size_t most_libraries_listed = 4096, most_configuration = 64 * 1024;
constexpr const char* configuration = "/pyvenv.cfg";

/// Of "key = value" lines; keys are in small letters.
Variables read_configuration(const Root& root, const std::string& directory) {
    Variables found;
    for (const std::string& line :
         split(root.read(directory + configuration, most_configuration).value_or(""), '\n')) {
        const auto at = line.find('=');
        if (at == std::string::npos || found.size() > 64)
            continue;
        found.try_emplace(
            lower(trim(std::string_view(line).substr(0, at))),
            trim(std::string_view(line).substr(at + 1)));
    }
    return found;
}

/// "3.11.7.final.0" and "python3.11" too.
std::optional<Version> version_in(const std::string& text) {
    return find_version(text.substr(std::min(text.find_first_of("0123456789"), text.size())));
}

/// False also where this user may not look.
bool is_absent(const Root& root, const std::string& path) {
    if (root.prefix().empty())
        return root.surely_absent(path);
    return !root.exists(path) && !root.link(path);
}

/// Where links lead, whether or not it exists.
std::string end_of_links(const Root& root, std::string path) {
    constexpr int most_links = 16;
    for (int links = 0; links < most_links; ++links) {
        const auto target = root.link(path);
        if (!target)
            break;
        path = path_in(directory_of(path), *target);
    }
    return path;
}

/// Of a directory without a python that exists: the file that its python leads to.
std::optional<std::string> missing_interpreter_of(const Root& root, const std::string& directory) {
    const std::string python3 = directory + "/bin/python3", python = directory + "/bin/python";
    const std::string end =
        end_of_links(root, root.link(python) && !root.link(python3) ? python : python3);
    if (!is_absent(root, end))
        return std::nullopt;
    return end;
}

/// bin/python3 rather than bin/python, which an installation of the system may lack.
Prefix prefix_of_kind(const Root& root, const std::string& directory, const std::string& kind) {
    Prefix prefix;
    prefix.path = prefix.base = directory;
    prefix.kind = kind;
    const std::string python3 = directory + "/bin/python3", python = directory + "/bin/python";
    for (const std::string& path : {python3, python})
        if (!prefix.interpreter && root.exists(path))
            prefix.interpreter = path;
    if (!prefix.interpreter && (root.link(python3) || root.link(python)))
        prefix.missing_interpreter = missing_interpreter_of(root, directory);
    return prefix;
}

/// "python-3.11.7-hab00c5b_0_cpython.json" among the packages of conda.
std::optional<Version> version_of_conda(const Root& root, const std::string& prefix) {
    for (const std::string& name : root.names_in(prefix + "/conda-meta"))
        if (name.starts_with("python-3.") || name.starts_with("python-2."))
            return version_in(name);
    return std::nullopt;
}

/// The major.minor of lib/pythonX.Y; the newest where there are several.
std::optional<Version> version_of_library_directory(const Root& root, const std::string& prefix) {
    std::optional<Version> newest;
    for (const char* library : {"/lib", "/lib64"})
        for (const std::string& name : root.names_in(prefix + library, most_libraries_listed)) {
            if (!name.starts_with("python") || name.size() < 7)
                continue;
            const auto version = version_in(name);
            if (version && (!newest || *version > *newest))
                newest = version;
        }
    return newest;
}

/// By its place.
std::string kind_of_place(const std::string& path, const char* otherwise) {
    if (contains(path, "/.pyenv/versions/") || contains(path, "/pyenv/versions/"))
        return "pyenv";
    if (contains(path, "/.asdf/installs/") || contains(path, "/asdf/installs/"))
        return "asdf";
    if (contains(path, "/mise/installs/"))
        return "mise";
    if (contains(path, "/uv/python/") || contains(path, "/uv/tools/") ||
        contains(path, "/archive-v"))
        return "uv";
    if (contains(path, "/pipx/venvs/"))
        return "pipx";
    return otherwise;
}

/// pyvenv.cfg has the directory of the base's interpreter as `home`, and the version.
Prefix virtual_environment(
    const Root& root, const std::string& directory, bool is_extended = false) {
    const Variables values = read_configuration(root, directory);
    // written by uv
    const std::string extended = value_of(values, "extends-environment");
    if (!is_extended && extended.starts_with('/') && root.exists(extended + configuration)) {
        Prefix prefix = virtual_environment(root, normal_path(extended), true);
        prefix.overlay = directory;
        return prefix;
    }
    Prefix prefix = prefix_of_kind(root, directory, kind_of_place(directory, "venv"));
    const std::string home = value_of(values, "home");
    if (home.starts_with('/'))
        prefix.base = directory_of(home);
    for (const char* key : {"version", "version_info"})
        if (!prefix.version)
            prefix.version = version_in(value_of(values, key));
    if (!prefix.version)
        prefix.version = version_of_library_directory(root, directory);
    prefix.sees_user_site = lower(value_of(values, "include-system-site-packages")) == "true";
    // as seen from WSL
    const bool of_windows = root.exists(directory + "/Scripts");
    if (!prefix.interpreter && !of_windows)
        prefix.missing_interpreter = missing_interpreter_of(root, directory);
    // a copied python needs it
    if (prefix.interpreter && home.starts_with('/') && is_absent(root, home)) {
        prefix.missing_interpreter = home + "/python3";
        prefix.interpreter.reset();
    }
    return prefix;
}

}  // namespace

std::optional<Prefix> dead_environment_at(const Root& root, const std::string& path) {
    for (const std::string& directory :
         {path, directory_of(path), directory_of(directory_of(path))}) {
        std::optional<Prefix> prefix;
        if (root.exists(directory))
            prefix = prefix_at(root, directory);
        if (prefix && prefix->missing_interpreter)
            return prefix;
        if (prefix)
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<Prefix> prefix_at(const Root& root, const std::string& directory) {
    if (root.exists(directory + configuration))
        return virtual_environment(root, directory);
    const bool conda = root.exists(directory + "/conda-meta");
    const bool system = directory == "/usr" || directory == "/usr/local";
    std::string kind = "conda";
    if (!conda)
        kind = kind_of_place(directory, system ? "system" : "prefix");
    Prefix prefix = prefix_of_kind(root, directory, kind);
    if (conda)
        prefix.version = version_of_conda(root, directory);
    if (!prefix.version && prefix.interpreter)
        if (const auto real = root.real_path(*prefix.interpreter))
            prefix.version = version_in(file_name(*real));
    if (prefix.kind == "pyenv" || prefix.kind == "asdf" || prefix.kind == "mise")
        if (const auto exact = version_in(file_name(directory)))
            prefix.version = exact;
    if (!prefix.version)
        prefix.version = version_of_library_directory(root, directory);
    if (conda || prefix.version)
        return prefix;
    return std::nullopt;
}

std::optional<Prefix> prefix_of_interpreter(
    const Root& root, const Variables& variables, const std::string& path) {
    // one may run that of another manager
    constexpr int most_shims = 4;
    std::string program = path;
    auto shim = shim_at(root, variables, program);
    for (int i = 0; shim && i < most_shims; ++i) {
        if (!shim->program)
            return std::nullopt;
        program = *shim->program;
        shim = shim_at(root, variables, program);
    }
    if (shim)
        return std::nullopt;
    const std::string directory = directory_of(directory_of(program));
    std::optional<Prefix> prefix;
    if (root.exists(directory + configuration)) {
        prefix = virtual_environment(root, directory);
    } else if (const auto real = root.real_path(program)) {
        prefix = prefix_at(root, directory_of(directory_of(*real)));
        // the directory has it exactly
        constexpr std::string_view by_version[] = {"conda", "pyenv", "asdf", "mise"};
        const bool named_by_version = prefix && includes(by_version, prefix->kind);
        if (prefix && !named_by_version)
            if (const auto named = version_in(file_name(*real)))
                prefix->version = named;
    }
    if (prefix && !prefix->missing_interpreter)
        prefix->interpreter = path;
    return prefix;
}

}  // namespace rnncheck::python
