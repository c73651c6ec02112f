// What a process will open by name while it runs, as far as files tell.
#pragma once

#include "files/loader/choices.hpp"

namespace rnncheck::loader {

/// For the program, for what lies outside the default directories and for GPU libraries: the GPU libraries whose names
/// stand inside the file, the parts of a cuDNN, and those that lie in the directories of the file's run path.
void open_named_libraries(Process& process);

/// What dlopen of the GPU libraries' names would give in this process, each name for itself, with the parts of a cuDNN.
/// The names are those of the files in these directories and in the loader's own places.
std::vector<LibraryChoice> choices_by_name(const Process& process, const std::vector<std::string>& directories,
                                           const Wanted& wanted);

}  // namespace rnncheck::loader
