// What the loader does to a process, as operations on lists: the objects that
// are mapped, and the requests with what each got.
#include "files/loader/process.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::loader {

// Real processes have some hundred; a hostile file could name more forever.
constexpr std::size_t most_objects = 4096;
constexpr std::size_t most_answers = 1 << 16;
constexpr std::size_t largest_preload_file = 1 << 16;

std::string own_name(const Object& object) {
    return object.file.soname.value_or(file_name(object.path));
}

/// Split at any of several characters, unlike split().
static std::vector<std::string> words(re2::StringPiece text, const std::string& separators) {
    const re2::RE2 word("([^" + separators + "]+)", re2::RE2::Latin1);
    std::vector<std::string> found;
    for (std::string one; re2::RE2::FindAndConsume(&text, word, &one);)
        found.push_back(one);
    return found;
}

/// Names, separated by white space or ':', with comments from '#' to the end of the line.
static std::vector<std::string> names_in_preload_file(const Loader& loader) {
    static const re2::RE2 comment("#[^\n]*", re2::RE2::Latin1);
    std::string text =
        loader.root.read(loader.build.preload_file, largest_preload_file).value_or("");
    re2::RE2::GlobalReplace(&text, comment, "");
    return words(text, " \t\n:");
}

/// The loader recognises a file that it has already by device and inode,
/// whatever its name (_dl_map_object_from_fd).
static void identify(const Loader& loader, Object& object) {
    const auto about = loader.root.status(object.path);
    if (!about)
        return;
    object.device = about->device;
    object.inode = about->inode;
}

Process::Process(const Loader& loader, const std::string& path, elf::ElfFile program)
    : loader_(loader) {
    const std::string interpreter = program.interpreter.value_or(std::string(usual_interpreter()));
    const std::string own_name = program.soname.value_or(file_name(path));
    Object main{path, own_name, {}, LoaderRule::path, std::move(program), {}};
    main.run_path = run_path_of(loader_, main.file, path, true);
    objects_.push_back(std::move(main));
    Object itself{
        interpreter,
        file_name(interpreter),
        {},
        LoaderRule::path,
        {},
        {},
        {file_name(interpreter)}};
    identify(loader_, itself);
    objects_.push_back(std::move(itself));
}

std::size_t Process::add(Object object) {
    object.run_path = run_path_of(loader_, object.file, object.path);
    objects_.push_back(std::move(object));
    return objects_.size() - 1;
}

std::size_t Process::put(const std::string& path) {
    Object object{
        path, file_name(path), {}, LoaderRule::mapped, elf::read_elf_file(loader_.root, path), {}};
    identify(loader_, object);
    next_ = add(std::move(object)) + 1;
    return next_ - 1;
}

void Process::start(const std::string& preload) {
    // A set-user-id program takes nothing from the environment of who starts it.
    std::vector<std::string> names;
    if (!loader_.secure)
        names = words(preload, " :");
    append(names, names_in_preload_file(loader_));
    for (const auto& name : names) {
        const std::size_t before = objects_.size();
        Answer answer = map(name, 0, true);
        if (objects_.size() > before)
            objects_.back().rule = LoaderRule::ld_preload;
        answer.rule = LoaderRule::ld_preload;
        answers_.push_back(std::move(answer));
    }
    map_needed();
}

Answer Process::open(const std::string& name, std::size_t caller) {
    return open_first({name}, caller);
}

Answer Process::open_first(
    const std::vector<std::string>& names, std::size_t caller, const Rejects& rejects) {
    const std::size_t objects = objects_.size(), answers = answers_.size(), next = next_;
    const auto take_back = [&] {
        objects_.resize(objects);
        answers_.resize(answers);
        next_ = next;
    };
    for (const auto& name : names) {
        Answer answer = map(name, caller, false);
        const bool is_last = &name == &names.back();
        if (!answer.object && !is_last)
            continue;
        answer.by_dlopen = true;
        if (!is_last)
            answer.opened_as = std::exchange(answer.name, names.back());
        answers_.push_back(answer);
        map_needed();
        std::string rejected;
        if (rejects && answer.object)
            rejected = rejects(*this, objects);
        if (!rejected.empty() && is_last) {
            answer.stopped_at = objects_[*std::exchange(answer.object, std::nullopt)].path;
            answer.problem = rejected;
            take_back();
            answers_.push_back(answer);
            return answer;
        }
        const auto has_file = [](const Answer& one) { return one.object.has_value(); };
        const bool is_complete = std::all_of(
            answers_.begin() + static_cast<std::ptrdiff_t>(answers), answers_.end(), has_file);
        if (is_last || (is_complete && rejected.empty()))
            return answer;
        take_back();
    }
    return {};
}

