// The answers of `rnncheck which`: for a file, for a process that runs, or for
// a plain program that would open each library by name.
#include "files/which.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "files/known_openers.hpp"

namespace rnncheck::loader {

namespace {

std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

/// The words behind "#!": {"/usr/bin/env", "-S", "python3"}.
std::vector<std::string> words_of_first_line(const std::string& start) {
    std::string line = start.substr(2, start.find('\n') - 2);
    for (char& c : line)
        if (c == '\t' || c == '\r')
            c = ' ';
    std::vector<std::string> words = split(line, ' ');
    std::erase(words, "");
    return words;
}

/// Of env's arguments the first that is neither an option nor a variable.
std::string program_of_env(const std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size(); ++i)
        if (!words[i].starts_with('-') && !contains(words[i], "="))
            return words[i];
    return words.front();
}

/// pip and uv write this second line where the path of python is long or has blanks:
/// '''exec' "/a b/bin/python" "$0" "$@"
std::string program_behind_shell(const std::string& start) {
    constexpr std::string_view second_line = "\n'''exec' ";
    const auto at = start.find(second_line);
    if (at == std::string::npos)
        return "";
    const std::string rest = start.substr(at + second_line.size());
    const bool is_quoted = rest.starts_with('"') || rest.starts_with('\'');
    if (is_quoted)
        return rest.substr(1, rest.find(rest.front(), 1) - 1);
    return rest.substr(0, rest.find(' '));
}

/// musl's loader has other rules. An interpreter that is not there is reported in a note.
void reject_unpredictable(const Root& root, const std::string& path, const elf::ElfFile& file) {
    if (const auto runner = program_of_script(root, path))
        throw InputError(
            quoted(path) + " is a script that '" + *runner + "' runs: specify that program");
    const bool other =
        file.problem == FileProblem::other_class || file.problem == FileProblem::other_machine;
    if (file.problem) {
        const std::string charge = other ? ", and another loader is in charge of it" : "";
        throw InputError(quoted(path) + " " + file.problem_detail + charge);
    }
    if (file.interpreter && root.exists(*file.interpreter) &&
        !read_loader_build(root, *file.interpreter))
        throw InputError(
            quoted(path) + " is started by " + quoted(*file.interpreter) +
            ", which is not glibc's loader; other loaders are not supported");
}

/// The kernel then starts it in the loader's secure mode (ld.so(8),
/// "secure-execution mode").
bool starts_secure(const Root& root, const std::string& path) {
    const auto about = root.status(path);
    if (!about)
        return false;
    const bool other_user = (about->mode & S_ISUID) && about->owner != getuid();
    const bool other_group =
        (about->mode & S_ISGID) && (about->mode & S_IXGRP) && about->group != getgid();
    const bool capabilities =
        getuid() != 0 &&
        getxattr(root.outside(path).c_str(), "security.capability", nullptr, 0) > 0;
    return other_user || other_group || capabilities;
}

/// What a prediction from this file alone leaves out, in sentences.
std::vector<std::string> notes_on(
    const Root& root, const std::string& path, const elf::ElfFile& file, bool secure) {
    std::vector<std::string> notes;
    if (file.interpreter && !root.exists(*file.interpreter))
        notes.push_back(
            "its loader " + *file.interpreter + " does not exist, so it cannot be started");
    if (secure)
        notes.push_back(
            "it is a set-user-ID program or the like: LD_LIBRARY_PATH and "
            "LD_PRELOAD do not count");
    if (contains(path, "/site-packages/") || contains(path, "/dist-packages/"))
        notes.push_back(
            "a Python package may open its own libraries before this file; the file itself does "
            "not show this");
    if (const auto known = known_opener(root, path, file))
        notes.push_back(known->note);
    return notes;
}

/// The same places for every target, whatever they are of: the user may
/// want to use a file from there.
std::vector<std::string> elsewhere_on(const Root& root) {
    std::vector<std::string> all;
    for (const auto& [via, directories] : other_library_directories(root))
        append(all, directories);
    return all;
}

/// The parts of a cuDNN must be of one release with it, which a look at the
/// single answers does not show.
void check_copy(const Root& root, const std::string& name, const std::string& path, Which& which) {
    const auto real_directory = [&](const std::string& file) {
        return directory_of(real_or_same(root, file));
    };
    const std::string number = name.substr(name.find(".so"));
    const std::string home = real_directory(path);
    std::set<std::string> others;
    for (const auto& library : which.libraries)
        if (is_part_of_cudnn(library.soname) && library.soname.ends_with(number) && library.path)
            if (const auto directory = real_directory(*library.path); directory != home)
                others.insert(directory);
    if (others.empty())
        return;
    which.notes.push_back(
        name + " lies in " + home + ", but parts of it come from " +
        join_with_and({others.begin(), others.end()}) +
        ": they work together only if all are of the same version");
}

/// pip does not change what conda installed, and its commands show what that is.
void note_conda(const Root& root, Which& which) {
    std::set<std::string> prefixes;
    for (const LibraryChoice& library : which.libraries) {
        const std::string path = library.path.value_or("");
        const auto end = path.rfind("/lib/");
        if (end == std::string::npos || contains(path, "/site-packages/"))
            continue;
        const std::string prefix = path.substr(0, end);
        if (root.exists(prefix + "/conda-meta"))
            prefixes.insert(prefix);
    }
    for (const std::string& prefix : prefixes)
        which.notes.push_back(
            "files in " + prefix + "/lib were installed by conda: conda list --prefix " + prefix +
            " shows their packages, conda install --prefix " + prefix + " changes them");
}

/// What holds for all three: files in other directories than the loader's, and
/// a note for each cuDNN installation whose parts are not beside it.
void add_elsewhere_and_notes(
    const Root& root, const std::vector<std::string>& elsewhere, Which& which) {
    add_elsewhere(root, elsewhere, which.libraries);
    if (const std::string name = file_name(which.target); is_cudnn(name))
        check_copy(root, name, which.target, which);
    for (const LibraryChoice& library : which.libraries)
        if (is_cudnn(library.soname) && library.path)
            check_copy(root, library.soname, *library.path, which);
    note_conda(root, which);
}

/// What the reader's own bounds kept from being searched.
void note_unread(const Process& process, Which& which) {
    for (const Object& object : process.objects())
        if (!object.file.not_read.empty())
            which.notes.push_back(
                object.path + ": " + object.file.not_read + "; those after that are not searched");
}

// A running process
// --------------------------------------------------------------------------------------------

/// A process as /proc shows it; each part may be closed to this user.
struct RunningProcess {
    std::string program;  ///< /proc/N/exe
    std::string working_directory;
    /// prefix under which we see its files; empty when it sees the same as we
    std::string root;
    /// files mapped, each once, in the order of addresses
    std::vector<MappedFile> files;
    /// LD_LIBRARY_PATH at its start, empty when not set; nothing when unreadable.
    std::optional<std::string> library_path;
    bool secure = false;
};

constexpr std::size_t largest_map = 64 << 20;
constexpr std::size_t largest_environment = 8 << 20;
constexpr std::string_view deleted_mark = " (deleted)";

/// Not the variable as it is now: /proc/N/environ is what the process was started with.
std::optional<std::string> library_path_in(const std::optional<std::string>& environment) {
    if (!environment || environment->empty())
        return std::nullopt;
    constexpr std::string_view name = "LD_LIBRARY_PATH=";
    for (const auto& entry : split(*environment, '\0'))
        if (entry.starts_with(name))
            return entry.substr(name.size());
    return "";
}

/// AT_SECURE of the auxiliary vector (getauxval(3)): the kernel sets
/// it for set-user-ID programs.
bool started_secure(const std::string& vector) {
    for (std::size_t at = 0; at + sizeof(Elf64_auxv_t) <= vector.size();
         at += sizeof(Elf64_auxv_t)) {
        Elf64_auxv_t entry;
        std::memcpy(&entry, vector.data() + at, sizeof entry);
        if (entry.a_type == AT_SECURE)
            return entry.a_un.a_val != 0;
    }
    return false;
}

/// What Linux shows about a running process.
RunningProcess look_into(int id) {
    const Root here;
    const std::string directory = "/proc/" + std::to_string(id);
    const std::string who = "process " + std::to_string(id);
    if (!here.exists(directory))
        throw InputError("there is no " + who);
    const auto map = here.read(directory + "/maps", largest_map);
    const auto program = here.link(directory + "/exe");
    if (!map || (!program && !map->empty()))
        throw InputError(
            who + ": this user has no permission to read its memory map (" + directory +
            "/maps); run rnncheck as its user or as root");
    if (map->empty())
        throw InputError(who + " has no memory map: it is exiting or a kernel thread");
    const auto own = here.link("/proc/self/ns/mnt"), other = here.link(directory + "/ns/mnt");
    const bool other_root = here.link(directory + "/root").value_or("/") != "/";
    const bool other_files = (own && other && own != other) || other_root;
    RunningProcess process;
    process.program = *program;
    process.working_directory = here.link(directory + "/cwd").value_or("/");
    if (other_files)
        process.root = directory + "/root";
    process.files = files_of_map(*map);
    process.library_path = library_path_in(here.read(directory + "/environ", largest_environment));
    process.secure = started_secure(here.read(directory + "/auxv").value_or(""));
    return process;
}

/// Who needs it is read from the headers of the others; what nobody needs was
/// opened by dlopen.
LibraryChoice mapped_choice(const Process& process, const Object& library, bool deleted) {
    const std::string soname = library.file.soname.value_or(library.name);
    const auto needs_it = [&](const Object& other) { return includes(other.file.needed, soname); };
    const Object* const asker = find_where(process.objects(), needs_it);
    std::optional<std::string> needed_by;
    if (asker)
        needed_by = asker->path;
    std::string why = "mapped by the process";
    if (deleted)
        why += "; the file was removed or replaced since";
    return {
        .soname = soname,
        .path = library.path,
        .rule = LoaderRule::mapped,
        .needed_by = needed_by,
        .by_dlopen = !asker,
        .why = why,
        .candidates = {}};
}

/// What was mapped answers by its soname; for the rest the loader would search.
void add_not_mapped(
    const Process& process, const std::vector<std::string>& elsewhere, Which& which) {
    for (auto& choice : choices_by_name(process, elsewhere, false, which.notes)) {
        if (choice.rule == LoaderRule::already_loaded)
            continue;
        // nothing is known to request it
        if (choice.needed_by == process.objects().front().path)
            choice.needed_by.reset();
        choice.why = "not mapped; opened by name it would come from " + choice.why;
        which.libraries.push_back(std::move(choice));
    }
}

}  // namespace

