#include "files/loader/process.hpp"

#include <re2/re2.h>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::loader {

namespace {

// Real processes have some hundred; a hostile file could name more forever.
constexpr std::size_t most_objects = 4096;
constexpr std::size_t most_answers = 1 << 16;
constexpr std::size_t largest_preload_file = 1 << 16;

std::vector<std::string> words(re2::StringPiece text, const std::string& separators) {
    const re2::RE2 word("([^" + separators + "]+)", re2::RE2::Latin1);
    std::vector<std::string> found;
    for (std::string one; re2::RE2::FindAndConsume(&text, word, &one);) found.push_back(one);
    return found;
}

/// Names, separated by white space or ':', with comments from '#' to the end of the line.
std::vector<std::string> names_in_preload_file(const Loader& loader) {
    static const re2::RE2 comment("#[^\n]*", re2::RE2::Latin1);
    std::string text = loader.root.read(loader.build.preload_file, largest_preload_file).value_or("");
    re2::RE2::GlobalReplace(&text, comment, "");
    return words(text, " \t\n:");
}

/// The file of this name in each of these directories, there or not.
std::vector<std::string> files_in(const std::vector<std::string>& directories, const std::string& name) {
    std::vector<std::string> files;
    for (const auto& directory : directories)
        files.push_back(directory == "/" ? directory + name : directory + '/' + name);
    return files;
}

/// The first of a list's files that opens or fails; nothing when all are skipped or one aborts the list.
std::optional<Process::OpenedFile> open_first(const Loader& loader, const std::vector<std::string>& files) {
    for (const auto& path : files) {
        elf::ElfFile file = try_open(loader, path);
        if (file.aborts_list) break;
        if (!file.skipped) return Process::OpenedFile{path, std::move(file)};
    }
    return std::nullopt;
}

void identify(const Loader& loader, Object& object) {
    const auto about = loader.root.status(object.path);
    if (!about) return;
    object.device = about->st_dev;
    object.inode = about->st_ino;
}

}  // namespace

Process::Process(const Loader& loader, const std::string& path, elf::ElfFile program) : loader_(loader) {
    const std::string interpreter = program.interpreter.value_or(std::string(usual_interpreter()));
    const std::string own_name = program.soname.value_or(file_name(path));
    Object main{path, own_name, {}, LoaderRule::path, std::move(program), {}};
    main.run_path = run_path_of(loader_, main.file, path, true);
    objects_.push_back(std::move(main));
    Object itself{interpreter, file_name(interpreter), {}, LoaderRule::path, {}, {}, {file_name(interpreter)}};
    identify(loader_, itself);
    objects_.push_back(std::move(itself));
}

std::size_t Process::add(Object object) {
    object.run_path = run_path_of(loader_, object.file, object.path);
    objects_.push_back(std::move(object));
    return objects_.size() - 1;
}

std::size_t Process::put(const std::string& path) {
    Object object{path, file_name(path), {}, LoaderRule::mapped, elf::read_elf_file(loader_.root, path), {}};
    identify(loader_, object);
    next_ = add(std::move(object)) + 1;
    return next_ - 1;
}

void Process::start(const std::string& preload) {
    std::vector<std::string> names = loader_.secure ? std::vector<std::string>{} : words(preload, " :");
    append(names, names_in_preload_file(loader_));
    for (const auto& name : names) {
        const std::size_t before = objects_.size();
        Answer answer = map(name, 0, true);
        if (objects_.size() > before) objects_.back().rule = LoaderRule::ld_preload;
        answer.rule = LoaderRule::ld_preload;
        answers_.push_back(std::move(answer));
    }
    map_needed();
}

Answer Process::open(const std::string& name, std::size_t caller) {
    Answer answer = map(name, caller, false);
    answer.by_dlopen = true;
    answers_.push_back(answer);
    map_needed();
    return answer;
}

Lookup Process::look_up(const std::string& name, std::size_t caller) const {
    Process trial = *this;
    const Answer answer = trial.map(name, caller, false);
    if (answer.object) return {trial.objects_[*answer.object].path, answer.rule};
    if (answer.stopped_at.empty()) return {};
    return {answer.stopped_at, answer.rule, elf::read_elf_file(loader_.root, answer.stopped_at).problem};
}

