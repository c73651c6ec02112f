#include "support/copies.hpp"

#include <algorithm>

namespace rnncheck::probes {

std::vector<std::string> copies_to_ask(const Facts& facts, LibraryKind kind) {
    std::vector<const Library*> copies;
    for (const auto& library : facts.libraries)
        if (library.kind == kind && !library.problem && !library.stub) copies.push_back(&library);
    std::stable_partition(copies.begin(), copies.end(), [](const Library* copy) { return copy->picked_by_loader; });
    std::vector<std::string> paths;
    for (const Library* copy : copies)
        if (paths.size() < most_copies) paths.push_back(copy->path);
    return paths;
}

std::vector<std::string> wheel_companions(const Facts& facts, const std::string& cudnn_path) {
    const auto tail = cudnn_path.rfind("/nvidia/cudnn/lib/");
    std::vector<std::string> paths;
    if (tail == std::string::npos) return paths;
    const std::string wheels = cudnn_path.substr(0, tail) + "/nvidia/";
    for (const LibraryKind kind : {LibraryKind::nvrtc, LibraryKind::cublaslt, LibraryKind::cublas})
        for (const auto& library : facts.libraries)
            if (library.kind == kind && !library.problem && library.path.starts_with(wheels)) paths.push_back(library.path);
    return paths;
}

}  // namespace rnncheck::probes
