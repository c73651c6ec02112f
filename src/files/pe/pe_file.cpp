// The tables of imports, delayed imports and exports, with bounds far
// above those of real libraries.
#include "files/pe/pe_file.hpp"

#include <re2/re2.h>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/pe/pe_image.hpp"

namespace rnncheck::pe {

namespace {

// real GPU libraries import about 20
constexpr std::size_t most_libraries = 512;
constexpr std::size_t most_functions = 65536, most_name_bytes = 32 << 20;
constexpr std::size_t most_names_inside = 1024;
constexpr std::uint16_t is_dll = 0x2000;

/// IMAGE_IMPORT_DESCRIPTOR, IMAGE_DELAYLOAD_DESCRIPTOR and
/// IMAGE_EXPORT_DIRECTORY of winnt.h.
struct ImportDescriptor {
    std::uint32_t names, time, forwarder, library, addresses;
};
static_assert(sizeof(ImportDescriptor) == 20);

struct DelayDescriptor {
    std::uint32_t attributes, library, handle, addresses, names, bound, unload, time;
};
static_assert(sizeof(DelayDescriptor) == 32);

struct ExportDirectory {
    std::uint32_t flags, time, version, name, first_number, function_count, name_count, functions,
        names, numbers;
};
static_assert(sizeof(ExportDirectory) == 40);

/// "64-bit x86-64", "32-bit x86", "64-bit machine 258".
std::string machine_in_words(const PeImage& image) {
    using Name = std::pair<unsigned, const char*>;
    constexpr Name names[] = {
        {0x8664, "x86-64"}, {0x14C, "x86"}, {0xAA64, "AArch64"}, {0x1C4, "ARM"}};
    const unsigned machine = image.header().machine;
    const Name* const known = find_by(names, &Name::first, machine);
    std::string bits = "32-bit ";
    if (image.is_64_bit())
        bits = "64-bit ";
    if (!known)
        return bits + "machine " + std::to_string(machine);
    return bits + known->second;
}

/// The entries of a table that ends with one whose name is 0, or
/// where the file's contents end.
template <class Descriptor>
std::vector<Descriptor> descriptors(const PeImage& image, Table which) {
    std::vector<Descriptor> found;
    const auto table = image.table(which);
    if (!table)
        return found;
    const std::string bytes = image.at(table->address, (most_libraries + 1) * sizeof(Descriptor));
    for (const Descriptor& descriptor : as_array<Descriptor>(bytes)) {
        if (descriptor.library == 0)
            break;
        found.push_back(descriptor);
    }
    return found;
}

/// Adds the names of the DLLs. False when one is not in the file.
template <class Descriptor>
bool read_names(
    const PeImage& image, const std::vector<Descriptor>& table, std::vector<std::string>& names) {
    for (const Descriptor& descriptor : table) {
        const auto name = image.text_at(descriptor.library);
        if (!name || name->empty())
            return false;
        names.push_back(*name);
    }
    return table.size() <= most_libraries;
}

/// The attribute states that the descriptor has addresses relative to the
/// image, as all do since Visual C++ 7.
std::vector<DelayDescriptor> delay_descriptors(const PeImage& image) {
    constexpr std::uint32_t relative = 1;
    auto table = descriptors<DelayDescriptor>(image, Table::delayed_imports);
    std::erase_if(
        table, [](const DelayDescriptor& one) { return (one.attributes & relative) == 0; });
    return table;
}

void damaged(PeFile& file, const std::string& detail) {
    file.problem = FileProblem::damaged;
    file.problem_detail = "is damaged: " + detail;
}

/// Counts the names that were read and stops in front of what only a hostile file has.
class Budget {
  public:
    bool takes(const std::string& name) {
        bytes_ += name.size();
        return ++count_ <= most_functions && bytes_ <= most_name_bytes;
    }

