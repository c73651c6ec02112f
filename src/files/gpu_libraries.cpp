// Names by NVIDIA's conventions: libNAME.so for linking, libNAME.so.MAJOR as
// the soname, libNAME.so.FULL.VERSION as the file.
#include "files/gpu_libraries.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "base/lists.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "files/python/environments.hpp"

namespace rnncheck::loader {

namespace {

/// What the part of a name before ".so" means.
using NamedKind = std::pair<std::string_view, LibraryKind>;
constexpr NamedKind kinds[] = {
    {"libcuda", LibraryKind::cuda},
    {"libnvidia-ml", LibraryKind::nvml},
    {"libcudart", LibraryKind::cudart},
    {"libcudnn", LibraryKind::cudnn},
    {"libcublas", LibraryKind::cublas},
    {"libcublasLt", LibraryKind::cublaslt},
    {"libnvrtc", LibraryKind::nvrtc},
    {"libnvrtc-builtins", LibraryKind::nvrtc_builtins}};

constexpr std::string_view marker = ".so";
constexpr std::string_view part_start = "libcudnn_";

/// ".9" of "libcudnn.so.9", as far as its first number goes.
std::string number_of(std::string_view name) {
    const auto at = name.find(marker);
    if (at == std::string_view::npos)
        return "";
    const std::string_view rest = name.substr(at + marker.size());
    return std::string(rest.substr(0, rest.find('.', 1)));
}

using Directories = std::vector<std::string>;

// of toolkits, Python versions or wheels in one place
constexpr std::size_t most_names = 1024;

/// directory/NAME for every NAME that starts so.
Directories children(const Root& root, const std::string& directory, std::string_view start) {
    Directories found;
    for (const auto& name : root.names_in(directory, most_names))
        if (name.starts_with(start))
            found.push_back(directory + '/' + name);
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

/// Variables first, as they name the toolkit that is meant; then the usual
/// places of NVIDIA's installers and of distributions.
Directories toolkits(const Root& root) {
    Directories found;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
        if (const auto directory = directory_variable(name))
            found.push_back(*directory);
    for (const char* parent : {"/usr/local", "/opt"})
        append(found, children(root, parent, "cuda"));
    found.push_back("/usr/lib/cuda");
    return found;
}

/// The name programs open whatever the version, for the kinds that have one.
std::optional<std::string> fixed_name(LibraryKind kind) {
    if (kind == LibraryKind::cuda)
        return "libcuda.so.1";
    if (kind == LibraryKind::nvml)
        return "libnvidia-ml.so.1";
    return std::nullopt;
}

}  // namespace

std::optional<LibraryName> library_name(std::string_view file_name) {
    static const re2::RE2 form(
        R"((lib[^.]*?)(?:-[0-9a-f]{8})?\.so(?:\.([0-9.]*[0-9]))?)", re2::RE2::Latin1);
    // as most
    if (!file_name.starts_with("libcu") && !file_name.starts_with("libnv"))
        return std::nullopt;
    std::string stem, numbers;
    if (!re2::RE2::FullMatch(file_name, form, &stem, &numbers))
        return std::nullopt;
    const NamedKind* const known = find_by(kinds, &NamedKind::first, stem);
    if (!known && !stem.starts_with(part_start))
        return std::nullopt;
    LibraryName name{LibraryKind::cudnn_part, parse_version(numbers), numbers.empty()};
    if (known)
        name.kind = known->second;
    return name;
}

std::optional<Version> LibraryName::product_version() const {
    constexpr int oldest_driver = 100;
    if (fixed_name(kind) && version && version->major() < oldest_driver)
        return std::nullopt;
    return version;
}

/// dlopen compares the requested name with sonames, so a library is found by
/// its soname; libcuda and NVML have one name each for all versions.
std::string opened_as(
    LibraryKind kind, const std::optional<std::string>& soname, const std::string& file_name) {
    if (const auto fixed = fixed_name(kind))
        return *fixed;
    if (soname && !soname->empty() && !contains(*soname, "/"))
        return *soname;
    return file_name;
}

bool concerns_gpu(std::string_view name) {
    // Beside the kinds that the probes examine; beginnings, since versions
    // and variants follow behind them.
    constexpr std::string_view others[] = {
        "libcufft",      "libcurand",    "libcusolver",     "libcusparse",      "libcufile",
        "libcupti",      "libcudadevrt", "libcudadebugger", "libcudla",         "libcutensor",
        "libnvToolsExt", "libnvJitLink", "libnvfatbin",     "libnvptxcompiler", "libnvvm",
        "libnvblas",     "libnvjpeg",    "libnvshmem",      "libnvinfer",       "libnvonnxparser",
        "libnvidia-",    "libnpp",       "libnccl"};
    return contains(name, marker) &&
           (library_name(name) || name.starts_with("libz.so") ||
            std::ranges::any_of(others, [&](auto start) { return name.starts_with(start); }));
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

std::vector<std::string> parts_of_cudnn(
    const Root& root,
    const std::string& name,
    const std::string& path,
    const std::vector<std::string>& names_inside) {
    const std::string number = number_of(name);
    std::vector<std::string> parts;
    for (const auto& inside : names_inside)
        if (inside.starts_with(part_start) && number_of(inside).empty())
            add_once(parts, inside + number);
        else if (inside.starts_with(part_start))
            add_once(parts, inside);
    for (const auto& beside : root.names_in(directory_of(path)))
        if (is_part_of_cudnn(beside) && beside.ends_with(".so" + number))
            add_once(parts, beside);
    return parts;
}

std::map<FoundVia, std::vector<std::string>> other_library_directories(
    const Root& root, const std::optional<std::string>& requested_python) {
    std::map<FoundVia, Directories> found = {{FoundVia::wsl, {"/usr/lib/wsl/lib"}}};
    for (const auto& toolkit : toolkits(root)) {
        Directories& directories = found[FoundVia::toolkit];
        append(directories, {toolkit + "/lib64", toolkit + "/lib"});
        for (const auto& target : children(root, toolkit + "/targets", ""))
            if (is_own_target(target))
                directories.push_back(target + "/lib");
        append(directories, {toolkit + "/compat", toolkit + "/compat/lib"});
    }
    const python::Variables variables = python::variables_of_process();
    const auto at = [&](const std::string& prefix) {
        return python::environment_at(root, variables, prefix);
    };
    const auto active = python::active_environment(root, variables, requested_python);
    const auto conda = at(python::value_of(variables, "CONDA_PREFIX"));
    for (const auto& environment :
         {active,
          python::environment_on_path(root, variables),
          at(python::value_of(variables, "VIRTUAL_ENV")),
          conda,
          at("/usr/local"),
          at("/usr"),
          at(python::value_of(variables, "HOME") + "/.local")})
        for (const auto& packages :
             environment ? environment->package_directories : Directories{}) {
            for (const auto& wheel : children(root, packages + "/nvidia", ""))
                found[FoundVia::wheel].push_back(wheel + "/lib");
            found[FoundVia::wheel].push_back(packages + "/torch/lib");
        }
    if (const auto& used = requested_python ? active : conda; used && used->kind == "conda")
        found[FoundVia::conda] = {used->path + "/lib"};
    return found;
}

}  // namespace rnncheck::loader
