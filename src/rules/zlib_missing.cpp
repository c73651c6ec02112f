// A part of cuDNN needs zlib, and the loader finds none.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn_support.hpp"

namespace rnncheck::rules {

static const std::string* missing_zlib(const Library& library) {
    const auto found = std::find_if(library.missing_needs.begin(), library.missing_needs.end(),
                                    [](const std::string& name) { return name.starts_with("libz.so"); });
    return found == library.missing_needs.end() ? nullptr : &*found;
}

/// The loader gives this file, or it lies beside the cuDNN that a framework gets; unset where it is not known which one
/// a framework gets.
static std::optional<bool> is_used(const Facts& facts, const Library& part) {
    if (part.picked_by_loader) return true;
    bool all_known = true;
    for (const Framework& framework : facts.frameworks)
        for (const FrameworkLibrary& library : framework.libraries) {
            if (!library.soname.starts_with("libcudnn")) continue;
            if (library.path && folder_of(*library.path) == folder_of(part.path)) return true;
            all_known &= library.path.has_value();
        }
    return all_known ? std::optional(false) : std::nullopt;
}

/// Without it no recurrent network runs.
static bool needed_by_rnn(const Library& part, const Matrix& matrix) {
    if (part.kind == LibraryKind::cudnn) return true;
    const auto parts = matrix.cudnn_parts(major_of_file(part).value_or(0));
    return std::any_of(parts.begin(), parts.end(), [&](const CudnnPart& row) {
        return row.needed_by_rnn && (row.soname == part.soname || row.soname == file_name(part.path));
    });
}

static Finding missing(const std::vector<const Library*>& parts, const std::string& zlib, const Matrix& matrix) {
    std::vector<std::string> names;
    for (const Library* part : parts) names.push_back(file_name(part->path));
    const bool at_once =
        std::any_of(parts.begin(), parts.end(), [&](const Library* part) { return needed_by_rnn(*part, matrix); });
    Finding finding;
    finding.severity = at_once ? Severity::error : Severity::warning;
    finding.subject = zlib;
    finding.message = zlib + " was not found; " + listing(names) + " of the cuDNN in " +
                      folder_of(parts.front()->path) + (names.size() == 1 ? " needs it: " : " need it: ") +
                      (at_once ? "no recurrent network runs" : "convolutions fail, recurrent networks do not");
    finding.evidence = {{zlib, "not on the loader's path", "libraries"}};
    finding.remedies = {
        {.text = "Install zlib with the system's packages: zlib1g on Debian and Ubuntu, zlib on Fedora and Red Hat",
         .commands = {"sudo apt-get install zlib1g"},
         .risk = Risk::needs_root,
         .verify = "rnncheck doctor --only zlib_missing",
         .link = "https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-890/install-guide/index.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (cudnn_copies(facts).empty()) return without_cudnn(facts);
    if (!libraries_listed(facts)) return undecided("the library folders could not be searched");
    Answers answers;
    std::map<std::string, std::vector<const Library*>> by_folder;
    std::string zlib;
    for (const LibraryKind kind : {LibraryKind::cudnn, LibraryKind::cudnn_part})
        for (const Library* part : usable_copies(facts, kind)) {
            const std::string* name = missing_zlib(*part);
            if (!name) continue;
            const auto used = is_used(facts, *part);
            if (!used)
                answers.unknown("whether a framework gets the cuDNN in " + folder_of(part->path) + " is not known");
            if (!used.value_or(false)) continue;
            by_folder[folder_of(part->path)].push_back(part);
            zlib = *name;
        }
    for (const auto& [folder, parts] : by_folder) answers.fault(missing(parts, zlib, matrix));
    answers.good("no part of cuDNN lacks zlib");
    return answers.close();
}

extern const Rule zlib_missing{.title = "A part of cuDNN needs zlib, which is not installed",
                               .layer = Layer::cudnn,
                               .worst = Severity::error,
                               .needs = Stage::look,
                               .check = check};

}  // namespace rnncheck::rules
