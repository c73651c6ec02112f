// Every GPU library on the loader's way and in the places where toolkits and
// wheels put them, read as files. Nothing is loaded.
#include <map>
#include <set>
#include <tuple>

#include "base/program.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "files/loader/process.hpp"
#include "process/probe.hpp"

namespace rnncheck::probes::library_files {

/// Each file is read, and the probe has ten seconds.
static constexpr std::size_t most_libraries = 512;

/// A file with the name of a GPU library, and what led to it.
struct Candidate {
    std::string path;
    FoundVia via;
};

/// What the loader gives for a name, and the file behind it: of several paths
/// to one file all count as found.
struct Picked {
    loader::Lookup lookup;
    std::optional<std::string> real_path;
};

static bool has_directory(const Library& library, std::string_view directory) {
    const std::string part = "/" + std::string(directory) + "/";
    return contains(library.path, part) || contains(library.real_path.value_or(""), part);
}

/// By kind, and of several names of one file the one that programs open first:
/// libcudart.so.12 before .so.12.4.99.
static std::vector<std::string> library_names_in(const Root& root, const std::string& directory) {
    std::set<std::tuple<LibraryKind, std::size_t, std::string>> found;
    for (const auto& name : root.names_in(directory))
        if (const auto library = loader::library_name(name))
            found.emplace(library->kind, name.size(), name);
    return mapped(found, [](const auto& entry) { return std::get<std::string>(entry); });
}

/// Goes through the directories in search order.
class Search {
  public:
    Search(const Job& job, ProbeWriter& writer) : job_(job), writer_(writer) {
        plain_.start(environment_variable("LD_PRELOAD").value_or(""));
    }

    void run() {
        search(loader_.library_path, FoundVia::ld_library_path);
        for (const auto& entry : loader_.cache.entries())
            if (loader::library_name(file_name(entry.path)))
                consider({std::string(entry.path), FoundVia::loader_cache});
        learn_news();
        search(loader_.default_directories, FoundVia::default_directory);
        search({"/lib64", "/usr/lib64"}, FoundVia::default_directory);
        for (const auto& [via, directories] :
             loader::other_library_directories(job_.root, job_.facts.tool.python))
            search(directories, via);
        add_development_names();
    }

  private:
    /// By real path: /lib and /usr/lib are one directory on most systems.
    void search(const std::vector<std::string>& directories, FoundVia via) {
        for (const auto& directory : directories) {
            const auto real = job_.root.real_path(directory);
            if (!real || !directories_done_.insert(*real).second)
                continue;
            writer_.calling("reading the directory " + directory);
            for (const auto& name : library_names_in(job_.root, *real))
                consider({directory + '/' + name, via});
        }
        learn_news();
    }

    void consider(const Candidate& candidate) {
        const auto name = loader::library_name(file_name(candidate.path));
        if (!name)
            return;
        if (name->development)
            development_names_.push_back(candidate);
        else
            add(candidate);
    }

    /// A development name that leads nowhere, or to a linker script, harms no
    /// program that runs.
    void add_development_names() {
        for (const auto& candidate : development_names_) {
            const auto real_path = job_.root.real_path(candidate.path);
            if (!real_path || files_done_.contains(*real_path))
                continue;
            if (elf::read_elf_file(job_.root, candidate.path).problem == FileProblem::not_elf)
                continue;
            add(candidate);
        }
        learn_news();
    }

    void add(const Candidate& candidate) {
        const auto real_path = job_.root.real_path(candidate.path);
        // the cache may be older than the files
        const bool gone = !real_path && !job_.root.link(candidate.path);
        if (gone || !files_done_.insert(real_path.value_or(candidate.path)).second ||
            count_ == most_libraries)
            return;
        news_.libraries.push_back(describe(candidate, real_path));
        if (++count_ == most_libraries)
            writer_.failed(
                {"list of libraries",
                 1,
                 "only the first " + std::to_string(most_libraries) + " are reported"});
    }

    void learn_news() {
        if (!news_.libraries.empty())
            writer_.facts(news_);
        news_ = {};
    }

    Library describe(const Candidate& candidate, const std::optional<std::string>& real_path) {
        const elf::ElfFile file = elf::read_elf_file(job_.root, candidate.path);
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
            library.missing_needs = missing_needs(file, candidate.path);
        const Picked& picked =
            pick_for(loader::opened_as(library.kind, library.soname, file_name(library.path)));
        library.picked_by_loader = real_path && picked.real_path == real_path;
        return library;
    }

    /// What a program without a run path would not find is looked up again with
    /// this library in the process, whose own run path may lead to it.
    std::vector<std::string> missing_needs(const elf::ElfFile& file, const std::string& path) {
        std::vector<std::string> missing;
        for (const auto& name : file.needed)
            if (!loader::belongs_to_c_library(name) && !contains(name, "/") &&
                !pick_for(name).lookup.path)
                missing.push_back(name);
        if (missing.empty())
            return missing;
        loader::Process with_it = plain_;
        const std::size_t number = with_it.put(path);
        std::erase_if(
            missing, [&](const auto& name) { return with_it.look_up(name, number).path; });
        return missing;
    }

    /// Each name is looked up once, as a lookup goes through all directories.
    const Picked& pick_for(const std::string& name) {
        const auto [entry, is_new] = picks_.try_emplace(name);
        if (!is_new)
            return entry->second;
        entry->second.lookup = plain_.look_up(name, 0);
        if (const auto& path = entry->second.lookup.path)
            entry->second.real_path = job_.root.real_path(*path);
        return entry->second;
    }

    const Job& job_;
    ProbeWriter& writer_;
    loader::Loader loader_ =
        loader::loader_of(job_.root, {environment_variable("LD_LIBRARY_PATH").value_or("")});
    /// a program that opens libraries by name
    loader::Process plain_{loader_, "", {}};
    /// real paths
    std::set<std::string> directories_done_;
    /// real paths; the path itself for a link to nowhere
    std::set<std::string> files_done_;
    /// wait until nothing better has led to their files
    std::vector<Candidate> development_names_;
    /// by the name given to dlopen
    std::map<std::string, Picked> picks_;
    Facts news_;
    std::size_t count_ = 0;
};

static void run(const Job& job, ProbeWriter& writer) {
    writer.calling("reading LD_LIBRARY_PATH and /etc/ld.so.cache");
    Search(job, writer).run();
}

extern const Probe probe{
    .title = "Finds all GPU libraries and those that the loader selects",
    .stage = Stage::look,
    .limit = std::chrono::seconds(10),
    .run = run};

}  // namespace rnncheck::probes::library_files
