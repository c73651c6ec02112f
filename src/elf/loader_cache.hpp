// The dynamic loader's cache /etc/ld.so.cache, in the form glibc 2.2 and later write ("glibc-ld.so.cache1.1").
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rnncheck::elf {

struct CacheEntry {
    std::string soname;
    std::string path;
    bool hwcaps = false;  ///< from a glibc-hwcaps subfolder: for some processors only
};

/// The entries for 64-bit libraries of our own machine, in the cache's order. A damaged or absent cache has none.
std::vector<CacheEntry> parse_loader_cache(std::string_view bytes);

}  // namespace rnncheck::elf
