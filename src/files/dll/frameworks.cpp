// Long because every framework that is carried out needs the same Process.
// Each framework's script (scripts.cpp) is carried out in a Process, then what
// cuDNN and delayed imports open is added.
#include "files/dll/frameworks.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/dll/files_elsewhere.hpp"
#include "files/pe/cudnn_build.hpp"
#include "files/python/frameworks.hpp"

namespace rnncheck::dll {

namespace {

using Strings = std::vector<std::string>;

/// The framework's paths as Windows writes them.
void use_windows_paths(Framework& framework) {
    framework.environment = windows_path(framework.environment);
    for (auto* path : {&framework.core, &framework.evidence})
        if (*path)
            *path = windows_path(**path);
}

/// How a program opens the front of cuDNN.
enum class Opening {
    by_name,
    /// and its parts from the same directory, as rnncheck does itself
    by_path
};

/// One framework played through.
class Player {
  public:
    Player(
        const Disk& disk, const Environment& environment, const Search& search, Framework framework)
        : disk_(disk),
          environment_(environment),
          search_(search),
          framework_(std::move(framework)),
          process_(disk, setting_for(environment, search)),
          others_(other_directories(disk, environment)),
          elsewhere_(disk, others_) {
    }

    FrameworkLoads play() {
        const Script* const script = script_of(framework_);
        if (!script) {
            notes_.push_back(
                "how " + framework_.name + " loads DLLs on Windows is unknown to rnncheck");
        } else {
            run(*script);
            open_delayed();
            open_parts();
        }
        FrameworkLoads result;
        for (const Answer& answer : distinct_answers())
            add_answer(answer, result);
        use_windows_paths(framework_);
        result.framework = std::move(framework_);
        result.notes = std::move(notes_);
        return result;
    }

    /// A program of no known framework that opens this cuDNN.
    std::vector<DllLoad> play_cudnn(const std::string& front, Opening opening) {
        if (opening == Opening::by_name) {
            process_.load(dll_name(front), no_flags);
        } else {
            process_.set_default_directories(search_default);
            process_.add_user_directory(dll_directory(front));
            process_.load(front, python_flags);
        }
        open_parts();
        FrameworkLoads result;
        for (const Answer& answer : distinct_answers())
            add_answer(answer, result);
        return std::move(result.loads);
    }

  private:
    static Setting setting_for(const Environment& environment, const Search& search) {
        Setting setting{.application_directory = environment.application_directory};
        setting.path = search.path ? directories_of_path(*search.path) : environment.on_path;
        setting.path_known = search.path.has_value();
        setting.packaged = environment.packaged;
        setting.known_dlls = search.known_dlls;
        setting.current_directory = search.current_directory;
        return setting;
    }

    /// Where NVIDIA's installer puts the toolkits.
    std::string toolkits() const {
        return disk_.programs() + "\\NVIDIA GPU Computing Toolkit\\CUDA";
    }

    /// The directory of the version that the framework was built with.
    std::string own_toolkit() const {
        if (!framework_.cuda || !contains(framework_.cuda->text, "."))
            return "";
        return concat(toolkits(), "\\v", framework_.cuda->major(), ".", framework_.cuda->minor());
    }

    /// CUDA_PATH; where it is unknown the newest of this major
    /// version, whose installer sets it.
    std::string toolkit() const {
        if (search_.toolkit)
            return *search_.toolkit;
        const std::string parent = toolkits();
        std::string best;
        for (const std::string& name : disk_.names_in(parent)) {
            const auto version = parse_version(std::string_view(name).substr(1));
            if (version && framework_.cuda && version->major() == framework_.cuda->major())
                best = parent + "\\" + name;
        }
        return best;
    }

    /// Empty when a value that the text needs is unknown.
    std::string filled(std::string text) const {
        using ValueOf = std::string (Player::*)() const;
        static constexpr std::pair<std::string_view, ValueOf> values[] = {
            {"{site}", &Player::site},
            {"{prefix}", &Player::prefix},
            {"{toolkit}", &Player::toolkit},
            {"{own_toolkit}", &Player::own_toolkit},
            {"{cudnn}", &Player::cudnn_major},
            {"{cuda}", &Player::cuda_major},
            {"{cudart}", &Player::number_of_runtime}};
        for (const auto& [token, value_of] : values) {
            if (!contains(text, token))
                continue;
            const std::string value = (this->*value_of)();
            if (value.empty())
                return "";
            replace_all(text, token, value);
        }
        return text;
    }

