#include "files/gpu_libraries.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::loader {

namespace {

std::optional<LibraryKind> kind_of(std::string_view stem) {
    constexpr std::pair<std::string_view, LibraryKind> kinds[] = {
        {"libcuda", LibraryKind::cuda},     {"libnvidia-ml", LibraryKind::nvml},
        {"libcudart", LibraryKind::cudart}, {"libcudnn", LibraryKind::cudnn},
        {"libcublas", LibraryKind::cublas}, {"libcublasLt", LibraryKind::cublaslt},
        {"libnvrtc", LibraryKind::nvrtc},   {"libnvrtc-builtins", LibraryKind::nvrtc_builtins}};
    for (const auto& [name, kind] : kinds)
        if (stem == name) return kind;
    if (stem.starts_with("libcudnn_") && stem.find('.') == std::string_view::npos) return LibraryKind::cudnn_part;
    return std::nullopt;
}

std::string_view without_hash(std::string_view stem) {
    constexpr std::size_t digits = 8;
    if (stem.size() <= digits + 1 || stem[stem.size() - digits - 1] != '-') return stem;
    const bool hash = stem.find_first_not_of("0123456789abcdef", stem.size() - digits) == std::string_view::npos;
    return hash ? stem.substr(0, stem.size() - digits - 1) : stem;
}

bool are_numbers(std::string_view text) {
    return !text.empty() && text.front() != '.' && text.back() != '.' &&
           text.find_first_not_of("0123456789.") == std::string_view::npos;
}

constexpr std::string_view marker = ".so";
constexpr std::string_view part_start = "libcudnn_";

std::string_view stem_of(std::string_view name) {
    return name.substr(0, name.find(marker));
}

/// ".9" of "libcudnn.so.9", as far as its first number goes.
std::string number_of(std::string_view name) {
    const auto at = name.find(marker);
    if (at == std::string_view::npos) return "";
    const std::string_view rest = name.substr(at + marker.size());
    return std::string(rest.substr(0, rest.find('.', 1)));
}

using Directories = std::vector<std::string>;

constexpr std::size_t most_names = 1024;  // of toolkits, Python versions or wheels in one place

/// directory/NAME for every NAME that starts so.
Directories children(const Root& root, const std::string& directory, std::string_view start) {
    Directories found;
    for (const auto& name : root.names_in(directory, most_names))
        if (name.starts_with(start)) found.push_back(directory + '/' + name);
    return found;
}

/// A toolkit may hold directories for other machines too, to build programs for them.
bool is_own_target(std::string_view directory) {
#if defined(__aarch64__)
    return contains(directory, "/sbsa-linux") || contains(directory, "/aarch64-linux");
#elif defined(__powerpc64__)
    return contains(directory, "/ppc64le-linux");
#else
    return contains(directory, "/x86_64-linux");
#endif
}

Directories toolkits(const Root& root) {
    Directories found;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
        if (const auto directory = directory_variable(name)) found.push_back(*directory);
    for (const char* parent : {"/usr/local", "/opt"}) append(found, children(root, parent, "cuda"));
    found.push_back("/usr/lib/cuda");
    return found;
}

/// PREFIX/lib/python3.11/site-packages and the like.
Directories package_directories(const Root& root, const std::string& prefix) {
    Directories found;
    for (const char* library : {"/lib", "/lib64"})
        for (const auto& python : children(root, prefix + library, "python3"))
            append(found, {python + "/site-packages", python + "/dist-packages"});
    return found;
}

/// Above the bin directory of each python that PATH gives, by its name there and by what it resolves to: in a virtual
/// environment the two differ, and packages may be below both.
Directories prefixes_on_path(const Root& root) {
    Directories found;
    for (const char* name : {"python3", "python"})
        for (const auto& directory : split(environment_variable("PATH").value_or(""), ':')) {
            const auto real = directory.starts_with('/') ? root.real_path(directory + '/' + name) : std::nullopt;
            if (!real) continue;
            append(found, {directory_of(directory), directory_of(directory_of(*real))});
            break;
        }
    return found;
}

Directories prefixes(const Root& root) {
    Directories found;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto directory = directory_variable(name)) found.push_back(*directory);
    append(found, prefixes_on_path(root));
    append(found, {"/usr/local", "/usr"});
    if (const auto home = directory_variable("HOME")) found.push_back(*home + "/.local");
    Directories unique;
    for (const auto& prefix : found) add_once(unique, prefix);
    return unique;
}

}  // namespace

std::optional<LibraryName> library_name(std::string_view file_name) {
    if (!file_name.starts_with("libcu") && !file_name.starts_with("libnv")) return std::nullopt;
    const auto at = file_name.find(marker);
    if (at == std::string_view::npos) return std::nullopt;
    const auto kind = kind_of(without_hash(file_name.substr(0, at)));
    const auto rest = file_name.substr(at + marker.size());
    if (!kind) return std::nullopt;
    if (rest.empty()) return LibraryName{*kind, std::nullopt, true};
    if (rest.front() != '.' || !are_numbers(rest.substr(1))) return std::nullopt;
    return LibraryName{*kind, parse_version(rest.substr(1)), false};
}

