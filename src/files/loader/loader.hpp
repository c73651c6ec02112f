// How glibc's loader searches, predicted from files alone. Nothing is loaded.
// Source: glibc elf/dl-load.c (_dl_map_object, open_path,
// open_verify, fillin_rpath) and ld.so(8).
#pragma once

#include <memory>

#include "files/elf/elf_file.hpp"

namespace rnncheck::loader {

// What a program's interpreter (ld-linux-x86-64.so.2) was built with, by the
// texts inside its file, and which subdirectories it uses on this processor.
// Distributions differ in the default directories, and so does every glibc that
// is installed beside the system's own.

struct LoaderBuild {
    /// in order: "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"
    std::vector<std::string> default_directories;
    /// "/etc/ld.so.cache"
    std::string cache;
    /// "/etc/ld.so.preload"
    std::string preload_file;
    /// searches glibc-hwcaps subdirectories: since glibc 2.33
    bool hwcaps = true;
    /// searches subdirectories such as tls and haswell: before glibc 2.37
    bool legacy = false;
};

/// Nothing when the file cannot be read or is not glibc's loader (musl's has
/// its own rules).
std::optional<LoaderBuild> read_loader_build(const Root& root, std::string_view interpreter);

/// For a file system without an interpreter to read.
LoaderBuild guessed_build(const Root& root);

/// The interpreter of ordinary programs on this processor:
/// "/lib64/ld-linux-x86-64.so.2".
std::string_view usual_interpreter();

/// What $PLATFORM means: the kernel's name for the processor,
/// "haswell" where glibc knows better.
std::string processor_platform();

/// Subdirectories of before glibc 2.37, best first: "tls/haswell/x86_64", ..., "x86_64".
std::vector<std::string> legacy_hwcap_directories();

/// "x86-64-v4", "x86-64-v3", "x86-64-v2" as far as the processor goes, best
/// first; none on other machines.
std::vector<std::string> hwcaps();

// /etc/ld.so.cache: which file ldconfig found for a library name. Format:
// glibc, sysdeps/generic/dl-cache.h. Written for hostile files.

struct CachedLibrary {
    /// libcudnn.so.9
    std::string_view name;
    /// where ldconfig saw it
    std::string_view path;
    /// glibc-hwcaps subdirectory it is for, "x86-64-v3"; empty for every processor
    std::string_view subset;
};

/// The entries for this process's own class and machine, in the file's order;
/// none when the file is absent, damaged or in a format of before glibc 2.2.
class LoaderCache {
  public:
    LoaderCache() = default;
    explicit LoaderCache(std::string bytes);

    const std::vector<CachedLibrary>& entries() const {
        return entries_;
    }

    /// As glibc's loader chooses: the best of `hwcaps` (best first), else the
    /// first entry for every processor.
    std::optional<std::string> find(
        std::string_view name, const std::vector<std::string>& hwcaps) const;

  private:
    std::shared_ptr<const std::string> bytes_;
    std::vector<CachedLibrary> entries_;  ///< views into the bytes
};

/// Without entries where the file is absent; the loader then goes on without it, too.
LoaderCache read_loader_cache(const Root& root, std::string_view path = "/etc/ld.so.cache");

// The search.

/// In what a program is started.
struct LoaderSetting {
    /// value of LD_LIBRARY_PATH; the kernel lets it have 128 KiB
    std::string library_path = {};
    /// empty for our own
    std::string working_directory = {};
    /// what $ORIGIN in LD_LIBRARY_PATH means; empty: such entries are left out
    std::string program_directory = {};
    /// empty for the usual one
    std::string interpreter = {};
    /// set-user-id and the like: LD_LIBRARY_PATH and LD_PRELOAD do not count
    bool secure = false;
};

/// What the search depends on in that setting. Directories are those that
/// exist, each once and after its subdirectories for better processors.
struct Loader {
    Root root;
    LoaderBuild build;
    /// LD_LIBRARY_PATH, made absolute
    std::vector<std::string> library_path = {};
    LoaderCache cache = {};
    std::vector<std::string> default_directories = {};
    /// what $LIB means: "lib64", "lib/x86_64-linux-gnu"
    std::string library_directory = {};
    /// glibc-hwcaps subdirectories of this processor, best first
    std::vector<std::string> hwcaps = {};
    /// below every directory, in the order of the search
    std::vector<std::string> subdirectories = {};
    std::string working_directory = {};
    bool secure = false;
};

/// The loader of a program in this setting; with the default one, of a program
/// without a run path that is not set-user-id.
Loader loader_of(const Root& root, const LoaderSetting& setting);

/// What the loader makes of one file of its search.
elf::ElfFile try_open(const Loader& loader, const std::string& path);

/// The directories of a library's own run path, searched for what it needs.
struct RunPath {
    /// DT_RPATH, before LD_LIBRARY_PATH
    std::vector<std::string> before;
    /// DT_RUNPATH, after it; takes the place of DT_RPATH
    std::vector<std::string> after;
};

/// For a library opened as `path`: $ORIGIN is the directory of that name,
/// whatever links it is reached by.
RunPath run_path_of(
    const Loader& loader, const elf::ElfFile& file, std::string_view path, bool of_program = false);

/// The path as seen from this directory; the directory itself for an empty one.
std::string absolute_path(const std::string& path, const std::string& directory);

/// That of this process.
std::string own_working_directory();

/// A name or an entry of a run path with $ORIGIN, $LIB and $PLATFORM put in,
/// with and without braces; empty when one of them is unknown. A set-user-id
/// program's own $ORIGIN counts below the default directories alone.
std::string with_tokens(
    const Loader& loader, std::string_view text, std::string_view origin, bool of_program = false);

/// The same for an entry, which becomes absolute.
std::string expanded(
    const Loader& loader, std::string_view entry, std::string_view origin, bool of_program = false);

/// "/a/b.so" is in "/a", "/b.so" in "/".
std::string_view origin_of(std::string_view path);

/// The path is in or below a directory built into the loader.
bool in_built_in_directory(const Loader& loader, std::string_view path);

/// Part of the C library: every process that could open a GPU library has these
/// files, whatever the directories show.
bool belongs_to_c_library(std::string_view name);

}  // namespace rnncheck::loader
