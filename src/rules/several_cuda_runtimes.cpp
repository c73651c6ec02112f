// CUDA runtimes of more than one version are there: worth knowing, no fault.
#include <algorithm>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::several_cuda_runtimes {

/// The loader has one choice per soname, so one per CUDA major from 12 on.
static std::string what_the_loader_gives(const Facts& facts) {
    std::vector<std::string> given;
    for (const auto& runtime : facts.runtimes) {
        const Library* library = library_at(facts, runtime.library);
        if (runtime.version && library && library->picked_by_loader) given.push_back(runtime.version->text);
    }
    return given.empty() ? "the loader finds none of them by default" : "the loader finds " + join_with_and(given);
}

static Finding several(const Facts& facts, const std::vector<Version>& versions) {
    std::vector<std::string> texts;
    for (const auto& version : versions) texts.push_back(version.text);
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = "CUDA runtimes";
    finding.message = std::to_string(versions.size()) + " versions of the CUDA runtime are installed (" +
                      join_with_and(texts) + "); " + what_the_loader_gives(facts);
    for (const auto& runtime : facts.runtimes)
        if (runtime.version) finding.evidence.push_back({runtime.library, runtime.version->text, "runtimes"});
    finding.remedies = {{.text = "No action is needed if every program finds the version it was built for; otherwise "
                                 "put that version's directory first in LD_LIBRARY_PATH",
                         .commands = {"ldconfig -p | grep libcudart"},
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    std::vector<Version> versions;
    bool all_told = true;
    for (const auto& runtime : facts.runtimes) {
        all_told &= runtime.version.has_value();
        if (!runtime.version || is_shadowed(facts, runtime.library)) continue;
        if (std::find(versions.begin(), versions.end(), *runtime.version) == versions.end())
            versions.push_back(*runtime.version);
    }
    std::sort(versions.begin(), versions.end());
    if (versions.size() > 1) return fault(several(facts, versions));
    if (!all_told) return undecided("a CUDA runtime did not report its version");
    const std::string silent = silent_copy(facts, LibraryKind::cudart);
    if (!silent.empty()) return undecided(silent + " did not respond");
    if (!versions.empty()) return pass("every CUDA runtime is of version " + versions.front().text);
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    return not_applicable("no CUDA runtime was found");
}

extern const Rule rule{.title = "Several versions of the CUDA runtime are installed",
                       .layer = Layer::runtime,
                       .max_severity = Severity::note,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::several_cuda_runtimes
