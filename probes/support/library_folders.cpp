#include "support/library_folders.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "files/python/environments.hpp"
#include "support/environment.hpp"

namespace rnncheck::probes {

namespace {

using Folders = std::vector<std::string>;

constexpr std::size_t most_names = 1024;  // of toolkits, Python versions or wheels in one place

/// folder/NAME for every NAME that starts so.
Folders children(const Root& root, const std::string& folder, std::string_view start) {
    Folders found;
    for (const auto& name : root.names_in(folder, most_names))
        if (name.starts_with(start)) found.push_back(folder + '/' + name);
    return found;
}

void append(Folders& into, const Folders& more) {
    into.insert(into.end(), more.begin(), more.end());
}

/// A toolkit may hold folders for other machines too, to build programs for them.
bool is_own_target(std::string_view folder) {
#if defined(__aarch64__)
    return contains(folder, "/sbsa-linux") || contains(folder, "/aarch64-linux");
#elif defined(__powerpc64__)
    return contains(folder, "/ppc64le-linux");
#else
    return contains(folder, "/x86_64-linux");
#endif
}

Folders toolkits(const Root& root) {
    Folders found;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
        if (const auto folder = folder_variable(name)) found.push_back(*folder);
    for (const char* parent : {"/usr/local", "/opt"}) append(found, children(root, parent, "cuda"));
    found.push_back("/usr/lib/cuda");
    return found;
}

/// PREFIX/lib/python3.11/site-packages and the like.
Folders package_folders(const Root& root, const std::string& prefix) {
    Folders found;
    for (const char* library : {"/lib", "/lib64"})
        for (const auto& python : children(root, prefix + library, "python3"))
            append(found, {python + "/site-packages", python + "/dist-packages"});
    return found;
}

/// Above the bin folder of each python that PATH gives, by its name there and by what it resolves to: in a virtual
/// environment the two differ, and packages may lie below both.
Folders prefixes_on_path(const Root& root) {
    Folders found;
    for (const char* name : {"python3", "python"})
        for (const auto& folder : split(variable("PATH").value_or(""), ':')) {
            const auto real = folder.starts_with('/') ? root.real_path(folder + '/' + name) : std::nullopt;
            if (!real) continue;
            append(found, {folder_of(folder), folder_of(folder_of(*real))});
            break;
        }
    return found;
}

Folders prefixes(const Root& root) {
    Folders found;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto folder = folder_variable(name)) found.push_back(*folder);
    append(found, prefixes_on_path(root));
    append(found, {"/usr/local", "/usr"});
    if (const auto home = folder_variable("HOME")) found.push_back(*home + "/.local");
    Folders unique;
    for (const auto& prefix : found)
        if (std::find(unique.begin(), unique.end(), prefix) == unique.end()) unique.push_back(prefix);
    return unique;
}

}  // namespace

std::vector<std::string> toolkit_folders(const Root& root) {
    Folders found;
    for (const auto& toolkit : toolkits(root)) {
        append(found, {toolkit + "/lib64", toolkit + "/lib"});
        for (const auto& target : children(root, toolkit + "/targets", ""))
            if (is_own_target(target)) found.push_back(target + "/lib");
        append(found, {toolkit + "/compat", toolkit + "/compat/lib"});
    }
    return found;
}

std::vector<std::string> wheel_folders(const Root& root, const std::optional<std::string>& asked_python) {
    Folders found;
    const auto add = [&](const std::string& packages) {
        for (const auto& wheel : children(root, packages + "/nvidia", "")) found.push_back(wheel + "/lib");
        found.push_back(packages + "/torch/lib");
    };
    if (const auto active = packages::active_environment(root, python_variables(), asked_python))
        for (const auto& packages : active->package_folders) add(packages);
    for (const auto& prefix : prefixes(root))
        for (const auto& packages : package_folders(root, prefix)) add(packages);
    return found;
}

std::vector<std::string> conda_folders(const Root& root, const std::optional<std::string>& asked_python) {
    if (!asked_python) {
        const auto prefix = folder_variable("CONDA_PREFIX");
        return prefix ? Folders{*prefix + "/lib"} : Folders{};
    }
    const auto asked = packages::environment_at(root, python_variables(), *asked_python);
    return asked && asked->kind == "conda" ? Folders{asked->path + "/lib"} : Folders{};
}

}  // namespace rnncheck::probes
