// Where installers, wheels and conda put DLLs, beside the
// directories that Windows searches.
#include "windows/places.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "windows/pythons.hpp"

namespace rnncheck::windows {

namespace {

using Directories = std::vector<std::string>;

Directories below(const Root& root, const std::string& directory) {
    // versions or wheels in one place
    constexpr std::size_t most = 256;
    return mapped(root.names_in(directory, most), [&](const std::string& name) {
        return directory + '/' + name;
    });
}

/// Paths are in slashes inside this program, also those of variables.
std::string variable(const char* name) {
    return slashed(environment_variable(name).value_or(""));
}

/// The installer of a toolkit sets CUDA_PATH and CUDA_PATH_V12_4:
/// https://docs.nvidia.com/cuda/cuda-installation-guide-microsoft-windows/
Directories toolkits(const Root& root) {
    Directories found;
    if (const std::string path = variable("CUDA_PATH"); !path.empty())
        found.push_back(path);
    const std::string programs = variable("ProgramW6432");
    if (!programs.empty())
        append(found, below(root, programs + "/NVIDIA GPU Computing Toolkit/CUDA"));
    return found;
}

/// C:/Program Files/NVIDIA/CUDNN/v9.7/bin/12.8 (seen in
/// SYSTRAN/faster-whisper#1230) and .../v8.9/bin.
Directories installed_cudnns(const Root& root) {
    Directories found;
    const std::string programs = variable("ProgramW6432");
    if (programs.empty())
        return found;
    for (const std::string& version : below(root, programs + "/NVIDIA/CUDNN")) {
        found.push_back(version + "/bin");
        append(found, below(root, version + "/bin"));
    }
    return found;
}

/// In the order of the calls, which is the order of the search.
void add(std::vector<Place>& places, const Directories& directories, FoundVia via) {
    for (const std::string& directory : directories)
        places.push_back({directory, via});
}

/// Since CUDA 13 the wheels of NVIDIA share nvidia/cu13/bin/x86_64.
Directories of_wheels(const Root& root, const std::string& packages) {
    Directories found;
    for (const std::string& wheel : below(root, packages + "/nvidia"))
        append(found, {wheel + "/bin", wheel + "/bin/x86_64"});
    append(found, {packages + "/torch/lib", packages + "/ctranslate2"});
    return found;
}

}  // namespace

std::string slashed(std::string path) {
    std::ranges::replace(path, '\\', '/');
    // of C:/ it belongs to the name
    while (path.size() > 3 && path.ends_with('/'))
        path.pop_back();
    return path;
}

std::vector<std::string> directories_of_path() {
    Directories found;
    for (std::string entry : split(environment_variable("PATH").value_or(""), ';')) {
        std::erase(entry, '"');
        if (!trim(entry).empty())
            found.push_back(slashed(std::string(trim(entry))));
    }
    return found;
}

std::vector<Place> places_of_libraries(const Root& root) {
    std::vector<Place> places = {
        {slashed(disk_of_machine().system32()), FoundVia::default_directory}};
    add(places, directories_of_path(), FoundVia::path_variable);
    for (const std::string& toolkit : toolkits(root))
        add(places, {toolkit + "/bin", toolkit + "/bin/x64"}, FoundVia::toolkit);
    add(places, installed_cudnns(root), FoundVia::toolkit);
    for (const FoundPython& python : pythons_here(root)) {
        add(places, of_wheels(root, python.prefix + "/Lib/site-packages"), FoundVia::wheel);
        add(places, {python.prefix + "/Library/bin"}, FoundVia::conda);
    }
    return places;
}

}  // namespace rnncheck::windows