/// On a copy: a lookup opens nothing.
Lookup Process::look_up(const std::string& name, std::size_t caller) const {
    Process trial = *this;
    const Answer answer = trial.map(name, caller, false);
    if (answer.object)
        return {trial.objects_[*answer.object].path, answer.rule};
    if (answer.stopped_at.empty())
        return {};
    return {
        answer.stopped_at,
        answer.rule,
        elf::read_elf_file(loader_.root, answer.stopped_at).problem};
}

/// By name, by soname, or by the path by which it was opened; the
/// program's own path does not count.
std::optional<std::size_t> Process::loaded(const std::string& name) const {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
        const Object& object = objects_[i];
        if (includes(object.names, name) || object.file.soname == name ||
            (i > 0 && object.path == name))
            return i;
    }
    return std::nullopt;
}

/// The order of _dl_map_object: DT_RPATH of the chain, unless there is
/// DT_RUNPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default directories.
std::vector<SearchList> Process::search_lists(std::size_t by, const std::string& name) const {
    if (contains(name, "/"))
        return {{LoaderRule::path, by, {absolute_path(name, loader_.working_directory)}}};
    std::vector<SearchList> lists;
    if (name.empty())
        return lists;
    const auto add_list =
        [&](LoaderRule rule, std::size_t owner, const std::vector<std::string>& directories) {
            SearchList list{rule, owner, {}};
            for (const auto& directory : directories) {
                std::string before;
                if (directory != "/")
                    before = directory;
                list.files.push_back(before + '/' + name);
            }
            if (!directories.empty())
                lists.push_back(std::move(list));
        };
    const elf::ElfFile& file = objects_[by].file;
    if (!file.has_runpath) {
        bool did_program = false;
        for (std::optional<std::size_t> at = by; at; at = objects_[*at].loader) {
            add_list(LoaderRule::rpath, *at, objects_[*at].run_path.before);
            did_program |= *at == 0;
        }
        if (!did_program)
            add_list(LoaderRule::rpath, 0, objects_.front().run_path.before);
    }
    add_list(LoaderRule::ld_library_path, 0, loader_.library_path);
    add_list(LoaderRule::runpath, by, objects_[by].run_path.after);
    // DF_1_NODEFLIB holds for what the cache knows of the default directories too.
    SearchList from_cache{LoaderRule::cache, by, {}};
    const auto cached = loader_.cache.find(name, loader_.hwcaps);
    const bool rejected =
        cached && file.no_default_directories && in_built_in_directory(loader_, *cached);
    if (cached && !rejected)
        from_cache.files = {*cached};
    lists.push_back(std::move(from_cache));
    if (!file.no_default_directories)
        add_list(LoaderRule::default_directory, 0, loader_.default_directories);
    return lists;
}

bool Process::take_first(Answer& answer, const std::vector<std::string>& files, bool keeps_loader) {
    for (const auto& path : files) {
        elf::ElfFile file = try_open(loader_, path);
        if (file.aborts_list)
            return false;
        if (file.skipped)
            continue;
        if (file.problem) {
            answer.stopped_at = path;
            answer.problem = file.problem_detail;
            return true;
        }
        Object object{path, answer.name, {}, answer.rule, std::move(file), {}, {answer.name}};
        if (keeps_loader)
            object.loader = answer.by;
        identify(loader_, object);
        Object* const same = find_where(objects_, [&](const Object& other) {
            return other.inode != 0 && other.inode == object.inode && other.device == object.device;
        });
        if (same) {
            same->names.push_back(answer.name);
            answer.object = static_cast<std::size_t>(same - objects_.data());
        } else if (objects_.size() < most_objects) {
            answer.object = add(std::move(object));
        }
        return true;
    }
    return false;
}

/// One request: an object that is there, or the first list in which a file opens or fails.
Answer Process::map(const std::string& name, std::size_t by, bool keeps_loader) {
    Answer answer{with_tokens(loader_, name, origin_of(objects_[by].path), by == 0), by};
    if ((answer.object = loaded(answer.name))) {
        answer.rule = LoaderRule::already_loaded;
        return answer;
    }
    for (const auto& [rule, owner, files] : search_lists(by, answer.name)) {
        answer.rule = rule;
        answer.owner = owner;
        if (take_first(answer, files, keeps_loader))
            break;
    }
    return answer;
}

/// Breadth first, as _dl_map_object_deps: what a library needs comes
/// after what all before it need.
void Process::map_needed() {
    for (; next_ < objects_.size() && answers_.size() < most_answers; ++next_) {
        // a copy: the list grows
        const elf::ElfFile file = objects_[next_].file;
        for (const auto& name : file.needed)
            answers_.push_back(map(name, next_, true));
        for (const auto& name : file.auxiliary)
            if (Answer answer = map(name, next_, true); answer.object)
                answers_.push_back(std::move(answer));
    }
}

}  // namespace rnncheck::loader
