// Tiny DLLs of Windows as bytes: headers, imports, delayed imports, exports, a version resource and
// texts.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace rnncheck::test {

struct PeImport {
    std::string library;
    std::vector<std::string> functions = {"function"};
};

/// One section with everything in it, whose addresses differ from its offsets, as in real files.
struct PeBuilder {
    std::string name = "cudnn64_9.dll";
    std::vector<PeImport> imports = {};
    std::vector<std::string> delayed = {};
    std::vector<std::string> exports = {};
    std::optional<std::array<std::uint16_t, 4>> version = {};
    std::string product = "Product";
    std::vector<std::string> texts = {};
    std::optional<std::uint16_t> ptx = {};  ///< the ISA version, major only, of its GPU code
    std::uint16_t machine = 0x8664;
    bool is_64_bit = true;
    bool is_dll = true;

    std::string bytes() const {
        Contents contents(is_64_bit);
        if (ptx)
            contents.add_gpu_code(*ptx);
        const Table import_table = contents.add_imports(imports);
        const Table delay_table = contents.add_delayed(delayed);
        const Table export_table = contents.add_exports(name, exports);
        const Table resources = version ? contents.add_version(*version, product) : Table{};
        for (const auto& text : texts)
            contents.add_text(text);
        contents.pad();
        std::string file = header(contents.bytes.size());
        const std::size_t tables = optional_header + (is_64_bit ? 112 : 96);
        put(file, tables, export_table);
        put(file, tables + 8, import_table);
        put(file, tables + 2 * std::size_t{8}, resources);
        put(file, tables + 13 * std::size_t{8}, delay_table);
        return file + contents.bytes;
    }

    static constexpr std::size_t pe_header = 0x80, optional_header = pe_header + 24, offset = 0x400;
    static constexpr std::uint32_t address = 0x1000;

  private:
    struct Table {
        std::uint32_t address = 0, size = 0;
    };

    template <class T>
    static void put(std::string& bytes, std::size_t place, const T& value) {
        std::memcpy(bytes.data() + place, &value, sizeof value);
    }

    /// What the section holds; each place is returned as an address.
    struct Contents {
        explicit Contents(bool wide) : width(wide ? 8 : 4), bytes(16, '\0') {
        }

        std::uint32_t here() const {
            return address + static_cast<std::uint32_t>(bytes.size());
        }
        void pad(std::size_t to = 16) {
            bytes.resize((bytes.size() + to - 1) / to * to);
        }
        std::uint32_t add_text(const std::string& text) {
            const std::uint32_t place = here();
            bytes += text + '\0';
            return place;
        }
        void number(std::uint64_t value, std::size_t size) {
            bytes.append(reinterpret_cast<const char*>(&value), size);
        }
        std::uint32_t add_functions(const std::vector<std::string>& functions) {
            std::vector<std::uint32_t> names;
            for (const auto& function : functions)
                names.push_back(add_text(std::string(2, '\0') + function));
            pad();
            const std::uint32_t place = here();
            for (const std::uint32_t function : names)
                number(function, width);
            number(std::uint64_t{1} << (width * 8 - 1) | 7, width);  // the seventh, by its number
            number(0, width);
            return place;
        }
        Table add_imports(const std::vector<PeImport>& imports) {
            if (imports.empty())
                return {};
            std::vector<std::array<std::uint32_t, 5>> descriptors;
            for (const auto& import : imports) {
                const std::uint32_t functions = add_functions(import.functions);
                descriptors.push_back({functions, 0, 0, add_text(import.library), functions});
            }
            descriptors.push_back({});
            return add_table(descriptors);
        }
        Table add_delayed(const std::vector<std::string>& libraries) {
            if (libraries.empty())
                return {};
            std::vector<std::array<std::uint32_t, 8>> descriptors;
            for (const auto& library : libraries)
                descriptors.push_back({1, add_text(library)});
            descriptors.push_back({});
            return add_table(descriptors);
        }
        Table add_exports(const std::string& own_name, const std::vector<std::string>& functions) {
            if (own_name.empty())
                return {};
            const std::uint32_t named = add_text(own_name);
            std::vector<std::uint32_t> names;
            for (const auto& function : functions)
                names.push_back(add_text(function));
            pad();
            const std::uint32_t table = here();
            for (const std::uint32_t place : names)
                number(place, 4);
            const auto count = static_cast<std::uint32_t>(functions.size());
            return add_table(std::vector<std::array<std::uint32_t, 10>>{
                {0, 0, 0, named, 1, count, count, table, table, table}});
        }
        template <class Row>
        Table add_table(const std::vector<Row>& rows) {
            pad();
            const Table table{here(), static_cast<std::uint32_t>(rows.size() * sizeof(Row))};
            bytes.append(reinterpret_cast<const char*>(rows.data()), table.size);
            return table;
        }
        Table add_version(const std::array<std::uint16_t, 4>& version, const std::string& product) {
            std::string fixed(52, '\0');
            put(fixed, 0, std::uint32_t{0xFEEF04BD});
            put(fixed, 8, std::uint32_t{version[0]} << 16 | version[1]);
            put(fixed, 12, std::uint32_t{version[2]} << 16 | version[3]);
            const std::string strings = block(
                "StringFileInfo",
                "",
                1,
                block(
                    "040904E4",
                    "",
                    1,
                    block("CompanyName", wide("NVIDIA"), 1) +
                        block("ProductName", wide(product), 1)));
            const std::string data = block("VS_VERSION_INFO", fixed, 0, strings);
            pad();
            const std::uint32_t start = here();
            constexpr std::uint32_t directory = 0x80000000;
            const auto level = [&](std::uint32_t id, std::uint32_t place) {
                bytes.append(14, '\0');
                number(1, 2);
                number(id, 4);
                number(place, 4);
            };
            level(16, directory | 24);
            level(1, directory | 48);
            level(0x409, 72);
            number(start + 88, 4);
            number(data.size(), 4);
            number(0, 8);
            bytes += data;
            return {start, 88};
        }
        /// A container with a cubin and PTX.
        void add_gpu_code(std::uint16_t ptx) {
            constexpr std::uint16_t of_cubin = 2, of_ptx = 1;
            constexpr std::size_t head = 64, contents = 16;
            number(0xBA55ED50, 4);
            number(1, 2);
            number(16, 2);
            number(2 * (head + contents), 8);
            for (const std::uint16_t kind : {of_cubin, of_ptx}) {
                number(kind, 2);
                number(0, 2);
                number(head, 4);
                number(contents, 8);
                number(0, 8);
                number(5, 2);
                number(kind == of_ptx ? ptx : 1, 2);
                bytes.append(head - 28 + contents, '\0');
            }
        }
        static std::string wide(const std::string& text) {
            std::string result;
            for (const char c : text + '\0')
                result += {c, '\0'};
            return result;
        }
        static std::string block(
            const std::string& key,
            const std::string& value,
            std::uint16_t is_text,
            const std::string& children = "") {
            std::string result(6, '\0');
            result += wide(key);
            result.resize((result.size() + 3) / 4 * 4);
            result += value;
            result.resize((result.size() + 3) / 4 * 4);
            result += children;
            put(result, 0, static_cast<std::uint16_t>(result.size()));
            put(result, 2, static_cast<std::uint16_t>(is_text ? value.size() / 2 : value.size()));
            put(result, 4, is_text);
            return result;
        }

