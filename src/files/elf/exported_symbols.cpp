// Whether a library defines a function for others, by the hash table that the
// loader uses itself. Format: glibc elf/dl-lookup.c (do_lookup_x) and
// sysdeps/generic/dl-hash.h (_dl_new_hash).
#include <link.h>

#include <algorithm>

#include "base/lists.hpp"
#include "files/elf/elf_file.hpp"

namespace rnncheck::elf {

namespace {

using Load = ElfW(Phdr);
using DynamicEntry = ElfW(Dyn);
using Symbol = ElfW(Sym);

constexpr std::size_t most_program_headers = 512, most_dynamic_entries = 4096;
constexpr std::size_t most_undefined = 65536, longest_symbol = 1024;
// real chains have a handful of symbols
constexpr std::size_t longest_chain = 4096;

/// The parts of a library that its hash table refers to; addresses are
/// those of the loaded library.
class HashedSymbols {
  public:
    explicit HashedSymbols(const FilePieces& pieces) : pieces_(pieces) {
        const auto header = one_at<ElfW(Ehdr)>(0);
        if (!header || header->e_phentsize != sizeof(Load))
            return;
        const std::size_t count = std::min<std::size_t>(header->e_phnum, most_program_headers);
        loads_ = as_array<Load>(pieces_.at(header->e_phoff, count * sizeof(Load)));
        const Load* const dynamic = find_by(loads_, &Load::p_type, PT_DYNAMIC);
        if (!dynamic)
            return;
        const auto length =
            std::min<std::uint64_t>(dynamic->p_filesz, most_dynamic_entries * sizeof(DynamicEntry));
        entries_ =
            as_array<DynamicEntry>(pieces_.at(dynamic->p_offset, static_cast<std::size_t>(length)));
    }

    bool defines(const std::string& name) const {
        const auto table = address_of(DT_GNU_HASH), symbols = address_of(DT_SYMTAB),
                   texts = address_of(DT_STRTAB);
        if (!table || !symbols || !texts)
            return false;
        const auto head = words_at(*table, 4);
        if (head.size() < 4 || head[0] == 0)
            return false;
        const std::uint32_t buckets = head[0], first_symbol = head[1], bloom_words = head[2];
        const std::uint64_t bucket_table =
            *table + 16 + std::uint64_t{bloom_words} * sizeof(ElfW(Addr));
        const std::uint64_t chains = bucket_table + std::uint64_t{buckets} * 4;
        const std::uint32_t wanted = hash_of(name);
        const auto bucket = words_at(bucket_table + std::uint64_t{wanted % buckets} * 4, 1);
        if (bucket.empty() || bucket[0] < first_symbol)
            return false;
        std::uint64_t number = bucket[0];
        for (const std::uint32_t chained :
             words_at(chains + (number - first_symbol) * 4, longest_chain)) {
            const bool same_hash = (chained | 1U) == (wanted | 1U);
            if (same_hash && is_called(name, *symbols + number * sizeof(Symbol), *texts))
                return true;
            const bool is_last = (chained & 1U) != 0;
            if (is_last)
                return false;
            ++number;
        }
        return false;
    }

    /// They come first in the table of symbols: the hash table begins after them.
    std::vector<std::string> undefined() const {
        const auto table = address_of(DT_GNU_HASH), symbols = address_of(DT_SYMTAB),
                   texts = address_of(DT_STRTAB);
        if (!table || !symbols || !texts)
            return {};
        const auto head = words_at(*table, 2);
        if (head.size() < 2)
            return {};
        const std::size_t count = std::min<std::size_t>(head[1], most_undefined);
        std::vector<std::string> names;
        for (const Symbol& symbol : as_array<Symbol>(bytes_at(*symbols, count * sizeof(Symbol))))
            if (symbol.st_shndx == SHN_UNDEF && symbol.st_info >> 4 == STB_GLOBAL)
                names.push_back(text_at(*texts + symbol.st_name));
        return names;
    }

  private:
    std::string text_at(std::uint64_t address) const {
        const std::string bytes = bytes_at(address, longest_symbol);
        return bytes.substr(0, bytes.find('\0'));
    }

    /// The hash of DT_GNU_HASH, by Daniel J. Bernstein: 5381, then
    /// times 33 and the next character.
    static std::uint32_t hash_of(const std::string& name) {
        std::uint32_t hash = 5381;
        for (const char c : name)
            hash = hash * 33 + static_cast<unsigned char>(c);
        return hash;
    }

    std::optional<std::uint64_t> address_of(std::int64_t tag) const {
        const DynamicEntry* const entry = find_by(entries_, &DynamicEntry::d_tag, tag);
        if (!entry)
            return std::nullopt;
        return entry->d_un.d_ptr;
    }

    /// What the file holds for an address; empty outside of it.
    std::string bytes_at(std::uint64_t address, std::size_t length) const {
        for (const Load& load : loads_) {
            const bool inside = load.p_type == PT_LOAD && address >= load.p_vaddr &&
                                address - load.p_vaddr < load.p_filesz;
            if (inside)
                return pieces_.at(load.p_offset + (address - load.p_vaddr), length);
        }
        return {};
    }

    std::vector<std::uint32_t> words_at(std::uint64_t address, std::size_t count) const {
        return as_array<std::uint32_t>(bytes_at(address, count * 4));
    }

    template <class T>
    std::optional<T> one_at(std::uint64_t offset) const {
        return first_as<T>(pieces_.at(offset, sizeof(T)));
    }

    bool is_called(const std::string& name, std::uint64_t symbol, std::uint64_t texts) const {
        const auto found = as_array<Symbol>(bytes_at(symbol, sizeof(Symbol)));
        if (found.empty() || found.front().st_shndx == SHN_UNDEF)
            return false;
        return bytes_at(texts + found.front().st_name, name.size() + 1) == name + '\0';
    }

    const FilePieces& pieces_;
    std::vector<Load> loads_;
    std::vector<DynamicEntry> entries_;
};

/// A library of this process's own kind.
bool is_of_own_kind(const FilePieces& pieces) {
    std::string identification;
    if (pieces.error() == 0)
        identification = pieces.at(0, EI_NIDENT);
    return identification.size() == EI_NIDENT && identification.starts_with(ELFMAG) &&
           static_cast<unsigned char>(identification[EI_CLASS]) == own_class &&
           static_cast<unsigned char>(identification[EI_DATA]) == own_byte_order;
}

}  // namespace

bool defines_symbol(const Root& root, std::string_view path, const std::string& name) {
    const auto real = root.real_path(path);
    if (!real)
        return false;
    const FilePieces pieces(root.outside(*real));
    return is_of_own_kind(pieces) && HashedSymbols(pieces).defines(name);
}

std::vector<std::string> undefined_symbols(const Root& root, std::string_view path) {
    const auto real = root.real_path(path);
    if (!real)
        return {};
    const FilePieces pieces(root.outside(*real));
    if (!is_of_own_kind(pieces))
        return {};
    return HashedSymbols(pieces).undefined();
}

}  // namespace rnncheck::elf
