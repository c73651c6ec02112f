// A program of Windows, played through on files: which DLLs come in, from where, by which rule.
// Nothing is loaded. Source:
// https://learn.microsoft.com/en-us/windows/win32/dlls/dynamic-link-library-search-order and
// https://learn.microsoft.com/en-us/windows/win32/api/libloaderapi/nf-libloaderapi-loadlibraryexw
#pragma once

#include <set>

#include "facts/libraries.hpp"
#include "files/dll/disk.hpp"
#include "files/pe/pe_file.hpp"

namespace rnncheck::dll {

/// The flags of LoadLibraryEx that decide where is searched. LoadLibrary has none of them.
enum LoadFlags : unsigned {
    no_flags = 0,
    /// the directory of the file that is loaded instead of the program's
    altered_search_path = 0x8,
    /// the directory of the file that is loaded
    search_load_directory = 0x100,
    /// that of the program
    search_application = 0x200,
    search_user_directories = 0x400,
    search_system32 = 0x800,
    /// the last three
    search_default = 0x1000
};

/// What CPython loads extension modules with, and ctypes.CDLL a path since 3.8
/// (Python/dynload_win.c).
inline constexpr unsigned python_flags = search_default | search_load_directory;

/// In what a program is started.
struct Setting {
    /// empty when unknown
    std::string application_directory;
    /// nothing when unknown: then none of its files count
    std::optional<std::string> current_directory = {};
    /// the directories of PATH that are known
    std::vector<std::string> path = {};
    /// false: PATH may have more directories than those
    bool path_known = true;
    /// of the Microsoft Store: searches neither PATH nor the current directory
    bool packaged = false;
    /// of the registry; empty: the usual ones
    std::vector<std::string> known_dlls = {};
    std::string machine = "64-bit x86-64";
};

/// One DLL in the process; the program itself is none.
struct Module {
    std::string path;
    pe::PeFile file;
    /// its base name in lower case
    std::string key;
};

/// A place of the search.
struct SearchPlace {
    LoaderRule rule = LoaderRule::path_variable;
    std::string directory;
};

/// The result of a request for a DLL.
struct Answer {
    /// as it was requested
    std::string name;
    /// the path of the DLL that needs or opens it
    std::optional<std::string> by = {};
    /// by LoadLibrary; else imported
    bool at_run_time = false;
    DllEnding ending = DllEnding::unknown;
    /// the file that the search came to, usable or not
    std::optional<std::string> path = {};
    LoaderRule rule = LoaderRule::path_variable;
    /// in words, unless it was loaded: "needs cudnn_graph64_9.dll, which is not found"
    std::string problem = {};
    /// of those that it needs, directly or not, the one that is not loaded
    std::string failing = {};
    /// the path of the DLL that does not have the function
    std::optional<std::string> lacking = {};
    /// that `lacking` does not have
    std::vector<std::string> functions = {};
    /// where it was searched for, in order
    std::vector<SearchPlace> places = {};
};

/// The DLLs of one process. Nothing is ever unloaded, except what a failed load has loaded.
class Process {
  public:
    Process(const Disk& disk, Setting setting) : disk_(disk), setting_(std::move(setting)) {
    }

    /// AddDllDirectory, os.add_dll_directory. Microsoft does not
    /// define an order among several.
    void add_user_directory(const std::string& directory);

    /// SetDllDirectory: searched instead of the current directory,
    /// in front of those of Windows.
    void set_dll_directory(const std::string& directory);

    /// SetDefaultDllDirectories: the flags of loads that have none which choose
    /// directories.
    void set_default_directories(unsigned flags);

    /// AddDllDirectory for the rest of PATH: puts a directory in front of it,
    /// as a program does for itself.
    void put_before_path(const std::string& directory);

    /// LoadLibraryEx of a name or an absolute path. `by` is the path of the DLL
    /// that calls it, none for the program. What it needs comes in with it,
    /// found by the rule of this load; when a part of that fails, all of it is
    /// taken back. The last answer, copied.
    Answer load(const std::string& name, unsigned flags, const std::optional<std::string>& by = {});

    /// The same by a caller that has another way to the DLL: a load
    /// that fails leaves no answer.
    Answer try_load(
        const std::string& name, unsigned flags, const std::optional<std::string>& by = {});

    const Disk& disk() const {
        return disk_;
    }
    const Setting& setting() const {
        return setting_;
    }
    const std::vector<Module>& modules() const {
        return modules_;
    }
    /// In the order in which the requests ended, without the DLLs of Windows itself.
    const std::vector<Answer>& answers() const {
        return answers_;
    }

    /// The module of this base name; null when there is none.
    const Module* module_named(std::string_view name) const;

    /// Whether any DLL of this name was requested, found or not.
    bool was_requested(std::string_view name) const;

  private:
    /// A load and what all DLLs that it loads are searched by.
    struct Load {
        unsigned flags = 0;
        /// of the file that is loaded, if it was named by its path
        std::string directory = {};
    };
    unsigned chosen_by(unsigned flags) const;
    std::vector<SearchPlace> places_of(const Load& load) const;
    Answer request(Answer answer, const Load& load);
    void search(Answer& answer, const Load& load);
    bool is_known(const std::string& name) const;
    bool is_on_path(const std::string& name) const;
    bool take(Answer& answer, const std::string& path, LoaderRule rule);
    void finish(Answer& answer, const Load& load, std::size_t own);
    void compare_functions(Answer& answer, const Module& module);
    const std::optional<std::set<std::string>>& exports_of(const std::string& path);
    bool is_of_windows(std::string_view path) const;

    const Disk& disk_;
    Setting setting_;
    std::vector<std::string> user_directories_;
    std::string dll_directory_;
    unsigned default_flags_ = no_flags;
    std::vector<Module> modules_;
    std::vector<Answer> answers_;
    std::size_t requests_ = 0;
    std::set<std::string> requested_;  ///< base names in lower case
    std::map<std::string, std::optional<std::set<std::string>>> exports_;
};

/// "PATH", "the directory of the program": what a rule is called.
std::string in_words(LoaderRule rule);

/// A contract that Windows resolves to its own DLLs, without a file:
/// api-ms-win-crt-heap-l1-1-0.dll.
bool is_api_set(std::string_view name);

}  // namespace rnncheck::dll
