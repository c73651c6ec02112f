// How a DLL exports a function under its original name. PE has no ifunc: what is exported is a jump
// to the common entry, which leaves registers and stack as the caller set them.
#pragma once

#define SIM_EXPORT(name, result, parameters)                                      \
    extern "C" {                                                                  \
    [[gnu::used]] result(*entry_of_##name) parameters = &sim::Entry<&name>::call; \
    }                                                                             \
    __asm__(".text\n.globl " #name "\n" #name ":\n    jmp *entry_of_" #name       \
            "(%rip)\n"                                                            \
            ".section .drectve\n    .ascii \" -export:" #name "\"\n.text\n");
