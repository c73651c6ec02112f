// Finds every copy of the GPU libraries, reads each as an ELF file, and predicts which one the loader gives.
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "probe.hpp"
#include "support/environment.hpp"
#include "support/library_search.hpp"

namespace rnncheck::probes {

namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string working_folder() {
    char buffer[4096];
    return getcwd(buffer, sizeof buffer) ? buffer : "/";
}

/// One real file with all the names that lead to it, in the order found.
struct Copy {
    std::string real_path;
    std::vector<Candidate> names;
};

std::vector<Copy> group_by_file(const Root& root, const std::vector<Candidate>& candidates) {
    std::vector<Copy> copies;
    std::map<std::string, std::size_t> known;
    for (const auto& candidate : candidates) {
        const std::string key = root.real_path(candidate.path).value_or(candidate.path);
        const auto [entry, is_new] = known.try_emplace(key, copies.size());
        if (is_new) copies.push_back({key, {}});
        copies[entry->second].names.push_back(candidate);
    }
    return copies;
}

/// Of the names in the folder found first, the soname: libcudnn.so.9, not the development link libcudnn.so.
const Candidate& best_name(const Copy& copy, const std::string& soname) {
    const std::string first_folder = folder_of(copy.names.front().path);
    for (const auto& name : copy.names)
        if (folder_of(name.path) == first_folder && file_name(name.path) == soname) return name;
    return copy.names.front();
}

void fill_from_elf(const elf::ElfFile& elf, const elf::Loader& loader, Library& library) {
    library.soname = elf.soname;
    library.machine = elf::machine_name(elf.machine);
    library.needed = elf.needed;
    library.run_path = elf.run_path;
    if (elf.machine != elf::our_machine()) {
        const bool other_class = elf.machine.bits != elf::our_machine().bits;
        library.problem = other_class ? FileProblem::other_class : FileProblem::other_machine;
        library.problem_detail = "is built for " + *library.machine + ", this machine is " + elf::machine_name(elf::our_machine());
        return;
    }
    for (const auto& soname : elf.needed)
        if (!loader.finds_for(elf, library.path, soname)) library.missing_needs.push_back(soname);
}

Library describe(const Copy& copy, const Root& root, const elf::Loader& loader) {
    const auto elf = elf::read_elf(root, copy.real_path);
    const auto* const readable = std::get_if<elf::ElfFile>(&elf);
    const Candidate& name = best_name(copy, readable ? readable->soname : file_name(copy.names.front().path));
    Library library;
    library.kind = name.kind;
    library.path = name.path;
    library.found_via = copy.names.front().via;
    if (root.exists(name.path)) library.real_path = copy.real_path;
    library.stub = contains(copy.real_path, "/stubs/") || contains(name.path, "/stubs/");
    library.compat = file_name(folder_of(name.path)) == "compat" || file_name(folder_of(copy.real_path)) == "compat";
    const std::string real_name = file_name(copy.real_path);
    if (const auto suffix = real_name.find(".so."); suffix != std::string::npos)
        library.version_in_name = parse_version(std::string_view(real_name).substr(suffix + 4));
    if (readable) fill_from_elf(*readable, loader, library);
    else {
        library.problem = std::get<elf::ElfProblem>(elf).problem;
        library.problem_detail = std::get<elf::ElfProblem>(elf).detail;
    }
    return library;
}

/// The name a program asks the loader for: the soname where it could be read, else the file's own name.
std::string asked_name(const Library& library) {
    return library.soname && !library.soname->empty() ? *library.soname : file_name(library.path);
}

void mark_picked(std::vector<Library>& libraries, const Root& root, const elf::Loader& loader) {
    std::map<std::string, std::optional<std::string>> picks;
    for (auto& library : libraries) {
        const auto [pick, is_new] = picks.try_emplace(asked_name(library));
        if (is_new)
            if (const auto choice = loader.find(pick->first)) pick->second = root.real_path(choice->path);
        library.picked_by_loader = pick->second && pick->second == library.real_path;
    }
}

void run(const Job& job, Trace&, const Learn& learn) {
    constexpr std::size_t most_libraries = 512;
    const elf::Loader loader(job.root, variable("LD_LIBRARY_PATH"), working_folder());
    auto copies = group_by_file(job.root, find_candidates(job.root, loader));
    if (copies.size() > most_libraries) copies.resize(most_libraries);
    Facts news;
    for (const auto& copy : copies) news.libraries.push_back(describe(copy, job.root, loader));
    mark_picked(news.libraries, job.root, loader);
    learn(news);
}

}  // namespace

extern const Probe library_files{.title = "Finds every copy of the GPU libraries and which one the loader gives",
                                 .stage = Stage::look,
                                 .limit = std::chrono::seconds(10),
                                 .run = run};

}  // namespace rnncheck::probes
