// A GPU library on the loader's path is built for another processor or word size.
#include "rules/rule.hpp"

namespace rnncheck::rules::library_for_other_machine {

static bool for_other_machine(const Library& library) {
    return library.problem == FileProblem::other_class || library.problem == FileProblem::other_machine;
}

/// The loader finds another file of this very name that fits.
static bool has_a_fitting_twin(const Facts& facts, const Library& library) {
    return std::ranges::any_of(facts.libraries, [&](const Library& other) {
        return !other.problem && file_name(other.path) == file_name(library.path);
    });
}

static Finding foreign(const Facts& facts, const Library& library, bool only_copy) {
    Finding finding;
    finding.severity = only_copy ? Severity::error : Severity::warning;
    finding.subject = library.path;
    if (only_copy) finding.explains = {kind_of(library)};
    const std::string built_for = library.machine ? ", built for " + *library.machine : "";
    finding.message = only_copy ? library.path + " is for a different CPU architecture" + built_for +
                                      ", and it is the only one in the loader's search path"
                                : library.path + " in LD_LIBRARY_PATH is for a different CPU architecture" + built_for +
                                      "; the loader skips it";
    finding.evidence = {{"file", library.problem_detail.value_or(std::string(name_of(*library.problem))), "libraries"},
                        {"this machine", facts.host.machine.value_or("unknown"), "host.machine"}};
    finding.remedies = {{.action = Action::install_package,
                         .text = "Install the package for this machine's architecture, and remove the directory of the "
                                 "other one from LD_LIBRARY_PATH",
                         .commands = {"uname -m"},
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    std::vector<Finding> findings;
    bool all_read = true;
    for (const auto& library : facts.libraries) {
        if (!on_loader_path(library)) continue;
        all_read &= read_whole(library) || library.problem;
        if (!for_other_machine(library)) continue;
        // 32-bit copies in the system's own directories are normal beside 64-bit ones.
        const bool only_copy = !has_a_fitting_twin(facts, library);
        if (only_copy || library.found_via == FoundVia::ld_library_path)
            findings.push_back(foreign(facts, library, only_copy));
    }
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (!all_read) return undecided("a library in the loader's search path was not read completely");
    return pass("every GPU library that the loader would load is for this machine");
}

extern const Rule rule{.title = "A GPU library is built for a different CPU architecture",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check};

}  // namespace rnncheck::rules::library_for_other_machine
