#include "model/hdf5.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace rnncheck::model {

namespace {

constexpr std::size_t most_messages = 100'000, most_objects = 200'000, most_links = 1'000'000, most_nodes = 20'000;
namespace message_type {
constexpr std::uint64_t dataspace = 1, link_info = 2, datatype = 3, link = 6, attribute = 12, continuation = 16,
                        symbol_table = 17, attribute_info = 21;
}

std::uint64_t padded_to_8(std::uint64_t size) {
    return (size + 7) / 8 * 8;
}

std::string text_of_bytes(std::string_view bytes) {
    return std::string(bytes.substr(0, bytes.find('\0')));
}

}  // namespace

std::string Hdf5Object::text(const std::string& attribute_name) const {
    const auto found = attributes.find(attribute_name);
    return found == attributes.end() || found->second.empty() ? "" : found->second.front();
}

Hdf5File::Hdf5File(std::string_view bytes) : bytes_(bytes) {
    const std::uint64_t version = little(bytes, 8, 1);
    if (version > 3) throw InputError("it has a version of HDF5's superblock that is not known here");
    const bool new_form = version >= 2;
    offset_bytes_ = little(bytes, new_form ? 9 : 13, 1);
    length_bytes_ = little(bytes, new_form ? 10 : 14, 1);
    if (offset_bytes_ > 8 || length_bytes_ > 8 || offset_bytes_ < 2 || length_bytes_ < 2)
        damaged("HDF5's addresses have an unusual size");
    // Behind the fixed part: base, extension, end, root; or base, free space, end, driver, root's name and header.
    root_ = new_form ? offset(bytes, 12 + 3 * offset_bytes_)
                     : offset(bytes, (version == 1 ? 28u : 24u) + 5 * offset_bytes_);
}

void Hdf5File::add_messages(std::string_view block, std::vector<Message>& into,
                            std::vector<std::pair<std::uint64_t, std::uint64_t>>& blocks, bool new_form,
                            bool ordered) const {
    const std::uint64_t header = new_form ? (ordered ? 6 : 4) : 8;
    for (std::uint64_t at = 0; at + header <= block.size();) {
        const std::uint64_t type = little(block, at, new_form ? 1 : 2),
                            size = little(block, at + (new_form ? 1 : 2), 2);
        const std::string_view data = slice(block, at + header, size);
        at += header + size;
        if (type == message_type::continuation)
            blocks.emplace_back(offset(data, 0), little(data, offset_bytes_, length_bytes_));
        else
            into.push_back({type, data});
        if (into.size() > most_messages || blocks.size() > most_messages)
            damaged("an HDF5 object has too many messages");
    }
}

std::vector<Hdf5File::Message> Hdf5File::messages(std::uint64_t address) const {
    std::vector<Message> messages;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;
    const bool new_form = slice(bytes_, address, 4) == "OHDR";
    bool ordered = false;
    if (new_form) {
        const std::uint64_t flags = little(bytes_, address + 5, 1), size_bytes = 1u << (flags & 3);
        const std::uint64_t sizes = address + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
        ordered = (flags & 4) != 0;
        add_messages(slice(bytes_, sizes + size_bytes, little(bytes_, sizes, size_bytes)), messages, blocks, true,
                     ordered);
    } else if (little(bytes_, address, 1) == 1) {
        add_messages(slice(bytes_, address + 16, little(bytes_, address + 8, 4)), messages, blocks, false, false);
    } else {
        damaged("an HDF5 object has no header");
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::string_view block = slice(bytes_, blocks[i].first, blocks[i].second);
        if (new_form) block = block.size() < 8 ? "" : block.substr(4, block.size() - 8);  // "OCHK" and a checksum
        add_messages(block, messages, blocks, new_form, ordered);
    }
    return messages;
}

Hdf5Object Hdf5File::object(std::uint64_t address) const {
    Hdf5Object object;
    for (const Message& message : messages(address)) {
        if (message.type == message_type::datatype && (little(message.data, 0, 1) & 15) == 1)
            object.dtype = "float" + std::to_string(8 * little(message.data, 4, 4));
        if (message.type == message_type::dataspace) object.shape = shape_of(message.data);
        if (message.type == message_type::attribute) read_attribute(message.data, object);
        if (message.type == message_type::symbol_table) read_symbols(message.data, object);
        if (message.type == message_type::link) read_link(message.data, object);
        // Where a heap has an address, links or attributes are in it.
        if (message.type == message_type::link_info || message.type == message_type::attribute_info) {
            const std::uint64_t flags = little(message.data, 1, 1);
            const std::uint64_t before = message.type == message_type::link_info ? 8 : 2;
            const std::uint64_t heap = offset(message.data, 2 + (flags & 1 ? before : 0));
            object.complete &= heap >= bytes_.size();
        }
    }
    return object;
}

std::vector<std::int64_t> Hdf5File::shape_of(std::string_view data) const {
    const std::uint64_t version = little(data, 0, 1), rank = little(data, 1, 1);
    std::vector<std::int64_t> shape;
    for (std::uint64_t i = 0; i < rank; ++i)
        shape.push_back(
            static_cast<std::int64_t>(little(data, (version == 1 ? 8 : 4) + i * length_bytes_, length_bytes_)));
    return shape;
}

