#include "files/loader/which.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <set>

#include "base/program.hpp"
#include "base/text.hpp"
#include "files/loader/gpu_libraries.hpp"
#include "files/loader/opened_names.hpp"

namespace rnncheck::loader {

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
        throw InputError(quoted(path) + " is a script that '" + runner + "' runs: specify that program");
    if (file.problem == FileProblem::other_class || file.problem == FileProblem::other_machine)
        throw InputError(quoted(path) + " " + file.problem_detail + ", and another loader is in charge of it");
    if (file.problem) throw InputError(quoted(path) + " " + file.problem_detail);
}

/// musl's loader has other rules. An interpreter that is not there is told in a note.
void refuse_other_loader(const Root& root, const std::string& path, const elf::ElfFile& file) {
    if (!file.interpreter || !root.exists(*file.interpreter) || read_loader_build(root, *file.interpreter)) return;
    throw InputError(quoted(path) + " is started by " + quoted(*file.interpreter) +
                     ", which is not glibc's loader; other loaders are not supported");
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
            "a Python package may open its own libraries before this file; the file itself does not show this");
    return notes;
}

Wanted wanted_by(const WhichSetting& setting) {
    return setting.all ? Wanted([](std::string_view) { return true; }) : Wanted(concerns_gpu);
}

/// The parts of a cuDNN must be of one release with it, which a look at the single answers does not show.
void check_copy(const Root& root, const std::string& name, const std::string& path, Which& which) {
    const auto real_directory = [&](const std::string& file) { return directory_of(real_or_same(root, file)); };
    const std::string number = name.substr(name.find(".so"));
    const std::string home = real_directory(path);
    std::set<std::string> others;
    for (const auto& library : which.libraries)
        if (is_part_of_cudnn(library.soname) && library.soname.ends_with(number) && library.path)
            if (const auto directory = real_directory(*library.path); directory != home) others.insert(directory);
    if (others.empty()) return;
    which.notes.push_back(name + " lies in " + home + ", but parts of it come from " +
                          join_with_and({others.begin(), others.end()}) +
                          ": they work together only if all are of the same version");
}

}  // namespace

void add_elsewhere_and_notes(const Root& root, const std::vector<std::string>& elsewhere, Which& which) {
    add_elsewhere(root, elsewhere, which.libraries);
    if (const std::string name = file_name(which.target); is_cudnn(name)) check_copy(root, name, which.target, which);
    for (const LibraryChoice& library : which.libraries)
        if (is_cudnn(library.soname) && library.path) check_copy(root, library.soname, *library.path, which);
}

Which which_for_file(const Root& root, const std::string& path, const WhichSetting& setting) {
    const std::string named = absolute_path(path, own_working_directory());
    elf::ElfFile file = elf::read_elf_program(root, named);
    refuse_unpredictable(root, named, file);
    refuse_other_loader(root, named, file);
    Which which{file.is_program ? root.real_path(named).value_or(named) : named, {}, {}};
    const bool secure = file.is_program && starts_secure(root, which.target);
    which.notes = notes_on(root, which.target, file, secure);
    if (is_static(file)) {
        which.notes.push_back("it is a static program and does not use the loader");
        return which;
    }
    const Loader loader =
        loader_of(root, LoaderSetting{.library_path = setting.library_path,
                                      .program_directory = std::string(file.is_program ? origin_of(which.target) : ""),
                                      .interpreter = file.interpreter.value_or(""),
                                      .secure = secure});
    Process process(loader, which.target, std::move(file));
    process.start(setting.preload);
    open_named_libraries(process);
    which.libraries = choices_of(process, wanted_by(setting));
    add_elsewhere_and_notes(root, other_library_directories(root), which);
    return which;
}

Which which_for_plain_program(const Root& root, const WhichSetting& setting) {
    const Loader loader = loader_of(root, setting.library_path);
    const std::vector<std::string> elsewhere = other_library_directories(root);
    Process process(loader, "", {});
    process.start(setting.preload);
    Which which{"a plain program", {}, choices_by_name(process, elsewhere, wanted_by(setting))};
    add_elsewhere_and_notes(root, elsewhere, which);
    return which;
}

}  // namespace rnncheck::loader
