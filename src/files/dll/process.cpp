#include "files/dll/process.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::dll {

namespace {

// A process with PyTorch has some hundred DLLs, and ten times as many requests for them.
constexpr std::size_t most_modules = 1024, most_requests = 32768;

/// DLLs that every Windows has and every process takes from System32, whatever
/// the directories have ("Known DLLs" of
/// https://learn.microsoft.com/en-us/windows/win32/dlls/dynamic-link-library-search-order):
/// the part of the registry's list that GPU libraries import, for where that is not read.
constexpr std::string_view known_dlls[] = {
    "advapi32.dll",
    "combase.dll",
    "gdi32.dll",
    "imagehlp.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ole32.dll",
    "oleaut32.dll",
    "psapi.dll",
    "rpcrt4.dll",
    "sechost.dll",
    "setupapi.dll",
    "shell32.dll",
    "shlwapi.dll",
    "user32.dll",
    "ws2_32.dll",
    "ntdll.dll"};

bool has_directory(std::string_view name) {
    return contains(name, "\\") || contains(name, "/");
}

/// LoadLibrary appends ".dll" to a name without an ending.
std::string with_ending(const std::string& name) {
    if (contains(dll_name(name), "."))
        return name;
    return name + ".dll";
}

/// A file of another version may lack hundreds of functions.
std::string first_of(const std::vector<std::string>& functions) {
    constexpr std::size_t most_named = 3;
    const std::size_t named = std::min(functions.size(), most_named);
    const std::vector<std::string> some(
        functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(named));
    if (functions.size() == named)
        return join_with_and(some);
    return join(some, ", ") + " and " + std::to_string(functions.size() - named) + " more";
}

}  // namespace

void Process::add_user_directory(const std::string& directory) {
    // AddDllDirectory fails for what is no directory, and Python's
    // frameworks then go on without it.
    if (disk_.is_directory(directory))
        add_once(user_directories_, disk_.as_written(directory));
}

void Process::set_dll_directory(const std::string& directory) {
    dll_directory_ = directory;
}

void Process::set_default_directories(unsigned flags) {
    default_flags_ = flags;
}

void Process::put_before_path(const std::string& directory) {
    setting_.path.insert(setting_.path.begin(), directory);
}

const Module* Process::module_named(std::string_view name) const {
    return find_by(modules_, &Module::key, lower(name));
}

bool Process::was_requested(std::string_view name) const {
    return requested_.contains(lower(name));
}

bool Process::is_of_windows(std::string_view path) const {
    const std::string directory = dll_directory(path);
    return (same_name(directory, disk_.system32()) || same_name(directory, disk_.windows())) &&
           !concerns_gpu(dll_name(path));
}

bool Process::is_known(const std::string& name) const {
    if (setting_.known_dlls.empty())
        return includes(known_dlls, lower(name));
    return std::ranges::any_of(
        setting_.known_dlls, [&](const auto& known) { return same_name(known, name); });
}

bool Process::is_on_path(const std::string& name) const {
    return std::ranges::any_of(setting_.path, [&](const std::string& directory) {
        return disk_.exists(directory + "\\" + name);
    });
}

/// The flags that choose directories, of the load or of the process; none for
/// the usual search.
unsigned Process::chosen_by(unsigned flags) const {
    constexpr unsigned choosing = search_load_directory | search_application |
                                  search_user_directories | search_system32 | search_default;
    if ((flags & choosing) != 0 || default_flags_ == 0)
        return flags & choosing;
    if ((flags & altered_search_path) == 0)
        return default_flags_;
    return default_flags_ | search_load_directory;
}

/// With flags that choose directories, in the order of Microsoft's page on
/// LoadLibraryEx; without, in that of the page on the search order.
std::vector<SearchPlace> Process::places_of(const Load& load) const {
    std::vector<SearchPlace> places;
    const auto add = [&](LoaderRule rule, std::string_view directory) {
        if (!directory.empty())
            places.push_back({rule, std::string(directory)});
    };
    if (const unsigned chosen = chosen_by(load.flags)) {
        if (chosen & search_load_directory)
            add(LoaderRule::load_directory, load.directory);
        if (chosen & (search_application | search_default))
            add(LoaderRule::application_directory, setting_.application_directory);
        if (chosen & (search_user_directories | search_default)) {
            for (const std::string& directory : user_directories_)
                add(LoaderRule::user_directory, directory);
            add(LoaderRule::user_directory, dll_directory_);
        }
        if (chosen & (search_system32 | search_default))
            add(LoaderRule::system_directory, disk_.system32());
        return places;
    }
    if ((load.flags & altered_search_path) && !load.directory.empty())
        add(LoaderRule::load_directory, load.directory);
    else
        add(LoaderRule::application_directory, setting_.application_directory);
    add(LoaderRule::user_directory, dll_directory_);
    add(LoaderRule::system_directory, disk_.system32());
    if (setting_.packaged)
        return places;
    // of 16-bit Windows, still searched
    add(LoaderRule::system_directory, disk_.windows() + "\\System");
    add(LoaderRule::system_directory, disk_.windows());
    if (dll_directory_.empty())
        add(LoaderRule::current_directory, setting_.current_directory.value_or(""));
    for (const std::string& directory : setting_.path)
        add(LoaderRule::path_variable, directory);
    return places;
}

