#include "files/loader/which.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "files/elf/machine_names.hpp"
#include "files/loader/choices.hpp"
#include "files/loader/follow.hpp"
#include "files/loader/names.hpp"
#include "files/loader/notes.hpp"

namespace rnncheck::which {

namespace {

std::string quoted(const std::string& path) {
    return "'" + path + "'";
}

/// "#!/usr/bin/env python3" gives "/usr/bin/env python3".
std::string run_by(const Root& root, const std::string& path) {
    const std::string start = root.read(path, 256).value_or("");
    if (!start.starts_with("#!")) return "";
    return std::string(trim(std::string_view(start).substr(2, start.find('\n') - 2)));
}

void refuse_unpredictable(const Root& root, const std::string& path, const elf::ElfFile& file) {
    if (const std::string runner = run_by(root, path); !runner.empty())
        throw InputError(quoted(path) + " is a script that '" + runner + "' runs: ask for that program");
    if (file.problem == FileProblem::other_class || file.problem == FileProblem::other_machine)
        throw InputError(quoted(path) + " " + file.problem_detail + ", and another loader is in charge of it");
    if (file.problem) throw InputError(quoted(path) + " " + file.problem_detail);
}

/// musl's loader has other rules. An interpreter that is not there is told in a note.
void refuse_other_loader(const Root& root, const std::string& path, const elf::ElfFile& file) {
    if (!file.interpreter || !root.exists(*file.interpreter) || elf::read_loader_build(root, *file.interpreter)) return;
    throw InputError(quoted(path) + " is started by " + quoted(*file.interpreter) +
                     ", which is not glibc's loader; the rules of others are not known here");
}

/// The kernel then starts it in the loader's secure mode (ld.so(8), "secure-execution mode").
bool starts_secure(const Root& root, const std::string& path) {
    struct stat about {};
    const std::string outside = root.outside(path);
    if (stat(outside.c_str(), &about) != 0) return false;
    const bool other_user = (about.st_mode & S_ISUID) && about.st_uid != getuid();
    const bool other_group = (about.st_mode & S_ISGID) && (about.st_mode & S_IXGRP) && about.st_gid != getgid();
    const bool capabilities = getuid() != 0 && getxattr(outside.c_str(), "security.capability", nullptr, 0) > 0;
    return other_user || other_group || capabilities;
}

bool is_static(const elf::ElfFile& file) {
    return !file.has_dynamic_section || (file.is_program && !file.interpreter);
}

std::vector<std::string> notes_on(const Root& root, const std::string& path, const elf::ElfFile& file, bool secure) {
    std::vector<std::string> notes;
    if (file.interpreter && !root.exists(*file.interpreter))
        notes.push_back("its loader " + *file.interpreter + " does not exist, so it cannot be started");
    if (secure)
        notes.push_back(
            "it runs with rights of its own (set-user-id or the like): LD_LIBRARY_PATH and LD_PRELOAD do not count");
    if (contains(path, "/site-packages/") || contains(path, "/dist-packages/"))
        notes.push_back(
            "a Python package may open copies of its own choice before this file; the file itself does not tell");
    return notes;
}

std::string absolute(const std::string& path) {
    if (path.starts_with('/')) return path;
    char folder[4096] = {};
    return getcwd(folder, sizeof folder - 1) ? std::string(folder) + '/' + path : path;
}

Wanted wanted_by(const Setting& setting) {
    return setting.all ? Wanted([](std::string_view) { return true; }) : Wanted(concerns_gpu);
}

}  // namespace

Which for_file(const Root& root, const std::string& path, const Setting& setting) {
    const std::string named = absolute(path);
    elf::ElfFile file = elf::read_elf_program(root, named);
    refuse_unpredictable(root, named, file);
    refuse_other_loader(root, named, file);
    Which which{file.is_program ? root.real_path(named).value_or(named) : named, {}, {}};
    const bool secure = file.is_program && starts_secure(root, which.target);
    which.notes = notes_on(root, which.target, file, secure);
    if (is_static(file)) {
        which.notes.push_back("it is a static program: the loader gives it no libraries");
        return which;
    }
    elf::LoaderSetting how;
    how.library_path = setting.library_path;
    how.interpreter = file.interpreter.value_or("");
    how.secure = secure;
    if (file.is_program) how.program_folder = elf::origin_of(which.target);
    const elf::Loader loader = elf::loader_of(root, how);
    elf::Process process(loader, which.target, std::move(file));
    process.start(setting.preload);
    open_what_files_name(process);
    which.libraries = choices_of(process, wanted_by(setting));
    add_elsewhere(root, other_folders(root), which.libraries);
    add_notes_on_parts(root, which);
    return which;
}

Which for_plain_program(const Root& root, const Setting& setting) {
    const elf::Loader loader = elf::loader_of(root, setting.library_path);
    const std::vector<std::string> elsewhere = other_folders(root);
    Which which{"a plain program", {}, {}};
    for (const auto& name : names_to_open(loader, elsewhere)) {
        elf::Process process(loader, "", {});  // one for each: what another library brings in would answer for it
        process.start(setting.preload);
        process.open(name, 0);
        if (is_cudnn(name)) open_what_files_name(process);
        for (auto& choice : choices_of(process, wanted_by(setting)))
            if (choice.soname == name || is_part_of_cudnn(choice.soname)) which.libraries.push_back(std::move(choice));
    }
    add_elsewhere(root, elsewhere, which.libraries);
    add_notes_on_parts(root, which);
    return which;
}

}  // namespace rnncheck::which
