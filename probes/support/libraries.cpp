// Which of several installations a survey opens, in which order, and which it
// must not open.
#include "support/libraries.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "facts/queries.hpp"
#include "files/gpu_libraries.hpp"

namespace rnncheck {

namespace probes {

namespace {

/// Frameworks of the active environment come first: the user runs those.
bool is_active(const Facts& facts, const Framework& framework) {
    const auto* const environment =
        find_by(facts.pythons, &PythonEnvironment::path, framework.environment);
    return environment && environment->active == true;
}

/// Null when none gets it.
const Framework* framework_that_gets(const Facts& facts, const std::string& path) {
    const Framework* found = nullptr;
    for (const Framework& framework : facts.frameworks)
        if (find_by(framework.libraries, &FrameworkLibrary::path, path) &&
            (!found || (is_active(facts, framework) && !is_active(facts, *found))))
            found = &framework;
    return found;
}

/// A library that cuDNN uses and does not find by itself.
struct Companion {
    LibraryKind kind;
    std::string_view stem;
};

/// What cuDNN requests by name, in this order.
constexpr Companion companions[] = {
    {LibraryKind::nvrtc, "libnvrtc.so"},
    {LibraryKind::cublaslt, "libcublasLt.so"},
    {LibraryKind::cublas, "libcublas.so"}};

/// The one that the framework gets; unset where none is known that
/// it opens, which shows nothing.
std::optional<std::vector<std::string>> named_by(
    const Framework& framework, const Companion& companion) {
    const auto* const library = find_where(framework.libraries, [&](const FrameworkLibrary& one) {
        return one.soname.starts_with(companion.stem);
    });
    if (!library)
        return std::nullopt;
    if (!library->path)
        return std::vector<std::string>();
    return std::vector{*library->path};
}

/// NVIDIA's wheels are beside each other in site-packages/nvidia.
std::vector<std::string> beside(
    const Facts& facts, const std::string& cudnn_path, const Companion& companion) {
    const auto tail = cudnn_path.rfind("/nvidia/cudnn/");
    std::vector<std::string> paths;
    if (tail == std::string::npos)
        return paths;
    const std::string wheels = cudnn_path.substr(0, tail) + "/nvidia/";
    for (const Library& library : facts.libraries)
        if (library.kind == companion.kind && !library.problem && library.path.starts_with(wheels))
            paths.push_back(library.path);
    return paths;
}

}  // namespace

std::vector<std::string> installations_to_query(const Facts& facts, LibraryKind kind) {
    std::vector<const Library*> found = usable_copies(facts, kind);
    const auto rank = [&](const Library* library) {
        if (library->picked_by_loader)
            return 0;
        if (framework_that_gets(facts, library->path))
            return 1;
        return 2;
    };
    std::ranges::stable_sort(found, {}, rank);
    found.resize(std::min(found.size(), most_installations));
    return mapped(found, &Library::path);
}

std::vector<std::string> companions_of(const Facts& facts, const std::string& cudnn_path) {
    const Framework* const framework = framework_that_gets(facts, cudnn_path);
    std::vector<std::string> all;
    for (const Companion& companion : companions) {
        std::optional<std::vector<std::string>> paths;
        if (framework)
            paths = named_by(*framework, companion);
        if (!paths)
            paths = beside(facts, cudnn_path, companion);
        all.insert(all.end(), paths->begin(), paths->end());
    }
    return all;
}

/// What is open already is given to cuDNN by its soname, without a search.
vendor::Opened<vendor::CudnnApi> open_cudnn(
    const Job& job, ProbeWriter& writer, const std::string& path) {
    for (const auto& companion : companions_of(job.facts, path))
        vendor::open_library(writer, job.root.outside(companion));
    return vendor::open_as<vendor::CudnnApi>(writer, job.root.outside(path));
}

}  // namespace probes

// Pipes and devices in places where the loader looks for a library.

namespace {

/// Opening a FIFO or a device waits for somebody who writes; the loader
/// does not look what it opens.
bool waits(const Library& library) {
    return library.picked_by_loader &&
           (library.problem == FileProblem::named_pipe || library.problem == FileProblem::device);
}

std::optional<int> major_of(const std::optional<loader::LibraryName>& name) {
    if (name && name->version)
        return name->version->major();
    return std::nullopt;
}

bool is_cudnn(LibraryKind kind) {
    return kind == LibraryKind::cudnn || kind == LibraryKind::cudnn_part;
}

/// By its ELF headers, or those of the parts that a cuDNN opens by itself.
bool needs(
    const Facts& facts,
    const loader::LibraryName& opened,
    const std::string& path,
    std::string_view name) {
    return std::ranges::any_of(facts.libraries, [&](const Library& library) {
        const bool is_it = library.path == path;
        const bool is_part =
            is_cudnn(opened.kind) && is_cudnn(library.kind) &&
            major_of(loader::library_name(file_name(library.path))) == major_of(opened);
        return (is_it || is_part) && includes(library.needed, name);
    });
}

/// Whether opening and asking the one may lead the loader to the other. Seen
/// with CUDA 13.0 and cuDNN 9.19: cudart, NVRTC and cuDNN open libcuda.so.1 by
/// themselves, cuDNN its parts, NVRTC its builtins.
bool leads_to(
    const Facts& facts,
    const loader::LibraryName& opened,
    const std::string& path,
    const Library& pipe) {
    const auto name = loader::library_name(file_name(pipe.path));
    if (needs(facts, opened, path, file_name(pipe.path)))
        return true;
    switch (pipe.kind) {
        case LibraryKind::cuda:
            return opened.kind != LibraryKind::nvml;
        case LibraryKind::nvml:
            return opened.kind == LibraryKind::nvml;
        case LibraryKind::cudnn_part:
            return opened.kind == LibraryKind::cudnn && major_of(opened) == major_of(name);
        case LibraryKind::nvrtc_builtins:
            return opened.kind == LibraryKind::nvrtc;
        default:
            return false;
    }
}

}  // namespace

void reject_blocking_files(const Facts& facts) {
    if (std::ranges::none_of(facts.libraries, waits))
        return;
    vendor::reject_openings([facts](const std::string& path) -> std::optional<std::string> {
        const auto opened = loader::library_name(file_name(path));
        for (const auto& library : facts.libraries)
            if (opened && waits(library) && leads_to(facts, *opened, path, library))
                return "the loader would come to " + library.path + ", which " +
                       library.problem_detail.value_or("is not a file") +
                       ", and wait there forever";
        return std::nullopt;
    });
}

}  // namespace rnncheck
