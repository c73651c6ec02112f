#include "files/loader/loader.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "base/text.hpp"
#include "files/loader/processor_subsets.hpp"

namespace rnncheck::elf {

namespace {

using Folders = std::vector<std::string>;

std::string machine_of_kernel() {
    utsname names{};
    return uname(&names) == 0 ? names.machine : "";
}

/// Debian and its kin name a folder after the machine and search no lib64.
std::string multiarch_folder(const Root& root) {
    const std::string name = "lib/" + machine_of_kernel() + "-linux-gnu";
    return root.exists("/usr/" + name) || root.exists("/" + name) ? name : "";
}

/// For a file system without an interpreter that could tell.
LoaderBuild guessed_build(const Root& root) {
    LoaderBuild build;
    build.cache = "/etc/ld.so.cache";
    build.preload_file = "/etc/ld.so.preload";
    const std::string multiarch = multiarch_folder(root);
    build.default_folders = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    if (!multiarch.empty()) build.default_folders = {"/" + multiarch, "/usr/" + multiarch, "/lib", "/usr/lib"};
    return build;
}

/// $LIB is the first default folder below / or /usr: "/lib/x86_64-linux-gnu", "/usr/lib".
std::string library_folder_of(const LoaderBuild& build) {
    std::string_view folder = build.default_folders.front();
    if (folder.starts_with("/usr/")) folder.remove_prefix(4);
    return std::string(folder.substr(1));
}

/// The subfolders of this one that exist; seldom any, so their first parts are looked for before.
void add_subfolders(const Loader& loader, const std::string& folder, Folders& places) {
    std::string first_part;
    bool there = false;
    for (const auto& subfolder : loader.subfolders) {
        const std::string part = subfolder.substr(0, subfolder.find('/'));
        if (part != first_part) {
            first_part = part;
            const std::string parent = folder + '/' + part;
            there = !loader.root.surely_absent(parent) && loader.root.exists(parent);
        }
        if (there && loader.root.exists(folder + '/' + subfolder)) places.push_back(folder + '/' + subfolder);
    }
}

/// The folders that exist, each real one once, every one after its subfolders.
Folders places_in(const Loader& loader, const Folders& folders) {
    Folders places;
    std::unordered_set<std::string> seen;
    for (const auto& folder : folders) {
        const auto real = loader.root.real_path(folder);
        if (!real || !seen.insert(*real).second) continue;
        add_subfolders(loader, folder, places);
        places.push_back(folder);
    }
    return places;
}

std::string absolute(std::string entry, const std::string& current_folder) {
    if (entry.empty())
        entry = current_folder;
    else if (entry.front() != '/')
        entry = current_folder + '/' + entry;
    while (entry.size() > 1 && entry.back() == '/') entry.pop_back();
    return entry;
}

Folders entries_of(std::string_view library_path) {
    std::string with_colons(library_path);
    std::replace(with_colons.begin(), with_colons.end(), ';', ':');
    return split(with_colons, ':');
}

Folders library_path_of(const Loader& loader, const LoaderSetting& setting) {
    Folders folders;
    for (const auto& entry : entries_of(setting.library_path)) {
        const std::string text = with_tokens(loader, entry, setting.program_folder, true);
        if (entry.empty() || !text.empty()) folders.push_back(absolute(text, loader.working_folder));
    }
    return places_in(loader, folders);
}

Folders subfolders_of(const LoaderBuild& build, const Folders& subsets) {
    Folders subfolders;
    for (const auto& subset : subsets) subfolders.push_back("glibc-hwcaps/" + subset);
    if (!build.legacy) return subfolders;
    const Folders legacy = legacy_subfolders();
    subfolders.insert(subfolders.end(), legacy.begin(), legacy.end());
    return subfolders;
}

std::string own_working_folder() {
    std::error_code error;
    const auto folder = std::filesystem::current_path(error);
    return error ? "/" : folder.string();
}

/// The search of this list is over when it gives something; without a path it goes on with the next list.
std::optional<Lookup> try_file(const Loader& loader, const std::string& path) {
    const Met met = meet(loader, path);
    if (met.meeting == Meeting::passed_over) return std::nullopt;
    return met.meeting == Meeting::ends_list ? Lookup{} : Lookup{path, met.file.problem};
}

Lookup try_folders(const Loader& loader, const Folders& folders, const std::string& name) {
    for (const auto& folder : folders)
        if (auto found = try_file(loader, folder + '/' + name)) return *found;
    return {};
}

Lookup try_cache(const Loader& loader, const std::string& name) {
    const auto path = loader.cache.find(name, loader.subsets);
    return path ? try_file(loader, *path).value_or(Lookup{}) : Lookup{};
}

}  // namespace

std::vector<std::string> split_library_path(std::string_view text, const std::string& current_folder) {
    Folders folders;
    for (const auto& entry : entries_of(text)) folders.push_back(absolute(entry, current_folder));
    return folders;
}

Loader loader_of(const Root& root, const LoaderSetting& setting) {
    const std::string_view interpreter = setting.interpreter.empty() ? usual_interpreter() : setting.interpreter;
    const auto told = read_loader_build(root, interpreter);
    const LoaderBuild build = told ? *told : guessed_build(root);
    Loader loader;
    loader.root = root;
    loader.secure = setting.secure;
    loader.working_folder = setting.working_folder.empty() ? own_working_folder() : setting.working_folder;
    if (build.hwcaps) loader.subsets = processor_subsets();
    loader.subfolders = subfolders_of(build, loader.subsets);
    loader.platform = processor_platform();
    loader.library_folder = library_folder_of(build);
    loader.preload_file = build.preload_file;
    loader.cache = read_loader_cache(root, build.cache);
    loader.built_in_folders = build.default_folders;
    loader.default_folders = places_in(loader, build.default_folders);
    if (!setting.secure) loader.library_path = library_path_of(loader, setting);
    return loader;
}

Loader loader_of(const Root& root, std::string_view library_path) {
    LoaderSetting setting;
    setting.library_path = library_path;
    return loader_of(root, setting);
}

Met meet(const Loader& loader, const std::string& path) {
    if (loader.root.surely_absent(path)) return {};  // one system call for each of thousands of folders
    Met met{Meeting::opens, read_elf_file(loader.root, path)};
    if (met.file.passed_over)
        met.meeting = Meeting::passed_over;
    else if (met.file.ends_list)
        met.meeting = Meeting::ends_list;
    else if (met.file.problem)
        met.meeting = Meeting::fails;
    return met;
}

RunPath run_path_of(const Loader& loader, const ElfFile& file, std::string_view path, bool of_program) {
    Folders folders;
    for (const auto& entry : file.has_runpath ? file.runpath : file.rpath) {
        const std::string folder = expanded(loader, entry, origin_of(path), of_program);
        if (!folder.empty()) folders.push_back(folder);
    }
    RunPath run_path;
    (file.has_runpath ? run_path.after : run_path.before) = places_in(loader, folders);
    return run_path;
}

Lookup find_library(const Loader& loader, const std::string& name, const RunPath& run_path) {
    const Folders* const lists[] = {&run_path.before, &loader.library_path, &run_path.after};
    for (const auto* folders : lists)
        if (auto found = try_folders(loader, *folders, name); found.path) return found;
    if (auto found = try_cache(loader, name); found.path) return found;
    return try_folders(loader, loader.default_folders, name);
}

bool belongs_to_c_library(std::string_view name) {
    constexpr std::string_view names[] = {"libc.so.6",       "libm.so.6",  "libdl.so.2",
                                          "libpthread.so.0", "librt.so.1", "libutil.so.1"};
    return name.starts_with("ld-linux") || name.starts_with("ld64.so") ||
           std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace rnncheck::elf
