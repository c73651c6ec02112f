#include "support/environment.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"

extern char** environ;

namespace rnncheck::probes {

namespace {

constexpr std::size_t longest_value = 64 << 10;

bool matters(std::string_view name) {
    static constexpr std::string_view names[] = {
        "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_LAUNCH_BLOCKING",
        "CUDA_MODULE_LOADING", "CUBLAS_WORKSPACE_CONFIG", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
        "NVIDIA_TF32_OVERRIDE", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "LD_BIND_NOW", "TF_FORCE_GPU_ALLOW_GROWTH",
        "XLA_FLAGS", "PYTORCH_CUDA_ALLOC_CONF", "VIRTUAL_ENV", "CONDA_PREFIX", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"};
    static constexpr std::string_view families[] = {"CUDNN_", "CUDA_CACHE_", "TF_CUDNN_", "XLA_PYTHON_CLIENT_"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names) ||
           std::any_of(std::begin(families), std::end(families), [&](auto family) { return name.starts_with(family); });
}

/// Of a prefix such as /usr or a virtual environment: its lib/python3.X folders' package folders.
void add_prefix(const Root& root, const std::string& prefix, std::vector<std::string>& folders) {
    for (const auto& name : root.names_in(prefix + "/lib")) {
        if (!name.starts_with("python3")) continue;
        for (const char* packages : {"/site-packages", "/dist-packages"}) {
            const std::string folder = prefix + "/lib/" + name + packages;
            if (root.exists(folder) && std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
        }
    }
}

/// The folder two levels up: /opt/env for /opt/env/bin/python3.
std::string prefix_of(const std::string& program) {
    const std::string bin = program.substr(0, program.rfind('/'));
    return bin.substr(0, bin.rfind('/'));
}

void add_pythons_on_path(const Root& root, std::vector<std::string>& folders) {
    for (const auto& entry : split(variable("PATH"), ':')) {
        for (const char* name : {"/python3", "/python"}) {
            const std::string program = entry + name;
            const auto real = root.real_path(program);
            if (!real) continue;
            add_prefix(root, prefix_of(program), folders);
            add_prefix(root, prefix_of(*real), folders);
        }
    }
}

}  // namespace

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? std::string(std::string_view(value).substr(0, longest_value)) : std::string();
}

TextMap variables_that_matter() {
    TextMap found;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const auto equals = text.find('=');
        if (equals == std::string_view::npos || !matters(text.substr(0, equals))) continue;
        found[std::string(text.substr(0, equals))] = text.substr(equals + 1, longest_value);
    }
    found.erase("CUDA_CACHE_DISABLE");  // set by ourselves
    return found;
}

std::vector<std::string> python_package_folders(const Root& root) {
    std::vector<std::string> folders;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const std::string prefix = variable(name); !prefix.empty()) add_prefix(root, prefix, folders);
    add_pythons_on_path(root, folders);
    for (const char* prefix : {"/usr/local", "/usr"}) add_prefix(root, prefix, folders);
    for (const auto& name : root.names_in("/usr/lib"))
        if (name == "python3" && root.exists("/usr/lib/python3/dist-packages")) folders.push_back("/usr/lib/python3/dist-packages");
    if (const std::string home = variable("HOME"); !home.empty()) add_prefix(root, home + "/.local", folders);
    std::vector<std::string> unique;
    for (auto& folder : folders)
        if (std::find(unique.begin(), unique.end(), folder) == unique.end()) unique.push_back(std::move(folder));
    return unique;
}

}  // namespace rnncheck::probes
