// More than one release of cuDNN is there: worth knowing, no fault.
#include "rules/rule.hpp"

namespace rnncheck::rules::several_cudnns {

static Verdict check(const Facts& facts, const Matrix&) {
    const auto copies = cudnn_copies(facts);
    if (copies.empty()) return without_cudnn(facts);
    std::vector<std::pair<std::string, Version>> installed;
    std::vector<std::string> given;
    for (const auto& copy : copies) {
        if (borrows_parts(copy)) return not_applicable(copy.path + " is mixed with another cuDNN");
        if (!copy.version) continue;
        installed.emplace_back(copy.path, *copy.version);
        if (copy.file && copy.file->picked_by_loader) given.push_back(copy.version->text + " at " + copy.path);
    }
    auto several = note_several(
        "cuDNN", installed, given, "cudnns",
        {.action = Action::none,
         .text = "No action is needed if every framework loads the version it was built for, as frameworks that "
                 "install it as a Python package do; otherwise keep one version of each major version",
         .commands = {"/sbin/ldconfig -p | grep libcudnn"},
         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"});
    if (several) return fault(std::move(*several));
    if (installed.size() < copies.size()) return undecided("a cuDNN installation did not report its version");
    return pass("cuDNN " + installed.front().second.text + " is the only version");
}

extern const Rule rule{.title = "Several versions of cuDNN are installed",
                       .layer = Layer::cudnn,
                       .max_severity = Severity::note,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::several_cudnns
