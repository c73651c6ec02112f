// From what a played-through process requested to one answer for each name,
// with the files that were not taken and why.
#include <map>
#include <set>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "files/cudnn_parts.hpp"
#include "files/gpu_libraries.hpp"
#include "files/known_openers.hpp"
#include "files/which.hpp"

namespace rnncheck::loader {

namespace {

/// A choice with more files of one name than that helps nobody.
constexpr std::size_t most_candidates = 64;

/// The answers to one name that ended alike.
using Group = std::vector<const Answer*>;

std::string why_not(
    const Process& process,
    const Answer& answer,
    const SearchList& list,
    const elf::ElfFile& file) {
    if (file.skipped)
        return "skipped: it " + file.problem_detail;
    if (file.aborts_list)
        return "ends the search of its list: it " + file.problem_detail;
    if (file.problem)
        return "the loader would stop here: it " + file.problem_detail;
    if (answer.rule == LoaderRule::already_loaded || answer.rule == LoaderRule::ld_preload)
        return "a library of that name is already loaded";
    const std::string winners = in_words(process, answer.rule, answer.owner.value_or(0));
    if (list.rule == answer.rule && list.owner == answer.owner)
        return "another directory of " + winners + " is before it";
    return winners + " comes before " + in_words(process, list.rule, list.owner);
}

/// A name that its opener tries before that of the answer, with the file that it got so.
std::string found_before(const Process& process, const Answer& answer) {
    return file_name(process.objects()[*answer.by].path) + " opens " + answer.opened_as + " first";
}

/// From all places where the search of one of these objects would
/// come by, the winner's included.
void add_candidates(const Process& process, const Group& group, LibraryChoice& choice) {
    const Loader& loader = process.loader();
    const Answer& answer = *group.front();
    std::set<std::size_t> askers;
    for (const Answer* one : group)
        if (one->by)
            askers.insert(*one->by);
    std::set<std::string> seen;
    if (choice.path)
        seen.insert(real_or_same(loader.root, *choice.path));
    const auto consider = [&](const SearchList& list,
                              const std::string& path,
                              const std::string& reason) {
        const elf::ElfFile file = try_open(loader, path);
        const bool absent = file.skipped && !loader.root.link(path) && !loader.root.exists(path);
        if (absent || choice.candidates.size() == most_candidates ||
            !seen.insert(real_or_same(loader.root, path)).second)
            return;
        std::string why = reason;
        if (reason.empty() || file.problem)
            why = why_not(process, answer, list, file);
        choice.candidates.push_back({path, list.rule, why});
    };
    const bool by_other_name = !answer.opened_as.empty() && answer.by;
    if (by_other_name)
        for (const auto& list : process.search_lists(*answer.by, answer.opened_as))
            for (const auto& path : list.files)
                consider(list, path, "");
    std::string too_late;
    if (by_other_name)
        too_late = found_before(process, answer);
    for (const std::size_t asker : askers)
        for (const auto& list : process.search_lists(asker, answer.name)) {
            for (const auto& path : list.files)
                consider(list, path, too_late);
            for (const auto& entry : loader.cache.entries())
                if (list.rule == LoaderRule::cache && entry.name == answer.name)
                    consider(
                        list,
                        std::string(entry.path),
                        by_other_name ? too_late : "the cache names another file first");
        }
}

/// In words for people: the rule, and the directory where that is
/// not clear from the rule itself.
std::string why_of(const Process& process, const Answer& answer) {
    if (!answer.stopped_at.empty())
        return "the loader stops at " + answer.stopped_at + " (" +
               in_words(process, answer.rule, answer.owner.value_or(0)) + "): it " + answer.problem;
    if (!answer.object)
        return "no file of that name in the directories that the loader searches";
    const Object& object = process.objects()[*answer.object];
    if (answer.rule == LoaderRule::already_loaded) {
        if (!object.loader)
            return "loaded already";
        return "loaded already for " + file_name(process.objects()[*object.loader].path);
    }
    const bool has_directory = answer.rule != LoaderRule::cache && answer.rule != LoaderRule::path;
    std::string words = in_words(process, answer.rule, answer.owner.value_or(0));
    if (has_directory)
        words += ": " + directory_of(object.path);
    return words + if_any(" (opened as ", answer.opened_as, ")");
}

/// Of several answers that ended alike the first shows who requested it and by which rule.
LibraryChoice choice_of(const Process& process, const Group& group) {
    const Answer& answer = *group.front();
    LibraryChoice choice;
    choice.soname = file_name(answer.name);
    choice.by_dlopen = answer.by_dlopen;
    if (answer.by && answer.rule != LoaderRule::ld_preload &&
        !process.objects()[*answer.by].path.empty())
        choice.needed_by = process.objects()[*answer.by].path;
    choice.why = why_of(process, answer);
    if (answer.object) {
        choice.path = process.objects()[*answer.object].path;
        choice.rule = answer.rule;
    }
    if (!contains(answer.name, "/"))
        add_candidates(process, group, choice);
    return choice;
}

/// Bounds for hostile files: real programs have fewer libraries that are
/// searched for names.
constexpr std::size_t most_files_searched = 256;
// real machines have some twenty
constexpr std::size_t most_names_opened = 512;

/// System libraries open no GPU library; to search them all would take long.
bool may_open_gpu_libraries(const Process& process, std::size_t number) {
    const std::string& path = process.objects()[number].path;
    return number == 0 || concerns_gpu(file_name(path)) ||
           !in_built_in_directory(process.loader(), path);
}

/// The names by which programs open the GPU libraries of a directory.
std::vector<std::string> names_opened_in(
    const Root& root, const std::string& directory, const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const std::string& file : files)
        if (const auto known = library_name(file); known && is_opened_by_programs(file))
            names.push_back(opened_as(
                known->kind, elf::read_elf_file(root, directory + '/' + file).soname, file));
    return names;
}

/// Without the cuDNN libraries.
std::vector<std::string> opened_by(
    const Process& process, const Object& object, const std::vector<std::string>& inside) {
    const Root& root = process.loader().root;
    const std::string name = own_name(object);
    std::vector<std::string> names;
    for (const auto& text : inside)
        if (is_opened_by_programs(text) && text != name)
            names.push_back(text);
    if (const auto known = known_opener(root, object.path, object.file))
        append(names, known->opens);
    if (concerns_gpu(file_name(object.path)))
        return names;
    for (const auto* directories : {&object.run_path.before, &object.run_path.after})
        for (const auto& directory : *directories)
            append(names, names_opened_in(root, directory, root.names_in(directory)));
    return names;
}

/// What the graph library of cuDNN 9 opens beyond libcudnn itself.
void open_parts_named_in(
    Process& process,
    std::size_t part,
    const std::vector<std::string>& inside,
    std::set<std::string>& requested) {
    if (std::ranges::none_of(inside, is_part_of_cudnn))
        return;
    const std::string name = own_name(process.objects()[part]);
    const auto version = version_of_cudnn(process, part);
    for (const auto& other : inside)
        if (is_part_of_cudnn(other) && requested.size() < most_names_opened &&
            requested.insert(other).second)
            process.open_first(names_tried(name, version, other), part);
}

/// The names by which programs open the GPU libraries in these directories and in the
/// loader's own places; for a kind of which there is nothing, its bare name: libcudnn.so.
std::vector<std::string> names_to_open(
    const Loader& loader, const std::vector<std::string>& directories) {
    std::set<std::string> names;
    const auto add = [&](const std::string& directory, const std::vector<std::string>& files) {
        for (const std::string& name : names_opened_in(loader.root, directory, files))
            if (names.size() < most_names_opened)
                names.insert(name);
    };
    for (const auto* places : {&loader.library_path, &loader.default_directories, &directories})
        for (const auto& directory : *places)
            add(directory, loader.root.names_in(directory));
    for (const auto& entry : loader.cache.entries())
        add(directory_of(entry.path), {file_name(entry.path)});
    for (const std::string bare :
         {"libcuda.so",
          "libnvidia-ml.so",
          "libcudart.so",
          "libcudnn.so",
          "libcublas.so",
          "libcublasLt.so",
          "libnvrtc.so"}) {
        const auto some = names.lower_bound(bare);
        if (some == names.end() || !some->starts_with(bare))
            names.insert(opened_as(library_name(bare)->kind, {}, bare));
    }
    names.insert("libz.so.1");
    return {names.begin(), names.end()};
}

}  // namespace

