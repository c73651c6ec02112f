// The toolkit's stub libcuda, made for linking only, is in the loader's search path.
#include "rules/rule.hpp"

namespace rnncheck::rules::stub_driver_library_in_path {

static bool in_the_way(const Library& library) {
    return library.kind == LibraryKind::cuda && library.stub &&
           (library.picked_by_loader || library.found_via == FoundVia::ld_library_path);
}

static Finding found_at(const std::string& path, Severity severity, const std::string& message) {
    return {.severity = severity,
            .subject = path,
            .message = message,
            .remedies = {{.action = Action::change_environment,
                          .text = "Remove the toolkit's 'stubs' directory from LD_LIBRARY_PATH and from the loader's "
                                  "configuration; it is for linking only",
                          .commands = {"printenv LD_LIBRARY_PATH"},
                          .link = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html"}}};
}

/// Where there is a driver library as well, it is not missing.
static std::vector<std::string> what_it_hides(const Facts& facts) {
    if (usable_copies(facts, LibraryKind::cuda).empty()) return {"driver.init"};
    return {"driver.init", "libcuda"};
}

static Finding stub_file(const Facts& facts, const Library& library) {
    const bool loaded = library.picked_by_loader && !driver_answers(facts);
    auto finding = found_at(
        library.path, loaded ? Severity::error : Severity::warning,
        loaded ? "the loader finds the toolkit's stub " + library.path + " instead of the driver's libcuda"
               : "the toolkit's stub " + library.path +
                     " is in a directory of LD_LIBRARY_PATH, so programs may load it instead of the driver's libcuda");
    if (loaded) finding.explains = what_it_hides(facts);
    finding.evidence = {{"link-time stub", library.path, "libraries"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    std::vector<Finding> findings;
    for (const auto& library : facts.libraries)
        if (in_the_way(library)) findings.push_back(stub_file(facts, library));
    if (init_code(facts) == cuda_stub_library) {
        const std::string opened = facts.driver.library.value_or("libcuda.so.1");
        const Library* library = library_at(facts, opened);
        const std::string path = library ? library->path : opened;
        std::erase_if(findings, [&](const Finding& finding) { return finding.subject == path; });
        findings.push_back(found_at(
            path, Severity::error, "the libcuda that was loaded, " + path + ", is the toolkit's stub, not the driver"));
        findings.back().explains = what_it_hides(facts);
        findings.back().evidence = {{"failed call", in_words(*facts.driver.init), "driver.init"}};
    }
    if (!findings.empty()) return fault_or(std::move(findings), {});
    if (!libraries_listed(facts)) return undecided("the library directories could not be searched");
    if (driver_library_absent(facts)) return not_applicable("the loader does not find libcuda");
    if (!facts.driver.init) return undecided("the result of cuInit is unknown, so the library may not be a driver");
    return pass("the loader finds no stub");
}

extern const Rule rule{.title = "A CUDA Toolkit stub of libcuda is in the loader's search path",
                       .layer = Layer::host,
                       .stage = Stage::ask,
                       .check = check};

}  // namespace rnncheck::rules::stub_driver_library_in_path