    std::string prefix() const {
        return environment_.prefix;
    }

    std::string cudnn_major() const {
        return framework_.cudnn ? std::to_string(framework_.cudnn->major()) : "";
    }

    std::string cuda_major() const {
        return framework_.cuda ? std::to_string(framework_.cuda->major()) : "";
    }

    /// cudart64_101.dll is that of CUDA 10.1; since 11 all minor
    /// versions have the name of the first.
    std::string number_of_runtime() const {
        if (!framework_.cuda)
            return "";
        constexpr int first_without_minor = 11;
        int minor = 0;
        if (framework_.cuda->major() < first_without_minor)
            minor = framework_.cuda->minor();
        return concat(framework_.cuda->major(), minor);
    }

    /// The directory of packages that has the framework.
    std::string site() const {
        if (!framework_.core)
            return "";
        for (const std::string& directory : environment_.python.package_directories)
            if (framework_.core->starts_with(directory + "/"))
                return windows_path(directory);
        return "";
    }

    Strings filled(const Strings& texts) const {
        Strings all;
        for (const std::string& text : texts)
            if (const std::string one = filled(text); !one.empty())
                all.push_back(one);
        return all;
    }

    /// In the order of the framework's own code, which decides what a later
    /// load finds in the process already.
    void run(const Script& script) {
        notes_.push_back(framework_.name + " loads DLLs as its own code shows: " + script.source);
        if (!script.note.empty())
            notes_.push_back(script.note);
        load_python();
        for (const std::string& directory : filled(script.user_directories))
            process_.add_user_directory(directory);
        Strings before = filled(script.before_path);
        std::ranges::reverse(before);
        for (const std::string& directory : before)
            process_.put_before_path(directory);
        if (script.opens_first)
            open_all(script);
        for (const std::string& pattern : filled(script.loaded))
            for (const std::string& file : disk_.files_of(pattern))
                load_file(script, file);
        for (const std::string& file : filled(script.loaded_by_core))
            process_.load(file, altered_search_path);
        if (!script.opens_first)
            open_all(script);
    }

    void open_all(const Script& script) {
        for (const std::string& places : script.opened)
            open_first_of(script, split(places, ';'));
    }

    /// The first of these that loads; if none does, the one that is named
    /// without a directory.
    void open_first_of(const Script& script, const Strings& places) {
        std::optional<std::string> core;
        if (framework_.core)
            core = windows_path(*framework_.core);
        std::string name;
        for (const std::string& place : filled(places)) {
            const bool is_name = !contains(place, "\\");
            if (is_name)
                name = place;
            for (const std::string& file : disk_.files_of(place)) {
                if (!is_name && !disk_.exists(file))
                    continue;
                const unsigned flags = is_name ? script.open_flags : script.path_flags;
                const Answer answer = process_.try_load(file, flags, core);
                if (answer.ending == DllEnding::loaded || answer.ending == DllEnding::unknown)
                    return;
            }
        }
        const bool goes_on_without = places.back().empty();
        if (!name.empty() && !goes_on_without)
            process_.load(name, script.open_flags, core);
    }

    /// What python.exe has loaded before any package is imported.
    void load_python() {
        for (const std::string& file :
             disk_.files_of(environment_.application_directory + "\\python3*.dll"))
            process_.load(file, no_flags);
    }

    void load_file(const Script& script, const std::string& file) {
        // A name alone is searched for without the directory of the file: ctypes.CDLL of
        // https://github.com/python/cpython/blob/3.12/Lib/ctypes/__init__.py
        const bool is_name = !contains(file, "\\");
        const Answer answer = process_.load(file, is_name ? search_default : python_flags);
        if (!script.retries || answer.ending != DllEnding::not_found)
            return;
        if (!retried_)
            for (const std::string& directory : filled(script.user_directories))
                process_.put_before_path(directory);
        retried_ = true;
        process_.load(file, no_flags);
    }

    /// At the first call of one of their functions, as LoadLibrary finds them:
    /// https://learn.microsoft.com/en-us/cpp/build/reference/linker-support-for-delay-loaded-dlls
    void open_delayed() {
        for (std::size_t i = 0; i < process_.modules().size(); ++i) {
            const Module module = process_.modules()[i];
            for (const std::string& name : module.file.delayed)
                if (concerns_gpu(name) && !is_visual_cpp_runtime(name))
                    process_.load(name, no_flags, module.path);
        }
    }

