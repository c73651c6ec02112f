// What a process will open by name while it runs, as far as files tell.
#pragma once

#include "files/loader/process.hpp"

namespace rnncheck::which {

/// For the program, for what lies outside the default folders and for GPU libraries: the GPU libraries whose names
/// stand inside the file, the parts of a cuDNN, and those that lie in the folders of the file's run path.
void open_what_files_name(elf::Process& process);

/// The names by which programs open the GPU libraries in these folders and in the loader's own places; for a kind of
/// which there is nothing, its bare name: libcudnn.so.
std::vector<std::string> names_to_open(const elf::Loader& loader, const std::vector<std::string>& folders);

/// Toolkits, wheels, conda: where GPU libraries lie beside the loader's places.
std::vector<std::string> other_folders(const Root& root);

}  // namespace rnncheck::which
