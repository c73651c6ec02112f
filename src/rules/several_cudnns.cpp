// More than one release of cuDNN is there: worth knowing, no fault.
#include <algorithm>

#include "base/text.hpp"
#include "rules/rule.hpp"
#include "rules/support/cudnn.hpp"
#include "rules/support/words.hpp"

namespace rnncheck::rules::several_cudnns {

static std::string what_the_loader_gives(const std::vector<CudnnCopy>& copies) {
    std::vector<std::string> given;
    for (const auto& copy : copies)
        if (copy.version && copy.file && copy.file->picked_by_loader)
            given.push_back(copy.version->text + " at " + copy.path);
    return given.empty() ? "the loader finds none of them by default" : "the loader finds " + join_with_and(given);
}

static Finding several(const std::vector<CudnnCopy>& copies, const std::vector<Version>& versions) {
    std::vector<std::string> texts;
    for (const auto& version : versions) texts.push_back(version.text);
    Finding finding;
    finding.severity = Severity::note;
    finding.subject = "cuDNN";
    finding.message = std::to_string(versions.size()) + " versions of cuDNN are installed (" + join_with_and(texts) +
                      "); " + what_the_loader_gives(copies);
    for (const auto& copy : copies)
        if (copy.version) finding.evidence.push_back({copy.path, copy.version->text, "cudnns"});
    finding.remedies = {
        {.text = "No action is needed if every framework loads the version it was built for, as frameworks that "
                 "install it as a Python package do; otherwise keep one version of each major version",
         .commands = {"ldconfig -p | grep libcudnn"},
         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    std::vector<Version> versions;
    bool all_told = true;
    for (const auto& copy : copies) {
        if (borrows_parts(copy)) return not_applicable(copy.path + " is mixed with another cuDNN");
        all_told &= copy.version.has_value();
        if (copy.version && std::find(versions.begin(), versions.end(), *copy.version) == versions.end())
            versions.push_back(*copy.version);
    }
    std::sort(versions.begin(), versions.end());
    if (versions.size() > 1) return fault(several(copies, versions));
    if (!all_told) return undecided("a cuDNN installation did not report its version");
    return pass("cuDNN " + versions.front().text + " is the only version");
}

extern const Rule rule{.title = "Several versions of cuDNN are installed",
                       .layer = Layer::cudnn,
                       .max_severity = Severity::note,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::several_cudnns
