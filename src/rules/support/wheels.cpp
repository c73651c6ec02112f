#include "rules/support/wheels.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/support/loader_path.hpp"

namespace rnncheck::rules {

namespace {

constexpr int oldest_wheels = 11;
constexpr int one_directory_since = 13;  // https://pypi.org/project/nvidia-cublas/: nvidia/cu13/lib holds all of CUDA

/// What pip installs, and the directories below site-packages in which its libraries then lie.
struct Wheels {
    std::string names;
    std::vector<std::string> directories;
};

bool is_among_wheels(const std::string& directory) {
    return contains(directory, "/nvidia/");
}

std::optional<Wheels> cudnn_for(const Framework& framework) {
    const std::vector<std::string> directories = {"nvidia/cudnn/lib"};
    if (framework.cudnn_wanted) return Wheels{shell_quoted(*framework.cudnn_wanted), directories};
    if (!framework.cuda || !framework.cudnn || framework.cuda->major() < oldest_wheels) return std::nullopt;
    const std::string major = std::to_string(framework.cudnn->major()), cuda = std::to_string(framework.cuda->major());
    const std::string from = parts_written(*framework.cudnn) > 1 ? ">=" + framework.cudnn->text + "," : "";
    return Wheels{"'nvidia-cudnn-cu" + cuda + from + "==" + major + ".*'", directories};
}

std::optional<Wheels> cublas_for(const Framework& framework) {
    if (!framework.cuda || framework.cuda->major() < oldest_wheels) return std::nullopt;
    const std::string cuda = std::to_string(framework.cuda->major());
    if (framework.cuda->major() >= one_directory_since)
        return Wheels{"'nvidia-cublas==" + cuda + ".*' 'nvidia-cuda-runtime==" + cuda + ".*'",
                      {"nvidia/cu" + cuda + "/lib"}};
    return Wheels{"nvidia-cublas-cu" + cuda + " nvidia-cuda-runtime-cu" + cuda,
                  {"nvidia/cublas/lib", "nvidia/cuda_runtime/lib"}};
}

/// All cuDNN packages put their files into one directory: a second one would take another framework's cuDNN from it.
bool has_cudnn_package(const PythonEnvironment& environment) {
    return std::any_of(environment.packages.begin(), environment.packages.end(),
                       [](const PythonPackage& package) { return package.name.starts_with("nvidia-cudnn"); });
}

std::string leading_to(const PythonEnvironment& environment, const Wheels& wheels) {
    std::vector<std::string> directories;
    for (const std::string& directory : wheels.directories)
        directories.push_back(environment.package_directories.front() + '/' + directory);
    return export_of_loader_path(join(directories, ":"));
}

Remedy installing(const Facts& facts, const Framework& framework, const std::optional<Wheels>& wheels, bool may_add,
                  Remedy remedy) {
    remedy.commands.clear();
    if (!wheels) return remedy;
    const std::string install = pip(facts, framework, "install " + wheels->names);
    if (reaches_wheels(framework)) {
        remedy.commands = {install};
        return remedy;
    }
    const PythonEnvironment* environment = environment_of(facts, framework);
    remedy.text += ". " + words_of(framework) +
                   " does not search Python packages: install it system-wide, or add the directory of a package's "
                   "libraries to LD_LIBRARY_PATH";
    if (may_add && environment && !environment->package_directories.empty())
        remedy.commands = {install, leading_to(*environment, *wheels)};
    return remedy;
}

}  // namespace

bool reaches_wheels(const Framework& framework) {
    for (const auto* directories : {&framework.directories_before, &framework.directories_after})
        if (std::any_of(directories->begin(), directories->end(), is_among_wheels)) return true;
    // ONNX Runtime's extras bring packages that only its function preload_dlls() loads:
    // https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html
    return framework.cudnn_wanted && framework.name != "onnxruntime";
}

Remedy installing_cudnn(const Facts& facts, const Framework& framework, Remedy remedy) {
    const PythonEnvironment* environment = environment_of(facts, framework);
    const bool may_add = environment && !has_cudnn_package(*environment);
    return installing(facts, framework, cudnn_for(framework), may_add, std::move(remedy));
}

Remedy installing_cublas(const Facts& facts, const Framework& framework, Remedy remedy) {
    return installing(facts, framework, cublas_for(framework), true, std::move(remedy));
}

}  // namespace rnncheck::rules
