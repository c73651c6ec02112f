// From a played-through process to one answer per library, each with what else was found and why that is not the one.
#pragma once

#include <functional>

#include "files/loader/process.hpp"

namespace rnncheck::loader {

using Wanted = std::function<bool(std::string_view name)>;

/// For every name asked for that `wanted` takes, in the order of asking.
std::vector<LibraryChoice> choices_of(const Process& process, const Wanted& wanted);

/// "RPATH of libtorch_cuda.so": what `rule` is called where this object asks.
std::string in_words(const Process& process, LoaderRule rule, std::size_t owner);

/// The path with every link resolved, where there is such a file.
std::string real_or_same(const Root& root, const std::string& path);

/// Adds the files of these names in these directories to the answers as found elsewhere, where the loader does not
/// look.
void add_elsewhere(const Root& root, const std::vector<std::string>& directories, std::vector<LibraryChoice>& choices);

// What a process will open by name while it runs, as far as files tell.

/// For the program, for what is outside the default directories and for GPU libraries: the GPU libraries whose names
/// are inside the file, the parts of a cuDNN, and those in the directories of the file's run path.
void open_named_libraries(Process& process);

/// What dlopen of the GPU libraries' names would give in this process, each name for itself, with the parts of a cuDNN.
/// The names are those of the files in these directories and in the loader's own places.
std::vector<LibraryChoice> choices_by_name(const Process& process, const std::vector<std::string>& directories,
                                           const Wanted& wanted);

}  // namespace rnncheck::loader
