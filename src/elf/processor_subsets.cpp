#include "elf/processor_subsets.hpp"

namespace rnncheck::elf {

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

#else

std::vector<std::string> processor_subsets() {
    return {};
}

#endif

}  // namespace rnncheck::elf