/// True when the search ends here: with a usable file, or one that the loader
/// gives up at. One for another machine is passed over (LdrpMapDllSearchPath
/// goes on after STATUS_IMAGE_MACHINE_TYPE_MISMATCH, as does Wine's loader).
bool Process::take(Answer& answer, const std::string& path, LoaderRule rule) {
    if (!disk_.exists(path) || disk_.is_directory(path))
        return false;
    const std::string written = disk_.as_written(path);
    pe::PeFile file = pe::read_pe_file(disk_.root(), *disk_.inside(path));
    const bool other_machine = !file.problem && file.machine != setting_.machine;
    if (file.problem || other_machine) {
        answer.path = written;
        answer.rule = rule;
        answer.ending = DllEnding::unusable;
        answer.problem = file.problem_detail;
        if (other_machine)
            answer.problem = "is built for another architecture: " + *file.machine +
                             ", the program is " + setting_.machine;
        return file.problem.has_value();
    }
    answer.path = written;
    answer.rule = rule;
    answer.ending = DllEnding::loaded;
    answer.problem.clear();
    modules_.push_back({written, std::move(file), lower(dll_name(written))});
    return true;
}

/// A name without a directory: what the process has already comes first, then
/// Known DLLs, then the directories.
void Process::search(Answer& answer, const Load& load) {
    const std::string name = with_ending(answer.name);
    if (const Module* const module = module_named(name)) {
        answer.path = module->path;
        answer.rule = LoaderRule::already_loaded;
        answer.ending = DllEnding::loaded;
        return;
    }
    if (is_known(name))
        answer.places = {SearchPlace{LoaderRule::system_directory, disk_.system32()}};
    else
        answer.places = places_of(load);
    for (const SearchPlace& place : answer.places)
        if (take(answer, place.directory + "\\" + name, place.rule))
            return;
    // for another machine
    if (answer.path)
        return;
    const bool searches_path = !answer.places.empty() && chosen_by(load.flags) == 0;
    const bool windows_absent = disk_.names_in(disk_.system32()).empty();
    // By Microsoft's description a packaged program does not search PATH;
    // nobody has tried that.
    bool may_be_on_path = !setting_.path_known;
    if (setting_.packaged)
        may_be_on_path = is_on_path(name);
    const bool path_decides = searches_path && may_be_on_path;
    const bool is_open = path_decides || windows_absent || setting_.application_directory.empty();
    answer.ending = is_open ? DllEnding::unknown : DllEnding::not_found;
    answer.problem = "is not found";
    if (windows_absent)
        answer.problem += ", and this disk has no " + disk_.system32();
}

/// Recursive, as each DLL may import others. What was loaded for a load that
/// fails is taken out again by finish().
Answer Process::request(Answer answer, const Load& load) {
    if (modules_.size() >= most_modules || ++requests_ > most_requests) {
        answer.problem = "is not examined: the program loads more DLLs than any real one";
        return answer;
    }
    requested_.insert(lower(dll_name(answer.name)));
    const std::size_t before = modules_.size();
    if (!has_directory(answer.name)) {
        search(answer, load);
    } else if (const auto path = absolute_windows_path(answer.name); !path) {
        answer.problem = "is named by a relative path";
    } else if (const auto* const module = find_where(modules_, [&](const Module& one) {
                   return same_name(one.path, *path);
               })) {
        answer.path = module->path;
        answer.rule = LoaderRule::already_loaded;
        answer.ending = DllEnding::loaded;
    } else if (take(answer, *path, LoaderRule::path); !answer.path) {
        answer.ending = DllEnding::not_found;
        answer.problem = "is not found";
    }
    if (modules_.size() > before)
        finish(answer, load, before);
    if (!answer.path || !is_of_windows(*answer.path))
        answers_.push_back(answer);
    return answer;
}

