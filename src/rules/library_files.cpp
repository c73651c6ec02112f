// Files of GPU libraries that cannot be loaded, or lack what they need.
#include <map>

#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/dlls.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

/// What is wrong with the file; nothing of one for another machine, which is
/// whole.
static std::optional<std::string> defect(const Library& library) {
    static constexpr std::pair<FileProblem, const char*> defects[] = {
        {FileProblem::truncated, "is truncated"},
        {FileProblem::damaged, "is damaged: its ELF tables are inconsistent"},
        {FileProblem::dangling_link, "is a symbolic link to a file that does not exist"},
        {FileProblem::link_circle, "is a symbolic link loop"},
        {FileProblem::directory, "is a directory, not a library"},
        {FileProblem::named_pipe,
         "is a named pipe (FIFO), not a library: a program that opens it waits forever"},
        {FileProblem::socket, "is a socket, not a library"},
        {FileProblem::device, "is a device, not a library"}};
    const std::string detail = library.problem_detail.value_or("");
    // A detail that begins with "cannot" is the reason itself.
    if (library.problem == FileProblem::unreadable && !detail.starts_with("cannot"))
        return "cannot be read (permission)";
    if (library.problem == FileProblem::unreadable)
        return detail;
    if (library.problem == FileProblem::not_elf && contains(detail, "text"))
        return "is a text file, not a library";
    if (library.problem == FileProblem::not_elf && contains(detail, "empty"))
        return "is empty";
    if (library.problem == FileProblem::not_elf)
        return "is not a library (not an ELF file)";
    const auto* known =
        find_by(defects, &std::pair<FileProblem, const char*>::first, library.problem);
    if (!known)
        return std::nullopt;
    return known->second;
}

/// The loader passes over files that it cannot open, but gives up at the first that opens and is no
/// library.
static bool passed_over(const Facts& facts, const Library& library) {
    constexpr FileProblem not_to_be_opened[] = {
        FileProblem::unreadable,
        FileProblem::dangling_link,
        FileProblem::link_circle,
        FileProblem::socket};
    return includes(not_to_be_opened, library.problem) &&
           std::ranges::any_of(facts.libraries, [&](const auto& other) {
               return other.picked_by_loader && !other.problem &&
                      file_name(other.path) == file_name(library.path);
           });
}

/// As the reader of the file described it, else the name of the problem.
static std::string problem_of(const Library& library) {
    return library.problem_detail.value_or(std::string(name_of(*library.problem)));
}

/// What a rule about a library that is missing yields to a rule about a file of its kind: "cudnn";
/// "libcuda" is one that the loader would take.
static std::string kind_of(const Library& library) {
    if (library.kind != LibraryKind::cuda)
        return std::string(name_of(library.kind));
    if (!on_loader_path(library))
        return "";
    return "libcuda";
}

/// A file with the name of a GPU library cannot be a library: unreadable, no
/// ELF file, cut off, damaged, a dead link, no file at all. An error where the
/// loader would take it, since then no other file of that name is tried.
Verdict library_file_damaged(const Facts& facts, const Matrix&) {
    if (has_dlls(facts))
        return dll_unusable(facts);
    VerdictBuilder result;
    if (!libraries_listed(facts))
        result.unknown("the library directories could not be searched");
    const bool driver_found = driver_library(facts);
    for (const auto& library : facts.libraries) {
        if (!read_whole(library) && !library.problem)
            result.unknown("a library file was not read completely");
        const auto what = defect(library);
        // A link to a libcuda that is not there belongs to
        // driver_library_missing.
        if (!what || (!driver_found && is_link_to_missing_driver(library)))
            continue;
        const bool in_the_way = on_loader_path(library) && !passed_over(facts, library);
        Remedy reinstall = remedy("library_file_damaged");
        reinstall.checks = owner_commands(facts, library.path);
        Finding finding = {
            .severity = error_if(in_the_way),
            .subject = library.path,
            .message = library.path + ' ' + *what,
            .evidence =
                {{"file", problem_of(library), "libraries"},
                 {"found through", std::string(name_of(library.found_via)), "libraries"}},
            .remedies = {reinstall},
        };
        if (in_the_way)
            finding.explains = {kind_of(library)};
        result.fault(std::move(finding));
    }
    result.passed("every GPU library found is a complete file");
    return result.finish();
}

/// An error only if no other file of that name is for this machine.
static Finding foreign(const Facts& facts, const Library& library, bool only_copy) {
    const std::string other =
        " is for a different CPU architecture" + if_any(", built for ", library.machine);
    std::string message = library.path + " in LD_LIBRARY_PATH" + other + "; the loader skips it";
    if (only_copy)
        message = library.path + other + ", and it is the only one in the loader's search path";
    Finding finding = {
        .severity = error_if(only_copy),
        .subject = library.path,
        .message = std::move(message),
        .evidence =
            {{"file", problem_of(library), "libraries"},
             {"this machine", facts.host.machine.value_or("unknown"), "host.machine"}},
        .remedies = {remedy("library_for_other_machine")},
    };
    if (only_copy)
        finding.explains = {kind_of(library)};
    return finding;
}