std::optional<std::size_t> Process::loaded(const std::string& name) const {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
        const Object& object = objects_[i];
        if (includes(object.names, name) || object.file.soname == name || (i > 0 && object.path == name)) return i;
    }
    return std::nullopt;
}

std::vector<SearchList> Process::search_lists(std::size_t by) const {
    std::vector<SearchList> lists;
    const auto add_list = [&lists](LoaderRule rule, std::size_t owner, const std::vector<std::string>& directories) {
        if (!directories.empty()) lists.push_back({rule, owner, &directories});
    };
    if (!objects_[by].file.has_runpath) {
        bool did_program = false;
        for (std::optional<std::size_t> at = by; at; at = objects_[*at].loader) {
            add_list(LoaderRule::rpath, *at, objects_[*at].run_path.before);
            did_program |= *at == 0;
        }
        if (!did_program) add_list(LoaderRule::rpath, 0, objects_.front().run_path.before);
    }
    add_list(LoaderRule::ld_library_path, 0, loader_.library_path);
    add_list(LoaderRule::runpath, by, objects_[by].run_path.after);
    lists.push_back({LoaderRule::cache, by, nullptr});
    if (!objects_[by].file.no_default_directories)
        add_list(LoaderRule::default_directory, 0, loader_.default_directories);
    return lists;
}

std::vector<std::string> Process::files(const SearchList& list, const std::string& name) const {
    if (list.directories) return files_in(*list.directories, name);
    const auto path = loader_.cache.find(name, loader_.hwcaps);
    // DF_1_NODEFLIB holds for what the cache knows of the default directories too.
    const bool rejected =
        path && objects_[list.owner].file.no_default_directories && in_built_in_directory(loader_, *path);
    return path && !rejected ? std::vector{*path} : std::vector<std::string>{};
}

void Process::take(Answer& answer, OpenedFile opened, bool keeps_loader) {
    if (opened.file.problem) {
        answer.stopped_at = opened.path;
        answer.problem = opened.file.problem_detail;
        return;
    }
    Object object{opened.path, answer.name, {}, answer.rule, std::move(opened.file), {}, {answer.name}};
    if (keeps_loader) object.loader = answer.by;
    identify(loader_, object);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
        if (objects_[i].inode == 0 || objects_[i].inode != object.inode || objects_[i].device != object.device)
            continue;
        objects_[i].names.push_back(answer.name);
        answer.object = i;
        return;
    }
    if (objects_.size() < most_objects) answer.object = add(std::move(object));
}

Answer Process::map(const std::string& name, std::size_t by, bool keeps_loader) {
    Answer answer;
    answer.name = with_tokens(loader_, name, origin_of(objects_[by].path), by == 0);
    answer.by = by;
    if ((answer.object = loaded(answer.name))) {
        answer.rule = LoaderRule::already_loaded;
        return answer;
    }
    if (contains(answer.name, "/")) {
        answer.rule = LoaderRule::path;
        if (auto found = open_first(loader_, {absolute_path(answer.name, loader_.working_directory)}))
            take(answer, std::move(*found), keeps_loader);
        return answer;
    }
    for (const auto& list : answer.name.empty() ? std::vector<SearchList>{} : search_lists(by)) {
        answer.rule = list.rule;
        answer.owner = list.owner;
        if (auto found = open_first(loader_, files(list, answer.name))) {
            take(answer, std::move(*found), keeps_loader);
            break;
        }
    }
    return answer;
}

void Process::map_needed() {
    for (; next_ < objects_.size() && answers_.size() < most_answers; ++next_) {
        const elf::ElfFile file = objects_[next_].file;  // a copy: the list grows
        for (const auto& name : file.needed) answers_.push_back(map(name, next_, true));
        for (const auto& name : file.auxiliary)
            if (Answer answer = map(name, next_, true); answer.object) answers_.push_back(std::move(answer));
    }
}

}  // namespace rnncheck::loader
