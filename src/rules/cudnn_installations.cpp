// Installations of cuDNN and their parts.
#include "base/if_any.hpp"
#include "rules/rule.hpp"
#include "rules/support/dlls.hpp"
#include "rules/support/probes.hpp"

namespace rnncheck::rules {

/// No libcudnn.so is anywhere that programs or frameworks search. An error only
/// where there is a GPU to use: a machine that builds images needs no cuDNN.
Verdict cudnn_not_installed(const Facts& facts, const Matrix&) {
    if (has_dlls(facts))
        return no_dll_of_cudnn(facts);
    if (!cudnn_installations(facts).empty())
        return pass("cuDNN is installed");
    if (!libraries_listed(facts))
        return undecided("the library directories could not be searched");
    const bool parts_only = std::ranges::any_of(facts.libraries, [](const Library& library) {
        return library.kind == LibraryKind::cudnn_part;
    });
    std::string message = "cuDNN is not installed: no libcudnn.so was found";
    if (parts_only)
        message = "cuDNN is installed only in part: its main library libcudnn.so was not found";
    return fault({
        .severity = error_if(driver_responds(facts) || kernel_side_seen(facts)),
        .subject = "cuDNN",
        .message = std::move(message),
        .evidence =
            {{"libcudnn.so",
              "not in the loader's search path, toolkit directories or Python packages",
              "libraries"}},
        .remedies = {installing_cudnn(
            facts, nullptr, cuda_major_here(facts), remedy("cudnn_not_installed"))},
        .symptoms = {"cudnn"},
    });
}

/// What Finding::explains calls a part of a copy, and its RNN API.
static std::string name_in(const CudnnInstallation& installation, const CudnnPart& part) {
    return part.soname + " of " + installation.path;
}

/// "RNN API of /usr/lib/libcudnn.so.9", by which a missing library explains
/// that the functions for recurrent networks do not work.
static std::string rnn_api_of(const CudnnInstallation& installation) {
    return "RNN API of " + installation.path;
}

/// About those that were opened; one that had to be and did not respond leaves the verdict open.
static Verdict over_responsive_installations(const Facts& facts, const JudgeInstallation& judge) {
    const std::string silent = unresponsive_library(facts, LibraryKind::cudnn);
    return over_installations(
        facts, [&](const CudnnInstallation& installation, VerdictBuilder& result) {
            if (installation.answer)
                judge(installation, result);
            if (!silent.empty())
                result.unknown("cuDNN at " + silent + " did not respond");
        });
}

/// cuDNN was opened and does not report its version: dlopen failed, most often
/// because a library that it requires is missing, or cudnnGetVersion did.
Verdict cudnn_unusable(const Facts& facts, const Matrix& matrix) {
    return over_responsive_installations(
        facts, [&](const CudnnInstallation& installation, VerdictBuilder& result) {
            const auto& failure = installation.answer->failure;
            if (installation.answer->version)
                return result.passed("every cuDNN installation reports its version");
            if (!failure)
                return result.unknown(
                    "cuDNN at " + installation.path + " did not report its version");
            if (was_not_opened(*failure))
                return result.block_pass(leads_to_a_pipe);
            std::string missing;
            if (installation.file)
                missing = join_with_and(installation.file->missing_needs);
            // The loader's message names the library that it missed; a finding
            // about that library then explains this one.
            std::vector<std::string> parts_named;
            for (const auto& part : parts_needed(installation, matrix))
                if (contains(failure->text, part.soname))
                    parts_named.push_back(name_in(installation, part));
            result.fault({
                .severity = severity_of(installation),
                .subject = installation.path,
                .message = "cuDNN at " + installation.path + ' ' + why_unusable(*failure),
                .evidence =
                    {{"failed call", in_words(*failure), "cudnns"},
                     {"required libraries that were not found", missing, "libraries"}},
                .remedies = {remedy("cudnn_unusable")},
                .symptoms = std::move(parts_named),
            });
        });
}

/// The part that the library's words name, with its path or without.
static std::string part_named(const std::string& text) {
    const auto begin = std::min(text.find("libcudnn_"), text.size());
    return text.substr(begin, text.find_first_of(" :,;()'\"", begin) - begin);
}

/// cuDNN reports its version, but its functions for recurrent networks fail:
/// since version 8 the front library opens the library with their code
/// (libcudnn_adv) at the first of these calls. A rejected mixture of versions
/// is left to cudnn_mixed_sublibraries.
Verdict cudnn_rnn_unusable(const Facts& facts, const Matrix&) {
    return over_responsive_installations(
        facts, [&](const CudnnInstallation& installation, VerdictBuilder& result) {
            const std::string name = name_of(installation);
            const auto& failure = installation.answer->failure;
            if (only_failed(installation))
                return result.block_pass(name + " does not work");
            if (!installation.answer->rnn_usable)
                return result.unknown("the RNN API of " + name + " did not respond");
            if (*installation.answer->rnn_usable)
                return result.passed("the RNN API of cuDNN works");
            if (failure && is_version_mismatch(installation.major, *failure))
                return result.block_pass("libraries of different cuDNN versions are mixed");
            std::string part;
            if (failure)
                part = part_named(failure->text);
            if (!part.empty())
                part += "; searched: " + directory_of(installation.path) +
                        " and the loader's search path";
            result.fault({
                .severity = severity_of(installation),
                .subject = installation.path,
                .message =
                    "the RNN API of " + name + " does not work" + if_any(": ", if_known(failure)),
                .evidence =
                    {{"RNN API", "does not work", "cudnns"},
                     {"failed call", if_known(failure), "cudnns"},
                     {"named by the library", part, "cudnns"}},
                .remedies = {remedy("cudnn_rnn_unusable")},
                .symptoms = {rnn_api_of(installation)},
            });
        });
}

/// More than one version of cuDNN is there: worth knowing, no fault.
Verdict several_cudnns(const Facts& facts, const Matrix&) {
    const auto installations = cudnn_installations(facts);
    if (installations.empty())
        return without_cudnn(facts);
    std::vector<std::pair<std::string, Version>> installed;
    std::vector<std::string> given;
    for (const auto& installation : installations) {
        // Its version may be that of the other cuDNN, so that counting would
        // mislead.
        if (loads_other_directories(installation.answer))
            return not_applicable(installation.path + " is mixed with another cuDNN");
        if (!installation.version)
            continue;
        installed.emplace_back(installation.path, *installation.version);
        if (installation.file && installation.file->picked_by_loader)
            given.push_back(installation.version->text + " at " + installation.path);
    }
    auto several = note_several("cuDNN", installed, given, "cudnns", remedy("several_cudnns"));
    if (several)
        return fault(std::move(*several));
    if (installed.size() < installations.size())
        return undecided("a cuDNN installation did not report its version");
    return pass("cuDNN " + installed.front().second.text + " is the only version");
}

/// Those that recurrent networks need of the copy and that it would not find.
static std::vector<CudnnPart> parts_missing(
    const Facts& facts, const CudnnInstallation& installation, const Matrix& matrix) {
    auto parts = parts_needed(installation, matrix);
    std::erase_if(parts, [&](const CudnnPart& part) {
        // A file that was mapped when cuDNN ran is there, under whatever full
        // name.
        const std::string stem = part.soname.substr(0, part.soname.find(".so") + 3);
        const bool is_mapped =
            installation.answer &&
            std::ranges::any_of(installation.answer->parts_mapped, [&](const auto& path) {
                return file_name(path).starts_with(stem);
            });
        return is_mapped || part_of(facts, installation, part.soname);
    });
    return parts;
}

/// One finding about all that an installation lacks. It explains what follows
/// from that: the RNN API that fails, and processes that cuDNN ended because of
/// it.
static Finding missing_parts(
    const Facts& facts,
    const CudnnInstallation& installation,
    const std::vector<CudnnPart>& parts) {
    const std::string searched = directory_of(installation.path) + " and the loader's search path";
    Finding finding = {
        .severity = severity_of(installation),
        .subject = installation.path,
        .message = name_of(installation) + " lacks " +
                   join_with_and(mapped(parts, &CudnnPart::soname)) +
                   ", so its RNN API cannot be used; searched: " + searched,
        .remedies = {reinstalling_cudnn(facts, installation, remedy("cudnn_part_missing"))},
        .explains =
            mapped(parts, [&](const CudnnPart& part) { return name_in(installation, part); }),
    };
    finding.explains.push_back(rnn_api_of(installation));
    append(finding.explains, crashes_of_cudnn_in(facts, directory_of(installation.path)));
    for (const auto& part : parts) {
        std::string why = "needed by recurrent networks";
        if (part.needed_by_version)
            why = "needed by every call";
        finding.evidence.push_back({part.soname, "not found in " + searched, "libraries"});
        finding.evidence.push_back({part.soname, why + if_any(": ", part.note), part.source.url});
    }
    if (installation.answer && installation.answer->failure)
        finding.evidence.push_back(
            {"failed call", in_words(*installation.answer->failure), "cudnns"});
    return finding;
}

/// cuDNN 8 and 9 are several files, and one that recurrent networks need is not where the front
/// library looks.
/// cuDNN 8 and 9 are several files, and one that recurrent networks need is not
/// where the front library looks: beside itself, then in the loader's search
/// path. An RNN API that works outweighs what the list of files suggests.
Verdict cudnn_part_missing(const Facts& facts, const Matrix& matrix) {
    if (has_dlls(facts))
        return dll_of_cudnn_missing(facts);
    return over_installations(
        facts, [&](const CudnnInstallation& installation, VerdictBuilder& result) {
            const std::string name = name_of(installation);
            if (installation.answer && installation.answer->rnn_usable.value_or(false))
                return result.passed("the RNN API of cuDNN works, so its libraries are installed");
            if (installation.major == 0)
                return result.unknown("the version of " + name + " is unknown");
            if (matrix.cudnn_parts(installation.major).empty())
                return result.unknown(
                    "the libraries of " + name + " are not in the compatibility data of " +
                    matrix.date());
            if (parts_needed(installation, matrix).empty())
                return result.passed(name + " is a single file");
            const auto parts = parts_missing(facts, installation, matrix);
            if (parts.empty())
                return result.passed(
                    "all cuDNN libraries that recurrent networks need are installed");
            if (!libraries_listed(facts))
                return result.unknown("the library directories could not be searched");
            result.fault(missing_parts(facts, installation, parts));
        });
}

/// About one library of an installation that is there and is not a whole ELF
/// file.
static Finding unreadable(
    const Facts& facts,
    const CudnnInstallation& installation,
    const CudnnPart& part,
    const Library& file) {
    std::string what(name_of(*file.problem));
    if (file.problem_detail)
        what = escaped(*file.problem_detail, 300);
    auto explains = crashes_of_cudnn_in(facts, directory_of(installation.path));
    append(explains, {name_in(installation, part), rnn_api_of(installation)});
    return {
        .severity = severity_of(installation),
        .subject = file.path,
        .message = "the library " + part.soname + " of " + name_of(installation) +
                   " cannot be loaded: " + file.path + ' ' + what,
        .evidence =
            {{file.path, what, "libraries"},
             {part.soname, "needed by recurrent networks", part.source.url}},
        .remedies = {reinstalling_cudnn(facts, installation, remedy("cudnn_part_unreadable"))},
        .symptoms = {file.path},
        .explains = std::move(explains),
    };
}

/// A cuDNN library that recurrent networks need is a damaged or incomplete
/// file, as after an interrupted download or on a full disk. The front library
/// opens it only at a later call, so that cuDNN may seem to work until then.
Verdict cudnn_part_unreadable(const Facts& facts, const Matrix& matrix) {
    return over_installations(
        facts, [&](const CudnnInstallation& installation, VerdictBuilder& result) {
            if (!libraries_listed(facts))
                return result.unknown("the library directories could not be searched");
            if (installation.major == 0)
                return result.unknown("the version of " + name_of(installation) + " is unknown");
            const bool works =
                installation.answer && installation.answer->rnn_usable.value_or(false);
            if (matrix.cudnn_parts(installation.major).empty() && works)
                return result.passed("the RNN API of cuDNN works, so its files are complete");
            if (matrix.cudnn_parts(installation.major).empty())
                return result.unknown(
                    "the libraries of " + name_of(installation) +
                    " are not in the compatibility data of " + matrix.date());
            for (const auto& part : parts_needed(installation, matrix)) {
                const Library* file = part_of(facts, installation, part.soname);
                if (!file)
                    result.block_pass(part.soname + " is missing");
                else if (file->problem)
                    result.fault(unreadable(facts, installation, part, *file));
                else if (!read_whole(*file))
                    result.unknown(file->path + " was not read completely");
            }
            result.passed("every cuDNN library that recurrent networks need is a complete file");
        });
}

}  // namespace rnncheck::rules
