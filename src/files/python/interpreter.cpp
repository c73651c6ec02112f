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
    for (const std::string& line : split(root.read(directory + configuration, most_configuration).value_or(""), '\n')) {
        const auto at = line.find('=');
        if (at == std::string::npos || found.size() > 64) continue;
        found.try_emplace(lower(trim(std::string_view(line).substr(0, at))),
                          trim(std::string_view(line).substr(at + 1)));
    }
    return found;
}

/// "3.11.7.final.0" and "python3.11" too.
std::optional<Version> version_in(const std::string& text) {
    return find_version(text.substr(std::min(text.find_first_of("0123456789"), text.size())));
}

Prefix prefix_of_kind(const Root& root, const std::string& directory, const std::string& kind) {
    Prefix prefix;
    prefix.path = prefix.base = directory;
    prefix.kind = kind;
    for (const std::string& path : {directory + "/bin/python3", directory + "/bin/python"})
        if (!prefix.interpreter && root.exists(path)) prefix.interpreter = path;
    return prefix;
}

std::optional<Version> version_of_conda(const Root& root, const std::string& prefix) {
    for (const std::string& name : root.names_in(prefix + "/conda-meta"))
        if (name.starts_with("python-3.") || name.starts_with("python-2.")) return version_in(name);
    return std::nullopt;
}

/// The major.minor of lib/pythonX.Y; the newest where there are several.
std::optional<Version> version_of_library_directory(const Root& root, const std::string& prefix) {
    std::optional<Version> newest;
    for (const char* library : {"/lib", "/lib64"})
        for (const std::string& name : root.names_in(prefix + library, most_libraries_listed)) {
            if (!name.starts_with("python") || name.size() < 7) continue;
            const auto version = version_in(name);
            if (version && (!newest || *version > *newest)) newest = version;
        }
    return newest;
}

/// By its place.
std::string kind_of_place(const std::string& path, const char* otherwise) {
    if (contains(path, "/.pyenv/versions/") || contains(path, "/pyenv/versions/")) return "pyenv";
    if (contains(path, "/.asdf/installs/") || contains(path, "/asdf/installs/")) return "asdf";
    if (contains(path, "/mise/installs/")) return "mise";
    if (contains(path, "/uv/python/") || contains(path, "/uv/tools/")) return "uv";
    if (contains(path, "/pipx/venvs/")) return "pipx";
    return otherwise;
}

Prefix virtual_environment(const Root& root, const std::string& directory) {
    const Variables values = read_configuration(root, directory);
    Prefix prefix = prefix_of_kind(root, directory, kind_of_place(directory, "venv"));
    const std::string home = value_of(values, "home");
    if (home.starts_with('/')) prefix.base = directory_of(home);
    for (const char* key : {"version", "version_info"})
        if (!prefix.version) prefix.version = version_in(value_of(values, key));
    if (!prefix.version) prefix.version = version_of_library_directory(root, directory);
    prefix.sees_user_site = lower(value_of(values, "include-system-site-packages")) == "true";
    return prefix;
}

}  // namespace

std::optional<Prefix> prefix_at(const Root& root, const std::string& directory) {
    if (root.exists(directory + configuration)) return virtual_environment(root, directory);
    const bool conda = root.exists(directory + "/conda-meta");
    const bool system = directory == "/usr" || directory == "/usr/local";
    Prefix prefix =
        prefix_of_kind(root, directory, conda ? "conda" : kind_of_place(directory, system ? "system" : "prefix"));
    if (conda) prefix.version = version_of_conda(root, directory);
    if (!prefix.version && prefix.interpreter)
        if (const auto real = root.real_path(*prefix.interpreter)) prefix.version = version_in(file_name(*real));
    if (prefix.kind == "pyenv" || prefix.kind == "asdf" || prefix.kind == "mise")
        if (const auto exact = version_in(file_name(directory))) prefix.version = exact;
    if (!prefix.version) prefix.version = version_of_library_directory(root, directory);
    return conda || prefix.version ? std::optional(prefix) : std::nullopt;
}

std::optional<Prefix> prefix_of_interpreter(const Root& root, const Variables& variables, const std::string& path) {
    const std::string bin = directory_of(path);
    if (const auto shim = shim_at(root, variables, path))
        return shim->prefix ? prefix_at(root, *shim->prefix) : std::nullopt;
    std::optional<Prefix> prefix;
    if (root.exists(directory_of(bin) + configuration)) {
        prefix = virtual_environment(root, directory_of(bin));
    } else if (const auto real = root.real_path(path)) {
        prefix = prefix_at(root, directory_of(directory_of(*real)));
        constexpr std::string_view by_version[] = {"conda", "pyenv", "asdf", "mise"};  // the directory has it exactly
        const bool named_by_version = prefix && includes(by_version, prefix->kind);
        if (prefix && !named_by_version)
            if (const auto named = version_in(file_name(*real))) prefix->version = named;
    }
    if (prefix) prefix->interpreter = path;
    return prefix;
}

}  // namespace rnncheck::python
