// Which file glibc's loader gives for a library name, predicted from files alone. Nothing is loaded.
// Source: glibc elf/dl-load.c (_dl_map_object, open_path, open_verify) and ld.so(8).
#pragma once

#include "elf/elf_file.hpp"
#include "elf/loader_cache.hpp"

namespace rnncheck::elf {

/// What the loader of a plain program (no run path of its own, not set-user-id) goes by. Folders are those that
/// exist, each once and after its glibc-hwcaps subfolders.
struct Loader {
    Root root;
    std::vector<std::string> library_path;  ///< LD_LIBRARY_PATH, made absolute
    LoaderCache cache;
    std::vector<std::string> default_folders;
    std::string machine;               ///< as the kernel names it; what $PLATFORM stands for
    std::string library_folder;        ///< what $LIB stands for: "lib64", "lib/x86_64-linux-gnu"
    std::vector<std::string> subsets;  ///< glibc-hwcaps subfolders this processor may use, best first
};

/// `library_path` is the variable's value. The kernel lets it have 128 KiB.
Loader loader_of(const Root& root, std::string_view library_path);

/// Where the search ended. Without a path nothing was found.
struct Lookup {
    std::optional<std::string> path;
    /// Set when the loader stops at `path` and cannot use it: opening fails although a good copy may lie further on.
    std::optional<FileProblem> problem;

    bool usable() const { return path && !problem; }
};

/// The folders of a library's own run path, searched for what it needs.
struct RunPath {
    std::vector<std::string> before;  ///< DT_RPATH, before LD_LIBRARY_PATH
    std::vector<std::string> after;   ///< DT_RUNPATH, after it; takes the place of DT_RPATH
};

/// For a library opened as `path`: $ORIGIN is the folder of that name, whatever links it stands for.
RunPath run_path_of(const Loader& loader, const ElfFile& file, std::string_view path);

/// What dlopen(name) gives in a plain program or, with a run path, what a DT_NEEDED name gives for a library that has
/// it. `name` has no '/'. Run paths of the libraries that loaded the one in need are not known and not used.
Lookup find_library(const Loader& loader, const std::string& name, const RunPath& run_path = {});

/// LD_LIBRARY_PATH as the loader splits it: at ':' and ';', an empty entry is the current folder.
std::vector<std::string> split_library_path(std::string_view text, const std::string& current_folder);

/// A run path entry with $ORIGIN, $LIB and $PLATFORM put in, with and without braces.
std::string expanded(const Loader& loader, std::string_view entry, std::string_view origin);

/// Part of the C library: every process that could open a GPU library has these files, whatever the folders show.
bool belongs_to_c_library(std::string_view name);

}  // namespace rnncheck::elf
