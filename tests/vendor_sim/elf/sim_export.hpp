// How a shared object exports a function under its original name.
#pragma once

/// dlsym queries entry_of_... for the address of the common entry.
#define SIM_EXPORT(name, result, parameters)                                            \
    extern "C" {                                                                        \
    [[gnu::used]] static auto entry_of_##name() -> result(*) parameters {               \
        return &sim::Entry<&name>::call;                                                \
    }                                                                                   \
    [[gnu::visibility("default"),                                                       \
      gnu::ifunc("entry_of_" #name)]] result exported_##name parameters __asm__(#name); \
    }
