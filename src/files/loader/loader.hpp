// How glibc's loader searches, predicted from files alone. Nothing is loaded.
// Source: glibc elf/dl-load.c (_dl_map_object, open_path, open_verify, fillin_rpath) and ld.so(8).
#pragma once

#include "files/elf/elf_file.hpp"

namespace rnncheck::loader {

// What a program's interpreter (ld-linux-x86-64.so.2) was built with, by the texts inside its file, and which
// subdirectories it uses on this processor. Distributions differ in the default directories, and so does every glibc
// that is installed beside the system's own.

struct LoaderBuild {
    std::vector<std::string> default_directories;  ///< in order: "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"
    std::string cache;                             ///< "/etc/ld.so.cache"
    std::string preload_file;                      ///< "/etc/ld.so.preload"
    bool hwcaps = true;                            ///< searches glibc-hwcaps subdirectories: since glibc 2.33
    bool legacy = false;  ///< searches subdirectories such as tls and haswell: before glibc 2.37
};

/// Nothing when the file cannot be read or is not glibc's loader (musl's has its own rules).
std::optional<LoaderBuild> read_loader_build(const Root& root, std::string_view interpreter);

/// For a file system without an interpreter that could tell.
LoaderBuild guessed_build(const Root& root);

/// The interpreter of ordinary programs on this processor: "/lib64/ld-linux-x86-64.so.2".
std::string_view usual_interpreter();

/// What $PLATFORM means: the kernel's name for the processor, "haswell" where glibc knows better.
std::string processor_platform();

/// Subdirectories of before glibc 2.37, best first: "tls/haswell/x86_64", ..., "x86_64".
std::vector<std::string> legacy_hwcap_directories();

/// "x86-64-v4", "x86-64-v3", "x86-64-v2" as far as the processor goes, best first; none on other machines.
std::vector<std::string> hwcaps();

// /etc/ld.so.cache: which file ldconfig found for a library name. Format: glibc, sysdeps/generic/dl-cache.h.
// Written for hostile files.

struct CachedLibrary {
    std::string_view name;    ///< libcudnn.so.9
    std::string_view path;    ///< where ldconfig saw it
    std::string_view subset;  ///< glibc-hwcaps subdirectory it is for, "x86-64-v3"; empty for every processor
};

/// The entries for this process's own class and machine, in the file's order; none when the file is absent, damaged
/// or in a format of before glibc 2.2.
class LoaderCache {
  public:
    LoaderCache() = default;
    explicit LoaderCache(std::string bytes);

    std::size_t size() const { return entries_.size(); }
    CachedLibrary at(std::size_t number) const;

    /// The entries of one name, in the file's order.
    std::vector<CachedLibrary> all(std::string_view name) const;

    /// As glibc's loader chooses: the best of `hwcaps` (best first), else the first entry for every processor.
    std::optional<std::string> find(std::string_view name, const std::vector<std::string>& hwcaps) const;

  private:
    struct Entry {
        std::uint32_t name;
        std::uint32_t path;
        std::uint32_t subset;  ///< 0 for none
    };
    std::string_view text_at(std::uint32_t offset) const;
    std::string_view name_of(std::uint32_t number) const { return text_at(entries_[number].name); }
    void read_entries(std::uint32_t count, const std::vector<std::uint32_t>& subsets);

