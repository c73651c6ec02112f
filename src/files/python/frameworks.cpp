#include "files/python/frameworks.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "files/python/file_check.hpp"
#include "files/python/guises.hpp"
#include "files/python/own_files.hpp"

namespace rnncheck::packages {

namespace {

using Distributions = std::vector<Distribution>;

constexpr std::size_t most_packages = 256, most_left_out = 16;

/// The parts of conda's installation that are no Python packages.
bool is_conda_library(std::string_view name) {
    constexpr std::string_view names[] = {"cudnn",     "libcudnn",   "cudatoolkit",     "cuda-version", "cuda-cudart",
                                          "libcublas", "cuda-nvrtc", "tensorflow-base", "pytorch",      "libtorch"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Distributions installed_in(const Root& root, PythonEnvironment& environment) {
    Distributions all;
    for (const std::string& folder : environment.package_folders) {
        const Distributions found = distributions_in(root, folder);
        if (found.empty() && root.names_in(folder, 1).empty())
            environment.left_out.push_back(folder + " is empty or cannot be read");
        all.insert(all.end(), found.begin(), found.end());
    }
    environment.distributions = static_cast<int>(all.size());
    if (environment.kind == "conda")
        for (Distribution& distribution : conda_distributions(root, environment.path))
            if (is_conda_library(distribution.name)) all.push_back(std::move(distribution));
    return all;
}

std::string words_of(const Distribution& distribution) {
    return distribution.name + (distribution.version.empty() ? "" : " " + distribution.version);
}

bool matters(const Distribution& distribution) {
    return distribution.conda || is_library_wheel(distribution.name) || guise_of(distribution.name);
}

/// Where the name of the folder does not tell the version, the metadata does.
void complete(const Root& root, Distribution& distribution, std::vector<std::string>& left_out) {
    if (!distribution.version.empty()) return;
    if (const auto metadata = metadata_of(root, distribution, left_out)) distribution.version = metadata->version;
}

PythonPackage described(const Root& root, const Distribution& distribution, bool compare,
                        std::vector<std::string>& left_out) {
    PythonPackage package;
    package.name = distribution.name;
    package.version = distribution.version;
    package.folder = distribution.folder;
    if (compare && !distribution.conda) compare_files(root, distribution, package, left_out);
    return package;
}

/// Of the distributions of one framework those in the folder that `import` takes; it is the first that has the module.
std::optional<Installed> installed_framework(const Root& root, const std::string& name, const Distributions& all) {
    Installed found;
    found.name = name;
    for (const Distribution& distribution : all) {
        const auto guise = guise_of(distribution.name);
        if (distribution.conda || !guise || guise->framework != name) continue;
        if (guise->plugin) {
            found.plugins.push_back(distribution);
            continue;
        }
        const bool has_module = root.exists(distribution.folder + '/' + std::string(module_of(name)));
        if (found.folder.empty() && has_module) found.folder = distribution.folder;
        if (distribution.folder == found.folder) found.distributions.push_back(distribution);
    }
    if (found.distributions.empty()) return std::nullopt;
    found.brings_cudnn = std::any_of(all.begin(), all.end(), [](const Distribution& distribution) {
        return distribution.name.starts_with("nvidia-cudnn-cu");
    });
    return found;
}

/// The distribution to name: the one that the files agree with, else the first.
const Distribution& best_of(const Installed& installed, const Framework& framework) {
    for (const Distribution& distribution : installed.distributions) {
        const auto build = guise_of(distribution.name)->build;
        const bool cuda_name = !build.empty() && build != "cpu";
        if (framework.uses_cuda && !build.empty() && *framework.uses_cuda == cuda_name) return distribution;
    }
    for (const Distribution& distribution : installed.distributions)
        if (guise_of(distribution.name)->build.empty()) return distribution;
    return installed.distributions.front();
}

Framework framework_of(const Root& root, const Installed& installed, PythonEnvironment& environment) {
    Framework framework;
    framework.name = installed.name;
    framework.environment = environment.path;
    const Distribution& first = installed.distributions.front();
    framework.version = release_of(first.version);
    if (const auto guise = guise_of(first.name); !guise->build.empty()) framework.build = guise->build;
    if (environment.active || installed.name != "keras")
        read_own_files(root, installed, framework, environment.left_out);
    const Distribution& best = best_of(installed, framework);
    framework.package = words_of(best);
    if (installed.name != "pytorch") framework.version = release_of(best.version);
    for (const Distribution& other : installed.distributions)
        if (other.name != best.name || other.version != best.version)
            framework.other_packages.push_back(words_of(other));
    for (const Distribution& plugin : installed.plugins) framework.plugins.push_back(words_of(plugin));
    return framework;
}

}  // namespace

std::vector<Framework> frameworks_of(const Root& root, PythonEnvironment& environment) {
    Distributions all = installed_in(root, environment);
    std::vector<std::string> names;
    Distributions that_matter;
    for (Distribution& distribution : all) {
        if (!matters(distribution) || that_matter.size() == most_packages) continue;
        complete(root, distribution, environment.left_out);
        that_matter.push_back(distribution);
        environment.packages.push_back(described(root, distribution, environment.active, environment.left_out));
        const auto guise = guise_of(distribution.name);
        if (guise && std::find(names.begin(), names.end(), guise->framework) == names.end())
            names.push_back(guise->framework);
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

}  // namespace rnncheck::packages
