// The setting of a search: directories, subdirectories for better processors,
// tokens. The search itself is in process.cpp.
#include "files/loader/loader.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::loader {

using Directories = std::vector<std::string>;

/// $LIB is the first default directory below / or /usr:
/// "/lib/x86_64-linux-gnu", "/usr/lib".
static std::string library_directory_of(const LoaderBuild& build) {
    std::string_view directory = build.default_directories.front();
    if (directory.starts_with("/usr/"))
        directory.remove_prefix(4);
    return std::string(directory.substr(1));
}

/// The subdirectories of this one that exist; seldom any, so their first
/// parts are looked for before.
static void add_subdirectories(
    const Loader& loader, const std::string& directory, Directories& places) {
    std::string first_part;
    bool there = false;
    for (const auto& subdirectory : loader.subdirectories) {
        const std::string part = subdirectory.substr(0, subdirectory.find('/'));
        if (part != first_part) {
            first_part = part;
            there = loader.root.exists(directory + '/' + part);
        }
        if (there && loader.root.exists(directory + '/' + subdirectory))
            places.push_back(directory + '/' + subdirectory);
    }
}

/// The directories that exist, each real one once, every one after its subdirectories.
static Directories places_in(const Loader& loader, const Directories& directories) {
    Directories places;
    std::unordered_set<std::string> seen;
    for (const auto& directory : directories) {
        const auto real = loader.root.real_path(directory);
        if (!real || !seen.insert(*real).second)
            continue;
        add_subdirectories(loader, directory, places);
        places.push_back(directory);
    }
    return places;
}

/// Those of LD_LIBRARY_PATH or a run path; an empty entry is the working directory.
static Directories places_of(
    const Loader& loader, const Directories& entries, std::string_view origin, bool of_program) {
    Directories directories;
    for (const auto& entry : entries) {
        std::string directory = expanded(loader, entry, origin, of_program);
        while (directory.size() > 1 && directory.back() == '/')
            directory.pop_back();
        if (!directory.empty())
            directories.push_back(std::move(directory));
    }
    return places_in(loader, directories);
}

// $ORIGIN, $LIB and $PLATFORM (glibc elf/dl-load.c: is_dst, _dl_dst_substitute).
constexpr std::size_t longest_result = 1 << 16;

std::string own_working_directory() {
    std::error_code error;
    const auto directory = std::filesystem::current_path(error);
    if (error)
        return "/";
    return directory.string();
}

std::string absolute_path(const std::string& path, const std::string& directory) {
    if (path.empty())
        return directory;
    if (path.front() == '/')
        return path;
    return directory + '/' + path;
}

Loader loader_of(const Root& root, const LoaderSetting& setting) {
    const std::string_view interpreter =
        setting.interpreter.empty() ? usual_interpreter() : setting.interpreter;
    const auto known = read_loader_build(root, interpreter);
    Loader loader{root, known ? *known : guessed_build(root)};
    loader.secure = setting.secure;
    loader.working_directory = setting.working_directory;
    if (setting.working_directory.empty())
        loader.working_directory = own_working_directory();
    if (loader.build.hwcaps)
        loader.hwcaps = hwcaps();
    for (const auto& hwcap : loader.hwcaps)
        loader.subdirectories.push_back("glibc-hwcaps/" + hwcap);
    if (loader.build.legacy)
        append(loader.subdirectories, legacy_hwcap_directories());
    loader.library_directory = library_directory_of(loader.build);
    loader.cache = read_loader_cache(root, loader.build.cache);
    loader.default_directories = places_in(loader, loader.build.default_directories);
    if (setting.secure)
        return loader;
    std::string entries = setting.library_path;
    std::ranges::replace(entries, ';', ':');
    loader.library_path = places_of(loader, split(entries, ':'), setting.program_directory, true);
    return loader;
}

/// Absent files are most of a search, so they are recognised by one system call.
elf::ElfFile try_open(const Loader& loader, const std::string& path) {
    elf::ElfFile absent;
    absent.skipped = true;
    // One system call for each of thousands of directories.
    if (loader.root.surely_absent(path))
        return absent;
    return elf::read_elf_file(loader.root, path);
}

RunPath run_path_of(
    const Loader& loader, const elf::ElfFile& file, std::string_view path, bool of_program) {
    const auto origin = origin_of(path);
    if (file.has_runpath)
        return {{}, places_of(loader, file.runpath, origin, of_program)};
    return {places_of(loader, file.rpath, origin, of_program), {}};
}

bool in_built_in_directory(const Loader& loader, std::string_view path) {
    return std::ranges::any_of(loader.build.default_directories, [&](const auto& directory) {
        return path.starts_with(directory + '/');
    });
}

bool belongs_to_c_library(std::string_view name) {
    constexpr std::string_view names[] = {
        "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"};
    return name.starts_with("ld-linux") || name.starts_with("ld64.so") || includes(names, name);
}

/// As _dl_dst_substitute: an unknown token stays as it is, one without
/// a value makes the entry void.
std::string with_tokens(
    const Loader& loader, std::string_view text, std::string_view origin, bool of_program) {
    static const re2::RE2 next(R"((\$(?:(\w+)|\{(\w+)\})|\$|[^$]+))", re2::RE2::Latin1);
    const std::string platform = processor_platform();
    const std::pair<std::string, std::string_view> tokens[] = {
        {"ORIGIN", origin}, {"LIB", loader.library_directory}, {"PLATFORM", platform}};
    std::string result, part, name, in_braces;
    bool by_origin = false;
    for (re2::StringPiece rest = text; result.size() < longest_result &&
                                       re2::RE2::Consume(&rest, next, &part, &name, &in_braces);) {
        const auto* const token =
            find_by(tokens, &std::pair<std::string, std::string_view>::first, name + in_braces);
        const bool is_origin = token == tokens,
                   is_whole = result.empty() && (rest.empty() || rest[0] == '/');
        if (token && (token->second.empty() || (is_origin && loader.secure && !is_whole)))
            return "";
        by_origin |= is_origin;
        if (token)
            result += token->second;
        else
            result += part;
    }
    // Who starts a set-user-id program must not choose its libraries by a link to it.
    if (loader.secure && of_program && by_origin &&
        !in_built_in_directory(
            loader, std::filesystem::path(result).lexically_normal().string() + '/'))
        return "";
    return result;
}

std::string expanded(
    const Loader& loader, std::string_view entry, std::string_view origin, bool of_program) {
    const std::string text = with_tokens(loader, entry, origin, of_program);
    if (text.empty() && !entry.empty())
        return "";
    return absolute_path(text, loader.working_directory);
}

std::string_view origin_of(std::string_view path) {
    return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace rnncheck::loader
