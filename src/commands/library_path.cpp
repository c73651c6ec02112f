#include "commands/library_path.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "files/gpu_libraries.hpp"
#include "process/apart.hpp"

namespace rnncheck {

namespace {

/// "libnvJitLink.so.12" of libnvJitLink.so.12.1.105: what messages of the loader name.
std::string soname_in(const std::string& file_name) {
    const auto number = file_name.find(".so.");
    if (number == std::string::npos)
        return file_name;
    return file_name.substr(0, file_name.find('.', number + std::string_view(".so.").size()));
}

/// The driver's libraries belong on the path, for no package contains them.
bool is_of_cuda(const std::string& name) {
    const bool is_driver = name.starts_with("libcuda.so") || name.starts_with("libnvidia-");
    return loader::concerns_gpu(name) && !is_driver && !name.starts_with("libz.");
}

LibraryPath read_path(const std::string& variable) {
    LibraryPath path;
    for (const std::string& directory : split(variable, ':')) {
        PathDirectory& found = path.directories.emplace_back();
        found.directory = directory;
        // The loader takes an empty entry for the current directory, which is another one when
        // the command changes its own: unknown.
        if (directory.empty())
            continue;
        for (const std::string& name : Root().names_in(directory))
            if (is_of_cuda(name))
                found.cuda_libraries.push_back(name);
    }
    return path;
}

}  // namespace

LibraryPath library_path() {
    const auto variable = environment_variable("LD_LIBRARY_PATH");
    if (!variable)
        return {};
    try {
        return process::fields_from_apart<LibraryPath>([&] { return read_path(*variable); });
    } catch (const process::NoResponse&) {
        return {};  // a directory of a network that is gone: the command has failed already
    }
}

const PathDirectory* directory_named_in(
    const LibraryPath& path, const std::vector<std::string>& texts) {
    for (const PathDirectory& directory : path.directories)
        for (const std::string& library : directory.cuda_libraries)
            for (const std::string& text : texts)
                // Where the loader names the directory itself, the error is about its file.
                if (contains(text, soname_in(library)) && !contains(text, directory.directory))
                    return &directory;
    return nullptr;
}

std::string command_without_cuda(const LibraryPath& path) {
    std::vector<std::string> rest;
    for (const PathDirectory& directory : path.directories)
        if (directory.cuda_libraries.empty())
            rest.push_back(directory.directory);
    if (rest.empty())
        return "unset LD_LIBRARY_PATH";
    return "export LD_LIBRARY_PATH=" + shell_quoted(join(rest, ":"));
}

}  // namespace rnncheck
