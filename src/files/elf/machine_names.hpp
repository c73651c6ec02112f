// ELF classes and machines, ours and others, in words.
#pragma once

#include <elf.h>

#include <string>

namespace rnncheck::elf {

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
inline constexpr unsigned char own_byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

/// "64-bit x86-64", "32-bit x86", "64-bit machine 258".
std::string machine_in_words(unsigned char elf_class, unsigned machine);

}  // namespace rnncheck::elf
