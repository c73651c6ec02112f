// A file with the name of a GPU library cannot be a library: unreadable, no ELF file, cut off, damaged, a dead link, no
// file at all.
#include "rules/rule.hpp"

namespace rnncheck::rules::library_file_damaged {

static std::string not_elf(const std::string& detail) {
    if (contains(detail, "text")) return "is a text file, not a library";
    return contains(detail, "empty") ? "is empty" : "is not a library (not an ELF file)";
}

static std::string unreadable(const std::string& detail) {
    return detail.starts_with("cannot") ? detail : "cannot be read (permission)";
}

/// Of those for another machine, which are complete, nothing.
static std::optional<std::string> defect(const Library& library) {
    static constexpr std::pair<FileProblem, const char*> defects[] = {
        {FileProblem::truncated, "is truncated"},
        {FileProblem::damaged, "is damaged: its ELF tables are inconsistent"},
        {FileProblem::dangling_link, "is a symbolic link to a file that does not exist"},
        {FileProblem::link_circle, "is a symbolic link loop"},
        {FileProblem::directory, "is a directory, not a library"},
        {FileProblem::named_pipe, "is a named pipe (FIFO), not a library: a program that opens it waits forever"},
        {FileProblem::socket, "is a socket, not a library"},
        {FileProblem::device, "is a device, not a library"}};
    if (library.problem == FileProblem::unreadable) return unreadable(library.problem_detail.value_or(""));
    if (library.problem == FileProblem::not_elf) return not_elf(library.problem_detail.value_or(""));
    for (const auto& [problem, text] : defects)
        if (library.problem == problem) return text;
    return std::nullopt;
}

/// The loader passes over files that it cannot open, but gives up at the first that opens and is no library.
static bool passed_over(const Facts& facts, const Library& library) {
    constexpr FileProblem not_to_be_opened[] = {FileProblem::unreadable, FileProblem::dangling_link,
                                                FileProblem::link_circle, FileProblem::socket};
    const bool cannot_be_opened =
        std::ranges::any_of(not_to_be_opened, [&](FileProblem problem) { return library.problem == problem; });
    return cannot_be_opened && std::ranges::any_of(facts.libraries, [&](const Library& other) {
               return other.picked_by_loader && !other.problem && file_name(other.path) == file_name(library.path);
           });
}

static Finding damaged(const Facts& facts, const Library& library, const std::string& what) {
    Finding finding;
    finding.severity = on_loader_path(library) && !passed_over(facts, library) ? Severity::error : Severity::warning;
    finding.subject = library.path;
    finding.symptoms = {library.path};
    if (finding.severity == Severity::error) finding.explains = {kind_of(library)};
    finding.message = library.path + ' ' + what;
    finding.evidence = {{"file", library.problem_detail.value_or(std::string(name_of(*library.problem))), "libraries"},
                        {"found through", std::string(name_of(library.found_via)), "libraries"}};
    finding.remedies = {{.action = Action::reinstall_package,
                         .text = "Reinstall the package that owns this file, for a Python package with pip install "
                                 "--force-reinstall --no-deps and its version, or remove the file if no package owns "
                                 "it. Copy libraries with 'cp -a', which preserves symbolic links",
                         .commands = owner_commands(facts, library.path),
                         .risk = Risk::needs_root,
                         .link = "https://man7.org/linux/man-pages/man8/ld.so.8.html"}};
    return finding;
}

static Verdict check(const Facts& facts, const Matrix&) {
    VerdictBuilder answers;
    if (!libraries_listed(facts)) answers.unknown("the library directories could not be searched");
    for (const auto& library : facts.libraries) {
        if (!read_whole(library) && !library.problem) answers.unknown("a library file was not read completely");
        const auto what = defect(library);
        if (what) answers.fault(damaged(facts, library, *what));
    }
    answers.passed("every GPU library found is a complete file");
    return answers.close();
}

extern const Rule rule{.title = "A GPU library file is damaged or cannot be read",
                       .layer = Layer::host,
                       .stage = Stage::look,
                       .check = check,
                       .yields_to = {"cudnn_part_unreadable"}};

}  // namespace rnncheck::rules::library_file_damaged