std::optional<std::string> program_of_script(const Root& root, const std::string& path) {
    constexpr std::size_t most = 1024;
    const std::string start = root.read(path, most).value_or("");
    if (!start.starts_with("#!"))
        return std::nullopt;
    const auto words = words_of_first_line(start);
    if (words.empty())
        return std::nullopt;
    if (file_name(words.front()) == "env")
        return program_of_env(words);
    if (const std::string behind = program_behind_shell(start); !behind.empty())
        return behind;
    return words.front();
}

Which which_for_file(const Root& root, const std::string& path, const WhichSetting& setting) {
    const std::string named = absolute_path(path, own_working_directory());
    elf::ElfFile file = elf::read_elf_file(root, named, elf::ElfUse::program);
    reject_unpredictable(root, named, file);
    std::string target = named;
    if (file.is_program)
        target = root.real_path(named).value_or(named);
    Which which{target, {}, {}};
    const bool secure = file.is_program && starts_secure(root, which.target);
    which.notes = notes_on(root, which.target, file, secure);
    if (!file.has_dynamic_section || (file.is_program && !file.interpreter)) {
        which.notes.push_back("it is a static program and does not use the loader");
        return which;
    }
    LoaderSetting start;
    start.library_path = setting.library_path;
    if (file.is_program)
        start.program_directory = origin_of(which.target);
    start.interpreter = file.interpreter.value_or("");
    start.secure = secure;
    const Loader loader = loader_of(root, start);
    Process process(loader, which.target, std::move(file));
    process.start(setting.preload);
    append(which.notes, open_named_libraries(process));
    which.libraries = choices_of(process, setting.all);
    add_elsewhere_and_notes(root, elsewhere_on(root), which);
    note_unread(process, which);
    return which;
}

