#include "files/python/used_libraries.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "files/known_openers.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

/// Of one framework: more are only in a damaged file.
constexpr std::size_t most_sonames = 16;

bool is_gpu_library(std::string_view name) {
    constexpr std::string_view stems[] = {"libcudnn", "libcublas", "libcudart", "libnvrtc"};
    return std::ranges::any_of(
        stems, [&](std::string_view stem) { return name.starts_with(stem); });
}

/// The name by which cuDNN is opened: libcudnn.so.9; for CTranslate2, which has
/// the front inside, the first part's.
std::optional<std::string> cudnn_soname(const Framework& framework) {
    if (framework.uses_cudnn == false)
        return std::nullopt;
    if (!framework.cudnn)
        return std::nullopt;
    const std::string major = std::to_string(framework.cudnn->major());
    if (framework.name != "ctranslate2")
        return "libcudnn.so." + major;
    std::string part = "libcudnn_ops_infer.so.";
    if (framework.cudnn->major() >= 9)
        part = "libcudnn_ops.so.";
    return part + major;
}

void add_missing(
    std::vector<std::string>& names,
    const std::optional<std::string>& name,
    std::string_view stem) {
    const bool named =
        std::ranges::any_of(names, [&](const auto& known) { return known.starts_with(stem); });
    if (name && !named)
        add_once(names, *name);
}

/// What it needs by its headers, and what it opens by name while it runs.
std::vector<std::string> opened_names(
    const Root& root, const Framework& framework, const elf::ElfFile& core) {
    std::vector<std::string> names;
    for (const std::string& name : core.needed)
        if (is_gpu_library(name) && names.size() < most_sonames)
            add_once(names, name);
    if (!framework.cudnn)
        if (const auto known = loader::known_opener(root, *framework.core, core))
            append(names, known->opens);
    add_missing(names, cudnn_soname(framework), "libcudnn.so");
    if (framework.cuda)
        add_missing(names, cublas_soname(*framework.cuda), "libcublas.so");
    return names;
}

/// Without the "../.." of run paths, where that names the same.
std::string plain_path(const Root& root, const std::string& path) {
    const std::string plain = normal_path(path);
    if (root.real_path(plain) != root.real_path(path))
        return path;
    return plain;
}

std::vector<std::string> plain_paths(const Root& root, const std::vector<std::string>& paths) {
    return mapped(paths, [&](const std::string& path) { return plain_path(root, path); });
}

/// As the facts have it: FrameworkLibrary::found_by.
std::string found_by(LoaderRule rule) {
    if (rule == LoaderRule::ld_library_path)
        return "LD_LIBRARY_PATH";
    if (rule == LoaderRule::rpath || rule == LoaderRule::runpath)
        return std::string(name_of(rule));
    return "system";
}

/// The file's full number, or that of its wheel.
void set_version(
    const Root& root, const std::vector<PythonPackage>& packages, FrameworkLibrary& library) {
    const std::string real = root.real_path(*library.path).value_or(*library.path);
    if (const auto at = real.rfind(".so."); at != std::string::npos) {
        const auto version = parse_version(std::string_view(real).substr(at + 4));
        if (version && std::ranges::count(version->text, '.') >= 2)
            library.version = version;
    }
    const std::string stem =
        library.soname.starts_with("libcudnn") ? "nvidia-cudnn" : "nvidia-cublas";
    for (const PythonPackage& package : packages) {
        if (!package.name.starts_with(stem) ||
            !library.path->starts_with(package.directory + "/nvidia/"))
            continue;
        if (!library.version && !library.soname.starts_with("libcudart"))
            library.version = leading_version(package.version);
        library.cuda_major = cuda_major_of(package.name);
    }
}

}  // namespace

void find_used_libraries(
    const loader::Loader& loader,
    const std::vector<PythonPackage>& packages,
    Framework& framework) {
    if (!framework.uses_cuda.value_or(false) || !framework.core)
        return;
    loader::Process process(loader, "", {});
    const std::size_t number = process.put(*framework.core);
    const loader::Object& core = process.objects()[number];
    framework.directories_before = plain_paths(loader.root, core.run_path.before);
    framework.directories_after = plain_paths(loader.root, core.run_path.after);
    for (const std::string& name : opened_names(loader.root, framework, core.file)) {
        FrameworkLibrary library;
        library.soname = name;
        if (const loader::Lookup found = process.look_up(name, number); found.usable()) {
            library.found_by = found_by(found.rule);
            library.path = plain_path(loader.root, *found.path);
            set_version(loader.root, packages, library);
        }
        framework.libraries.push_back(std::move(library));
    }
}

}  // namespace rnncheck::python