/// A run path belongs to a library, so its name is shown; all other
/// rules are those of the process.
std::string in_words(const Process& process, LoaderRule rule, std::size_t owner) {
    const std::string& path = process.objects()[owner].path;
    std::string of;
    if (!path.empty())
        of = " of " + file_name(path);
    if (rule == LoaderRule::ld_preload)
        return "LD_PRELOAD or " + process.loader().build.preload_file;
    if (rule == LoaderRule::rpath)
        return "RPATH" + of;
    if (rule == LoaderRule::runpath)
        return "RUNPATH" + of;
    static const std::map<LoaderRule, const char*> words = {
        {LoaderRule::already_loaded, "loaded already"},
        {LoaderRule::path, "requested by this path"},
        {LoaderRule::ld_library_path, "LD_LIBRARY_PATH"},
        {LoaderRule::cache, "the loader's cache"},
        {LoaderRule::default_directory, "the loader's default directories"},
        {LoaderRule::mapped, "mapped by the process"},
        {LoaderRule::elsewhere, "elsewhere"}};
    return words.at(rule);
}

std::vector<LibraryChoice> choices_of(const Process& process, bool all) {
    Group wanted;
    for (const Answer& answer : process.answers())
        if (all || concerns_gpu(file_name(answer.name)))
            wanted.push_back(&answer);
    const auto groups =
        grouped(wanted, [](const Answer& a) { return std::pair(a.name, a.object); });
    return mapped(groups, [&](const auto& group) { return choice_of(process, group.second); });
}

