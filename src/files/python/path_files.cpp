#include "files/python/path_files.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"

namespace rnncheck::packages {

namespace {

constexpr std::size_t most_files = 100, most_bytes = 64 << 10, most_folders = 32;

bool is_code(std::string_view line) {
    return line.starts_with("import ") || line.starts_with("import\t");
}

std::string joined(const std::string& folder, const std::string& line) {
    std::string path = (std::filesystem::path(folder) / line).lexically_normal().string();
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

void read_one(const Root& root, const std::string& folder, const std::string& name, PathFiles& found) {
    bool code = false;
    for (const std::string& raw : split(root.read(folder + '/' + name, most_bytes).value_or(""), '\n')) {
        const std::string line(trim(raw));
        code |= is_code(line);
        if (line.empty() || line.starts_with('#') || is_code(line) || found.folders.size() == most_folders) continue;
        const std::string path = joined(folder, line);
        const bool known = std::find(found.folders.begin(), found.folders.end(), path) != found.folders.end();
        if (!known && !root.names_in(path, 1).empty()) found.folders.push_back(path);
    }
    if (code && name.starts_with("__editable__"))
        found.left_out.push_back(folder + '/' + name + " finds an editable installation by code, which is not run");
}

}  // namespace

PathFiles path_files_of(const Root& root, const std::string& folder) {
    PathFiles found;
    std::size_t files = 0;
    for (const std::string& name : root.names_in(folder))
        if (name.ends_with(".pth") && !name.starts_with('.') && ++files <= most_files)
            read_one(root, folder, name, found);
    return found;
}

}  // namespace rnncheck::packages
