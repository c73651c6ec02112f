// /etc/ld.so.cache: which file ldconfig found for a library name. Format: glibc, sysdeps/generic/dl-cache.h.
// Written for hostile files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace rnncheck::loader {

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
    void read_entries(std::uint32_t count, const std::vector<std::uint32_t>& subsets);

    std::vector<std::uint32_t>::const_iterator first_of(std::string_view name) const;

    std::string bytes_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> by_name_;  ///< numbers of entries; those of one name in the file's order
};

LoaderCache read_loader_cache(const Root& root, std::string_view path = "/etc/ld.so.cache");

}  // namespace rnncheck::loader
