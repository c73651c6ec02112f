// Tiny shared objects as bytes, and a directory to put them in.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace rnncheck::test {

/// A 64-bit shared object with one loaded segment (the whole file) and a dynamic section, as small
/// as the loader's own checks allow. Addresses differ from offsets, as in real libraries.
struct ElfBuilder {
    std::string soname = "libcudnn.so.9";
    std::vector<std::string> needed = {};
    std::string rpath = {};
    std::string runpath = {};
    std::vector<std::string> filters = {};
    std::vector<std::string> auxiliary = {};
    bool empty_runpath = false;    ///< a DT_RUNPATH that names nothing
    std::string interpreter = {};  ///< PT_INTERP
    std::uint64_t flags = 0;       ///< DT_FLAGS_1
#if defined(__aarch64__)
    unsigned machine = EM_AARCH64;
#else
    unsigned machine = EM_X86_64;
#endif
    unsigned char elf_class = ELFCLASS64;
    unsigned type = ET_DYN;

    std::string bytes() const {
        std::string names(1, '\0');
        std::vector<Elf64_Dyn> entries;
        const auto add = [&](std::int64_t tag, const std::string& name) {
            entries.push_back({tag, {names.size()}});
            names += name + '\0';
        };
        if (!soname.empty())
            add(DT_SONAME, soname);
        for (const auto& name : needed)
            add(DT_NEEDED, name);
        for (const auto& name : filters)
            add(DT_FILTER, name);
        for (const auto& name : auxiliary)
            add(DT_AUXILIARY, name);
        if (!rpath.empty())
            add(DT_RPATH, rpath);
        if (!runpath.empty() || empty_runpath)
            add(DT_RUNPATH, runpath);
        if (flags != 0)
            entries.push_back({DT_FLAGS_1, {flags}});
        const std::uint64_t interpreter_name = names.size();
        names += interpreter + '\0';
        const std::uint64_t dynamic = sizeof(Elf64_Ehdr) + segment_count() * sizeof(Elf64_Phdr);
        const std::uint64_t table = dynamic + (entries.size() + 3) * sizeof(Elf64_Dyn);
        entries.push_back({DT_STRTAB, {address + table}});
        entries.push_back({DT_STRSZ, {names.size()}});
        entries.push_back({DT_NULL, {0}});

        const std::uint64_t size = table + names.size();
        const Elf64_Phdr segments[] = {
            {PT_LOAD, PF_R, 0, address, address, size, size, 0x1000},
            {PT_DYNAMIC,
             PF_R,
             dynamic,
             address + dynamic,
             address + dynamic,
             table - dynamic,
             table - dynamic,
             8},
            {PT_INTERP,
             PF_R,
             table + interpreter_name,
             0,
             0,
             interpreter.size() + 1,
             interpreter.size() + 1,
             1}};
        std::string file = header();
        file.append(reinterpret_cast<const char*>(segments), segment_count() * sizeof(Elf64_Phdr));
        file.append(
            reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Elf64_Dyn));
        return file + names;
    }

  private:
    static constexpr std::uint64_t address = 0x10000;

    std::uint16_t segment_count() const {
        return interpreter.empty() ? 2 : 3;
    }

    std::string header() const {
        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = elf_class;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_ident[EI_VERSION] = EV_CURRENT;
        header.e_type = static_cast<Elf64_Half>(type);
        header.e_machine = static_cast<Elf64_Half>(machine);
        header.e_version = EV_CURRENT;
        header.e_phoff = sizeof header;
        header.e_ehsize = sizeof header;
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_phnum = segment_count();
        return std::string(reinterpret_cast<const char*>(&header), sizeof header);
    }
};

/// The bytes of a good library with this soname.
inline std::string library_bytes(
    const std::string& soname, const std::vector<std::string>& needed = {}) {
    ElfBuilder builder;
    builder.soname = soname;
    builder.needed = needed;
    return builder.bytes();
}

/// One of another machine: never this test's own.
inline std::string foreign_bytes(const std::string& soname) {
    ElfBuilder builder;
    builder.soname = soname;
    builder.machine = EM_S390;
    return builder.bytes();
}

}  // namespace rnncheck::test
