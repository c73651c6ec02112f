// A part of cuDNN needs zlib, and the loader finds none.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/packages.hpp"
#include "rules/support/zlib_support.hpp"

namespace rnncheck::rules::zlib_missing {

/// Without it no recurrent network runs.
static bool needed_by_rnn(const Library& part, const Matrix& matrix) {
    if (part.kind == LibraryKind::cudnn) return true;
    const auto parts = matrix.cudnn_parts(major_of_file(part).value_or(0));
    return std::any_of(parts.begin(), parts.end(), [&](const CudnnPart& row) {
        return row.needed_by_rnn && (row.soname == part.soname || row.soname == file_name(part.path));
    });
}

/// cuDNN ended the process of a probe.
static bool crashed(const Facts& facts, const std::string& directory) {
    return std::any_of(facts.probe_runs.begin(), facts.probe_runs.end(), [&](const ProbeRun& run) {
        return run.end == ProbeEnd::crashed && cudnn_directory_of(run) == directory;
    });
}

static Finding missing(const Facts& facts, const std::vector<const Library*>& parts, const std::string& zlib,
                       const Matrix& matrix) {
    std::vector<std::string> names;
    for (const Library* part : parts) names.push_back(file_name(part->path));
    const std::string directory = directory_of(parts.front()->path);
    const bool at_once = crashed(facts, directory) || std::any_of(parts.begin(), parts.end(), [&](const Library* part) {
                             return needed_by_rnn(*part, matrix);
                         });
    Finding finding;
    finding.severity = at_once ? Severity::error : Severity::warning;
    finding.subject = zlib;
    finding.message = zlib + " was not found; " + join_with_and(names) + " of the cuDNN in " + directory +
                      (names.size() == 1 ? " needs it: " : " need it: ") +
                      (at_once ? "no recurrent network runs" : "convolutions fail, recurrent networks do not");
    finding.evidence = {{zlib, "not in the loader's search path", "libraries"}};
    finding.remedies = {
        {.text = "Install zlib from the system's package repository: zlib1g on Debian and Ubuntu, zlib on Fedora and "
                 "Red Hat, libz1 on SUSE",
         .commands = system_install_commands(facts, "zlib1g", "zlib", "libz1"),
         .risk = Risk::needs_root,
         .verify = "rnncheck doctor --only zlib_missing",
         .link = "https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-890/install-guide/index.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix& matrix) {
    if (cudnn_copies(facts).empty()) return without_cudnn(facts);
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    Answers answers;
    std::map<std::string, std::vector<const Library*>> by_directory;
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
    answers.good("no cuDNN library lacks zlib");
    return answers.close();
}

extern const Rule rule{.title = "A cuDNN library needs zlib, which is not installed",
                       .layer = Layer::cudnn,
                       .worst = Severity::error,
                       .needs = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::zlib_missing
