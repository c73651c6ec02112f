#include "files/loader/opened_names.hpp"

#include <set>

#include "base/text.hpp"
#include "files/elf/embedded_library_names.hpp"
#include "files/loader/gpu_libraries.hpp"

namespace rnncheck::loader {

namespace {

constexpr std::size_t most_files_searched = 256;
constexpr std::size_t most_names_opened = 512;  // real machines have some twenty

/// System libraries open no GPU library; to search them all would take long.
bool may_open_gpu_libraries(const Process& process, std::size_t number) {
    const std::string& path = process.objects()[number].path;
    return number == 0 || concerns_gpu(file_name(path)) || !in_built_in_directory(process.loader(), path);
}

/// The name by which programs open a file: its soname or the fixed name of its kind.
std::optional<std::string> opened_as(const Root& root, const std::string& directory, const std::string& name) {
    const auto known = library_name(name);
    if (!known || !is_opened_by_programs(name)) return std::nullopt;
    if (const auto fixed = fixed_name(known->kind)) return std::string(*fixed);
    return elf::read_elf_file(root, directory + '/' + name).soname.value_or(name);
}

std::vector<std::string> in_own_run_path(const Root& root, const Object& object) {
    std::vector<std::string> names;
    if (concerns_gpu(file_name(object.path))) return names;
    for (const auto* directories : {&object.run_path.before, &object.run_path.after})
        for (const auto& directory : *directories)
            for (const auto& name : root.names_in(directory))
                if (auto opened = opened_as(root, directory, name)) names.push_back(std::move(*opened));
    return names;
}

std::vector<std::string> opened_by(const Process& process, const Object& object) {
    const Root& root = process.loader().root;
    const auto inside = elf::embedded_library_names(root, object.path);
    const std::string name = object.file.soname.value_or(file_name(object.path));
    std::vector<std::string> names;
    if (is_cudnn(name)) names = parts_of_cudnn(root, name, object.path, inside);
    for (const auto& text : inside)
        if (is_opened_by_programs(text) && text != name) names.push_back(text);
    for (const auto& found : in_own_run_path(root, object)) names.push_back(found);
    return names;
}

/// The names by which programs open the GPU libraries in these directories and in the loader's own places; for a kind
/// of which there is nothing, its bare name: libcudnn.so.
std::vector<std::string> names_to_open(const Loader& loader, const std::vector<std::string>& directories) {
    std::set<std::string> names;
    const auto add = [&](const std::string& directory, const std::string& name) {
        if (names.size() == most_names_opened) return;
        if (auto opened = opened_as(loader.root, directory, name); opened && !contains(*opened, "/"))
            names.insert(*opened);
    };
    for (const auto* places : {&loader.library_path, &loader.default_directories, &directories})
        for (const auto& directory : *places)
            for (const auto& name : loader.root.names_in(directory)) add(directory, name);
    for (std::size_t i = 0; i < loader.cache.size(); ++i) {
        const std::string path(loader.cache.at(i).path);
        add(directory_of(path), file_name(path));
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

}  // namespace

void open_named_libraries(Process& process) {
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

std::vector<LibraryChoice> choices_by_name(const Process& process, const std::vector<std::string>& elsewhere,
                                           const Wanted& wanted) {
    std::vector<LibraryChoice> choices;
    for (const auto& name : names_to_open(process.loader(), elsewhere)) {
        Process trial = process;  // a fresh one for each: what another library brings in would answer for it
        trial.open(name, 0);
        if (is_cudnn(name)) open_named_libraries(trial);
        for (auto& choice : choices_of(trial, wanted))
            if (choice.soname == name || is_part_of_cudnn(choice.soname)) choices.push_back(std::move(choice));
    }
    return choices;
}

}  // namespace rnncheck::loader
