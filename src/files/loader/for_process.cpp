#include <algorithm>

#include "base/text.hpp"
#include "files/loader/choices.hpp"
#include "files/loader/follow.hpp"
#include "files/loader/memory_map.hpp"
#include "files/loader/names.hpp"
#include "files/loader/notes.hpp"
#include "files/loader/process.hpp"
#include "files/loader/which.hpp"

namespace rnncheck::which {

namespace {

struct Mapped {
    MappedFile file;
    elf::ElfFile elf;
};

/// Libraries among the mapped files, the program itself left out.
std::vector<Mapped> libraries_of(const Root& root, const RunningProcess& process) {
    std::vector<Mapped> libraries;
    for (const auto& file : process.files)
        if (file.path != process.program && contains(file_name(file.path), ".so"))
            libraries.push_back({file, elf::read_elf_file(root, file.path)});
    return libraries;
}

std::string soname_of(const Mapped& library) {
    return library.elf.soname.value_or(file_name(library.file.path));
}

bool needs(const Mapped& library, const std::string& soname) {
    return std::find(library.elf.needed.begin(), library.elf.needed.end(), soname) != library.elf.needed.end();
}

LibraryChoice choice_of(const Mapped& library, const std::vector<Mapped>& all, const elf::ElfFile& program,
                        const std::string& program_path) {
    LibraryChoice choice;
    choice.soname = soname_of(library);
    choice.path = library.file.path;
    choice.rule = LoaderRule::mapped;
    choice.why = library.file.deleted ? "mapped by the process; the file was removed or replaced since"
                                      : "mapped by the process";
    const auto asker =
        std::find_if(all.begin(), all.end(), [&](const auto& other) { return needs(other, choice.soname); });
    if (std::find(program.needed.begin(), program.needed.end(), choice.soname) != program.needed.end())
        choice.needed_by = program_path;
    else if (asker != all.end())
        choice.needed_by = asker->file.path;
    choice.by_dlopen = !choice.needed_by;
    return choice;
}

/// What was mapped answers by its soname; for the rest the loader would search.
std::vector<LibraryChoice> would_open(const elf::Process& process, const std::vector<std::string>& elsewhere) {
    std::vector<LibraryChoice> choices;
    for (const auto& name : names_to_open(process.loader(), elsewhere)) {
        elf::Process trial = process;  // a fresh one for each: what another library brings in would answer for it
        trial.open(name, 0);
        if (is_cudnn(name)) open_what_files_name(trial);
        for (auto& choice : choices_of(trial, concerns_gpu)) {
            if (choice.rule == LoaderRule::already_loaded) continue;
            if (choice.soname != name && !is_part_of_cudnn(choice.soname)) continue;
            if (choice.soname == name) choice.needed_by.reset();  // nothing is known to ask for it
            choice.why = "not mapped; opened by name it would come from " + choice.why;
            choices.push_back(std::move(choice));
        }
    }
    return choices;
}

}  // namespace

Which for_process(int id, bool all) {
    const RunningProcess running = look_into(id);
    const Root root(running.root);
    Which which;
    which.target = "process " + std::to_string(id) + " (" + running.program + ")";
    elf::ElfFile program = elf::read_elf_program(root, running.program);
    const auto mapped = libraries_of(root, running);
    for (const auto& library : mapped)
        if (all || concerns_gpu(soname_of(library)) || concerns_gpu(file_name(library.file.path)))
            which.libraries.push_back(choice_of(library, mapped, program, running.program));
    if (!running.library_path)
        which.notes.push_back("its environment cannot be read: LD_LIBRARY_PATH is taken as not set");
    if (!running.root.empty())
        which.notes.push_back("it sees other files than this shell; paths are those that it sees");
    if (program.problem) {
        which.notes.push_back("its program " + program.problem_detail + ": what it would open is not told");
        return which;
    }
    elf::LoaderSetting how;
    how.library_path = running.library_path.value_or("");
    how.working_folder = running.working_folder;
    how.program_folder = elf::origin_of(running.program);
    how.interpreter = program.interpreter.value_or("");
    how.secure = running.secure;
    const elf::Loader loader = elf::loader_of(root, how);
    elf::Process process(loader, running.program, std::move(program));
    for (const auto& library : mapped) process.put(library.file.path);
    const std::vector<std::string> elsewhere = running.root.empty() ? other_folders(root) : std::vector<std::string>{};
    for (auto& choice : would_open(process, elsewhere)) which.libraries.push_back(std::move(choice));
    add_elsewhere(root, elsewhere, which.libraries);
    add_notes_on_parts(root, which);
    return which;
}

}  // namespace rnncheck::which
