#include "files/loader/loader.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::loader {

namespace {

using Directories = std::vector<std::string>;

/// $LIB is the first default directory below / or /usr: "/lib/x86_64-linux-gnu", "/usr/lib".
std::string library_directory_of(const LoaderBuild& build) {
    std::string_view directory = build.default_directories.front();
    if (directory.starts_with("/usr/")) directory.remove_prefix(4);
    return std::string(directory.substr(1));
}

/// The subdirectories of this one that exist; seldom any, so their first parts are looked for before.
void add_subdirectories(const Loader& loader, const std::string& directory, Directories& places) {
    std::string first_part;
    bool there = false;
    for (const auto& subdirectory : loader.subdirectories) {
        const std::string part = subdirectory.substr(0, subdirectory.find('/'));
        if (part != first_part) {
            first_part = part;
            const std::string parent = directory + '/' + part;
            there = !loader.root.surely_absent(parent) && loader.root.exists(parent);
        }
        if (there && loader.root.exists(directory + '/' + subdirectory))
            places.push_back(directory + '/' + subdirectory);
    }
}

/// The directories that exist, each real one once, every one after its subdirectories.
Directories places_in(const Loader& loader, const Directories& directories) {
    Directories places;
    std::unordered_set<std::string> seen;
    for (const auto& directory : directories) {
        const auto real = loader.root.real_path(directory);
        if (!real || !seen.insert(*real).second) continue;
        add_subdirectories(loader, directory, places);
        places.push_back(directory);
    }
    return places;
}

/// Split at ':' and ';'; an empty entry is the working directory.
Directories library_path_of(const Loader& loader, const LoaderSetting& setting) {
    std::string with_colons = setting.library_path;
    std::ranges::replace(with_colons, ';', ':');
    Directories directories;
    for (const auto& entry : split(with_colons, ':')) {
        std::string directory = expanded(loader, entry, setting.program_directory, true);
        while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
        if (!directory.empty()) directories.push_back(std::move(directory));
    }
    return places_in(loader, directories);
}

Directories subdirectories_of(const LoaderBuild& build, const Directories& hwcaps) {
    Directories subdirectories;
    for (const auto& hwcap : hwcaps) subdirectories.push_back("glibc-hwcaps/" + hwcap);
    if (build.legacy) append(subdirectories, legacy_hwcap_directories());
    return subdirectories;
}

// $ORIGIN, $LIB and $PLATFORM (glibc elf/dl-load.c: is_dst, _dl_dst_substitute).
constexpr std::size_t longest_result = 1 << 16;

/// How many characters behind the '$' are this token; 0 when it is none.
std::size_t length_of(std::string_view behind, std::string_view token) {
    const bool braces = behind.starts_with('{');
    const std::string_view name = behind.substr(braces ? 1 : 0);
    if (!name.starts_with(token)) return 0;
    const char next = name.size() > token.size() ? name[token.size()] : '\0';
    if (braces) return next == '}' ? token.size() + 2 : 0;
    return is_letter_or_digit(next) || next == '_' ? 0 : token.size();
}

}  // namespace

std::string own_working_directory() {
    std::error_code error;
    const auto directory = std::filesystem::current_path(error);
    return error ? "/" : directory.string();
}

std::string absolute_path(const std::string& path, const std::string& directory) {
    if (path.empty()) return directory;
    return path.front() == '/' ? path : directory + '/' + path;
}

Loader loader_of(const Root& root, const LoaderSetting& setting) {
    const std::string_view interpreter = setting.interpreter.empty() ? usual_interpreter() : setting.interpreter;
    const auto known = read_loader_build(root, interpreter);
    const LoaderBuild build = known ? *known : guessed_build(root);
    Loader loader;
    loader.root = root;
    loader.secure = setting.secure;
    loader.working_directory = setting.working_directory.empty() ? own_working_directory() : setting.working_directory;
    if (build.hwcaps) loader.hwcaps = hwcaps();
    loader.subdirectories = subdirectories_of(build, loader.hwcaps);
    loader.platform = processor_platform();
    loader.library_directory = library_directory_of(build);
    loader.preload_file = build.preload_file;
    loader.cache = read_loader_cache(root, build.cache);
    loader.built_in_directories = build.default_directories;
    loader.default_directories = places_in(loader, build.default_directories);
    if (!setting.secure) loader.library_path = library_path_of(loader, setting);
    return loader;
}