    /// cuDNN opens its own parts by LoadLibraryA(NAME) without flags, which
    /// searches PATH and not the directory that it is in itself.
    void open_parts() {
        for (std::size_t i = 0; i < process_.modules().size(); ++i) {
            const std::string path = process_.modules()[i].path, name = dll_name(path);
            if (!is_cudnn(name) && !is_part_of_cudnn(name))
                continue;
            for (const std::string& inside :
                 pe::embedded_library_names(disk_.root(), *disk_.inside(path)))
                if (is_part_of_cudnn(inside) && !same_name(inside, name) &&
                    !process_.was_requested(inside))
                    process_.load(inside, no_flags, path);
            if (is_cudnn(name))
                open_zlib(path);
        }
    }

    /// cuDNN 8.3 to 8.6 end the program without zlibwapi.dll; 8.9 contains zlib. Of 8.7 and 8.8
    /// neither is known.
    /// https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-860/install-guide/index.html#install-zlib-windows
    void open_zlib(const std::string& front) {
        const auto version = version_of(front);
        const auto from = make_version({8, 3}), unknown_from = make_version({8, 7}),
                   without = make_version({8, 9});
        if (!version || *version < from || *version >= without)
            return;
        const Answer answer = process_.load("zlibwapi.dll", no_flags, front);
        if (answer.ending != DllEnding::loaded && *version >= unknown_from)
            notes_.push_back(
                "zlibwapi.dll is not found; whether cuDNN " + version->text +
                " needs it is unknown");
    }

    std::optional<Version> version_of(const std::string& path) const {
        const auto resource = pe::version_resource(disk_.root(), disk_.inside(path).value_or(""));
        if (!resource)
            return std::nullopt;
        return resource->file;
    }

    void learn_build(DllLoad& load) const {
        if (!is_cudnn(load.name) && !is_part_of_cudnn(load.name)) {
            load.version = version_of(*load.path);
            return;
        }
        const auto build = pe::cudnn_build(disk_.root(), disk_.inside(*load.path).value_or(""));
        load.version = build.version;
        load.cuda_major = build.cuda_major;
    }

    /// The file in the package of the framework, or in the wheel that the package requires.
    std::optional<std::string> own_file(const Answer& answer) const {
        if (framework_.name.empty())
            return std::nullopt;
        const std::string own = lower(site() + "\\" + module_directory());
        const auto is_own = [&](const std::string& path) {
            return lower(path).starts_with(own + "\\");
        };
        if (answer.path && is_own(*answer.path))
            return answer.path;
        for (const std::string& directory : others_)
            if (is_own(directory + "\\") && disk_.exists(directory + "\\" + answer.name))
                return disk_.as_written(directory + "\\" + answer.name);
        return std::nullopt;
    }

    /// Several DLLs may need what is not found; of what is loaded in the end,
    /// earlier failures do not count.
    std::vector<Answer> distinct_answers() const {
        std::set<std::string> loaded;
        for (const Answer& answer : process_.answers())
            if (answer.ending == DllEnding::loaded)
                loaded.insert(lower(dll_name(answer.name)));
        std::set<std::tuple<std::string, DllEnding, std::optional<std::string>>> seen;
        std::vector<Answer> distinct;
        for (const Answer& answer : process_.answers()) {
            const bool is_overcome =
                answer.ending != DllEnding::loaded && loaded.contains(lower(dll_name(answer.name)));
            if (seen.emplace(lower(answer.name), answer.ending, answer.path).second && !is_overcome)
                distinct.push_back(answer);
        }
        return distinct;
    }

    std::string module_directory() const {
        if (framework_.name == "pytorch")
            return "torch";
        return framework_.name == "paddlepaddle" ? "paddle" : framework_.name;
    }

    void add_answer(const Answer& answer, FrameworkLoads& result) const {
        const std::string name = dll_name(answer.name);
        const bool is_repeated = answer.rule == LoaderRule::already_loaded && answer.path;
        if (!concerns_gpu(name)) {
            const bool is_needed = answer.ending != DllEnding::loaded && answer.failing.empty();
            if (search_.all || is_needed)
                result.libraries.push_back(choice_of(answer, {}));
            return;
        }
        const Strings others = elsewhere_.of(answer);
        if (!is_repeated)
            result.loads.push_back(load_of(answer, others));
        if (!is_repeated || search_.all)
            result.libraries.push_back(choice_of(answer, others));
    }

