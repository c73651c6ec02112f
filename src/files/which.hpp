// Which files a target loads for the GPU libraries, and why. Reads only files.
#pragma once

#include "files/loader/process.hpp"

namespace rnncheck::loader {

/// The environment in which the target would be started.
struct WhichSetting {
    /// LD_LIBRARY_PATH
    std::string library_path;
    /// LD_PRELOAD
    std::string preload;
    /// every needed library, not those alone that concern the GPU
    bool all = false;
};

/// The answer about one target.
struct Which {
    /// "/usr/bin/python3", "process 4711 (/usr/bin/python3)", "a plain program"
    std::string target;
    /// what holds for all of it, and what is unknown
    std::vector<std::string> notes;
    std::vector<LibraryChoice> libraries;
};

/// A program, as the kernel would start it, or a library, as a plain program would open it.
/// InputError when the file cannot be read or is not for glibc's loader of this processor.
Which which_for_file(const Root& root, const std::string& path, const WhichSetting& setting);

/// What runs a script, by its first lines: a path, or for "#!/usr/bin/env
/// python3" the name "python3"; nothing for another file. pip starts long paths
/// by /bin/sh: then what that starts.
std::optional<std::string> program_of_script(const Root& root, const std::string& path);

/// What dlopen gives in a program without a run path, for every version of a
/// GPU library found on this machine.
Which which_for_plain_program(const Root& root, const WhichSetting& setting);

/// What a running process has mapped, and what dlopen in it would give for the
/// rest. Its own environment counts. InputError when there is no such process
/// or this user may not look into it.
Which which_for_process(int id, bool all);

/// A file that a process has mapped.
struct MappedFile {
    std::string path;      ///< as the process sees it
    bool deleted = false;  ///< removed or replaced on disk since
};

/// The files of /proc/N/maps, which writes a line end as \012; each
/// once, in the order of addresses.
std::vector<MappedFile> files_of_map(std::string_view map);

// From a played-through process to one answer per library, each with what else
// was found and why that is not the one.

/// For every requested name, or only those that concern the GPU, in the order
/// of the requests.
std::vector<LibraryChoice> choices_of(const Process& process, bool all);

/// "RPATH of libtorch_cuda.so": what `rule` is called where this object requests it.
std::string in_words(const Process& process, LoaderRule rule, std::size_t owner);

/// The path with every link resolved, if the file exists.
std::string real_or_same(const Root& root, const std::string& path);

/// Adds the files of these names in these directories to the answers as found
/// elsewhere, where the loader does not look.
void add_elsewhere(
    const Root& root,
    const std::vector<std::string>& directories,
    std::vector<LibraryChoice>& choices);

// What a process will open by name while it runs, as far as files show.

/// For the program, for what is outside the default directories and for GPU
/// libraries: the GPU libraries whose names are inside the file, the parts of a
/// cuDNN, and those in the directories of the file's run path. Returns notes on
/// parts whose file depends on which function of cuDNN the process calls first.
std::vector<std::string> open_named_libraries(Process& process);

/// What dlopen of the GPU libraries' names would give in this process, each
/// name for itself, with the parts of a cuDNN. The names are those of the files
/// in these directories and in the loader's own places.
std::vector<LibraryChoice> choices_by_name(
    const Process& process,
    const std::vector<std::string>& directories,
    bool all,
    std::vector<std::string>& notes);

}  // namespace rnncheck::loader
