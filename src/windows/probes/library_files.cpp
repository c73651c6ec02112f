// Every GPU library where Windows and people look for DLLs, read as files. Nothing
// is loaded.
#include <windows.h>

#include <algorithm>
#include <set>

#include "base/program.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "files/pe/pe_file.hpp"
#include "process/probe.hpp"
#include "windows/places.hpp"
#include "windows/pythons.hpp"
#include "windows/system.hpp"

namespace rnncheck::probes::library_files {

/// Each cuDNN is played through in full, which reads all files that it loads.
static constexpr std::size_t most_libraries = 512, most_cudnns = 16;
static const std::string ours = "64-bit x86-64";

/// The file that a program gets which opens a library by its name alone, as LoadLibrary finds it
/// with its usual order:
/// https://learn.microsoft.com/en-us/windows/win32/dlls/dynamic-link-library-search-order
static std::optional<std::string> found_by_windows(const std::string& name) {
    constexpr DWORD longest = 1 << 15;
    std::wstring path(longest, L'\0');
    const DWORD size =
        SearchPathW(nullptr, windows::utf16(name).c_str(), nullptr, longest, path.data(), nullptr);
    if (size == 0 || size >= longest)
        return std::nullopt;
    return windows::slashed(windows::utf8({path.data(), size}));
}

/// Goes through the directories in search order.
class Search {
  public:
    Search(const Job& job, ProbeWriter& writer) : job_(job), writer_(writer) {
    }

    void run() {
        for (const auto& [directory, via] : windows::places_of_libraries(job_.root))
            search(directory, via);
        if (!news_.libraries.empty())
            writer_.facts(news_);
        play_cudnns();
    }

  private:
    void search(const std::string& directory, FoundVia via) {
        const auto real = job_.root.real_path(directory);
        if (!real || !directories_done_.insert(lower(*real)).second)
            return;
        writer_.calling("reading the directory " + directory);
        for (const auto& name : job_.root.names_in(*real))
            if (const auto library = loader::library_name(name))
                add(*library, *real + '/' + name, via);
    }

    /// A file for another machine is found all the same: Windows passes over
    /// it, and a person wonders why.
    void add(const loader::LibraryName& name, const std::string& path, FoundVia via) {
        if (news_.libraries.size() == most_libraries)
            return report_many();
        Library& library = news_.libraries.emplace_back();
        library.kind = name.kind;
        library.path = path;
        library.real_path = job_.root.real_path(path);
        library.found_via = via;
        library.version_in_name = name.product_version();
        library.picked_by_loader =
            lower(found_by_windows(file_name(path)).value_or("")) == lower(path);
        const pe::PeFile file = pe::read_pe_file(job_.root, path);
        library.machine = file.machine;
        library.needed = file.imports;
        library.problem = file.problem;
        if (file.problem)
            library.problem_detail = file.problem_detail;
        if (file.problem || file.machine == ours)
            return;
        library.problem = FileProblem::other_machine;
        library.problem_detail =
            "is for " + file.machine.value_or("an unknown machine") + ", not for " + ours;
    }

    /// What programs load with each cuDNN. Of a front alone, as CTranslate2
    /// contains it, other packages have the parts.
    void play_cudnns() {
        const dll::Disk disk = windows::disk_of_machine();
        std::size_t played = 0;
        for (const Library& library : news_.libraries) {
            const bool is_complete = library.picked_by_loader || has_part_beside(library);
            const auto front = dll::absolute_windows_path(library.path);
            if (library.kind != LibraryKind::cudnn || !is_complete || !front ||
                ++played > most_cudnns)
                continue;
            writer_.calling("reading what is loaded with " + library.path);
            Facts loads;
            loads.dll_loads = dll::cudnn_loads(disk, *front, windows::search_here());
            writer_.facts(loads);
        }
    }

    bool has_part_beside(const Library& front) const {
        return std::ranges::any_of(news_.libraries, [&](const Library& library) {
            return library.kind == LibraryKind::cudnn_part &&
                   directory_of(library.path) == directory_of(front.path);
        });
    }

    void report_many() {
        if (std::exchange(has_reported_, true))
            return;
        writer_.failed(
            {"list of libraries",
             1,
             "only the first " + std::to_string(most_libraries) + " are reported"});
    }

    const Job& job_;
    ProbeWriter& writer_;
    std::set<std::string> directories_done_;
    Facts news_;
    bool has_reported_ = false;
};

static void run(const Job& job, ProbeWriter& writer) {
    Search(job, writer).run();
}

extern const Probe probe{
    .title = "Finds all GPU libraries and those that Windows selects",
    .stage = Stage::look,
    .limit = std::chrono::seconds(60),
    .run = run};

}  // namespace rnncheck::probes::library_files
