// Where Python environments and GPU libraries are on a disk of Windows.
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/dll/frameworks.hpp"

namespace rnncheck::dll {

namespace {

/// Nobody has so many environments, and pyvenv.cfg has a few lines.
constexpr std::size_t most_environments = 64, most_configuration = 64 << 10;

using Strings = std::vector<std::string>;

/// directory\NAME for every directory whose name starts so, in any case.
Strings children(const Disk& disk, const std::string& directory, std::string_view start) {
    Strings found;
    for (const std::string& name : disk.names_in(directory))
        if (lower(name).starts_with(start))
            found.push_back(directory + "\\" + name);
    return found;
}

/// The value of "home = C:\Python311" in pyvenv.cfg; empty without one.
std::string setting_of(const std::string& text, std::string_view key) {
    for (const std::string& line : split(text, '\n')) {
        const auto at = line.find('=');
        if (at != std::string::npos && trim(std::string_view(line).substr(0, at)) == key)
            return std::string(trim(std::string_view(line).substr(at + 1)));
    }
    return "";
}

/// python311.dll is that of 3.11.
std::optional<Version> version_by_dll(const Disk& disk, const std::string& directory) {
    constexpr std::string_view start = "python3", end = ".dll";
    for (const std::string& name : disk.names_in(directory)) {
        if (!lower(name).starts_with(start) || !lower(name).ends_with(end))
            continue;
        const auto digits =
            std::string_view(name).substr(start.size(), name.size() - start.size() - end.size());
        if (is_number(digits))
            return parse_version("3." + std::string(digits));
    }
    return std::nullopt;
}

/// Windows' layout of an installation and of a virtual environment is the
/// same here: Lib\site-packages.
void add_packages(const Disk& disk, const std::string& prefix, Environment& environment) {
    if (const auto packages = disk.inside(prefix + "\\Lib\\site-packages"))
        environment.python.package_directories.push_back(*packages);
}

/// Packages of `pip install --user`, for the user in whose directory the Python is.
void add_user_packages(const Disk& disk, Environment& environment) {
    const Strings parts = split(environment.prefix, '\\');
    if (parts.size() < 3 || !same_name(parts[1], "Users") || !environment.python.version)
        return;
    const std::string number = "Python3" + std::to_string(environment.python.version->minor());
    const std::string packages =
        "C:\\Users\\" + parts[2] + "\\AppData\\Roaming\\Python\\" + number + "\\site-packages";
    if (const auto place = disk.inside(packages))
        environment.python.package_directories.push_back(*place);
}

/// Of other drives than that of Windows a mounted disk shows nothing.
bool can_be_read(const Disk& disk, const std::string& path) {
    return path.starts_with("C:") || path.starts_with("c:") || disk.exists(path.substr(0, 3));
}

/// The first of these files is started and needs the others.
void learn_interpreter(const Disk& disk, const Strings& files, PythonEnvironment& python) {
    for (const std::string& file : files) {
        if (!absolute_windows_path(file) || !can_be_read(disk, file))
            return;
        if (!disk.exists(file)) {
            python.missing_interpreter = file;
            return;
        }
    }
    python.interpreter = files.front();
}

/// The python.exe of a virtual environment starts that of its base:
/// PC/launcher.c of CPython since 3.7.2.
void read_venv(const Disk& disk, const std::string& configuration, Environment& environment) {
    const std::string text = disk.root().read(configuration, most_configuration).value_or("");
    environment.python.kind = "venv";
    environment.application_directory =
        absolute_windows_path(setting_of(text, "home")).value_or("");
    environment.python.version = find_version(setting_of(text, "version"));
    if (!environment.python.version)
        environment.python.version = version_by_dll(disk, environment.application_directory);
    environment.on_path = {environment.prefix + "\\Scripts"};
    learn_interpreter(
        disk,
        {environment.prefix + "\\Scripts\\python.exe",
         environment.application_directory + "\\python.exe"},
        environment.python);
    add_packages(disk, environment.prefix, environment);
    if (lower(setting_of(text, "include-system-site-packages")) == "true")
        add_packages(disk, environment.application_directory, environment);
}

/// What `conda activate` puts in front of PATH: conda/activate.py, _get_path_dirs.
Strings path_of_conda(const std::string& prefix) {
    return {
        prefix,
        prefix + "\\Library\\mingw-w64\\bin",
        prefix + "\\Library\\usr\\bin",
        prefix + "\\Library\\bin",
        prefix + "\\Scripts",
        prefix + "\\bin"};
}

/// "C:\Program
/// Files\WindowsApps\PythonSoftwareFoundation.Python.3.11_3.11.2544.0_x64__qbz5n2kfra8p0"
constexpr std::string_view store_package = "pythonsoftwarefoundation.python.3";

/// Packages are installed in the data of each user:
/// https://docs.python.org/3/using/windows.html and `python -m site` of such a Python.
void read_store_python(const Disk& disk, Environment& environment) {
    environment.packaged = true;
    environment.python.kind = "store";
    if (!environment.python.version)
        return;
    const std::string number = "Python3" + std::to_string(environment.python.version->minor());
    for (const std::string& user : children(disk, "C:\\Users", ""))
        for (const std::string& data : children(
                 disk,
                 user + "\\AppData\\Local\\Packages",
                 std::string(store_package) + "." +
                     std::to_string(environment.python.version->minor()) + "_"))
            if (const auto packages = disk.inside(
                    data + "\\LocalCache\\local-packages\\" + number + "\\site-packages"))
                environment.python.package_directories.push_back(*packages);
}

/// A directory with python.exe itself: of python.org, conda or the Microsoft Store.
void read_prefix(const Disk& disk, Environment& environment) {
    const bool conda = disk.is_directory(environment.prefix + "\\conda-meta");
    environment.python.kind = "prefix";
    if (conda)
        environment.python.kind = "conda";
    environment.application_directory = environment.prefix;
    learn_interpreter(disk, {environment.prefix + "\\python.exe"}, environment.python);
    environment.python.version = version_by_dll(disk, environment.prefix);
    if (conda)
        environment.on_path = path_of_conda(environment.prefix);
    if (lower(dll_name(environment.prefix)).starts_with(store_package))
        read_store_python(disk, environment);
    else if (!conda)
        add_user_packages(disk, environment);
    add_packages(disk, environment.prefix, environment);
}

/// A mounted disk has no registry that can be read, so the places of
/// the usual installers are tried.
Strings possible_prefixes(const Disk& disk) {
    Strings prefixes;
    Strings parents = {"C:", "C:\\Program Files", "C:\\ProgramData", "C:\\tools"};
    for (const std::string& user : children(disk, "C:\\Users", "")) {
        append(prefixes, children(disk, user + "\\AppData\\Local\\Programs\\Python", "python3"));
        append(prefixes, children(disk, user + "\\.virtualenvs", ""));
        append(prefixes, children(disk, user + "\\.conda\\envs", ""));
        append(parents, {user, user + "\\AppData\\Local"});
    }
    append(prefixes, children(disk, disk.programs() + "\\WindowsApps", store_package));
    for (const std::string& parent : parents) {
        append(prefixes, children(disk, parent + "\\", "python3"));
        for (const char* name : {"miniconda3", "anaconda3", "miniforge3", "mambaforge"}) {
            prefixes.push_back(parent + "\\" + name);
            append(prefixes, children(disk, parent + "\\" + name + "\\envs", ""));
        }
    }
    return prefixes;
}

/// A directory and those in it for one CUDA or one processor: bin,
/// bin\12.8, bin\x86_64, bin\12.8\x64.
void add_with_subdirectories(
    const Disk& disk, const std::string& directory, Strings& found, int depth = 2) {
    if (!disk.is_directory(directory))
        return;
    found.push_back(disk.as_written(directory));
    if (depth == 0)
        return;
    for (const std::string& name : disk.names_in(directory))
        if (!contains(name, ".dll") && disk.is_directory(directory + "\\" + name))
            add_with_subdirectories(disk, directory + "\\" + name, found, depth - 1);
}

}  // namespace

/// python.exe in Scripts is that of the environment above it.
std::optional<Environment> environment_at(const Disk& disk, const std::string& path) {
    const auto absolute = absolute_windows_path(path);
    if (!absolute || !disk.exists(*absolute))
        return std::nullopt;
    std::string prefix = *absolute;
    if (!disk.is_directory(prefix)) {
        if (!lower(dll_name(prefix)).starts_with("python"))
            return std::nullopt;
        prefix = dll_directory(prefix);
    }
    if (same_name(dll_name(prefix), "Scripts"))
        prefix = dll_directory(prefix);
    Environment environment;
    environment.prefix = disk.as_written(prefix);
    environment.python.path = disk.inside(prefix).value_or("");
    environment.python.active = true;
    if (const auto configuration = disk.inside(prefix + "\\pyvenv.cfg"))
        read_venv(disk, *configuration, environment);
    else if (disk.exists(prefix + "\\python.exe"))
        read_prefix(disk, environment);
    else
        return std::nullopt;
    return environment;
}

std::vector<Environment> environments_on(const Disk& disk) {
    std::vector<Environment> found;
    for (const std::string& prefix : possible_prefixes(disk)) {
        if (found.size() == most_environments)
            break;
        auto environment = environment_at(disk, prefix);
        if (environment && !find_by(found, &Environment::prefix, environment->prefix))
            found.push_back(std::move(*environment));
    }
    return found;
}

std::vector<std::string> other_directories(const Disk& disk, const Environment& environment) {
    Strings found;
    for (const auto& toolkit :
         children(disk, disk.programs() + "\\NVIDIA GPU Computing Toolkit\\CUDA", "v"))
        add_with_subdirectories(disk, toolkit + "\\bin", found, 1);
    for (const auto& cudnn : children(disk, disk.programs() + "\\NVIDIA\\CUDNN", "v"))
        add_with_subdirectories(disk, cudnn + "\\bin", found);
    for (const std::string& inside : environment.python.package_directories) {
        const std::string packages = windows_path(inside);
        for (const std::string& wheel : children(disk, packages + "\\nvidia", ""))
            add_with_subdirectories(disk, wheel + "\\bin", found, 1);
        for (const char* own : {"\\torch\\lib", "\\ctranslate2", "\\paddle\\libs"})
            add_with_subdirectories(disk, packages + own, found, 0);
    }
    add_with_subdirectories(disk, environment.prefix + "\\Library\\bin", found, 0);
    return found;
}

/// Quotes may be anywhere in an entry, as the command interpreter takes them.
std::vector<std::string> directories_of_path(std::string_view value) {
    Strings directories;
    std::string entry;
    bool quoted = false;
    const auto take = [&] {
        if (const auto path = absolute_windows_path(trim(entry)))
            directories.push_back(*path);
        entry.clear();
    };
    for (const char c : value) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ';' && !quoted)
            take();
        else
            entry += c;
    }
    take();
    return directories;
}

}  // namespace rnncheck::dll
