#include "files/python/frameworks.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "facts/queries.hpp"
#include "files/known_openers.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::python {

namespace {

using Distributions = std::vector<Distribution>;

constexpr std::size_t most_packages = 256, most_left_out = 16;

/// The parts of conda's installation that are no Python packages.
bool is_conda_library(std::string_view name) {
    constexpr std::string_view names[] = {
        "cudnn",     "libcudnn",   "cudatoolkit",     "cuda-version", "cuda-cudart",
        "libcublas", "cuda-nvrtc", "tensorflow-base", "pytorch",      "libtorch"};
    return includes(names, name);
}

Distributions installed_in(const Root& root, PythonEnvironment& environment) {
    Distributions all;
    for (const std::string& directory : environment.package_directories) {
        const Distributions found = distributions_in(root, directory);
        if (found.empty() && root.names_in(directory, 1).empty())
            environment.left_out.push_back(directory + " is empty or cannot be read");
        append(all, found);
    }
    environment.distributions = static_cast<int>(all.size());
    if (environment.kind == "conda")
        for (Distribution& distribution : conda_distributions(root, environment.path))
            if (is_conda_library(distribution.name))
                all.push_back(std::move(distribution));
    return all;
}

std::string words_of(const Distribution& distribution) {
    return distribution.name + (distribution.version.empty() ? "" : " " + distribution.version);
}

bool matters(const Distribution& distribution) {
    return distribution.conda || is_library_wheel(distribution.name) ||
           parse_distribution_name(distribution.name);
}

/// The directory that `import` finds, below a directory of packages: "torch" for pytorch.
std::string module_of(const std::string& framework) {
    if (framework == "pytorch")
        return "torch";
    if (framework == "jax")
        return "jaxlib";
    if (framework == "paddlepaddle")
        return "paddle";
    return framework;
}

/// Of the distributions of one framework those in the directory that `import` takes; it is the
/// first that has the module.
std::optional<Installed> installed_framework(const Root& root, const std::string& name,
                                             const Distributions& all) {
    Installed found;
    found.name = name;
    for (const Distribution& distribution : all) {
        const auto published = parse_distribution_name(distribution.name);
        if (distribution.conda || !published || published->framework != name)
            continue;
        if (published->plugin) {
            found.plugins.push_back(distribution);
            continue;
        }
        const bool has_module = root.exists(distribution.directory + '/' + module_of(name));
        if (found.directory.empty() && has_module)
            found.directory = distribution.directory;
        if (distribution.directory == found.directory)
            found.distributions.push_back(distribution);
    }
    if (found.distributions.empty())
        return std::nullopt;
    found.brings_cudnn = std::ranges::any_of(all, [](const Distribution& distribution) {
        return distribution.name.starts_with("nvidia-cudnn-cu");
    });
    return found;
}

/// The distribution to name: the one that the files agree with, else the first.
const Distribution& best_of(const Installed& installed, const Framework& framework) {
    for (const Distribution& distribution : installed.distributions) {
        const auto build = parse_distribution_name(distribution.name)->build;
        const bool cuda_name = !build.empty() && build != "cpu";
        if (framework.uses_cuda && !build.empty() && *framework.uses_cuda == cuda_name)
            return distribution;
    }
    for (const Distribution& distribution : installed.distributions)
        if (parse_distribution_name(distribution.name)->build.empty())
            return distribution;
    return installed.distributions.front();
}

Framework framework_of(const Root& root, const Installed& installed,
                       PythonEnvironment& environment) {
    Framework framework;
    framework.name = installed.name;
    framework.environment = environment.path;
    const Distribution& first = installed.distributions.front();
    framework.version = leading_version(first.version);
    if (const auto name = parse_distribution_name(first.name); !name->build.empty())
        framework.build = name->build;
    if (environment.active == true || installed.name != "keras")
        read_framework_files(root, installed, framework, environment.left_out);
    const Distribution& best = best_of(installed, framework);
    framework.package = words_of(best);
    if (installed.name != "pytorch")
        framework.version = leading_version(best.version);
    for (const Distribution& other : installed.distributions)
        if (other.name != best.name || other.version != best.version)
            framework.other_packages.push_back(words_of(other));
    for (const Distribution& plugin : installed.plugins)
        framework.plugins.push_back(words_of(plugin));
    return framework;
}

constexpr std::size_t most_sonames = 16;

bool is_gpu_library(std::string_view name) {
    constexpr std::string_view stems[] = {"libcudnn", "libcublas", "libcudart", "libnvrtc"};
    return std::ranges::any_of(stems,
                               [&](std::string_view stem) { return name.starts_with(stem); });
}

/// The name by which cuDNN is opened: libcudnn.so.9; for CTranslate2, which has the front inside,
/// the first part's.
std::optional<std::string> cudnn_soname(const Framework& framework) {
    if (framework.uses_cudnn == false)
        return std::nullopt;
    if (!framework.cudnn)
        return std::nullopt;
    const std::string major = std::to_string(framework.cudnn->major());
    if (framework.name != "ctranslate2")
        return "libcudnn.so." + major;
    return (framework.cudnn->major() >= 9 ? "libcudnn_ops.so." : "libcudnn_ops_infer.so.") + major;
}

void add_missing(std::vector<std::string>& names, const std::optional<std::string>& name,
                 std::string_view stem) {
    const bool named =
        std::ranges::any_of(names, [&](const auto& known) { return known.starts_with(stem); });
    if (name && !named)
        add_once(names, *name);
}

/// What it needs by its headers, and what it opens by name while it runs.
std::vector<std::string> opened_names(const Root& root, const Framework& framework,
                                      const elf::ElfFile& core) {
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
    return root.real_path(plain) == root.real_path(path) ? plain : path;
}

std::vector<std::string> plain_paths(const Root& root, const std::vector<std::string>& paths) {
    return mapped(paths, [&](const std::string& path) { return plain_path(root, path); });
}

std::string found_by(LoaderRule rule) {
    if (rule == LoaderRule::ld_library_path)
        return "LD_LIBRARY_PATH";
    return rule == LoaderRule::rpath || rule == LoaderRule::runpath ? std::string(name_of(rule))
                                                                    : "system";
}

/// The file's full number, or that of its wheel.
void set_version(const Root& root, const std::vector<PythonPackage>& packages,
                 FrameworkLibrary& library) {
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

std::vector<Framework> frameworks_of(const Root& root, PythonEnvironment& environment) {
    std::vector<std::string> names;
    Distributions that_matter;
    for (Distribution& distribution : installed_in(root, environment)) {
        if (!matters(distribution) || that_matter.size() == most_packages)
            continue;
        if (distribution.version.empty())  // then the metadata tells it
            if (const auto metadata = metadata_of(root, distribution, environment.left_out))
                distribution.version = metadata->version;
        if (environment.active == true && !distribution.conda)
            compare_files(root, distribution, environment.left_out);
        environment.packages.push_back(distribution);
        if (const auto published = parse_distribution_name(distribution.name))
            add_once(names, published->framework);
        that_matter.push_back(std::move(distribution));
    }
    std::vector<Framework> frameworks;
    for (const std::string& name : names)
        if (const auto installed = installed_framework(root, name, that_matter))
            frameworks.push_back(framework_of(root, *installed, environment));
    if (environment.left_out.size() > most_left_out) {
        const std::size_t more = environment.left_out.size() - most_left_out;
        environment.left_out.resize(most_left_out);
        environment.left_out.push_back("and " + std::to_string(more) + " more");
    }
    return frameworks;
}

void find_used_libraries(const loader::Loader& loader, const std::vector<PythonPackage>& packages,
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