std::string real_or_same(const Root& root, const std::string& path) {
    return root.real_path(path).value_or(path);
}

/// Toolkits, wheels and conda: the file is there, and the loader
/// does not search there by itself.
void add_elsewhere(
    const Root& root,
    const std::vector<std::string>& directories,
    std::vector<LibraryChoice>& choices) {
    for (LibraryChoice& choice : choices) {
        std::set<std::string> seen;
        if (choice.path)
            seen.insert(real_or_same(root, *choice.path));
        for (const auto& candidate : choice.candidates)
            seen.insert(real_or_same(root, candidate.path));
        for (const auto& directory : directories) {
            const std::string path = directory + '/' + choice.soname;
            if (root.exists(path) && seen.insert(real_or_same(root, path)).second &&
                choice.candidates.size() < most_candidates)
                choice.candidates.push_back(
                    {path, LoaderRule::elsewhere, "the loader does not search there"});
        }
    }
}

/// The list of objects grows while it is gone through: what is opened may open others.
std::vector<std::string> open_named_libraries(Process& process) {
    std::vector<std::string> notes;
    std::set<std::string> requested;
    std::size_t searched = 0;
    for (std::size_t i = 0; i < process.objects().size() && searched < most_files_searched; ++i) {
        const std::string path = process.objects()[i].path;
        if (path.empty() || i == 1 || !may_open_gpu_libraries(process, i))
            continue;
        ++searched;
        const auto inside = elf::embedded_library_names(process.loader().root, path);
        if (is_cudnn(own_name(process.objects()[i]))) {
            Process adv_first = process;
            open_parts_of_cudnn(process, i, inside, FirstCall::ops);
            open_parts_of_cudnn(adv_first, i, inside, FirstCall::adv);
            append(notes, differences_by_first_call(process, adv_first));
            if (const std::string unknown = unknown_version(process, i); !unknown.empty())
                notes.push_back(unknown);
        }
        if (is_part_of_cudnn(own_name(process.objects()[i])))
            open_parts_named_in(process, i, inside, requested);
        for (const auto& name : opened_by(process, process.objects()[i], inside))
            if (requested.size() < most_names_opened && requested.insert(name).second)
                process.open(name, i);
    }
    return notes;
}

std::vector<LibraryChoice> choices_by_name(
    const Process& process,
    const std::vector<std::string>& elsewhere,
    bool all,
    std::vector<std::string>& notes) {
    std::vector<LibraryChoice> choices;
    for (const auto& name : names_to_open(process.loader(), elsewhere)) {
        // a fresh one for each: what another library loads would answer for it
        Process trial = process;
        trial.open(name, 0);
        if (is_cudnn(name))
            append(notes, open_named_libraries(trial));
        for (auto& choice : choices_of(trial, all))
            if (choice.soname == name || is_part_of_cudnn(choice.soname))
                choices.push_back(std::move(choice));
    }
    return choices;
}

}  // namespace rnncheck::loader
