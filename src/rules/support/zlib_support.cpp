#include "rules/support/zlib_support.hpp"

#include <algorithm>

namespace rnncheck::rules {

const std::string* missing_zlib(const Library& library) {
    const auto found = std::find_if(library.missing_needs.begin(), library.missing_needs.end(),
                                    [](const std::string& name) { return name.starts_with("libz.so"); });
    return found == library.missing_needs.end() ? nullptr : &*found;
}

std::optional<bool> is_used(const Facts& facts, const Library& part) {
    if (part.picked_by_loader) return true;
    bool all_known = true;
    for (const Framework& framework : facts.frameworks)
        for (const FrameworkLibrary& library : framework.libraries) {
            if (!library.soname.starts_with("libcudnn")) continue;
            if (library.path && directory_of(*library.path) == directory_of(part.path)) return true;
            all_known &= library.path.has_value();
        }
    return all_known ? std::optional(false) : std::nullopt;
}

bool lacks_zlib(const Facts& facts, const std::string& directory) {
    for (const LibraryKind kind : {LibraryKind::cudnn, LibraryKind::cudnn_part})
        for (const Library* part : usable_copies(facts, kind))
            if (directory_of(part->path) == directory && missing_zlib(*part) && is_used(facts, *part).value_or(false))
                return true;
    return false;
}

std::string cudnn_directory_of(const ProbeRun& run) {
    if (run.probe != "cudnn_library" && run.probe != "rnn_forward") return "";
    const auto path = run.target.find('/');
    return path == std::string::npos ? "" : directory_of(run.target.substr(path));
}

}  // namespace rnncheck::rules
