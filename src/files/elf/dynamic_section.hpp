// Program headers and dynamic section of a file whose ELF header fits this machine. Section headers are not looked
// at: they may be stripped, and the loader does not use them.
#pragma once

#include "files/elf/elf_file.hpp"
#include "files/elf/file_pieces.hpp"

namespace rnncheck::elf {

/// What is a fault in a library (no dynamic section, being a program) is none in a program.
enum class ElfUse { library, program };

/// Fills soname, needed, rpath, runpath and what else the loader goes by, or sets the problem. `start` holds the first
/// bytes of the file, at least the whole ELF header.
void read_dynamic_section(ElfFile& file, const FilePieces& pieces, const std::string& start, ElfUse use);

}  // namespace rnncheck::elf
