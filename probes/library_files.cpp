// Every GPU library on the loader's way and in the places where toolkits and wheels put them, read as
// files. Nothing is loaded.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/program.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "files/loader/process.hpp"
#include "process/probe.hpp"

namespace rnncheck::probes::library_files {

static constexpr std::size_t most_libraries = 512;
static constexpr std::size_t most_names_in_directory = 100'000;

struct Candidate {
    std::string path;
    FoundVia via;
};

struct Picked {
    loader::Lookup lookup;
    std::optional<std::string> real_path;
};

/// What is known so far while the directories are gone through in search order.
struct Search {
    const Job& job;
    ProbeWriter& writer;
    const Learn& learn;
    loader::Loader loader;
    const loader::Process* plain = nullptr;    // a program that opens libraries by name
    std::set<std::string> directories_done;    // real paths
    std::set<std::string> files_done;          // real paths; the path itself for a link to nowhere
    std::vector<Candidate> development_names;  // wait until nothing better has led to their files
    std::map<std::string, Picked> picks;       // by the name given to dlopen
    Facts news;
    std::size_t count = 0;
};

static const Picked& pick_for(Search& search, const std::string& name) {
    const auto [entry, is_new] = search.picks.try_emplace(name);
    if (is_new) {
        entry->second.lookup = search.plain->look_up(name, 0);
        if (const auto& path = entry->second.lookup.path) entry->second.real_path = search.job.root.real_path(*path);
    }
    return entry->second;
}

static std::vector<std::string> missing_needs(Search& search, const elf::ElfFile& file, const std::string& path) {
    std::vector<std::string> missing;
    for (const auto& name : file.needed)
        if (!loader::belongs_to_c_library(name) && !contains(name, "/") && !pick_for(search, name).lookup.path)
            missing.push_back(name);
    if (missing.empty()) return missing;
    loader::Process with_it = *search.plain;
    const std::size_t number = with_it.put(path);
    std::erase_if(missing, [&](const auto& name) { return with_it.look_up(name, number).path; });
    return missing;
}

static bool has_directory(const Library& library, std::string_view directory) {
    const std::string part = "/" + std::string(directory) + "/";
    return contains(library.path, part) || contains(library.real_path.value_or(""), part);
}

static Library describe(Search& search, const Candidate& candidate, const std::optional<std::string>& real_path) {
    const elf::ElfFile file = elf::read_elf_file(search.job.root, candidate.path);
    const loader::LibraryName name = *loader::library_name(file_name(candidate.path));
    const auto real_name = loader::library_name(file_name(real_path.value_or(candidate.path)));
    Library library;
    library.kind = name.kind;
    library.path = candidate.path;
    library.real_path = real_path;
    library.found_via = candidate.via;
    library.soname = file.soname;
    library.machine = file.machine;
    library.needed = file.needed;
    library.run_path = file.runpath.empty() ? file.rpath : file.runpath;
    library.version_in_name = (real_name ? *real_name : name).product_version();
    library.stub = has_directory(library, "stubs");
    library.compat = library.kind == LibraryKind::cuda && has_directory(library, "compat");
    library.problem = file.problem;
    if (file.problem)
        library.problem_detail = file.problem_detail;
    else
        library.missing_needs = missing_needs(search, file, candidate.path);
    const Picked& picked = pick_for(search, loader::opened_as(library.kind, library.soname, file_name(library.path)));
    library.picked_by_loader = real_path && picked.real_path == real_path;
    return library;
}

static void add(Search& search, const Candidate& candidate) {
    const auto real_path = search.job.root.real_path(candidate.path);
    const bool gone = !real_path && !search.job.root.link(candidate.path);  // the cache may be older than the files
    if (gone) return;
    if (!search.files_done.insert(real_path.value_or(candidate.path)).second) return;
    if (search.count == most_libraries) return;
    search.news.libraries.push_back(describe(search, candidate, real_path));
    if (++search.count == most_libraries)
        search.writer.failed(
            {"list of libraries", 1, "only the first " + std::to_string(most_libraries) + " are reported"});
}

static void consider(Search& search, const Candidate& candidate) {
    const auto name = loader::library_name(file_name(candidate.path));
    if (!name) return;
    if (name->development)
        search.development_names.push_back(candidate);
    else
        add(search, candidate);
}

/// By kind, and of several names of one file the one that programs open first: libcudart.so.12 before .so.12.4.99.
static std::vector<std::string> library_names_in(const Root& root, const std::string& directory) {
    std::vector<std::tuple<LibraryKind, std::size_t, std::string>> found;
    for (const auto& name : root.names_in(directory, most_names_in_directory))
        if (const auto library = loader::library_name(name)) found.emplace_back(library->kind, name.size(), name);
    std::ranges::sort(found);
    std::vector<std::string> names;
    for (auto& [kind, length, name] : found) names.push_back(std::move(name));
    return names;
}

static void search_directory(Search& search, const std::string& directory, FoundVia via) {
    const auto real = search.job.root.real_path(directory);
    if (!real || !search.directories_done.insert(*real).second) return;
    search.writer.calling("reading the directory " + directory);
    for (const auto& name : library_names_in(search.job.root, *real)) consider(search, {directory + '/' + name, via});
}

static void learn_news(Search& search) {
    if (!search.news.libraries.empty()) search.learn(search.news);
    search.news = {};
}

static void search_directories(Search& search, const std::vector<std::string>& directories, FoundVia via) {
    for (const auto& directory : directories) search_directory(search, directory, via);
    learn_news(search);
}

static void search_cache(Search& search) {
    for (const auto& entry : search.loader.cache.entries())
        if (loader::library_name(file_name(entry.path)))
            consider(search, {std::string(entry.path), FoundVia::loader_cache});
    learn_news(search);
}

/// A development name that leads nowhere, or to a linker script, harms no program that runs.
static void add_development_names(Search& search) {
    for (const auto& candidate : search.development_names) {
        const auto real_path = search.job.root.real_path(candidate.path);
        if (!real_path || search.files_done.contains(*real_path)) continue;
        if (elf::read_elf_file(search.job.root, candidate.path).problem == FileProblem::not_elf) continue;
        add(search, candidate);
    }
    learn_news(search);
}

static void run(const Job& job, ProbeWriter& writer, const Learn& learn) {
    writer.calling("reading LD_LIBRARY_PATH and /etc/ld.so.cache");
    Search search{
        job, writer, learn, loader::loader_of(job.root, {environment_variable("LD_LIBRARY_PATH").value_or("")}),
        {},  {},     {},    {},
        {},  {},     0};
    loader::Process plain(search.loader, "", {});
    plain.start(environment_variable("LD_PRELOAD").value_or(""));
    search.plain = &plain;
    search_directories(search, search.loader.library_path, FoundVia::ld_library_path);
    search_cache(search);
    search_directories(search, search.loader.default_directories, FoundVia::default_directory);
    search_directories(search, {"/lib64", "/usr/lib64"}, FoundVia::default_directory);
    search_directories(search, loader::toolkit_directories(job.root), FoundVia::toolkit);
    search_directories(search, loader::wheel_directories(job.root, job.facts.tool.python), FoundVia::wheel);
    search_directories(search, loader::conda_directories(job.root, job.facts.tool.python), FoundVia::conda);
    search_directories(search, {"/usr/lib/wsl/lib"}, FoundVia::wsl);
    add_development_names(search);
}

extern const Probe probe{.title = "Finds all GPU libraries and those that the loader selects",
                         .stage = Stage::look,
                         .limit = std::chrono::seconds(10),
                         .run = run};

}  // namespace rnncheck::probes::library_files
