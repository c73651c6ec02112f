// From the distributions in an environment to the frameworks that `import`
// finds, each with its own files read.
#include "files/python/frameworks.hpp"

#include <algorithm>

#include "base/if_any.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck::python {

namespace {

using Distributions = std::vector<Distribution>;

/// An environment has some hundred distributions, of which a few matter.
constexpr std::size_t most_packages = 256, most_left_out = 16;

/// The parts of conda's installation that are no Python packages.
bool is_conda_library(std::string_view name) {
    constexpr std::string_view names[] = {
        "cudnn",
        "libcudnn",
        "cudatoolkit",
        "cuda-version",
        "cuda-cudart",
        "libcublas",
        "cuda-nvrtc",
        "tensorflow-base",
        "pytorch",
        "libtorch"};
    return includes(names, name);
}

Distributions installed_in(const Root& root, PythonEnvironment& environment) {
    Distributions all;
    for (const std::string& directory : environment.package_directories) {
        const Distributions found = distributions_in(root, directory);
        if (found.empty() && root.names_in(directory, 1).empty())
            environment.skipped.push_back(directory + " is empty or cannot be read");
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
    return distribution.name + if_any(" ", distribution.version);
}

/// A framework, what extends it, a wheel with libraries for it, or what conda installed.
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

/// Of the distributions of one framework those in the directory that `import`
/// takes; it is the first that has the module.
std::optional<Installed> installed_framework(
    const Root& root, const std::string& name, const Distributions& all) {
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
    found.bundles_cudnn = std::ranges::any_of(all, [](const Distribution& distribution) {
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

/// First by the name of the distribution, then by its files, which know better.
Framework framework_of(
    const Root& root, const Installed& installed, PythonEnvironment& environment) {
    Framework framework;
    framework.name = installed.name;
    framework.environment = environment.path;
    const Distribution& first = installed.distributions.front();
    framework.version = leading_version(first.version);
    if (const auto name = parse_distribution_name(first.name); !name->build.empty())
        framework.build = name->build;
    if (environment.active == true || installed.name != "keras")
        read_framework_files(root, installed, framework, environment.skipped);
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

}  // namespace

std::vector<Framework> frameworks_of(const Root& root, PythonEnvironment& environment) {
    std::vector<std::string> names;
    Distributions that_matter;
    for (Distribution& distribution : installed_in(root, environment)) {
        if (!matters(distribution) || that_matter.size() == most_packages)
            continue;
        // then the metadata shows it
        if (distribution.version.empty())
            if (const auto metadata = metadata_of(root, distribution, environment.skipped))
                distribution.version = metadata->version;
        if (environment.active == true && !distribution.conda)
            compare_files(root, distribution, environment.skipped);
        environment.packages.push_back(distribution);
        if (const auto published = parse_distribution_name(distribution.name))
            add_once(names, published->framework);
        that_matter.push_back(std::move(distribution));
    }
    std::vector<Framework> frameworks;
    for (const std::string& name : names)
        if (const auto installed = installed_framework(root, name, that_matter))
            frameworks.push_back(framework_of(root, *installed, environment));
    if (environment.skipped.size() > most_left_out) {
        const std::size_t more = environment.skipped.size() - most_left_out;
        environment.skipped.resize(most_left_out);
        environment.skipped.push_back("and " + std::to_string(more) + " more");
    }
    return frameworks;
}

}  // namespace rnncheck::python
