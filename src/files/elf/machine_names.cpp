#include "files/elf/machine_names.hpp"

namespace rnncheck::elf {

static std::string machine_name(unsigned machine) {
    switch (machine) {
        case EM_X86_64:
            return "x86-64";
        case EM_386:
            return "x86";
        case EM_AARCH64:
            return "AArch64";
        case EM_ARM:
            return "ARM";
        case EM_PPC64:
            return "PowerPC";
        case EM_RISCV:
            return "RISC-V";
        case EM_S390:
            return "S/390";
        default:
            return "machine " + std::to_string(machine);
    }
}

std::string machine_in_words(unsigned char elf_class, unsigned machine) {
    return (elf_class == ELFCLASS64 ? "64-bit " : "32-bit ") + machine_name(machine);
}

}  // namespace rnncheck::elf
