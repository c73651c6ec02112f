// What the loader would read from a shared object: a few headers, the dynamic
// section and its names. Written for hostile files. May not load anything.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "facts/libraries.hpp"
#include "files/file_pieces.hpp"

namespace rnncheck::elf {

/// The class, byte order and machine of our own process.
#if defined(__x86_64__)
inline constexpr unsigned own_machine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr unsigned own_machine = EM_AARCH64;
#elif defined(__powerpc64__)
inline constexpr unsigned own_machine = EM_PPC64;
#elif defined(__riscv)
inline constexpr unsigned own_machine = EM_RISCV;
#else
#error "add the ELF machine of this processor, as <elf.h> names it"
#endif

inline constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
inline constexpr unsigned char own_byte_order =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

/// With a problem set, the other members hold what could be read in spite of it.
struct ElfFile {
    /// "64-bit x86-64"
    std::optional<std::string> machine;
    std::optional<std::string> soname;
    /// DT_NEEDED and DT_FILTER
    std::vector<std::string> needed;
    /// DT_AUXILIARY: loaded where it is found
    std::vector<std::string> auxiliary;
    /// entries of DT_RPATH, as written, each once
    std::vector<std::string> rpath;
    /// entries of DT_RUNPATH, as written, each once
    std::vector<std::string> runpath;
    /// also when it is empty: then no DT_RPATH counts
    bool has_runpath = false;
    /// DF_1_NODEFLIB: what it needs is sought in no default directory
    bool no_default_directories = false;
    /// what the kernel starts for a program: "/lib64/ld-linux-x86-64.so.2"
    std::optional<std::string> interpreter;
    /// a program without one is static
    bool has_dynamic_section = false;
    /// made to be started, whatever else
    bool is_program = false;
    /// Which bound of this reader the file passed, so that what is behind it is unknown:
    /// "its run path has more than 8192 directories". Empty for every real file.
    std::string not_read;
    std::optional<FileProblem> problem;
    /// reads after the path: "is a text file that begins with '<html>'"
    std::string problem_detail;
    /// glibc's loader goes on to its next directory as if this file were not
    /// there; with any other problem it stops here and the opening fails
    /// (open_verify in glibc's elf/dl-load.c).
    bool skipped = false;
    /// It skips the rest of the list too (LD_LIBRARY_PATH, a run path, the
    /// default directories) and goes on to the next one: a failure to open that
    /// is neither absence nor a lack of permission (open_path in the same file).
    bool aborts_list = false;
};

/// `library`: as the loader reads one. `program`: what is started or inspected by itself,
/// for which it is no problem to be a program, static or not, nor to be a library.
enum class ElfUse { library, program };

/// The machine of reference is that of our own process.
ElfFile read_elf_file(const Root& root, std::string_view path, ElfUse use = ElfUse::library);

// Library names that are texts in a file's read-only data: what it may
// open with dlopen while it runs.

/// Texts of the form libNAME.so or libNAME.so.NUMBERS, each once, in the file's
/// order. Looks into the read-only data sections, 64 MiB at most; without a table
/// of sections into the first 16 MiB. Nothing for a file that cannot be read.
std::vector<std::string> embedded_library_names(const Root& root, std::string_view path);

/// Whether the library defines this function for others ("cudnnCreate"), by its
/// DT_GNU_HASH, which every linker of the last fifteen years writes. False for
/// a file without one, or that cannot be read. Costs a few small reads.
bool defines_symbol(const Root& root, std::string_view path, const std::string& name);

/// The functions and data that it needs from others, without the weak ones,
/// which may be absent. At most 65536.
std::vector<std::string> undefined_symbols(const Root& root, std::string_view path);

/// libcudnn.so.9, _pywrap.so, libfoo.so.2.18.0; a path's last part counts.
bool is_shared_library(std::string_view path);

}  // namespace rnncheck::elf