/// What a DLL of Windows needs is in Windows.
void Process::finish(Answer& answer, const Load& load, std::size_t own) {
    if (is_of_windows(*answer.path))
        return;
    const std::vector<std::string> imports = modules_[own].file.imports;
    for (const std::string& name : imports) {
        if (is_api_set(name) || is_known(name))
            continue;
        const Answer needed = request({.name = name, .by = answer.path}, load);
        if (needed.ending == DllEnding::loaded)
            continue;
        const bool fails = needed.ending != DllEnding::unknown;
        if (!fails && answer.ending != DllEnding::loaded)
            continue;
        answer.ending = needed.ending;
        answer.problem = "needs " + name + ", which " + needed.problem;
        answer.failing = needed.failing;
        if (needed.failing.empty())
            answer.failing = name;
        answer.lacking = needed.lacking;
        answer.functions = needed.functions;
        if (fails)
            break;
    }
    if (answer.ending == DllEnding::loaded)
        compare_functions(answer, modules_[own]);
    if (answer.ending != DllEnding::loaded && answer.ending != DllEnding::unknown)
        modules_.erase(modules_.begin() + static_cast<std::ptrdiff_t>(own), modules_.end());
}

/// Read once for each DLL: that of cuBLAS has thousands of functions, and
/// several DLLs import from it.
const std::optional<std::set<std::string>>& Process::exports_of(const std::string& path) {
    const auto known = exports_.find(path);
    if (known != exports_.end())
        return known->second;
    auto& exported = exports_[path];
    if (const auto inside = disk_.inside(path))
        exported = pe::exported_functions(disk_.root(), *inside);
    return exported;
}

/// Error 127: the loader resolves all imports of a DLL at once, and one
/// missing function fails the load.
void Process::compare_functions(Answer& answer, const Module& module) {
    const auto imported =
        pe::imported_functions(disk_.root(), disk_.inside(module.path).value_or(""));
    if (!imported)
        return;
    for (const auto& [name, functions] : *imported) {
        const Module* const provider = module_named(name);
        if (!provider || is_of_windows(provider->path))
            continue;
        const auto& exported = exports_of(provider->path);
        if (!exported)
            continue;
        std::ranges::set_difference(functions, *exported, std::back_inserter(answer.functions));
        if (answer.functions.empty())
            continue;
        answer.ending = DllEnding::lacks_function;
        answer.lacking = provider->path;
        answer.problem = "needs " + first_of(answer.functions) + " from " + provider->path +
                         ", which does not have ";
        answer.problem += answer.functions.size() == 1 ? "it" : "them";
        return;
    }
}

Answer Process::load(
    const std::string& name, unsigned flags, const std::optional<std::string>& by) {
    std::optional<std::string> path;
    if (has_directory(name))
        path = absolute_windows_path(name);
    Load load{flags, ""};
    if (path)
        load.directory = dll_directory(*path);
    // Error 87 by the page on LoadLibraryEx: "must specify a fully qualified path".
    if (!path && (chosen_by(flags) & search_load_directory) != 0)
        return {
            .name = name,
            .by = by,
            .at_run_time = true,
            .ending = DllEnding::not_found,
            .problem = "is named without the path that this load demands"};
    return request({.name = name, .by = by, .at_run_time = true}, load);
}

Answer Process::try_load(
    const std::string& name, unsigned flags, const std::optional<std::string>& by) {
    const std::size_t before = answers_.size();
    const std::set<std::string> requested = requested_;
    Answer answer = load(name, flags, by);
    if (answer.ending != DllEnding::loaded && answer.ending != DllEnding::unknown) {
        answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(before), answers_.end());
        requested_ = requested;
    }
    return answer;
}

std::string in_words(LoaderRule rule) {
    using Words = std::pair<LoaderRule, const char*>;
    static constexpr Words words[] = {
        {LoaderRule::already_loaded, "loaded already"},
        {LoaderRule::path, "requested by this path"},
        {LoaderRule::load_directory, "the directory of the DLL that is loaded"},
        {LoaderRule::application_directory, "the directory of the program"},
        {LoaderRule::user_directory, "os.add_dll_directory()"},
        {LoaderRule::system_directory, "the directories of Windows"},
        {LoaderRule::current_directory, "the current directory"},
        {LoaderRule::path_variable, "PATH"},
        {LoaderRule::elsewhere, "elsewhere"}};
    if (const Words* const known = find_by(words, &Words::first, rule))
        return known->second;
    return std::string(name_of(rule));
}

bool is_api_set(std::string_view name) {
    const std::string small = lower(name);
    return small.starts_with("api-ms-win-") || small.starts_with("ext-ms-");
}

}  // namespace rnncheck::dll
