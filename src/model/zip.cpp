// Files of PyTorch, Keras and NumPy are ZIP archives. The sections are those of
// PKWARE's APPNOTE: 4.3.16 the record at the end, 4.3.14 that of ZIP64, 4.3.12
// the directory's entries, 4.5.3 the extra field.
#include <zlib.h>

#include <algorithm>

#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

/// What a small archive may become: a model's descriptions are far below it.
constexpr std::size_t most_inflated = 64 << 20, most_entries = 1'000'000;

/// Of the central directory: its place, its size in bytes, its entries.
struct Directory {
    std::uint64_t at, size, entries;
};

/// The record at the end of the archive; that of ZIP64 before it, where a
/// number does not fit into it.
Directory find_directory(std::string_view bytes) {
    constexpr std::size_t record = 22, longest_comment = 65535;
    std::size_t tail = 0;
    if (bytes.size() > record + longest_comment)
        tail = bytes.size() - record - longest_comment;
    const auto found = bytes.substr(tail).rfind("PK\5\6");
    if (found == std::string_view::npos)
        damaged("the ZIP archive has no directory at its end");
    const std::uint64_t end = tail + found;
    const Directory small{
        little(bytes, end + 16, 4), little(bytes, end + 12, 4), little(bytes, end + 10, 2)};
    // Numbers with all bits set are in the record of ZIP64, whose place is in a
    // locator of 20 bytes directly before.
    const bool fits = small.at != 0xffffffff && small.size != 0xffffffff && small.entries != 0xffff;
    if (fits || end < 20 || little(bytes, end - 20, 4) != 0x07064b50)
        return small;
    const std::uint64_t large = little(bytes, end - 12, 8);
    if (little(bytes, large, 4) != 0x06064b50)
        damaged("the ZIP64 record is not where it should be");
    return {
        little(bytes, large + 48, 8), little(bytes, large + 40, 8), little(bytes, large + 32, 8)};
}

/// ZIP64's extra field holds those of size, packed size and place
/// that do not fit, in this order.
void read_extra(std::string_view extra, ZipArchive::Entry& entry) {
    for (Cursor fields(extra); !fields.at_end();) {
        const std::uint64_t id = fields.number(2);
        Cursor field(fields.text(fields.number(2)));
        if (id != 1)
            continue;
        for (std::uint64_t* value : {&entry.size, &entry.packed_size, &entry.header})
            if (*value == 0xffffffff)
                *value = field.number(8);
    }
}

/// The name, the extra field and the comment follow the fixed part of an entry,
/// in this order.
ZipArchive::Entry read_entry(Cursor& directory) {
    if (directory.number(4) != 0x02014b50)
        damaged("an entry of the ZIP archive's directory is not one");
    ZipArchive::Entry entry;
    directory.skip(6);
    entry.method = directory.number(2);
    directory.skip(8);
    entry.packed_size = directory.number(4);
    entry.size = directory.number(4);
    const std::uint64_t name = directory.number(2), extra = directory.number(2),
                        comment = directory.number(2);
    directory.skip(8);
    entry.header = directory.number(4);
    entry.name = directory.text(name);
    read_extra(directory.text(extra), entry);
    directory.skip(comment);
    return entry;
}

/// Deflated data without a header, which negative window bits denote to zlib.
/// The size must be exactly that of the directory.
std::string inflated(std::string_view packed, std::uint64_t size, const std::string& name) {
    std::string text(size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(std::min<std::uint64_t>(packed.size(), 1u << 31));
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    const int result = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (result != Z_STREAM_END || stream.avail_out > 0)
        damaged("'" + name + "' cannot be unpacked");
    return text;
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes) : bytes_(bytes) {
    const Directory place = find_directory(bytes);
    Cursor directory(slice(bytes, place.at, place.size));
    if (place.entries > most_entries)
        throw InputError("the ZIP archive has more than 1000000 files");
    for (std::uint64_t i = 0; i < place.entries; ++i)
        entries_.push_back(read_entry(directory));
}

/// PyTorch's archives have all files below a directory whose name is that of
/// the file: its end is compared.
const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
    const Entry* found = nullptr;
    for (const Entry& entry : entries_)
        if (entry.name == name || entry.name.ends_with("/" + std::string(name)))
            found = &entry;
    return found;
}

std::string_view ZipArchive::content(const Entry& entry) const {
    // Name and extra field of the local header have lengths of their own, other than
    // the directory's: torch.save pads the extra field, so that the data are aligned.
    constexpr std::uint64_t fixed_part = 30;
    const std::uint64_t begin = entry.header + fixed_part + little(bytes_, entry.header + 26, 2) +
                                little(bytes_, entry.header + 28, 2);
    const std::string_view packed = slice(bytes_, begin, entry.packed_size);
    if (entry.method == 0)
        return packed;
    if (entry.method != 8)
        throw InputError("'" + entry.name + "' is packed by a method other than deflate");
    inflated_bytes_ += std::min<std::uint64_t>(entry.size, most_inflated + 1);
    if (inflated_bytes_ > most_inflated)
        throw InputError("'" + entry.name + "' in the ZIP archive is larger than 64 MiB unpacked");
    return inflated_.emplace_back(inflated(packed, entry.size, entry.name));
}

}  // namespace rnncheck::model
