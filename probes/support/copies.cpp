#include "support/copies.hpp"

#include <algorithm>

namespace rnncheck::probes {

std::vector<std::string> copies_to_ask(const Facts& facts, LibraryKind kind) {
    constexpr std::size_t most = 8;
    std::vector<const Library*> copies;
    for (const auto& library : facts.libraries)
        if (library.kind == kind && !library.problem && !library.stub) copies.push_back(&library);
    std::stable_partition(copies.begin(), copies.end(), [](const Library* copy) { return copy->picked_by_loader; });
    std::vector<std::string> paths;
    for (const Library* copy : copies)
        if (paths.size() < most) paths.push_back(copy->path);
    return paths;
}

}  // namespace rnncheck::probes