void Hdf5File::read_attribute(std::string_view data, Hdf5Object& into) const {
    const std::uint64_t version = little(data, 0, 1);
    const auto size = [&](std::uint64_t at) { return little(data, at, 2); };
    const auto place = [&](std::uint64_t length) { return version == 1 ? padded_to_8(length) : length; };
    Cursor parts(data, version == 3 ? 9 : 8);
    const std::string name = text_of_bytes(parts.text(place(size(2))));
    const std::string_view type = parts.text(place(size(4)));
    const std::vector<std::int64_t> shape = shape_of(parts.text(place(size(6))));
    std::uint64_t count = 1;
    for (const std::int64_t length : shape) count = static_cast<std::uint64_t>(length) * (count > 65536 ? 0 : count);
    const std::uint64_t kind = little(type, 0, 1) & 15, bytes = little(type, 4, 4);
    const bool fixed = kind == 3, variable = kind == 9 && (little(type, 1, 1) & 15) == 1;
    if (!fixed && !variable) return;
    std::vector<std::string>& texts = into.attributes[name];
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 65536); ++i) {
        const std::string_view value = parts.text(bytes);
        texts.push_back(fixed ? text_of_bytes(value) : text_in_heap(value));
    }
}

/// A reference is a length, the address of a collection and an index in it.
std::string Hdf5File::text_in_heap(std::string_view reference) const {
    const std::uint64_t length = little(reference, 0, 4), collection = offset(reference, 4);
    const std::uint64_t index = little(reference, 4 + offset_bytes_, 4);
    if (length == 0) return "";
    if (slice(bytes_, collection, 4) != "GCOL") damaged("a text of HDF5 is not where it should be");
    Cursor objects(slice(bytes_, collection, little(bytes_, collection + 8, length_bytes_)), 8 + length_bytes_);
    while (!objects.at_end()) {
        const std::uint64_t number = objects.number(2);
        if (number == 0) break;  // the rest is free
        objects.skip(6);
        const std::uint64_t size = objects.number(length_bytes_);
        if (number == index) return text_of_bytes(objects.text(std::min(size, length)));
        objects.skip(padded_to_8(size));
    }
    damaged("a text of HDF5 is not in its heap");
}

void Hdf5File::read_symbols(std::string_view data, Hdf5Object& into) const {
    const std::uint64_t heap = offset(data, offset_bytes_);
    if (slice(bytes_, heap, 4) != "HEAP") damaged("an HDF5 group has no names");
    const std::uint64_t size = little(bytes_, heap + 8, length_bytes_),
                        at = offset(bytes_, heap + 8 + 2 * length_bytes_);
    std::set<std::uint64_t> seen;
    read_tree(offset(data, 0), slice(bytes_, at, size), seen, into);
}

void Hdf5File::read_tree(std::uint64_t node, std::string_view names, std::set<std::uint64_t>& seen,
                         Hdf5Object& into) const {
    if (!seen.insert(node).second || into.links.size() > most_links) damaged("an HDF5 group's index is a loop");
    if (slice(bytes_, node, 4) == "SNOD") {
        const std::uint64_t entry_size = 2 * offset_bytes_ + 24, count = little(bytes_, node + 6, 2);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::string_view entry = slice(bytes_, node + 8 + i * entry_size, entry_size);
            const std::string_view name = Cursor(names, offset(entry, 0)).text_to('\0');
            into.links[std::string(name)] = offset(entry, offset_bytes_);
        }
        return;
    }
    if (slice(bytes_, node, 4) != "TREE" || little(bytes_, node + 4, 1) != 0 || seen.size() > most_nodes)
        damaged("an HDF5 group has no index");
    const std::uint64_t count = little(bytes_, node + 6, 2), first = node + 8 + 2 * offset_bytes_ + length_bytes_;
    for (std::uint64_t i = 0; i < count; ++i)
        read_tree(offset(bytes_, first + i * (offset_bytes_ + length_bytes_)), names, seen, into);
}

void Hdf5File::read_link(std::string_view data, Hdf5Object& into) const {
    const std::uint64_t flags = little(data, 1, 1);
    Cursor parts(data, 2);
    const std::uint64_t type = flags & 8 ? parts.number(1) : 0;
    parts.skip((flags & 4 ? 8u : 0u) + (flags & 16 ? 1u : 0u));
    const std::string name(parts.text(parts.number(1u << (flags & 3))));
    if (type == 0) into.links[name] = parts.number(offset_bytes_);
}

void Hdf5File::each(const std::function<void(const std::string&, const Hdf5Object&)>& use) const {
    std::set<std::uint64_t> seen{root_};
    std::vector<std::pair<std::string, std::uint64_t>> open{{"", root_}};
    for (std::size_t i = 0; i < open.size() && i < most_objects; ++i) {
        const auto [path, address] = open[i];
        const Hdf5Object found = object(address);
        use(path, found);
        for (const auto& [name, child] : found.links)
            if (seen.insert(child).second) open.emplace_back(path.empty() ? name : path + "/" + name, child);
    }
}

}  // namespace rnncheck::model