        std::size_t width;
        std::string bytes;
    };

    /// What Windows' loader needs beside the tables: the image's base, alignments, sizes, and the
    /// oldest Windows that runs it.
    void put_layout(std::string& file, std::uint32_t contents) const {
        constexpr std::uint32_t page = 0x1000, sector = 0x200;
        put(file, optional_header + 4, sector);  // of code: one without is loaded into any process
        if (is_64_bit)
            put(file, optional_header + 24, std::uint64_t{0x180000000});
        else
            put(file, optional_header + 28, std::uint32_t{0x10000000});
        put(file, optional_header + 32, std::array<std::uint32_t, 2>{page, sector});
        put(file, optional_header + 40, std::uint16_t{6});
        put(file, optional_header + 48, std::uint16_t{6});
        const std::uint32_t pages = (contents + page - 1) / page;
        put(file,
            optional_header + 56,
            std::array<std::uint32_t, 2>{
                address + pages * page, static_cast<std::uint32_t>(offset)});
        put(file, optional_header + 68, std::uint16_t{2});
    }

    std::string header(std::size_t size) const {
        std::string file(offset, '\0');
        file.replace(0, 2, "MZ");
        put(file, 0x3C, static_cast<std::uint32_t>(pe_header));
        file.replace(pe_header, 2, "PE");
        put(file, pe_header + 4, machine);
        put(file, pe_header + 6, std::uint16_t{1});
        const auto optional_size = static_cast<std::uint16_t>((is_64_bit ? 112 : 96) + 16 * 8);
        put(file, pe_header + 20, optional_size);
        put(file, pe_header + 22, static_cast<std::uint16_t>(is_dll ? 0x2022 : 0x22));
        put(file, optional_header, static_cast<std::uint16_t>(is_64_bit ? 0x20B : 0x10B));
        put_layout(file, static_cast<std::uint32_t>(size));
        put(file, optional_header + (is_64_bit ? 108 : 92), std::uint32_t{16});
        const std::size_t section = optional_header + optional_size;
        const std::string section_name = ptx ? ".nv_fatb" : ".rdata";
        file.replace(section, section_name.size(), section_name);
        const auto length = static_cast<std::uint32_t>(size);
        const std::array<std::uint32_t, 4> place{
            length, address, length, static_cast<std::uint32_t>(offset)};
        put(file, section + 8, place);
        put(file, section + 36, std::uint32_t{0xC0000040});
        return file;
    }
};

/// A 64-bit DLL of this name that imports the one function of others, and has it.
inline std::string dll_bytes(const std::string& name, const std::vector<std::string>& needed = {}) {
    PeBuilder builder;
    builder.name = name;
    builder.exports = {"function"};
    for (const auto& library : needed)
        builder.imports.push_back({library});
    return builder.bytes();
}

}  // namespace rnncheck::test
