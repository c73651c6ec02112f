// The part of HDF5 that Keras' files have: the chapter numbers are those of the
// format's specification (readers.hpp).
#include <algorithm>
#include <set>

#include "base/if_any.hpp"
#include "model/readers.hpp"

namespace rnncheck::model {

namespace {

constexpr std::size_t most_messages = 100'000, most_objects = 200'000, most_links = 1'000'000,
                      most_nodes = 20'000;
namespace message_type {
constexpr std::uint64_t dataspace = 1, datatype = 3, layout = 8, attribute = 12, continuation = 16,
                        symbol_table = 17;
}

/// Names and values of attributes of version 1 are padded.
std::uint64_t padded_to_8(std::uint64_t size) {
    return (size + 7) / 8 * 8;
}

/// Strings of fixed length end with zeros.
std::string text_of_bytes(std::string_view bytes) {
    return std::string(bytes.substr(0, bytes.find('\0')));
}

/// A group or a dataset.
struct Object {
    /// its attributes that are texts
    TextMap texts = {};
    /// what a group contains, by name
    std::map<std::string, std::uint64_t> links = {};
    std::optional<Tensor> dataset = {};
};

/// A header message of an object (IV.A.2), the unit that everything about it is written in.
struct Message {
    std::uint64_t type;
    std::string_view data;
};

/// Addresses and lengths have the sizes that the superblock states, 8
/// bytes each in all real files.
struct File {
    std::string_view bytes;
    std::uint64_t offset_bytes = little(bytes, 13, 1), length_bytes = little(bytes, 14, 1);

    std::uint64_t offset(std::string_view data, std::uint64_t at) const {
        return little(data, at, offset_bytes);
    }

    /// IV.A.1.a, version 1 of an object header; a continuation
    /// message leads to further blocks.
    std::vector<Message> messages(std::uint64_t address) const {
        constexpr std::uint64_t header = 8;
        if (little(bytes, address, 1) != 1)
            damaged("an HDF5 object has no header");
        std::vector<Message> messages;
        std::vector<std::string_view> blocks{
            slice(bytes, address + 16, little(bytes, address + 8, 4))};
        for (std::size_t i = 0; i < blocks.size(); ++i)
            for (std::uint64_t at = 0; at + header <= blocks[i].size();) {
                const std::uint64_t type = little(blocks[i], at, 2),
                                    size = little(blocks[i], at + 2, 2);
                const std::string_view data = slice(blocks[i], at + header, size);
                at += header + size;
                if (messages.size() + blocks.size() > most_messages)
                    damaged("an HDF5 object has too many messages");
                if (type == message_type::continuation)
                    blocks.push_back(
                        slice(bytes, offset(data, 0), little(data, offset_bytes, length_bytes)));
                else
                    messages.push_back({type, data});
            }
        return messages;
    }

    Object object(std::uint64_t address) const {
        Object object;
        Tensor dataset;
        std::string_view layout;
        for (const auto& [type, data] : messages(address)) {
            // class 1 are floating-point numbers; the first bit of the
            // flags is set for big-endian ones
            const bool real = type == message_type::datatype && (little(data, 0, 1) & 15) == 1;
            if (real && (little(data, 1, 1) & 1) == 0)
                dataset.dtype = "float" + std::to_string(8 * little(data, 4, 4));
            if (type == message_type::dataspace)
                dataset.shape = shape_of(data);
            if (type == message_type::layout)
                layout = data;
            if (type == message_type::attribute)
                read_attribute(data, object);
            if (type == message_type::symbol_table)
                read_symbols(data, object);
        }
        if (layout.empty())
            return object;
        dataset.bytes = data_at(layout);
        object.dataset = std::move(dataset);
        return object;
    }

    /// IV.A.2.b: version 1 has four more reserved bytes in front of the sizes.
    std::vector<std::int64_t> shape_of(std::string_view data) const {
        const std::uint64_t version = little(data, 0, 1), rank = little(data, 1, 1);
        constexpr std::uint64_t head_of_1 = 8, head_of_2 = 4;
        const std::uint64_t head = version == 1 ? head_of_1 : head_of_2;
        std::vector<std::int64_t> shape;
        for (std::uint64_t i = 0; i < rank; ++i)
            shape.push_back(
                static_cast<std::int64_t>(little(data, head + i * length_bytes, length_bytes)));
        return shape;
    }

    /// Of a layout of version 3 that keeps all data in one place, of
    /// which an empty dataset has none.
    std::string_view data_at(std::string_view layout) const {
        constexpr std::uint64_t version = 3, contiguous = 1;
        if (little(layout, 0, 1) != version || little(layout, 1, 1) != contiguous)
            return "";
        const std::uint64_t address = offset(layout, 2),
                            size = little(layout, 2 + offset_bytes, length_bytes);
        if (address >= bytes.size())
            return "";
        return slice(bytes, address, size);
    }

