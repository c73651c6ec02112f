// Windows has no directory in which all Pythons are: PATH, variables, the
// registry and the Microsoft Store each know some.
#include "windows/pythons.hpp"

#include <windows.h>

#include <algorithm>
#include <filesystem>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "windows/places.hpp"
#include "windows/registry.hpp"
#include "windows/system.hpp"

namespace rnncheck::windows {

namespace {

constexpr std::size_t most_environments = 64;

/// Its python.exe leads to an installed version, which only Windows can follow:
/// https://docs.python.org/3/using/windows.html
bool has_alias_of_store(const std::string& directory) {
    return lower(directory).ends_with("/windowsapps");
}

/// The directories of the Pythons that this user has from the Microsoft Store,
/// by the list of installed packages that Windows keeps for each user.
std::vector<std::string> pythons_of_store() {
    const std::string packages =
        "Software\\Classes\\Local Settings\\Software\\Microsoft\\Windows\\CurrentVersion\\"
        "AppModel\\Repository\\Packages";
    std::vector<std::string> found;
    for (const std::string& name : registry_keys(HKEY_CURRENT_USER, packages))
        if (lower(name).starts_with("pythonsoftwarefoundation.python.3"))
            if (const auto directory =
                    registry_text(HKEY_CURRENT_USER, packages + '\\' + name, "PackageRootFolder"))
                found.push_back(slashed(*directory));
    return found;
}

/// A version that an installer registered.
struct RegisteredPython {
    std::string tag;  ///< "3.11"
    std::string prefix;
};

/// PEP 514: Software\Python\COMPANY\TAG\InstallPath.
std::vector<RegisteredPython> registered_pythons() {
    std::vector<RegisteredPython> found;
    for (const HKEY root : {HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE}) {
        const std::string all = "Software\\Python";
        for (const std::string& company : registry_keys(root, all))
            for (const std::string& tag : registry_keys(root, all + '\\' + company))
                // the default value of the key
                if (const auto path = registry_text(
                        root, all + '\\' + company + '\\' + tag + "\\InstallPath", ""))
                    found.push_back({tag, slashed(*path)});
    }
    return found;
}

void add(std::vector<FoundPython>& found, const std::string& prefix, const std::string& found_by) {
    const bool is_known = std::ranges::any_of(
        found, [&](const FoundPython& python) { return dll::same_name(python.prefix, prefix); });
    if (!prefix.empty() && !is_known && !has_alias_of_store(prefix))
        found.push_back({prefix, found_by});
}

/// The packages of `pip install --user`, which come before the others:
/// https://docs.python.org/3/library/site.html
void add_user_packages(const dll::Disk& disk, dll::Environment& environment) {
    const auto data = environment_variable("APPDATA");
    const auto& version = environment.python.version;
    if (!data || !version || environment.python.kind != "prefix")
        return;
    const std::string number = std::to_string(version->major()) + std::to_string(version->minor());
    auto& all = environment.python.package_directories;
    const auto place = disk.inside(*data + "\\Python\\Python" + number + "\\site-packages");
    if (place && !includes(all, *place))
        all.insert(all.begin(), *place);
}

/// Of the packages that users have for a Python of the Microsoft Store, this user's.
void keep_own_packages(dll::Environment& environment) {
    const std::string data = lower(slashed(environment_variable("LOCALAPPDATA").value_or("")));
    std::erase_if(environment.python.package_directories, [&](const std::string& directory) {
        return contains(lower(directory), "/local-packages/") &&
               !lower(directory).starts_with(data);
    });
}

std::optional<dll::Environment> read_environment(const dll::Disk& disk, const std::string& path) {
    auto environment = dll::environment_at(disk, path);
    if (environment)
        add_user_packages(disk, *environment);
    if (environment && environment->packaged)
        keep_own_packages(*environment);
    return environment;
}

std::string with_variables(const std::string& text) {
    // of a variable
    constexpr DWORD longest = 1 << 15;
    std::wstring expanded(longest, L'\0');
    const DWORD size = ExpandEnvironmentStringsW(utf16(text).c_str(), expanded.data(), longest);
    if (size == 0 || size > longest)
        return text;
    return utf8(expanded.c_str());
}

/// Its forms that CreateProcess starts, and scripts of the command interpreter,
/// in the usual order of PATHEXT.
std::optional<std::string> with_ending(const Root& root, const std::string& path) {
    for (const char* ending : {"", ".com", ".exe", ".bat", ".cmd"}) {
        const auto about = root.status(path + ending);
        if (about && about->is_regular() && contains(file_name(path + ending), "."))
            return path + ending;
    }
    return std::nullopt;
}

}  // namespace

std::vector<FoundPython> pythons_here(const Root& root) {
    std::vector<FoundPython> found;
    const auto of_store = pythons_of_store();
    for (const std::string& directory : directories_of_path())
        if (has_alias_of_store(directory) && of_store.size() == 1 &&
            root.exists(directory + "/python.exe"))
            add(found, of_store.front(), "PATH");
        else if (root.exists(directory + "/python.exe"))
            add(found,
                dll::same_name(file_name(directory), "Scripts") ? directory_of(directory)
                                                                : directory,
                "PATH");
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        add(found, slashed(environment_variable(name).value_or("")), name);
    for (const RegisteredPython& python : registered_pythons())
        add(found, python.prefix, "registry");
    for (const std::string& directory : of_store)
        add(found, directory, "registry");
    return found;
}

bool unknown_store_python_is_first(const Root& root) {
    for (const std::string& directory : directories_of_path())
        if (root.exists(directory + "/python.exe"))
            return has_alias_of_store(directory) && pythons_of_store().size() != 1;
    return false;
}

dll::Disk disk_of_machine() {
    dll::InstalledIn places;
    wchar_t path[MAX_PATH];
    if (const UINT size = GetSystemWindowsDirectoryW(path, MAX_PATH); size > 0 && size < MAX_PATH)
        places.windows = utf8({path, size});
    if (const auto programs = environment_variable("ProgramW6432"))
        places.programs = *programs;
    return dll::Disk(Root(), dll::Drives::of_machine, places);
}

std::vector<dll::Environment> environments_here(const dll::Disk& disk) {
    std::vector<dll::Environment> found;
    for (const FoundPython& python : pythons_here(disk.root())) {
        auto environment = read_environment(disk, python.prefix);
        if (!environment || found.size() == most_environments ||
            find_by(found, &dll::Environment::prefix, environment->prefix))
            continue;
        environment->python.found_by = python.found_by;
        environment->python.active = found.empty();
        found.push_back(std::move(*environment));
    }
    return found;
}

/// As a path first: a directory named "3.11" is one, not a version.
dll::Environment environment_named(const dll::Disk& disk, const std::string& text) {
    std::error_code failed;
    const auto absolute = std::filesystem::absolute(utf16(text), failed);
    if (!failed)
        if (auto environment = read_environment(disk, utf8(absolute.native())))
            return *environment;
    if (const auto program = program_named(disk.root(), text))
        if (auto environment = read_environment(disk, *program))
            return *environment;
    for (const RegisteredPython& python : registered_pythons())
        if (python.tag == text)
            if (auto environment = read_environment(disk, python.prefix))
                return *environment;
    throw InputError(
        "'" + text +
        "' is no Python environment: neither a directory with python.exe or "
        "pyvenv.cfg, nor a python.exe, a program on PATH, or a version that was "
        "installed; 'rnncheck which' without it shows those that it finds");
}

std::optional<std::string> program_named(const Root& root, const std::string& name) {
    const std::string path = slashed(name);
    if (contains(path, "/") || contains(path, ":"))
        return with_ending(root, path);
    for (const std::string& directory : directories_of_path())
        if (auto found = with_ending(root, directory + '/' + path))
            return found;
    return std::nullopt;
}

/// KnownDLLs are loaded from System32 whatever the search order:
/// https://learn.microsoft.com/en-us/windows/win32/dlls/dynamic-link-library-search-order
dll::Search search_here() {
    dll::Search search;
    search.path = environment_variable("PATH").value_or("");
    search.toolkit = environment_variable("CUDA_PATH");
    search.known_dlls = registry_texts(
        HKEY_LOCAL_MACHINE, "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\KnownDLLs");
    std::error_code failed;
    const auto directory = std::filesystem::current_path(failed);
    if (!failed)
        search.current_directory = utf8(directory.native());
    return search;
}

/// https://learn.microsoft.com/en-us/windows/win32/procthread/environment-variables
std::optional<std::string> path_of_registry() {
    const auto machine = registry_text(
        HKEY_LOCAL_MACHINE,
        "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment",
        "Path");
    const auto user = registry_text(HKEY_CURRENT_USER, "Environment", "Path");
    if (!machine && !user)
        return std::nullopt;
    return with_variables(machine.value_or("") + ";" + user.value_or(""));
}

}  // namespace rnncheck::windows
