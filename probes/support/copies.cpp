#include "support/copies.hpp"

#include <algorithm>

namespace rnncheck::probes {

namespace {

bool gets(const Framework& framework, const std::string& path) {
    return std::any_of(framework.libraries.begin(), framework.libraries.end(),
                       [&](const FrameworkLibrary& library) { return library.path == path; });
}

bool is_active(const Facts& facts, const Framework& framework) {
    return std::any_of(facts.pythons.begin(), facts.pythons.end(), [&](const PythonEnvironment& environment) {
        return environment.active && environment.path == framework.environment;
    });
}

/// Null when none gets it.
const Framework* framework_that_gets(const Facts& facts, const std::string& path) {
    const Framework* found = nullptr;
    for (const Framework& framework : facts.frameworks)
        if (gets(framework, path) && (!found || (is_active(facts, framework) && !is_active(facts, *found))))
            found = &framework;
    return found;
}

struct Companion {
    LibraryKind kind;
    std::string_view stem;
};

/// What cuDNN asks for by name, in this order.
constexpr Companion companions[] = {{LibraryKind::nvrtc, "libnvrtc.so"},
                                    {LibraryKind::cublaslt, "libcublasLt.so"},
                                    {LibraryKind::cublas, "libcublas.so"}};

/// The one that the framework gets; unset where it is not told to open any, which says nothing.
std::optional<std::vector<std::string>> told_by(const Framework& framework, const Companion& companion) {
    for (const FrameworkLibrary& library : framework.libraries)
        if (library.soname.starts_with(companion.stem))
            return library.path ? std::vector{*library.path} : std::vector<std::string>();
    return std::nullopt;
}

std::vector<std::string> beside(const Facts& facts, const std::string& cudnn_path, const Companion& companion) {
    const auto tail = cudnn_path.rfind("/nvidia/cudnn/lib/");
    std::vector<std::string> paths;
    if (tail == std::string::npos) return paths;
    const std::string wheels = cudnn_path.substr(0, tail) + "/nvidia/";
    for (const Library& library : facts.libraries)
        if (library.kind == companion.kind && !library.problem && library.path.starts_with(wheels))
            paths.push_back(library.path);
    return paths;
}

}  // namespace

std::vector<std::string> copies_to_ask(const Facts& facts, LibraryKind kind) {
    std::vector<const Library*> copies;
    for (const auto& library : facts.libraries)
        if (library.kind == kind && !library.problem && !library.stub) copies.push_back(&library);
    std::stable_partition(copies.begin(), copies.end(), [](const Library* copy) { return copy->picked_by_loader; });
    std::stable_partition(copies.begin(), copies.end(), [&](const Library* copy) {
        return copy->picked_by_loader || framework_that_gets(facts, copy->path);
    });
    std::vector<std::string> paths;
    for (const Library* copy : copies)
        if (paths.size() < most_copies) paths.push_back(copy->path);
    return paths;
}

std::vector<std::string> companions_of(const Facts& facts, const std::string& cudnn_path) {
    const Framework* const framework = framework_that_gets(facts, cudnn_path);
    std::vector<std::string> all;
    for (const Companion& companion : companions) {
        auto paths = framework ? told_by(*framework, companion) : std::nullopt;
        if (!paths) paths = beside(facts, cudnn_path, companion);
        all.insert(all.end(), paths->begin(), paths->end());
    }
    return all;
}

}  // namespace rnncheck::probes
