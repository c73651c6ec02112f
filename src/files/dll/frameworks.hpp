// The Python frameworks on a disk of Windows, and the DLLs that each of them
// would load, by its own loading code.
#pragma once

#include "facts/packages.hpp"
#include "files/dll/process.hpp"

namespace rnncheck::dll {

/// A Python environment of Windows. The paths in `python` are those below the root.
struct Environment {
    PythonEnvironment python;
    /// "C:\Users\ada\venv"
    std::string prefix;
    /// of the python.exe that runs in the end; of a venv that of its base
    std::string application_directory;
    /// directories that its activation puts in front of PATH
    std::vector<std::string> on_path;
    /// the Python of the Microsoft Store
    bool packaged = false;
};

/// From a directory, or a python.exe in it or in its Scripts; nothing when it is none.
std::optional<Environment> environment_at(const Disk& disk, const std::string& path);

/// Those where the installers of Python and conda put them; at most 64.
std::vector<Environment> environments_on(const Disk& disk);

/// Directories with GPU libraries that Windows does not search by itself: CUDA
/// toolkits, NVIDIA's cuDNN installer, and in the environment its wheels and conda's.
std::vector<std::string> other_directories(const Disk& disk, const Environment& environment);

/// The value of PATH as Windows writes it, C:\a;"C:\b c". Entries that are no
/// absolute paths are left out.
std::vector<std::string> directories_of_path(std::string_view value);

/// Why a choice that PATH would decide is open.
inline constexpr std::string_view path_is_unknown = "PATH of this disk is unknown";

/// What one framework of an environment would load.
struct FrameworkLoads {
    /// with paths of Windows
    Framework framework;
    std::vector<DllLoad> loads;
    std::vector<LibraryChoice> libraries;
    std::vector<std::string> notes;
};

/// Where the program's DLLs are searched. Without a value PATH is what
/// activating the environment adds, and unknown beyond that.
struct Search {
    std::optional<std::string> path = {};
    /// every DLL, not those alone that concern the GPU
    bool all = false;
    /// of the program; nothing when unknown
    std::optional<std::string> current_directory = {};
    /// CUDA_PATH; nothing when unknown
    std::optional<std::string> toolkit = {};
    /// of the registry; empty when unknown
    std::vector<std::string> known_dlls = {};
};

/// The frameworks of the environment, each played through in a process of its own.
std::vector<FrameworkLoads> framework_loads(
    const Disk& disk, Environment& environment, const Search& search);

/// The frameworks of the environment by its files alone, with paths of Windows.
std::vector<Framework> frameworks_in(const Disk& disk, Environment& environment);

/// What a program of no known framework loads that opens the cuDNN with this
/// front, "C:\cudnn\cudnn64_9.dll": by its name if Windows finds this file by
/// it, else from its own directory. The framework of these loads is empty,
/// their environment the directory.
std::vector<DllLoad> cudnn_loads(const Disk& disk, const std::string& front, const Search& search);

/// The same if everything is searched in the directory of the front, where
/// rnncheck itself opens cuDNN.
std::vector<DllLoad> loads_from_own_directory(const Disk& disk, const std::string& front);

/// How a framework's code loads DLLs. {site} is the directory of packages, {prefix}
/// that of the environment, {toolkit} the CUDA toolkit of the framework's major
/// version, {own_toolkit} the directory in which that of the version it was built
/// with is installed, {cudnn} and {cuda} the major versions that it was built with,
/// and {cudart} the number in the name of the runtime: 110 for CUDA 11.
struct Script {
    std::string framework;
    /// the first version with this code; empty for every version
    std::string from = {};
    /// os.add_dll_directory
    std::vector<std::string> user_directories;
    /// directories that it puts in front of PATH
    std::vector<std::string> before_path;
    /// files that Python code loads, in order: by their paths, with * for
    /// any text, or by a name alone
    std::vector<std::string> loaded;
    /// files that its own DLLs then load by LOAD_WITH_ALTERED_SEARCH_PATH
    std::vector<std::string> loaded_by_core;
    /// after error 126 by LoadLibrary, with its directories on PATH
    bool retries = false;
    /// DLLs that it then opens: by name, or the first that loads of "NAME;PATH";
    /// with ';' at the end it goes on without
    std::vector<std::string> opened;
    /// of those that are opened by name
    unsigned open_flags = no_flags;
    /// of those that are opened by path
    unsigned path_flags = no_flags;
    /// before the files that it loads
    bool opens_first = false;
    std::string source;
    /// a sentence on what a program may do beside that; empty without one
    std::string note;
};

/// That of the framework's version, the oldest one for an unknown version; null
/// for a framework whose code was not read.
const Script* script_of(const Framework& framework);

}  // namespace rnncheck::dll
