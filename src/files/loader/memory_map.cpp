#include "files/loader/memory_map.hpp"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace rnncheck::which {

namespace {

constexpr std::size_t largest_map = 64 << 20;
constexpr std::size_t largest_environment = 8 << 20;
constexpr std::string_view deleted_mark = " (deleted)";

std::string without_octal_line_ends(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool line_end = text.substr(at, 4) == "\\012";
        result += line_end ? '\n' : text[at];
        if (line_end) at += 3;
    }
    return result;
}

std::optional<std::string> library_path_in(const std::optional<std::string>& environment) {
    if (!environment || environment->empty()) return std::nullopt;
    constexpr std::string_view name = "LD_LIBRARY_PATH=";
    for (const auto& entry : split(*environment, '\0'))
        if (entry.starts_with(name)) return entry.substr(name.size());
    return "";
}

bool started_secure(const std::string& vector) {
    for (std::size_t at = 0; at + sizeof(Elf64_auxv_t) <= vector.size(); at += sizeof(Elf64_auxv_t)) {
        Elf64_auxv_t entry;
        std::memcpy(&entry, vector.data() + at, sizeof entry);
        if (entry.a_type == AT_SECURE) return entry.a_un.a_val != 0;
    }
    return false;
}

}  // namespace

std::vector<MappedFile> files_of_map(std::string_view map) {
    std::vector<MappedFile> files;
    std::set<std::string> seen;
    for (const auto& line : split(map, '\n')) {
        const auto at = line.find('/');
        if (at == std::string::npos) continue;
        MappedFile file{without_octal_line_ends(std::string_view(line).substr(at))};
        file.deleted = file.path.ends_with(deleted_mark);
        if (file.deleted) file.path.resize(file.path.size() - deleted_mark.size());
        if (!file.path.starts_with("/dev/") && seen.insert(file.path).second) files.push_back(std::move(file));
    }
    return files;
}

RunningProcess look_into(int id) {
    const Root here;
    const std::string folder = "/proc/" + std::to_string(id);
    const std::string who = "process " + std::to_string(id);
    if (!here.exists(folder)) throw InputError("there is no " + who);
    const auto map = here.read(folder + "/maps", largest_map);
    const auto program = here.link(folder + "/exe");
    if (!map || (!program && !map->empty()))
        throw InputError(who + ": this user may not see what it has mapped (" + folder +
                         "/maps); ask as its user or as root");
    if (map->empty()) throw InputError(who + " has no memory of its own: it is ending, or part of the kernel");
    RunningProcess process;
    process.files = files_of_map(*map);
    process.program = *program;
    process.working_folder = here.link(folder + "/cwd").value_or("/");
    const auto own = here.link("/proc/self/ns/mnt"), other = here.link(folder + "/ns/mnt");
    const bool other_root = here.link(folder + "/root").value_or("/") != "/";
    if ((own && other && own != other) || other_root) process.root = folder + "/root";
    process.library_path = library_path_in(here.read(folder + "/environ", largest_environment));
    process.secure = started_secure(here.read(folder + "/auxv").value_or(""));
    return process;
}

}  // namespace rnncheck::which
