#include <algorithm>

#include "base/text.hpp"
#include "files/loader/gpu_libraries.hpp"
#include "process/probe.hpp"
#include "vendor/library.hpp"

namespace rnncheck {

namespace {

bool waits(const Library& library) {
    return library.picked_by_loader &&
           (library.problem == FileProblem::named_pipe || library.problem == FileProblem::device);
}

std::optional<int> major_of(const std::optional<loader::LibraryName>& name) {
    if (!name || !name->version) return std::nullopt;
    return name->version->major();
}

bool is_cudnn(LibraryKind kind) {
    return kind == LibraryKind::cudnn || kind == LibraryKind::cudnn_part;
}

/// By its ELF headers, or those of the parts that a cuDNN opens by itself.
bool needs(const Facts& facts, const loader::LibraryName& opened, const std::string& path, std::string_view name) {
    return std::any_of(facts.libraries.begin(), facts.libraries.end(), [&](const Library& library) {
        const bool is_it = library.path == path;
        const bool is_part = is_cudnn(opened.kind) && is_cudnn(library.kind) &&
                             major_of(loader::library_name(file_name(library.path))) == major_of(opened);
        const auto& needed = library.needed;
        return (is_it || is_part) && std::find(needed.begin(), needed.end(), name) != needed.end();
    });
}

/// Whether opening and asking the one may lead the loader to the other. Seen with CUDA 13.0 and cuDNN 9.19: cudart,
/// NVRTC and cuDNN open libcuda.so.1 by themselves, cuDNN its parts, NVRTC its builtins.
bool leads_to(const Facts& facts, const loader::LibraryName& opened, const std::string& path, const Library& pipe) {
    const auto name = loader::library_name(file_name(pipe.path));
    if (needs(facts, opened, path, file_name(pipe.path))) return true;
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

void refuse_what_would_wait(const Facts& facts) {
    if (std::none_of(facts.libraries.begin(), facts.libraries.end(), waits)) return;
    vendor::refuse_openings([facts](const std::string& path) -> std::optional<std::string> {
        const auto opened = loader::library_name(file_name(path));
        for (const auto& library : facts.libraries)
            if (opened && waits(library) && leads_to(facts, *opened, path, library))
                return std::string(not_opened) + "the loader would come to " + library.path + ", which " +
                       library.problem_detail.value_or("is no file") + ", and wait there forever";
        return std::nullopt;
    });
}

}  // namespace rnncheck