std::optional<Version> LibraryName::product_version() const {
    constexpr int oldest_driver = 100;
    return fixed_name(kind) && version && version->major() < oldest_driver ? std::nullopt : version;
}

std::optional<std::string_view> fixed_name(LibraryKind kind) {
    if (kind == LibraryKind::cuda) return "libcuda.so.1";
    if (kind == LibraryKind::nvml) return "libnvidia-ml.so.1";
    return std::nullopt;
}

std::string opened_as(LibraryKind kind, const std::optional<std::string>& soname, const std::string& file_name) {
    if (const auto fixed = fixed_name(kind)) return std::string(*fixed);
    return soname && !soname->empty() && !contains(*soname, "/") ? *soname : file_name;
}

bool concerns_gpu(std::string_view name) {
    // Beside the kinds that the probes examine; beginnings, since versions and variants stand behind them.
    constexpr std::string_view others[] = {
        "libcufft",     "libcurand",        "libcusolver", "libcusparse", "libcufile",     "libcupti",
        "libcudadevrt", "libcudadebugger",  "libcudla",    "libcutensor", "libnvToolsExt", "libnvJitLink",
        "libnvfatbin",  "libnvptxcompiler", "libnvvm",     "libnvblas",   "libnvjpeg",     "libnvshmem",
        "libnvinfer",   "libnvonnxparser",  "libnvidia-",  "libnpp",      "libnccl"};
    if (!contains(name, marker)) return false;
    if (library_name(name)) return true;
    return stem_of(name) == "libz" || std::ranges::any_of(others, [&](auto start) { return name.starts_with(start); });
}

bool is_opened_by_programs(std::string_view name) {
    const auto known = library_name(name);
    return known && !known->development && known->kind != LibraryKind::cudnn_part &&
           known->kind != LibraryKind::nvrtc_builtins;
}

bool is_cudnn(std::string_view name) {
    const auto known = library_name(name);
    return known && known->kind == LibraryKind::cudnn;
}

bool is_part_of_cudnn(std::string_view name) {
    return name.starts_with(part_start) && contains(name, marker);
}

std::vector<std::string> parts_of_cudnn(const Root& root, const std::string& name, const std::string& path,
                                        const std::vector<std::string>& names_inside) {
    const std::string number = number_of(name);
    std::vector<std::string> parts;
    for (const auto& inside : names_inside)
        if (inside.starts_with(part_start)) add_once(parts, number_of(inside).empty() ? inside + number : inside);
    for (const auto& beside : root.names_in(directory_of(path)))
        if (beside.starts_with(part_start) && beside == std::string(stem_of(beside)) + ".so" + number)
            add_once(parts, beside);
    return parts;
}

std::vector<std::string> toolkit_directories(const Root& root) {
    Directories found;
    for (const auto& toolkit : toolkits(root)) {
        append(found, {toolkit + "/lib64", toolkit + "/lib"});
        for (const auto& target : children(root, toolkit + "/targets", ""))
            if (is_own_target(target)) found.push_back(target + "/lib");
        append(found, {toolkit + "/compat", toolkit + "/compat/lib"});
    }
    return found;
}

std::vector<std::string> wheel_directories(const Root& root, const std::optional<std::string>& asked_python) {
    Directories found;
    const auto add = [&](const std::string& packages) {
        for (const auto& wheel : children(root, packages + "/nvidia", "")) found.push_back(wheel + "/lib");
        found.push_back(packages + "/torch/lib");
    };
    if (const auto active = python::active_environment(root, python::variables_of_process(), asked_python))
        for (const auto& packages : active->package_directories) add(packages);
    for (const auto& prefix : prefixes(root))
        for (const auto& packages : package_directories(root, prefix)) add(packages);
    return found;
}

std::vector<std::string> conda_directories(const Root& root, const std::optional<std::string>& asked_python) {
    if (!asked_python) {
        const auto prefix = directory_variable("CONDA_PREFIX");
        return prefix ? Directories{*prefix + "/lib"} : Directories{};
    }
    const auto asked = python::environment_at(root, python::variables_of_process(), *asked_python);
    return asked && asked->kind == "conda" ? Directories{asked->path + "/lib"} : Directories{};
}

std::vector<std::string> other_library_directories(const Root& root) {
    Directories found = toolkit_directories(root);
    append(found, wheel_directories(root));
    append(found, conda_directories(root));
    found.push_back("/usr/lib/wsl/lib");
    return found;
}

}  // namespace rnncheck::loader
