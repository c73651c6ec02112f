// Which copies of the GPU libraries a target gets, and why. Reads files alone.
#pragma once

#include "base/files.hpp"
#include "facts/libraries.hpp"

namespace rnncheck::loader {

/// In what the target would be started.
struct WhichSetting {
    std::string library_path;  ///< LD_LIBRARY_PATH
    std::string preload;       ///< LD_PRELOAD
    bool all = false;          ///< every needed library, not those alone that concern the GPU
};

struct Which {
    std::string target;              ///< "/usr/bin/python3", "process 4711 (/usr/bin/python3)", "a plain program"
    std::vector<std::string> notes;  ///< what holds for all of it, and what is unknown
    std::vector<LibraryChoice> libraries;
};

/// A program, as the kernel would start it, or a library, as a plain program would open it. InputError when the file
/// cannot be read or is not for glibc's loader of this processor.
Which which_for_file(const Root& root, const std::string& path, const WhichSetting& setting);

/// What dlopen gives in a program without a run path, for every version of a GPU library found on this machine.
Which which_for_plain_program(const Root& root, const WhichSetting& setting);

/// What a running process has mapped, and what dlopen in it would give for the rest. Its own environment counts.
/// InputError when there is no such process or this user may not look into it.
Which which_for_process(int id, bool all);

/// A file that a process has mapped.
struct MappedFile {
    std::string path;      ///< as the process sees it
    bool deleted = false;  ///< removed or replaced on disk since
};

/// The files of /proc/N/maps, which writes a line end as \012; each once, in the order of addresses.
std::vector<MappedFile> files_of_map(std::string_view map);

}  // namespace rnncheck::loader