    std::string bytes_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> by_name_;  ///< numbers of entries; those of one name in the file's order
};

LoaderCache read_loader_cache(const Root& root, std::string_view path = "/etc/ld.so.cache");

// The search.

/// In what a program is started.
struct LoaderSetting {
    std::string library_path = {};       ///< value of LD_LIBRARY_PATH; the kernel lets it have 128 KiB
    std::string working_directory = {};  ///< empty for our own
    std::string program_directory = {};  ///< what $ORIGIN in LD_LIBRARY_PATH means; empty: such entries are left out
    std::string interpreter = {};        ///< empty for the usual one
    bool secure = false;                 ///< set-user-id and the like: LD_LIBRARY_PATH and LD_PRELOAD do not count
};

/// What the loader goes by in that setting. Directories are those that exist, each once and after its subdirectories
/// for better processors.
struct Loader {
    Root root;
    std::vector<std::string> library_path;  ///< LD_LIBRARY_PATH, made absolute
    LoaderCache cache;
    std::vector<std::string> default_directories;
    std::vector<std::string> built_in_directories;  ///< the default directories as they are built in, existing or not
    std::string platform;                           ///< what $PLATFORM means: "x86_64", "haswell"
    std::string library_directory;                  ///< what $LIB means: "lib64", "lib/x86_64-linux-gnu"
    std::vector<std::string> hwcaps;                ///< glibc-hwcaps subdirectories this processor may use, best first
    std::vector<std::string> subdirectories;        ///< below every directory, in the order of the search
    std::string preload_file;                       ///< /etc/ld.so.preload
    std::string working_directory;
    bool secure = false;
};

Loader loader_of(const Root& root, const LoaderSetting& setting);

/// That of a plain program: no run path of its own, not set-user-id.
Loader loader_of(const Root& root, std::string_view library_path);

/// What the loader makes of one file of its search.
elf::ElfFile try_open(const Loader& loader, const std::string& path);

struct OpenedFile {
    std::string path;
    elf::ElfFile file;
};

/// The first of a list's files that opens or fails; nothing when all are skipped or one aborts the list.
std::optional<OpenedFile> open_first(const Loader& loader, const std::vector<std::string>& files);

/// The file of this name in each of these directories, there or not.
std::vector<std::string> files_in(const std::vector<std::string>& directories, const std::string& name);

/// Where the search ended. Without a path nothing was found.
struct Lookup {
    std::optional<std::string> path;
    /// Set when the loader stops at `path` and cannot use it: opening fails although a good one may be further on.
    std::optional<FileProblem> problem;

    bool usable() const { return path && !problem; }
};

/// The directories of a library's own run path, searched for what it needs.
struct RunPath {
    std::vector<std::string> before;  ///< DT_RPATH, before LD_LIBRARY_PATH
    std::vector<std::string> after;   ///< DT_RUNPATH, after it; takes the place of DT_RPATH
};

/// For a library opened as `path`: $ORIGIN is the directory of that name, whatever links it is reached by.
RunPath run_path_of(const Loader& loader, const elf::ElfFile& file, std::string_view path, bool of_program = false);

/// What dlopen(name) gives in a plain program or, with a run path, what a DT_NEEDED name gives for a library that has
/// it. `name` has no '/'. Run paths of the libraries that loaded the one in need are not known here: see process.hpp.
Lookup find_library(const Loader& loader, const std::string& name, const RunPath& run_path = {});

/// The path as seen from this directory; the directory itself for an empty one.
std::string absolute_path(const std::string& path, const std::string& directory);

/// That of this process.
std::string own_working_directory();

/// A name or an entry of a run path with $ORIGIN, $LIB and $PLATFORM put in, with and without braces; empty when one
/// of them is unknown. A set-user-id program's own $ORIGIN counts below the default directories alone.
std::string with_tokens(const Loader& loader, std::string_view text, std::string_view origin, bool of_program = false);

/// The same for an entry, which becomes absolute.
std::string expanded(const Loader& loader, std::string_view entry, std::string_view origin, bool of_program = false);

/// "/a/b.so" is in "/a", "/b.so" in "/".
std::string_view origin_of(std::string_view path);

/// The path is in or below a directory built into the loader.
bool in_built_in_directory(const Loader& loader, std::string_view path);

/// Part of the C library: every process that could open a GPU library has these files, whatever the directories show.
bool belongs_to_c_library(std::string_view name);

}  // namespace rnncheck::loader
