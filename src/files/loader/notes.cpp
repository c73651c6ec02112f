#include "files/loader/notes.hpp"

#include <set>

#include "base/text.hpp"
#include "files/loader/names.hpp"

namespace rnncheck::which {

namespace {

std::string real_folder(const Root& root, const std::string& path) {
    return folder_of(root.real_path(path).value_or(path));
}

void check_copy(const Root& root, const std::string& name, const std::string& path, Which& which) {
    const std::string number = name.substr(name.find(".so"));
    const std::string home = real_folder(root, path);
    std::set<std::string> others;
    for (const auto& library : which.libraries)
        if (is_part_of_cudnn(library.soname) && library.soname.ends_with(number) && library.path)
            if (const auto folder = real_folder(root, *library.path); folder != home) others.insert(folder);
    if (others.empty()) return;
    which.notes.push_back(name + " lies in " + home + ", but parts of it come from " +
                          listing({others.begin(), others.end()}) +
                          ": they work together only if all are of one release");
}

}  // namespace

void add_notes_on_parts(const Root& root, Which& which) {
    if (const std::string name = file_name(which.target); is_cudnn(name)) check_copy(root, name, which.target, which);
    for (std::size_t i = 0; i < which.libraries.size(); ++i) {
        const LibraryChoice library = which.libraries[i];
        if (is_cudnn(library.soname) && library.path) check_copy(root, library.soname, *library.path, which);
    }
}

}  // namespace rnncheck::which
