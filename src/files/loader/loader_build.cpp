// The loader has no query for its directories, but they are texts in its file;
// the processor's features decide about the subdirectories.
#include <re2/re2.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "base/text.hpp"
#include "files/loader/loader.hpp"

namespace rnncheck::loader {

// with its debug information 2 MB
constexpr std::size_t largest_interpreter = 8 << 20;
constexpr std::size_t most_directories = 16;

/// The text that ends with `ending` and a NUL, from the NUL before it on.
static std::string text_ending(std::string_view bytes, std::string_view ending) {
    const auto at = bytes.find(std::string(ending) + '\0');
    if (at == std::string_view::npos)
        return "";
    const auto before = bytes.rfind('\0', at);
    std::size_t start = 0;
    if (before != std::string_view::npos)
        start = before + 1;
    return std::string(bytes.substr(start, at + ending.size() - start));
}

/// glibc keeps its default directories as texts one behind the other, each with
/// a '/' at both ends (elf/dl-load.c, system_dirs): the longest such row.
static std::vector<std::string> directories_in(re2::StringPiece bytes) {
    static const re2::RE2 next_row(R"(\x00((?:/[^ %:\n\x00]+/\x00)+))", re2::RE2::Latin1);
    std::vector<std::string> best;
    for (std::string texts; re2::RE2::FindAndConsume(&bytes, next_row, &texts);) {
        texts.resize(texts.size() - std::string_view("/\0", 2).size());
        replace_all(texts, std::string_view("/\0", 2), std::string_view("\0", 1));
        if (std::vector<std::string> row = split(texts, '\0'); row.size() > best.size())
            best = std::move(row);
    }
    best.resize(std::min(best.size(), most_directories));
    return best;
}

/// Debian and its kin name a directory after the machine and search no lib64.
static std::string multiarch_directory(const Root& root) {
    utsname kernel{};
    if (uname(&kernel) != 0)
        return "";
    const std::string name = std::string("lib/") + kernel.machine + "-linux-gnu";
    if (root.exists("/usr/" + name) || root.exists("/" + name))
        return name;
    return "";
}

std::optional<LoaderBuild> read_loader_build(const Root& root, std::string_view interpreter) {
    const auto bytes = root.read(interpreter, largest_interpreter);
    if (!bytes || !contains(*bytes, "GLIBC_PRIVATE"))
        return std::nullopt;
    LoaderBuild build;
    build.cache = text_ending(*bytes, "/ld.so.cache");
    build.preload_file = text_ending(*bytes, "/ld.so.preload");
    build.default_directories = directories_in(*bytes);
    if (build.cache.empty() || build.default_directories.empty())
        return std::nullopt;
    build.hwcaps = contains(*bytes, "glibc-hwcaps");
    build.legacy = !build.hwcaps || contains(*bytes, "Legacy HWCAP");
    return build;
}

LoaderBuild guessed_build(const Root& root) {
    const std::string multiarch = multiarch_directory(root);
    std::vector<std::string> directories = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    if (!multiarch.empty())
        directories = {"/" + multiarch, "/usr/" + multiarch, "/lib", "/usr/lib"};
    return {directories, "/etc/ld.so.cache", "/etc/ld.so.preload"};
}

std::string_view usual_interpreter() {
    switch (elf::own_machine) {
        case EM_AARCH64:
            return "/lib/ld-linux-aarch64.so.1";
        case EM_PPC64:
            return "/lib64/ld64.so.2";
        case EM_RISCV:
            return "/lib/ld-linux-riscv64-lp64d.so.1";
        default:
            return "/lib64/ld-linux-x86-64.so.2";
    }
}

#if defined(__x86_64__)

/// The highest level of the x86-64 psABI that the processor has, by the
/// features that compilers let us request; none has these without the remaining
/// ones of the level (CMPXCHG16B, LAHF, MOVBE, LZCNT, F16C).
static int level_of_processor() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("ssse3") ||
        !__builtin_cpu_supports("popcnt"))
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
        return 2;
    const bool four = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    return four ? 4 : 3;
}

static bool is_intel() {
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
}

#else

static int level_of_processor() {
    return 1;
}

#endif

/// Levels of the x86-64 psABI are the only subdirectories of glibc-hwcaps on
/// x86-64; each includes those below it.
std::vector<std::string> hwcaps() {
    std::vector<std::string> found;
    for (int level = level_of_processor(); level > 1; --level)
        found.push_back("x86-64-v" + std::to_string(level));
    return found;
}

// glibc renames processors of Intel alone (sysdeps/x86/cpu-features.c).
std::string processor_platform() {
#if defined(__x86_64__)
    if (is_intel() && level_of_processor() >= 3)
        return "haswell";
#endif
    const auto* const name = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
    if (!name)
        return "";
    return name;
}

// Every combination of these in this order, the fuller ones first
// (glibc 2.36, elf/dl-hwcaps.c).
std::vector<std::string> legacy_hwcap_directories() {
    std::vector<std::string> directories;
#if defined(__x86_64__)
    std::vector<std::string> parts = {"tls", processor_platform()};
    if (is_intel() && level_of_processor() >= 4)
        parts.push_back("avx512_1");
    parts.push_back("x86_64");
    for (unsigned set = (1u << parts.size()) - 1; set > 0; --set) {
        std::string directory;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (set >> (parts.size() - 1 - i) & 1) {
                if (!directory.empty())
                    directory += "/";
                directory += parts[i];
            }
        directories.push_back(directory);
    }
#endif
    return directories;
}

}  // namespace rnncheck::loader
