// The version resource of a PE file:
// https://learn.microsoft.com/en-us/windows/win32/menurc/vs-versioninfo
#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/pe/pe_image.hpp"

namespace rnncheck::pe {

namespace {

constexpr std::size_t most_resource_entries = 4096, most_version_bytes = 64 << 10;
// RT_VERSION
constexpr std::uint32_t version_type = 16;
constexpr std::uint32_t fixed_signature = 0xFEEF04BD;

/// IMAGE_RESOURCE_DIRECTORY and its entries (winnt.h): a tree of three
/// levels, type, name and language.
struct ResourceDirectory {
    std::uint32_t characteristics, time;
    std::uint16_t major, minor, named_count, numbered_count;
};
static_assert(sizeof(ResourceDirectory) == 16);

struct ResourceEntry {
    /// the place is that of a directory if its highest bit is set
    std::uint32_t number, place;
};

/// The beginning of VS_FIXEDFILEINFO.
struct FixedInfo {
    std::uint32_t signature, structure_version, file_high, file_low;
};

/// One structure of the resource: a key, a value, and structures of the same
/// form behind it.
struct Block {
    std::string key;
    std::string_view value, children;
    /// with the padding to the next one
    std::size_t size = 0;
};

/// Structures and their parts begin at multiples of four bytes.
constexpr std::size_t padded(std::size_t size) {
    return (size + 3) / 4 * 4;
}

/// UTF-16 up to its NUL, as ASCII; other characters become '?'.
std::string ascii_of(std::string_view bytes) {
    std::string text;
    for (const std::uint16_t unit : as_array<std::uint16_t>(bytes)) {
        if (unit == 0)
            break;
        const bool is_printable = unit >= 0x20 && unit < 0x7F;
        text += is_printable ? static_cast<char>(unit) : '?';
    }
    return text;
}

/// Length, length of the value, type (1 is text, whose length counts
/// characters), key, value, children.
std::optional<Block> first_block(std::string_view bytes) {
    constexpr std::size_t head = 6;
    const auto numbers = as_array<std::uint16_t>(bytes.substr(0, head));
    if (numbers.size() < 3 || numbers[0] < head)
        return std::nullopt;
    const std::string_view own = bytes.substr(0, numbers[0]);
    const bool is_text = numbers[2] == 1;
    std::size_t value_size = numbers[1];
    if (is_text)
        value_size *= 2;
    Block block{
        .key = ascii_of(own.substr(head)), .value = {}, .children = {}, .size = padded(own.size())};
    const std::size_t value = padded(head + (block.key.size() + 1) * 2);
    if (value > own.size())
        return block;
    block.value = own.substr(value, value_size);
    const std::size_t children = padded(value + block.value.size());
    if (children < own.size())
        block.children = own.substr(children);
    return block;
}

std::vector<Block> blocks_in(std::string_view bytes) {
    std::vector<Block> blocks;
    while (const auto block = first_block(bytes)) {
        blocks.push_back(*block);
        bytes.remove_prefix(std::min(block->size, bytes.size()));
    }
    return blocks;
}

/// The value of a text such as ProductName, in the first language that has it.
std::string text_named(const Block& version, std::string_view name) {
    for (const Block& kind : blocks_in(version.children)) {
        if (kind.key != "StringFileInfo")
            continue;
        for (const Block& language : blocks_in(kind.children))
            for (const Block& text : blocks_in(language.children))
                if (text.key == name)
                    return ascii_of(text.value);
    }
    return "";
}

/// The entries of a directory of resources, at this place in the table.
std::vector<ResourceEntry> entries_at(const PeImage& image, std::uint64_t address) {
    const auto directory = image.one_at<ResourceDirectory>(address);
    if (!directory)
        return {};
    const std::size_t count = std::min<std::size_t>(
        directory->named_count + directory->numbered_count, most_resource_entries);
    return as_array<ResourceEntry>(
        image.at(address + sizeof(ResourceDirectory), count * sizeof(ResourceEntry)));
}

/// The bytes of the first version resource: directories by type, by
/// name and by language lead to it.
std::string version_bytes(const PeImage& image) {
    constexpr std::uint32_t is_directory = 0x80000000;
    const auto table = image.table(Table::resources);
    if (!table)
        return "";
    const auto types = entries_at(image, table->address);
    const ResourceEntry* const type = find_by(types, &ResourceEntry::number, version_type);
    if (!type)
        return "";
    std::uint32_t place = type->place;
    for (int level = 0; level < 2 && (place & is_directory) != 0; ++level) {
        const auto entries =
            entries_at(image, std::uint64_t{table->address} + (place & ~is_directory));
        if (entries.empty())
            return "";
        place = entries.front().place;
    }
    if ((place & is_directory) != 0)
        return "";
    const auto data = image.one_at<DataDirectory>(std::uint64_t{table->address} + place);
    if (!data)
        return "";
    return image.at(data->address, std::min<std::size_t>(data->size, most_version_bytes));
}

}  // namespace

std::optional<VersionResource> version_resource(const Root& root, std::string_view path) {
    const PeImage image(root, path);
    std::string bytes;
    if (!image.problem())
        bytes = version_bytes(image);
    const auto version = first_block(bytes);
    std::optional<FixedInfo> fixed;
    if (version)
        fixed = first_as<FixedInfo>(version->value);
    if (!fixed || fixed->signature != fixed_signature)
        return std::nullopt;
    const auto high = [](std::uint32_t number) { return static_cast<int>(number >> 16); };
    const auto low = [](std::uint32_t number) { return static_cast<int>(number & 0xFFFF); };
    return VersionResource{
        .file = make_version(
            {high(fixed->file_high),
             low(fixed->file_high),
             high(fixed->file_low),
             low(fixed->file_low)}),
        .product = text_named(*version, "ProductName"),
        .description = text_named(*version, "FileDescription")};
}

}  // namespace rnncheck::pe
