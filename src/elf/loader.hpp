// Which file `dlopen("libfoo.so.1")` gives a program that has no run path of its own, by the rules of ld.so(8):
// LD_LIBRARY_PATH, then the cache, then the default folders. Predicts from files; opens no library.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "elf/elf_file.hpp"
#include "elf/loader_cache.hpp"

namespace rnncheck::elf {

/// Where the loader stops. A file it cannot take (no ELF header, truncated) ends the search with an error; one for
/// another machine or class is passed over.
struct LoaderChoice {
    std::string path;
    FoundVia via = FoundVia::default_folder;
    std::optional<ElfProblem> problem;  ///< set when the loader fails on this file
};

class Loader {
  public:
    /// `library_path` is the value of LD_LIBRARY_PATH; relative and empty entries are taken from `working_folder`.
    Loader(const Root& root, const std::string& library_path, const std::string& working_folder);

    std::optional<LoaderChoice> find(const std::string& soname) const;

    /// Whether a library's DT_NEEDED entry would be found, its own run path included.
    bool finds_for(const ElfFile& requester, const std::string& requester_path, const std::string& soname) const;

    const std::vector<std::string>& library_path() const { return library_path_; }
    const std::vector<CacheEntry>& cache() const { return cache_; }
    static const std::vector<std::string>& default_folders();

  private:
    std::optional<LoaderChoice> take(const std::string& path, FoundVia via) const;

    const Root& root_;
    std::vector<std::string> library_path_;
    std::vector<CacheEntry> cache_;
};

}  // namespace rnncheck::elf