/// A whole ELF file for another architecture or word size in the search path.
/// glibc passes over it and takes the next one, if there is one.
Verdict library_for_other_machine(const Facts& facts, const Matrix&) {
    VerdictBuilder result;
    if (!libraries_listed(facts))
        result.unknown("the library directories could not be searched");
    for (const auto& library : facts.libraries) {
        if (!on_loader_path(library))
            continue;
        if (!read_whole(library) && !library.problem)
            result.unknown("a library in the loader's search path was not read completely");
        if (library.problem != FileProblem::other_class &&
            library.problem != FileProblem::other_machine)
            continue;
        // 32-bit files beside 64-bit ones in the system's directories are normal: the loader finds
        // the 64-bit ones.
        const bool only_copy = std::ranges::none_of(facts.libraries, [&](const Library& other) {
            return !other.problem && file_name(other.path) == file_name(library.path);
        });
        if (only_copy || library.found_via == FoundVia::ld_library_path)
            result.fault(foreign(facts, library, only_copy));
    }
    result.passed("every GPU library that the loader would load is for this machine");
    return result.finish();
}

/// The loader gives this file, or it lies beside the cuDNN that a framework gets; unset where it is
/// not known which one a framework gets.
static std::optional<bool> is_used(const Facts& facts, const Library& part) {
    if (part.picked_by_loader)
        return true;
    bool all_known = true;
    for (const Framework& framework : facts.frameworks)
        for (const FrameworkLibrary& library : framework.libraries) {
            if (!library.soname.starts_with("libcudnn"))
                continue;
            if (library.path && directory_of(*library.path) == directory_of(part.path))
                return true;
            all_known &= library.path.has_value();
        }
    if (!all_known)
        return std::nullopt;
    return false;
}

/// Without it no recurrent network runs.
static bool needed_by_rnn(const Library& part, const Matrix& matrix) {
    if (part.kind == LibraryKind::cudnn)
        return true;
    return std::ranges::any_of(
        matrix.cudnn_parts(major_of_file(part).value_or(0)), [&](const CudnnPart& row) {
            return row.needed_by_rnn &&
                   (row.soname == part.soname || row.soname == file_name(part.path));
        });
}

/// `parts` of one cuDNN directory require `zlib`. It explains the processes
/// that cuDNN ended because it could not open one of them.
static Finding missing(
    const Facts& facts,
    const std::vector<const Library*>& parts,
    const std::string& zlib,
    const Matrix& matrix) {
    const std::string directory = directory_of(parts.front()->path);
    auto crashed = crashes_of_cudnn_in(facts, directory);
    const bool at_once = !crashed.empty() || std::ranges::any_of(parts, [&](const Library* part) {
        return needed_by_rnn(*part, matrix);
    });
    const auto names = mapped(parts, [](const Library* part) { return file_name(part->path); });
    std::string need = " need it: ", effect = "convolutions fail, recurrent networks do not";
    if (parts.size() == 1)
        need = " needs it: ";
    if (at_once)
        effect = "no recurrent network runs";
    return {
        .severity = error_if(at_once),
        .subject = zlib,
        .message = zlib + " was not found; " + join_with_and(names) + " of the cuDNN in " +
                   directory + need + effect,
        .evidence = {{zlib, "not in the loader's search path", "libraries"}},
        .remedies = {remedy(
            "zlib_missing", {}, system_install_commands(facts, "zlib1g", "zlib", "libz1"))},
        .explains = std::move(crashed),
    };
}

/// cuDNN decompresses its kernels with zlib: the library for convolutions of
/// cuDNN 8 for Linux is linked with libz.so.1, and all of cuDNN 9 but
/// libcudnn.so.9. Only cuDNN libraries count that something would load.
Verdict zlib_missing(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_zlib_missing(facts);
    if (cudnn_installations(facts).empty())
        return without_cudnn(facts);
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    VerdictBuilder result;
    std::map<std::string, std::vector<const Library*>> by_directory;
    std::string zlib;
    for (const LibraryKind kind : {LibraryKind::cudnn, LibraryKind::cudnn_part})
        for (const Library* part : usable_copies(facts, kind)) {
            const std::string* name = find_where(part->missing_needs, [](const auto& needed) {
                return needed.starts_with("libz.so");
            });
            if (!name)
                continue;
            const auto used = is_used(facts, *part);
            if (!used)
                result.unknown(
                    "whether a framework loads the cuDNN in " + directory_of(part->path) +
                    " is unknown");
            if (!used.value_or(false))
                continue;
            by_directory[directory_of(part->path)].push_back(part);
            zlib = *name;
        }
    for (const auto& [directory, parts] : by_directory)
        result.fault(missing(facts, parts, zlib, matrix));
    result.passed("no cuDNN library lacks zlib");
    return result.finish();
}

}  // namespace rnncheck::rules
