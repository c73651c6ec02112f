#include "elf/loader.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "base/text.hpp"
#include "elf/processor_subsets.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::size_t longest_entry = 4096;

std::string machine_of_kernel() {
    utsname names{};
    return uname(&names) == 0 ? names.machine : "";
}

/// Debian and its kin name a folder after the machine and search no lib64.
std::string multiarch_folder(const Root& root, const std::string& machine) {
    const std::string name = "lib/" + machine + "-linux-gnu";
    return root.exists("/usr/" + name) || root.exists("/" + name) ? name : "";
}

std::vector<std::string> default_folders(const std::string& multiarch) {
    if (multiarch.empty()) return {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    return {"/" + multiarch, "/usr/" + multiarch, "/lib", "/usr/lib"};
}

/// The folders that exist, each real one once, every one after its glibc-hwcaps subfolders.
std::vector<std::string> places_in(const Loader& loader, const std::vector<std::string>& folders) {
    std::vector<std::string> places;
    std::unordered_set<std::string> seen;
    for (const auto& folder : folders) {
        const auto real = loader.root.real_path(folder);
        if (!real || !seen.insert(*real).second) continue;
        const std::string parent = folder + "/glibc-hwcaps";
        if (!loader.subsets.empty() && loader.root.exists(parent))
            for (const auto& subset : loader.subsets)
                if (loader.root.exists(parent + '/' + subset)) places.push_back(parent + '/' + subset);
        places.push_back(folder);
    }
    return places;
}

/// The search of this list is over when it gives something; without a path it goes on with the next list.
std::optional<Lookup> try_file(const Loader& loader, const std::string& path) {
    if (loader.root.surely_absent(path)) return std::nullopt;  // one system call for each of thousands of folders
    const ElfFile file = read_elf_file(loader.root, path);
    if (file.passed_over) return std::nullopt;
    return file.ends_list ? Lookup{} : Lookup{path, file.problem};
}

Lookup try_folders(const Loader& loader, const std::vector<std::string>& folders, const std::string& name) {
    for (const auto& folder : folders)
        if (auto found = try_file(loader, folder + '/' + name)) return *found;
    return {};
}

Lookup try_cache(const Loader& loader, const std::string& name) {
    const auto path = loader.cache.find(name, loader.subsets);
    return path ? try_file(loader, *path).value_or(Lookup{}) : Lookup{};
}

void replace_all(std::string& text, std::string_view token, std::string_view by) {
    for (auto at = text.find(token); at != std::string::npos && text.size() < longest_entry;
         at = text.find(token, at + by.size()))
        text.replace(at, token.size(), by);
}

std::string current_folder() {
    std::error_code error;
    const auto folder = std::filesystem::current_path(error);
    return error ? "/" : folder.string();
}

}  // namespace

std::vector<std::string> split_library_path(std::string_view text, const std::string& current_folder) {
    std::string with_colons(text);
    std::replace(with_colons.begin(), with_colons.end(), ';', ':');
    std::vector<std::string> folders;
    for (auto& entry : split(with_colons, ':')) {
        if (entry.empty())
            entry = current_folder;
        else if (entry.front() != '/')
            entry = current_folder + '/' + entry;
        while (entry.size() > 1 && entry.back() == '/') entry.pop_back();
        folders.push_back(std::move(entry));
    }
    return folders;
}

Loader loader_of(const Root& root, std::string_view library_path) {
    Loader loader;
    loader.root = root;
    loader.subsets = processor_subsets();
    loader.machine = machine_of_kernel();
    const std::string multiarch = multiarch_folder(root, loader.machine);
    loader.library_folder = multiarch.empty() ? "lib64" : multiarch;
    loader.library_path = places_in(loader, split_library_path(library_path, current_folder()));
    loader.cache = read_loader_cache(root);
    loader.default_folders = places_in(loader, default_folders(multiarch));
    return loader;
}

RunPath run_path_of(const Loader& loader, const ElfFile& file, std::string_view path) {
    const std::string_view origin = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    const auto& entries = file.runpath.empty() ? file.rpath : file.runpath;
    std::vector<std::string> folders;
    for (const auto& entry : entries) folders.push_back(expanded(loader, entry, origin));
    RunPath run_path;
    (file.runpath.empty() ? run_path.before : run_path.after) = places_in(loader, folders);
    return run_path;
}

Lookup find_library(const Loader& loader, const std::string& name, const RunPath& run_path) {
    const std::vector<std::string>* const lists[] = {&run_path.before, &loader.library_path, &run_path.after};
    for (const auto* folders : lists)
        if (auto found = try_folders(loader, *folders, name); found.path) return found;
    if (auto found = try_cache(loader, name); found.path) return found;
    return try_folders(loader, loader.default_folders, name);
}

std::string expanded(const Loader& loader, std::string_view entry, std::string_view origin) {
    std::string text(entry);
    const std::pair<std::string_view, std::string> tokens[] = {
        {"ORIGIN", std::string(origin)}, {"LIB", loader.library_folder}, {"PLATFORM", loader.machine}};
    for (const auto& [token, value] : tokens) {
        replace_all(text, "${" + std::string(token) + "}", value);
        replace_all(text, "$" + std::string(token), value);
    }
    if (text.empty() || text.front() != '/') return current_folder() + '/' + text;
    return text;
}

bool belongs_to_c_library(std::string_view name) {
    constexpr std::string_view names[] = {"libc.so.6",       "libm.so.6",  "libdl.so.2",
                                          "libpthread.so.0", "librt.so.1", "libutil.so.1"};
    return name.starts_with("ld-linux") || name.starts_with("ld64.so") ||
           std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace rnncheck::elf