  private:
    std::size_t count_ = 0, bytes_ = 0;
};

/// Adds the functions that a descriptor takes by name. False when they cannot be read.
bool add_functions(
    const PeImage& image,
    const ImportDescriptor& descriptor,
    Budget& budget,
    std::set<std::string>& functions) {
    // the names' table is left out by old linkers; the addresses are the same before loading
    std::uint64_t table = descriptor.names;
    if (table == 0)
        table = descriptor.addresses;
    const auto entries = addresses_at(image, table);
    if (!entries)
        return false;
    // the highest bit of an entry marks a function that is taken by its number
    const std::uint64_t by_number = std::uint64_t{1} << (image.is_64_bit() ? 63 : 31);
    constexpr std::size_t hint_size = 2;
    for (const std::uint64_t entry : *entries) {
        if (entry & by_number)
            continue;
        const auto name = image.text_at(entry + hint_size);
        if (!name || !budget.takes(*name))
            return false;
        functions.insert(*name);
    }
    return true;
}

bool is_dll_name(const std::string& text) {
    static const re2::RE2 form(R"((?i)[-+.\w]+\.dll)", re2::RE2::Latin1);
    return re2::RE2::FullMatch(text, form);
}

}  // namespace

PeFile read_pe_file(const Root& root, std::string_view path) {
    const PeImage image(root, path);
    PeFile file;
    if (image.problem()) {
        file.problem = image.problem()->problem;
        file.problem_detail = image.problem()->detail;
        return file;
    }
    file.machine = machine_in_words(image);
    file.is_program = (image.header().characteristics & is_dll) == 0;
    if (!read_names(image, descriptors<ImportDescriptor>(image, Table::imports), file.imports) ||
        !read_names(image, delay_descriptors(image), file.delayed))
        damaged(file, "the name of a DLL that it needs is outside the file");
    const auto exports = image.table(Table::exports);
    if (!exports)
        return file;
    if (const auto directory = image.one_at<ExportDirectory>(exports->address))
        file.name = image.text_at(directory->name).value_or("");
    return file;
}

std::optional<std::map<std::string, std::set<std::string>>> imported_functions(
    const Root& root, std::string_view path) {
    const PeImage image(root, path);
    if (image.problem())
        return std::nullopt;
    std::map<std::string, std::set<std::string>> found;
    Budget budget;
    for (const auto& descriptor : descriptors<ImportDescriptor>(image, Table::imports)) {
        const auto library = image.text_at(descriptor.library);
        if (!library || !add_functions(image, descriptor, budget, found[lower(*library)]))
            return std::nullopt;
    }
    return found;
}

/// Functions that are exported by their number alone have no name, and
/// nobody can take them by one.
std::optional<std::set<std::string>> exported_functions(const Root& root, std::string_view path) {
    const PeImage image(root, path);
    if (image.problem())
        return std::nullopt;
    std::set<std::string> found;
    const auto table = image.table(Table::exports);
    if (!table)
        return found;
    const auto directory = image.one_at<ExportDirectory>(table->address);
    if (!directory || directory->name_count > most_functions)
        return std::nullopt;
    const auto names =
        as_array<std::uint32_t>(image.at(directory->names, directory->name_count * 4));
    if (names.size() < directory->name_count)
        return std::nullopt;
    Budget budget;
    for (const std::uint32_t address : names) {
        const auto name = image.text_at(address);
        if (!name || !budget.takes(*name))
            return std::nullopt;
        found.insert(*name);
    }
    return found;
}

std::vector<std::string> embedded_library_names(const Root& root, std::string_view path) {
    std::vector<std::string> names;
    const PeImage image(root, path);
    if (image.problem())
        return names;
    const auto add = [&](std::string_view text) {
        if (names.size() >= most_names_inside)
            return;
        for (const std::string& name : split(text, ';'))
            if (is_dll_name(name))
                add_once(names, name);
    };
    search_texts(image.pieces(), data_of(image), {".dll", add});
    return names;
}

}  // namespace rnncheck::pe
