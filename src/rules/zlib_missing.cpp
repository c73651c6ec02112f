// A part of cuDNN needs zlib, and the loader finds none.
#include <map>

#include "rules/rule.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules::zlib_missing {

/// "libz.so.1" where the loader finds none for this file; null when it needs none or finds one.
static const std::string* missing_zlib(const Library& library) {
    const auto found = std::ranges::find_if(library.missing_needs,
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
            if (library.path && directory_of(*library.path) == directory_of(part.path)) return true;
            all_known &= library.path.has_value();
        }
    return all_known ? std::optional(false) : std::nullopt;
}

/// Without it no recurrent network runs.
static bool needed_by_rnn(const Library& part, const Matrix& matrix) {
    if (part.kind == LibraryKind::cudnn) return true;
    const auto parts = matrix.cudnn_parts(major_of_file(part).value_or(0));
    return std::ranges::any_of(parts, [&](const CudnnPart& row) {
        return row.needed_by_rnn && (row.soname == part.soname || row.soname == file_name(part.path));
    });
}

static Finding missing(const Facts& facts, const std::vector<const Library*>& parts, const std::string& zlib,
                       const Matrix& matrix) {
    const std::string directory = directory_of(parts.front()->path);
    auto crashed = crashes_of_cudnn_in(facts, directory);
    const bool at_once = !crashed.empty() ||
                         std::ranges::any_of(parts, [&](const Library* part) { return needed_by_rnn(*part, matrix); });
    return {
        .severity = at_once ? Severity::error : Severity::warning,
        .subject = zlib,
        .message = zlib + " was not found; " +
                   join_with_and(each(parts, [](const Library* part) { return file_name(part->path); })) +
                   " of the cuDNN in " + directory + (parts.size() == 1 ? " needs it: " : " need it: ") +
                   (at_once ? "no recurrent network runs" : "convolutions fail, recurrent networks do not"),
        .evidence = {{zlib, "not in the loader's search path", "libraries"}},
        .remedies =
            {{.action = Action::install_package,
              .text =
                  "Install zlib from the system's package repository: zlib1g on Debian and Ubuntu, zlib on Fedora and "
                  "Red Hat, libz1 on SUSE",
              .commands = system_install_commands(facts, "zlib1g", "zlib", "libz1"),
              .risk = Risk::needs_root,
              .link = "https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-890/install-guide/index.html"}},
        .explains = std::move(crashed)};
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (cudnn_copies(facts).empty()) return without_cudnn(facts);
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    VerdictBuilder answers;
    std::map<std::string, std::vector<const Library*> > by_directory;
    std::string zlib;
    for (const LibraryKind kind : {LibraryKind::cudnn, LibraryKind::cudnn_part})
        for (const Library* part : usable_copies(facts, kind)) {
            const std::string* name = missing_zlib(*part);
            if (!name) continue;
            const auto used = is_used(facts, *part);
            if (!used)
                answers.unknown("whether a framework loads the cuDNN in " + directory_of(part->path) + " is unknown");
            if (!used.value_or(false)) continue;
            by_directory[directory_of(part->path)].push_back(part);
            zlib = *name;
        }
    for (const auto& [directory, parts] : by_directory) answers.fault(missing(facts, parts, zlib, matrix));
    answers.passed("no cuDNN library lacks zlib");
    return answers.close();
}

extern const Rule rule{.title = "A cuDNN library needs zlib, which is not installed",
                       .layer = Layer::cudnn,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::zlib_missing