Loader loader_of(const Root& root, std::string_view library_path) {
    return loader_of(root, LoaderSetting{.library_path = std::string(library_path)});
}

elf::ElfFile try_open(const Loader& loader, const std::string& path) {
    elf::ElfFile absent;
    absent.skipped = true;
    // One system call for each of thousands of directories.
    return loader.root.surely_absent(path) ? absent : elf::read_elf_file(loader.root, path);
}

RunPath run_path_of(const Loader& loader, const elf::ElfFile& file, std::string_view path, bool of_program) {
    Directories directories;
    for (const auto& entry : file.has_runpath ? file.runpath : file.rpath) {
        const std::string directory = expanded(loader, entry, origin_of(path), of_program);
        if (!directory.empty()) directories.push_back(directory);
    }
    RunPath run_path;
    (file.has_runpath ? run_path.after : run_path.before) = places_in(loader, directories);
    return run_path;
}

std::vector<std::string> files_in(const Directories& directories, const std::string& name) {
    Directories files;
    for (const auto& directory : directories)
        files.push_back(directory == "/" ? directory + name : directory + '/' + name);
    return files;
}

std::optional<OpenedFile> open_first(const Loader& loader, const std::vector<std::string>& files) {
    for (const auto& path : files) {
        elf::ElfFile file = try_open(loader, path);
        if (file.aborts_list) break;
        if (!file.skipped) return OpenedFile{path, std::move(file)};
    }
    return std::nullopt;
}

Lookup find_library(const Loader& loader, const std::string& name, const RunPath& run_path) {
    const auto cached = loader.cache.find(name, loader.hwcaps);
    for (const auto& files :
         {files_in(run_path.before, name), files_in(loader.library_path, name), files_in(run_path.after, name),
          cached ? Directories{*cached} : Directories{}, files_in(loader.default_directories, name)})
        if (const auto found = open_first(loader, files)) return {found->path, found->file.problem};
    return {};
}

bool in_built_in_directory(const Loader& loader, std::string_view path) {
    return std::ranges::any_of(loader.built_in_directories,
                               [&](const auto& directory) { return path.starts_with(directory + '/'); });
}

bool belongs_to_c_library(std::string_view name) {
    constexpr std::string_view names[] = {"libc.so.6",       "libm.so.6",  "libdl.so.2",
                                          "libpthread.so.0", "librt.so.1", "libutil.so.1"};
    return name.starts_with("ld-linux") || name.starts_with("ld64.so") || includes(names, name);
}

std::string with_tokens(const Loader& loader, std::string_view text, std::string_view origin, bool of_program) {
    const std::pair<std::string_view, std::string_view> tokens[] = {
        {"ORIGIN", origin}, {"LIB", loader.library_directory}, {"PLATFORM", loader.platform}};
    std::string result;
    bool by_origin = false;
    while (!text.empty() && result.size() < longest_result) {
        std::size_t length = 0;
        for (const auto& [token, value] : tokens) {
            if (text.front() == '$') length = length_of(text.substr(1), token);
            if (length == 0) continue;
            const bool is_origin = token == "ORIGIN";
            const bool stands_alone = result.empty() && (text.size() == length + 1 || text[length + 1] == '/');
            if (value.empty() || (is_origin && loader.secure && !stands_alone)) return "";
            by_origin |= is_origin;
            result += value;
            break;
        }
        if (length == 0) result += text.front();
        text.remove_prefix(length + 1);
    }
    // Who starts a set-user-id program must not choose its libraries by a link to it.
    if (loader.secure && of_program && by_origin &&
        !in_built_in_directory(loader, std::filesystem::path(result).lexically_normal().string() + '/'))
        return "";
    return result;
}

std::string expanded(const Loader& loader, std::string_view entry, std::string_view origin, bool of_program) {
    const std::string text = with_tokens(loader, entry, origin, of_program);
    return text.empty() && !entry.empty() ? "" : absolute_path(text, loader.working_directory);
}

std::string_view origin_of(std::string_view path) {
    return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace rnncheck::loader
