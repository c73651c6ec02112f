// ldconfig writes all that it found into one file, for every machine and
// processor; the loader takes the entries that fit.
#include <algorithm>
#include <cstring>

#include "files/loader/loader.hpp"

namespace rnncheck::loader {

namespace {

constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::string_view new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t largest_cache = 8 << 20;
constexpr std::size_t longest_cached_path = 4096;

/// struct cache_file_new, file_entry_new and cache_extension_section of dl-cache.h.
struct NewHeader {
    char magic[20];
    std::uint32_t count;
    std::uint32_t text_length;
    std::uint8_t flags;
    std::uint8_t padding[3];
    std::uint32_t extension_offset;
    std::uint32_t unused[3];
};
static_assert(sizeof(NewHeader) == 48);

struct NewEntry {
    std::uint32_t flags;
    std::uint32_t name;
    std::uint32_t path;
    std::uint32_t os_version;
    std::uint64_t hwcap;
};
static_assert(sizeof(NewEntry) == 24);

struct Extension {
    std::uint32_t tag;
    std::uint32_t flags;
    std::uint32_t offset;
    std::uint32_t size;
};

constexpr std::uint32_t extension_magic = 0xEAA42174;
constexpr std::uint32_t subsets_tag = 1;
constexpr std::uint32_t most_extensions = 64;
constexpr std::uint32_t most_subsets = 256;

// FLAG_ELF_LIBC6 and the machine's own flag (glibc: sysdeps/generic/ldconfig.h).
#if defined(__x86_64__)
constexpr std::uint32_t own_flags = 0x0303;
#elif defined(__aarch64__)
constexpr std::uint32_t own_flags = 0x0a03;
#elif defined(__powerpc64__)
constexpr std::uint32_t own_flags = 0x0503;
#else
constexpr std::uint32_t own_flags = 0x0003;
#endif

template <class T>
std::optional<T> piece(std::string_view bytes, std::uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
        return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// The part in the new format; glibc before 2.32 wrote it behind a table in the old one.
std::size_t start_of_new_format(std::string_view bytes) {
    if (!bytes.starts_with(old_magic))
        return 0;
    constexpr std::uint64_t old_header = 16;
    constexpr std::uint64_t old_entry = 12;
    const auto count = piece<std::uint32_t>(bytes, 12).value_or(0);
    const std::uint64_t end = old_header + count * old_entry;
    return static_cast<std::size_t>(std::min<std::uint64_t>((end + 7) / 8 * 8, bytes.size()));
}

/// Offsets of the names of glibc-hwcaps subdirectories, which entries refer to by number.
std::vector<std::uint32_t> subset_names(std::string_view bytes, std::uint32_t extensions) {
    std::vector<std::uint32_t> names;
    if (extensions == 0 || piece<std::uint32_t>(bytes, extensions) != extension_magic)
        return names;
    const auto count =
        std::min(piece<std::uint32_t>(bytes, extensions + 4ull).value_or(0), most_extensions);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto extension = piece<Extension>(bytes, extensions + 8ull + i * sizeof(Extension));
        if (!extension || extension->tag != subsets_tag)
            continue;
        for (std::uint32_t n = 0; n < std::min(extension->size / 4, most_subsets); ++n)
            names.push_back(piece<std::uint32_t>(bytes, extension->offset + n * 4ull).value_or(0));
    }
    return names;
}

/// A text that does not end within the file is none: offsets of a
/// hostile file may lead anywhere.
std::string_view text_at(std::string_view bytes, std::uint32_t offset) {
    const std::string_view from_here =
        bytes.substr(std::min<std::size_t>(offset, bytes.size()), longest_cached_path);
    const auto end = from_here.find('\0');
    if (end == std::string_view::npos)
        return {};
    return from_here.substr(0, end);
}

/// Bit 62 marks an entry of a glibc-hwcaps subdirectory whose number is in
/// the lower half; ten bits above that half show an instruction-set level
/// (glibc: dl_cache_hwcap_extension).
bool is_for_subset(std::uint64_t hwcap) {
    return ((hwcap >> 32) & ~0x3FFull) == 1ull << 30;
}

}  // namespace

LoaderCache::LoaderCache(std::string bytes) {
    bytes.erase(0, start_of_new_format(bytes));
    bytes_ = std::make_shared<const std::string>(std::move(bytes));
    const auto header = piece<NewHeader>(*bytes_, 0);
    if (!header || !bytes_->starts_with(new_magic))
        return;
    const auto subsets = subset_names(*bytes_, header->extension_offset);
    for (std::uint32_t i = 0; i < header->count; ++i) {
        const auto entry =
            piece<NewEntry>(*bytes_, sizeof(NewHeader) + std::uint64_t{i} * sizeof(NewEntry));
        if (!entry)
            return;
        CachedLibrary library{text_at(*bytes_, entry->name), text_at(*bytes_, entry->path), {}};
        if (entry->flags != own_flags || library.name.empty() || library.path.empty())
            continue;
        const auto subset = entry->hwcap & 0xFFFFFFFF;
        if (entry->hwcap != 0 && (!is_for_subset(entry->hwcap) || subset >= subsets.size()))
            continue;
        if (entry->hwcap != 0)
            library.subset = text_at(*bytes_, subsets[subset]);
        entries_.push_back(library);
    }
}

std::optional<std::string> LoaderCache::find(
    std::string_view name, const std::vector<std::string>& hwcaps) const {
    std::optional<std::string> best;
    std::size_t best_rank = hwcaps.size() + 1;
    for (const CachedLibrary& entry : entries_) {
        if (entry.name != name)
            continue;
        const auto place = std::ranges::find(hwcaps, entry.subset);
        if (!entry.subset.empty() && place == hwcaps.end())
            continue;
        const auto rank = static_cast<std::size_t>(place - hwcaps.begin());
        if (rank >= best_rank)
            continue;
        best = entry.path;
        best_rank = rank;
    }
    return best;
}

LoaderCache read_loader_cache(const Root& root, std::string_view path) {
    return LoaderCache(root.read(path, largest_cache).value_or(""));
}

}  // namespace rnncheck::loader
