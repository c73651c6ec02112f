#include "files/python/used_libraries.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "files/python/distributions.hpp"
#include "files/python/guises.hpp"

namespace rnncheck::packages {

namespace {

constexpr std::size_t most_sonames = 16;

bool is_gpu_library(std::string_view name) {
    constexpr std::string_view stems[] = {"libcudnn", "libcublas", "libcudart", "libnvrtc"};
    return std::any_of(std::begin(stems), std::end(stems),
                       [&](std::string_view stem) { return name.starts_with(stem); });
}

bool holds(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

void add_missing(std::vector<std::string>& names, const std::optional<std::string>& name, std::string_view stem) {
    const bool named =
        std::any_of(names.begin(), names.end(), [&](const auto& known) { return known.starts_with(stem); });
    if (name && !named && !holds(names, *name)) names.push_back(*name);
}

/// What it needs by its headers, and what it opens by name while it runs.
std::vector<std::string> opened_names(const Framework& framework, const elf::ElfFile& core) {
    std::vector<std::string> names;
    for (const std::string& name : core.needed)
        if (is_gpu_library(name) && names.size() < most_sonames && !holds(names, name)) names.push_back(name);
    add_missing(names, cudnn_soname(framework), "libcudnn.so");
    add_missing(names, cublas_soname(framework), "libcublas.so");
    return names;
}

/// Without the "../.." of run paths, where that names the same.
std::string plain_path(const Root& root, const std::string& path) {
    std::string plain = std::filesystem::path(path).lexically_normal().string();
    while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
    return root.real_path(plain) == root.real_path(path) ? plain : path;
}

std::vector<std::string> plain_paths(const Root& root, std::vector<std::string> paths) {
    for (std::string& path : paths) path = plain_path(root, path);
    return paths;
}

/// How the search came to this folder. The lists are those of the search, in its order.
std::string found_by(const elf::Loader& loader, const elf::RunPath& run_path, const std::string& path) {
    const std::string folder = folder_of(path);
    if (holds(run_path.before, folder)) return "rpath";
    if (holds(loader.library_path, folder)) return "LD_LIBRARY_PATH";
    if (holds(run_path.after, folder)) return "runpath";
    return "system";
}

/// The file's full number, or that of the wheel that it lies in.
void tell_release(const elf::Loader& loader, const std::vector<PythonPackage>& packages, FrameworkLibrary& library) {
    const std::string real = loader.root.real_path(*library.path).value_or(*library.path);
    if (const auto at = real.rfind(".so."); at != std::string::npos) {
        const auto version = parse_version(std::string_view(real).substr(at + 4));
        if (version && std::count(version->text.begin(), version->text.end(), '.') >= 2) library.version = version;
    }
    const std::string stem = library.soname.starts_with("libcudnn") ? "nvidia-cudnn" : "nvidia-cublas";
    for (const PythonPackage& package : packages) {
        if (!package.name.starts_with(stem) || !library.path->starts_with(package.folder + "/nvidia/")) continue;
        if (!library.version && !library.soname.starts_with("libcudart")) library.version = release_of(package.version);
        library.cuda_major = cuda_major_of(package.name);
    }
}

}  // namespace

std::optional<std::string> cudnn_soname(const Framework& framework) {
    if (!framework.cudnn) return std::nullopt;
    const std::string major = std::to_string(framework.cudnn->major());
    if (framework.name != "ctranslate2") return "libcudnn.so." + major;
    return (framework.cudnn->major() >= 9 ? "libcudnn_ops.so." : "libcudnn_ops_infer.so.") + major;
}

std::optional<std::string> cublas_soname(const Framework& framework) {
    if (!framework.cuda) return std::nullopt;
    const Version& cuda = *framework.cuda;
    if (cuda.major() >= 11) return "libcublas.so." + std::to_string(cuda.major());
    if (cuda >= make_version({10, 1})) return "libcublas.so.10";
    return "libcublas.so." + std::to_string(cuda.major()) + "." + std::to_string(cuda.minor());
}

void find_used_libraries(const elf::Loader& loader, const std::vector<PythonPackage>& packages, Framework& framework) {
    if (!framework.uses_cuda.value_or(false) || !framework.core) return;
    const elf::ElfFile core = elf::read_elf_file(loader.root, *framework.core);
    const elf::RunPath run_path = elf::run_path_of(loader, core, *framework.core);
    framework.folders_before = plain_paths(loader.root, run_path.before);
    framework.folders_after = plain_paths(loader.root, run_path.after);
    for (const std::string& name : opened_names(framework, core)) {
        FrameworkLibrary library;
        library.soname = name;
        if (const elf::Lookup lookup = elf::find_library(loader, name, run_path); lookup.usable()) {
            library.found_by = found_by(loader, run_path, *lookup.path);
            library.path = plain_path(loader.root, *lookup.path);
            tell_release(loader, packages, library);
        }
        framework.libraries.push_back(std::move(library));
    }
}

}  // namespace rnncheck::packages