Which which_for_plain_program(const Root& root, const WhichSetting& setting) {
    const Loader loader = loader_of(root, {setting.library_path});
    const std::vector<std::string> elsewhere = elsewhere_on(root);
    Process process(loader, "", {});
    process.start(setting.preload);
    Which which{"a plain program", {}, {}};
    which.libraries = choices_by_name(process, elsewhere, setting.all, which.notes);
    add_elsewhere_and_notes(root, elsewhere, which);
    return which;
}

std::vector<MappedFile> files_of_map(std::string_view map) {
    std::vector<MappedFile> files;
    std::set<std::string> seen;
    for (const auto& line : split(map, '\n')) {
        const auto at = line.find('/');
        if (at == std::string::npos)
            continue;
        MappedFile file{line.substr(at)};
        replace_all(file.path, "\\012", "\n");
        file.deleted = file.path.ends_with(deleted_mark);
        if (file.deleted)
            file.path.resize(file.path.size() - deleted_mark.size());
        if (!file.path.starts_with("/dev/") && seen.insert(file.path).second)
            files.push_back(std::move(file));
    }
    return files;
}

Which which_for_process(int id, bool all) {
    const RunningProcess running = look_into(id);
    const Root root(running.root);
    Which which{"process " + std::to_string(id) + " (" + running.program + ")", {}, {}};
    const elf::ElfFile program = elf::read_elf_file(root, running.program, elf::ElfUse::program);
    const Loader loader = loader_of(
        root,
        {.library_path = running.library_path.value_or(""),
         .working_directory = running.working_directory,
         .program_directory = std::string(origin_of(running.program)),
         .interpreter = program.interpreter.value_or(""),
         .secure = running.secure});
    Process process(loader, running.program, program);
    std::vector<std::pair<std::size_t, bool>> mapped;
    for (const auto& [path, deleted] : running.files)
        if (path != running.program && contains(file_name(path), ".so"))
            mapped.emplace_back(process.put(path), deleted);
    for (const auto& [number, deleted] : mapped) {
        LibraryChoice choice = mapped_choice(process, process.objects()[number], deleted);
        if (all || concerns_gpu(choice.soname) || concerns_gpu(file_name(*choice.path)))
            which.libraries.push_back(std::move(choice));
    }
    if (!running.library_path)
        which.notes.push_back(
            "its environment cannot be read: LD_LIBRARY_PATH is taken as not set");
    if (!running.root.empty())
        which.notes.push_back("it sees other files than this shell; paths are those that it sees");
    if (program.problem) {
        which.notes.push_back(
            "its program " + program.problem_detail + ": what it would open is unknown");
        return which;
    }
    std::vector<std::string> elsewhere;
    if (running.root.empty())
        elsewhere = elsewhere_on(root);
    add_not_mapped(process, elsewhere, which);
    add_elsewhere_and_notes(root, elsewhere, which);
    note_unread(process, which);
    return which;
}

}  // namespace rnncheck::loader
