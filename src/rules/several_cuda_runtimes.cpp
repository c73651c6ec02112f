// CUDA runtimes of more than one version are there: worth knowing, no fault.
#include "rules/rule.hpp"

namespace rnncheck::rules::several_cuda_runtimes {

static Verdict check(const Facts& facts, const Matrix&) {
    std::vector<std::pair<std::string, Version>> installed;
    std::vector<std::string> given;  // the loader has one choice per soname, so one per CUDA major from 12 on
    for (const auto& runtime : facts.runtimes) {
        if (!runtime.version || is_shadowed(facts, runtime.library)) continue;
        installed.emplace_back(runtime.library, *runtime.version);
        const Library* library = library_at(facts, runtime.library);
        if (library && library->picked_by_loader) given.push_back(runtime.version->text);
    }
    auto several =
        note_several("the CUDA runtime", installed, given, "runtimes",
                     {.action = Action::none,
                      .text = "No action is needed if every program finds the version it was built for; otherwise put "
                              "that version's directory first in LD_LIBRARY_PATH",
                      .commands = {"/sbin/ldconfig -p | grep libcudart"},
                      .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"});
    if (several) return fault(std::move(*several));
    if (!std::ranges::all_of(facts.runtimes, [](const Runtime& runtime) { return runtime.version.has_value(); }))
        return undecided("a CUDA runtime did not report its version");
    const std::string silent = silent_copy(facts, LibraryKind::cudart);
    if (!silent.empty()) return undecided(silent + " did not respond");
    if (!installed.empty()) return pass("every CUDA runtime is of version " + installed.front().second.text);
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    return not_applicable("no CUDA runtime was found");
}

extern const Rule rule{.title = "Several versions of the CUDA runtime are installed",
                       .layer = Layer::runtime,
                       .max_severity = Severity::note,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::several_cuda_runtimes
