#include "files/loader/follow.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "files/elf/texts.hpp"
#include "files/loader/names.hpp"
#include "support/library_folders.hpp"
#include "support/library_names.hpp"

namespace rnncheck::which {

namespace {

using elf::Object;
using elf::Process;

constexpr std::size_t most_files_searched = 256;
constexpr std::size_t most_names_opened = 512;  // real machines have some twenty

bool below_default_folders(const elf::Loader& loader, const std::string& path) {
    return std::any_of(loader.built_in_folders.begin(), loader.built_in_folders.end(),
                       [&](const auto& folder) { return path.starts_with(folder + '/'); });
}

/// System libraries open no GPU library; to search them all would take long.
bool may_open_gpu_libraries(const Process& process, std::size_t number) {
    const std::string& path = process.objects()[number].path;
    return number == 0 || concerns_gpu(file_name(path)) || !below_default_folders(process.loader(), path);
}

/// The name by which programs open a file: its soname or the fixed name of its kind.
std::optional<std::string> opened_as(const Root& root, const std::string& folder, const std::string& name) {
    const auto known = probes::library_name(name);
    if (!known || !is_opened_by_programs(name)) return std::nullopt;
    if (const auto fixed = probes::fixed_name(known->kind)) return std::string(*fixed);
    return elf::read_elf_file(root, folder + '/' + name).soname.value_or(name);
}

std::vector<std::string> in_own_run_path(const Root& root, const Object& object) {
    std::vector<std::string> names;
    if (concerns_gpu(file_name(object.path))) return names;
    for (const auto* folders : {&object.run_path.before, &object.run_path.after})
        for (const auto& folder : *folders)
            for (const auto& name : root.names_in(folder))
                if (auto opened = opened_as(root, folder, name)) names.push_back(std::move(*opened));
    return names;
}

std::vector<std::string> opened_by(const Process& process, const Object& object) {
    const Root& root = process.loader().root;
    const auto inside = elf::library_names_inside(root, object.path);
    const std::string name = object.file.soname.value_or(file_name(object.path));
    std::vector<std::string> names;
    if (is_cudnn(name)) names = parts_of_cudnn(root, name, object.path, inside);
    for (const auto& text : inside)
        if (is_opened_by_programs(text) && text != name) names.push_back(text);
    for (const auto& found : in_own_run_path(root, object)) names.push_back(found);
    return names;
}

void append(std::vector<std::string>& into, const std::vector<std::string>& more) {
    into.insert(into.end(), more.begin(), more.end());
}

}  // namespace

void open_what_files_name(Process& process) {
    std::set<std::string> asked;
    std::size_t searched = 0;
    for (std::size_t i = 0; i < process.objects().size() && searched < most_files_searched; ++i) {
        const std::string path = process.objects()[i].path;
        if (path.empty() || i == 1 || !may_open_gpu_libraries(process, i)) continue;
        ++searched;
        for (const auto& name : opened_by(process, process.objects()[i]))
            if (asked.size() < most_names_opened && asked.insert(name).second) process.open(name, i);
    }
}

std::vector<std::string> names_to_open(const elf::Loader& loader, const std::vector<std::string>& folders) {
    std::vector<std::string> places = loader.library_path;
    append(places, loader.default_folders);
    append(places, folders);
    std::set<std::string> names;
    const auto add = [&](const std::string& folder, const std::string& name) {
        if (names.size() == most_names_opened) return;
        if (auto opened = opened_as(loader.root, folder, name); opened && !contains(*opened, "/"))
            names.insert(*opened);
    };
    for (const auto& folder : places)
        for (const auto& name : loader.root.names_in(folder)) add(folder, name);
    for (std::size_t i = 0; i < loader.cache.size(); ++i) {
        const std::string path(loader.cache.at(i).path);
        add(folder_of(path), file_name(path));
    }
    for (const char* stem :
         {"libcuda", "libnvidia-ml", "libcudart", "libcudnn", "libcublas", "libcublasLt", "libnvrtc"}) {
        const std::string bare = std::string(stem) + ".so";
        const auto some = names.lower_bound(bare);
        if (some == names.end() || !some->starts_with(bare))
            names.insert(bare + (bare == "libcuda.so" || bare == "libnvidia-ml.so" ? ".1" : ""));
    }
    names.insert("libz.so.1");
    return {names.begin(), names.end()};
}

std::vector<std::string> other_folders(const Root& root) {
    std::vector<std::string> folders = probes::toolkit_folders(root);
    append(folders, probes::wheel_folders(root));
    append(folders, probes::conda_folders(root));
    folders.push_back("/usr/lib/wsl/lib");
    return folders;
}

}  // namespace rnncheck::which