    DllLoad load_of(const Answer& answer, const Strings& others) const {
        DllLoad load;
        load.framework = framework_.name;
        load.environment = environment_.prefix;
        load.name = dll_name(answer.name);
        load.ending = answer.ending;
        load.path = answer.path;
        load.needed_by = answer.by;
        load.lacking = answer.lacking;
        load.own = own_file(answer);
        load.elsewhere = others;
        if (answer.path) {
            load.rule = answer.rule;
            learn_build(load);
        }
        if (!answer.problem.empty())
            load.problem = answer.problem;
        if (!answer.failing.empty() && answer.ending == DllEnding::not_found)
            load.absent = answer.failing;
        return load;
    }

    LibraryChoice choice_of(const Answer& answer, const Strings& others) const {
        LibraryChoice choice;
        choice.soname = dll_name(answer.name);
        choice.needed_by = answer.by;
        choice.by_dlopen = answer.at_run_time;
        if (answer.ending == DllEnding::loaded) {
            choice.path = answer.path;
            choice.rule = answer.rule;
            choice.why = in_words(answer.rule);
        } else if (answer.ending == DllEnding::unknown && !answer.path) {
            choice.why = environment_.packaged
                             ? "not found so far; it is on PATH, which a Python of the Microsoft "
                               "Store may not search"
                             : concat("not found so far, and ", path_is_unknown, " (--path)");
            choice.is_open = true;
        } else {
            if (answer.path)
                choice.why = *answer.path + " ";
            choice.why += answer.problem;
        }
        for (const std::string& path : later_files(answer))
            choice.candidates.push_back(
                {path, LoaderRule::path_variable, in_words(answer.rule) + " comes before it"});
        for (const std::string& path : others)
            if (same_name(dll_name(path), choice.soname) &&
                !find_by(choice.candidates, &LibraryCandidate::path, path))
                choice.candidates.push_back(
                    {path, LoaderRule::elsewhere, "Windows does not search there"});
        return choice;
    }

    /// Those of the name behind the winner in the search.
    Strings later_files(const Answer& answer) const {
        Strings files;
        for (const SearchPlace& place : answer.places) {
            const std::string path = place.directory + "\\" + answer.name;
            if (!answer.path || same_name(path, *answer.path) || !disk_.exists(path))
                continue;
            add_once(files, disk_.as_written(path));
        }
        return files;
    }

    const Disk& disk_;
    const Environment& environment_;
    const Search& search_;
    Framework framework_;
    Process process_;
    Strings others_;
    FilesElsewhere elsewhere_;
    Strings notes_;
    bool retried_ = false;
};

}  // namespace

/// Read as on Linux: the packages are the same, only the paths are turned at the end.
std::vector<Framework> frameworks_in(const Disk& disk, Environment& environment) {
    std::vector<Framework> all = python::frameworks_of(disk.root(), environment.python);
    std::ranges::for_each(all, use_windows_paths);
    return all;
}

std::vector<FrameworkLoads> framework_loads(
    const Disk& disk, Environment& environment, const Search& search) {
    std::vector<FrameworkLoads> all;
    for (Framework& framework : python::frameworks_of(disk.root(), environment.python)) {
        if (framework.uses_cuda.value_or(false)) {
            all.push_back(Player(disk, environment, search, std::move(framework)).play());
            continue;
        }
        use_windows_paths(framework);
        all.push_back(
            {.framework = std::move(framework), .loads = {}, .libraries = {}, .notes = {}});
    }
    return all;
}

/// A program without DLLs beside it, as one of Windows.
static std::vector<DllLoad> loads_of_program(
    const Disk& disk, const std::string& front, const Search& search, Opening opening) {
    Environment program;
    program.prefix = dll_directory(front);
    program.application_directory = disk.system32();
    return Player(disk, program, search, Framework{}).play_cudnn(front, opening);
}

std::vector<DllLoad> cudnn_loads(const Disk& disk, const std::string& front, const Search& search) {
    auto by_name = loads_of_program(disk, front, search, Opening::by_name);
    const DllLoad* const found = find_where(
        by_name, [&](const DllLoad& load) { return same_name(load.name, dll_name(front)); });
    if (found && found->path && same_name(*found->path, front))
        return by_name;
    return loads_from_own_directory(disk, front);
}

std::vector<DllLoad> loads_from_own_directory(const Disk& disk, const std::string& front) {
    return loads_of_program(disk, front, {.path = ""}, Opening::by_path);
}

}  // namespace rnncheck::dll
