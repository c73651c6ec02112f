#include "elf/loader.hpp"

#include "base/text.hpp"

namespace rnncheck::elf {

namespace {

constexpr std::size_t most_cache_bytes = 64 << 20;

std::vector<std::string> folders_of(const std::string& value, const std::string& working_folder) {
    std::vector<std::string> folders;
    std::string text = value;
    for (char& c : text)
        if (c == ';') c = ':';  // both separate, ld.so(8)
    for (const auto& entry : split(text, ':')) {
        if (entry.empty()) folders.push_back(working_folder);
        else folders.push_back(entry.front() == '/' ? entry : working_folder + "/" + entry);
    }
    return folders;
}

/// $ORIGIN is the folder of the real file; $LIB and $PLATFORM are left alone, GPU libraries do not use them.
std::string expanded(std::string entry, const std::string& origin) {
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"})
        for (std::size_t at; (at = entry.find(token)) != std::string::npos;) entry.replace(at, token.size(), origin);
    return entry;
}

}  // namespace

const std::vector<std::string>& Loader::default_folders() {
    // glibc's own two differ by distribution: multiarch folders on Debian and Ubuntu, lib64 elsewhere.
#if defined(__aarch64__)
    static const std::vector<std::string> folders = {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#else
    static const std::vector<std::string> folders = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#endif
    return folders;
}

Loader::Loader(const Root& root, const std::string& library_path, const std::string& working_folder)
    : root_(root),
      library_path_(folders_of(library_path, working_folder)),
      cache_(parse_loader_cache(root.read("/etc/ld.so.cache", most_cache_bytes).value_or(""))) {}

std::optional<LoaderChoice> Loader::take(const std::string& path, FoundVia via) const {
    if (!root_.exists(path)) return std::nullopt;
    const auto elf = read_elf(root_, path);
    if (const auto* problem = std::get_if<ElfProblem>(&elf)) return LoaderChoice{path, via, *problem};
    if (std::get<ElfFile>(elf).machine != our_machine()) return std::nullopt;
    return LoaderChoice{path, via, std::nullopt};
}

std::optional<LoaderChoice> Loader::find(const std::string& soname) const {
    for (const auto& folder : library_path_)
        if (auto choice = take(folder + "/" + soname, FoundVia::ld_library_path)) return choice;
    for (const auto& entry : cache_)
        if (entry.soname == soname && !entry.hwcaps)
            if (auto choice = take(entry.path, FoundVia::loader_cache)) return choice;
    for (const auto& folder : default_folders())
        if (auto choice = take(folder + "/" + soname, FoundVia::default_folder)) return choice;
    return std::nullopt;
}

bool Loader::finds_for(const ElfFile& requester, const std::string& requester_path, const std::string& soname) const {
    const std::string real = root_.real_path(requester_path).value_or(requester_path);
    const std::string origin = real.substr(0, real.rfind('/'));
    for (const auto& entry : requester.run_path)
        if (root_.exists(expanded(entry, origin) + "/" + soname)) return true;
    return find(soname).has_value();
}

}  // namespace rnncheck::elf