    /// IV.A.2.m: the sizes of name, type and space, then these three and the value.
    void read_attribute(std::string_view data, Object& into) const {
        const std::uint64_t version = little(data, 0, 1);
        const auto size = [&](std::uint64_t at) { return little(data, at, 2); };
        const auto place = [&](std::uint64_t length) {
            return version == 1 ? padded_to_8(length) : length;
        };
        Cursor parts(data, version == 3 ? 9 : 8);
        const std::string name = text_of_bytes(parts.text(place(size(2))));
        const std::string_view type = parts.text(place(size(4)));
        // how many there are
        parts.skip(place(size(6)));
        const std::uint64_t kind = little(type, 0, 1) & 15;
        const bool fixed = kind == 3, variable = kind == 9 && (little(type, 1, 1) & 15) == 1;
        if ((!fixed && !variable) || parts.at_end())
            return;
        const std::string_view value = parts.text(little(type, 4, 4));
        if (fixed)
            into.texts[name] = text_of_bytes(value);
        else
            into.texts[name] = text_in_heap(value);
    }

    /// A reference is a length, the address of a collection and an index in it.
    std::string text_in_heap(std::string_view reference) const {
        const std::uint64_t length = little(reference, 0, 4), collection = offset(reference, 4);
        const std::uint64_t index = little(reference, 4 + offset_bytes, 4);
        if (length == 0)
            return "";
        if (slice(bytes, collection, 4) != "GCOL")
            damaged("an HDF5 string is not at its address");
        Cursor objects(
            slice(bytes, collection, little(bytes, collection + 8, length_bytes)),
            8 + length_bytes);
        while (!objects.at_end()) {
            const std::uint64_t number = objects.number(2);
            // the rest is free
            if (number == 0)
                break;
            objects.skip(6);
            const std::uint64_t size = objects.number(length_bytes);
            if (number == index)
                return text_of_bytes(objects.text(std::min(size, length)));
            objects.skip(padded_to_8(size));
        }
        damaged("an HDF5 string is not in its heap");
    }

    /// III.D: the names of a group are in a local heap, its entries in a tree of nodes.
    void read_symbols(std::string_view data, Object& into) const {
        const std::uint64_t heap = offset(data, offset_bytes);
        if (slice(bytes, heap, 4) != "HEAP")
            damaged("an HDF5 group has no heap of names");
        const std::uint64_t size = little(bytes, heap + 8, length_bytes),
                            at = offset(bytes, heap + 8 + 2 * length_bytes);
        std::set<std::uint64_t> seen;
        read_tree(offset(data, 0), slice(bytes, at, size), seen, into);
    }

    /// III.A.1 and III.B: a node of the tree (TREE) has other nodes, a leaf
    /// (SNOD) the entries.
    void read_tree(
        std::uint64_t node,
        std::string_view names,
        std::set<std::uint64_t>& seen,
        Object& into) const {
        if (!seen.insert(node).second || into.links.size() > most_links)
            damaged("an HDF5 group's index is a loop");
        const std::uint64_t count = little(bytes, node + 6, 2);
        if (slice(bytes, node, 4) == "SNOD") {
            const std::uint64_t entry_size = 2 * offset_bytes + 24;
            for (std::uint64_t i = 0; i < count; ++i) {
                const std::string_view entry = slice(bytes, node + 8 + i * entry_size, entry_size);
                const std::string_view name = Cursor(names, offset(entry, 0)).text_to('\0');
                into.links[std::string(name)] = offset(entry, offset_bytes);
            }
            return;
        }
        if (slice(bytes, node, 4) != "TREE" || little(bytes, node + 4, 1) != 0 ||
            seen.size() > most_nodes)
            damaged("an HDF5 group has no index");
        const std::uint64_t first = node + 8 + 2 * offset_bytes + length_bytes;
        for (std::uint64_t i = 0; i < count; ++i)
            read_tree(offset(bytes, first + i * (offset_bytes + length_bytes)), names, seen, into);
    }
};

}  // namespace

/// Breadth first from the root: groups may be reached by several links, and are read once.
Hdf5 read_hdf5(std::string_view bytes) {
    const std::uint64_t version = little(bytes, 8, 1);
    if (version > 1)
        throw InputError(
            "it is HDF5 in a form that Keras does not write (libver=latest); load it with Keras "
            "and save it again");
    const File file{bytes};
    if (file.offset_bytes > 8 || file.length_bytes > 8 || file.offset_bytes < 2 ||
        file.length_bytes < 2)
        damaged("HDF5's addresses have an unusual size");
    // Behind the fixed part: base, free space, end, driver, root's name and header.
    constexpr std::uint64_t fixed_part_of_0 = 24, fixed_part_of_1 = 28;
    const std::uint64_t fixed_part = version == 1 ? fixed_part_of_1 : fixed_part_of_0;
    const std::uint64_t root = file.offset(bytes, fixed_part + 5 * file.offset_bytes);
    Hdf5 found;
    std::set<std::uint64_t> seen{root};
    std::vector<std::pair<std::string, std::uint64_t>> open{{"", root}};
    for (std::size_t i = 0; i < open.size() && i < most_objects; ++i) {
        const auto [path, address] = open[i];
        Object here = file.object(address);
        if (here.dataset)
            found.datasets[path] = *here.dataset;
        if (path.empty() || path == "model_weights")
            found.texts.merge(here.texts);
        for (const auto& [name, child] : here.links)
            if (seen.insert(child).second)
                open.emplace_back(if_any("", path, "/") + name, child);
    }
    return found;
}

}  // namespace rnncheck::model
