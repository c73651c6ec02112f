#include "files/gpu_code.hpp"

namespace rnncheck {

namespace {

/// Real libraries have some hundred; a hostile file could have endless empty ones.
constexpr std::size_t most_gpu_entries = 4096;
constexpr std::uint32_t container_magic = 0xBA55ED50;
/// The kind of an entry with PTX; others have machine code (cubin).
constexpr std::uint16_t ptx = 1;

// NVIDIA documents no layout; in cuDNN 9.1.0 to 9.28.0 for CUDA 12 and 13 this
// one gives the PTX version of the CUDA that the package names.
struct Container {
    std::uint32_t magic;
    std::uint16_t version, header_size;
    std::uint64_t size;  ///< of the entries behind the header
};

struct FatEntry {
    std::uint16_t kind, version;
    std::uint32_t header_size;
    std::uint64_t size;  ///< of the contents behind the header
    std::uint32_t compressed_size, flags;
    std::uint16_t minor, major;  ///< of PTX: its ISA version
    std::uint32_t architecture;
};

template <class T>
std::optional<T> read_as(const FilePieces& pieces, std::uint64_t offset) {
    return first_as<T>(pieces.at(offset, sizeof(T)));
}

/// The PTX ISA version of the first PTX in the part, major only.
/// Containers follow one another in the section, entries follow one another in a container.
std::optional<int> major_of_ptx(const FilePieces& pieces, const Extent& part) {
    std::uint64_t at = part.offset;
    const std::uint64_t end_of_part = part.offset + part.size;
    for (std::size_t seen = 0; at < end_of_part && seen < most_gpu_entries;) {
        const auto container = read_as<Container>(pieces, at);
        ++seen;
        if (!container)
            return std::nullopt;
        // containers are aligned to 8 bytes
        if (container->magic != container_magic) {
            at += 8;
            continue;
        }
        if (container->size > pieces.size())
            return std::nullopt;
        const std::uint64_t end = at + container->header_size + container->size;
        for (at += container->header_size; at + sizeof(FatEntry) <= end && seen < most_gpu_entries;
             ++seen) {
            const auto entry = read_as<FatEntry>(pieces, at);
            if (!entry || entry->header_size < sizeof(FatEntry) || entry->size > pieces.size())
                return std::nullopt;
            if (entry->kind == ptx)
                return entry->major;
            at += entry->header_size + entry->size;
        }
        at = end;
    }
    return std::nullopt;
}

}  // namespace

std::optional<int> cuda_major_of_ptx(const FilePieces& pieces, const Extent& part) {
    // PTX ISA 7.0 came with CUDA 11.0, 8.0 with 12.0, 9.0 with 13.0; before,
    // the two do not go in step.
    // https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#release-notes
    constexpr int first_in_step = 7, difference = 4;
    const auto major = major_of_ptx(pieces, part);
    if (major && *major >= first_in_step)
        return *major + difference;
    return std::nullopt;
}

}  // namespace rnncheck
