#include "files/loader/processor_subsets.hpp"

#include <sys/auxv.h>

namespace rnncheck::elf {

static std::string platform_of_kernel() {
    const auto* name = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
    return name ? name : "";
}

#if defined(__x86_64__)

// The levels of the x86-64 psABI, by the features that compilers let us ask for; no processor has these without the
// remaining ones of the level (CMPXCHG16B, LAHF, MOVBE, LZCNT, F16C).
static bool level_2() {
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
}
static bool level_3() {
    return level_2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
static bool level_4() {
    return level_3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

std::vector<std::string> processor_subsets() {
    __builtin_cpu_init();
    std::vector<std::string> subsets;
    if (level_4()) subsets.push_back("x86-64-v4");
    if (level_3()) subsets.push_back("x86-64-v3");
    if (level_2()) subsets.push_back("x86-64-v2");
    return subsets;
}

// glibc renames processors of Intel alone (sysdeps/x86/cpu-features.c).
std::string processor_platform() {
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") && level_3() ? "haswell" : platform_of_kernel();
}

// Every combination of these in this order, the fuller ones first (glibc 2.36, elf/dl-hwcaps.c).
std::vector<std::string> legacy_subfolders() {
    std::vector<std::string> parts = {"tls", processor_platform()};
    if (__builtin_cpu_is("intel") && level_4()) parts.push_back("avx512_1");
    parts.push_back("x86_64");
    std::vector<std::string> folders;
    for (unsigned set = (1u << parts.size()) - 1; set > 0; --set) {
        std::string folder;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (set >> (parts.size() - 1 - i) & 1) folder += (folder.empty() ? "" : "/") + parts[i];
        folders.push_back(folder);
    }
    return folders;
}

#else

std::vector<std::string> processor_subsets() {
    return {};
}
std::string processor_platform() {
    return platform_of_kernel();
}
std::vector<std::string> legacy_subfolders() {
    return {};
}

#endif

}  // namespace rnncheck::elf
