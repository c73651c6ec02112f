#include "commands/cause_of_failure.hpp"

#include <algorithm>

#include "base/lists.hpp"
#include "base/text.hpp"

namespace rnncheck {

namespace {

constexpr int certain_weight = 100, confirmed_weight = 95, likely_weight = 75;

/// The machine itself shows it, whatever the output points to.
bool is_shown_by_machine(const Finding& finding) {
    return finding.confidence == Confidence::certain && !finding.weight &&
           finding.severity != Severity::note;
}

bool is_error_of_machine(const Finding& finding) {
    return is_shown_by_machine(finding) && finding.severity == Severity::error;
}

/// What would decide it is known now, so the check that would is no longer shown.
void raise(Finding& cause, Confidence confidence, int weight) {
    cause.confidence = confidence;
    cause.weight = weight;
    cause.decided_by.reset();
}

/// The output points to it and the machine shows it: what is a warning before anything fails, such
/// as memory that others hold, is a likely cause after it.
void confirm(Finding& cause, const Finding& shown) {
    append(cause.evidence, shown.evidence);
    cause.message = shown.message;
    cause.remedies = shown.remedies;
    if (shown.severity == Severity::error)
        raise(cause, Confidence::certain, certain_weight);
    else
        raise(cause, Confidence::likely, confirmed_weight);
}

/// The library that the error names is in a directory of LD_LIBRARY_PATH, which comes before the
/// packages' own.
void confirm_shadowing(Finding& cause, const Log& log, const LibraryPath& path) {
    if (cause.rule != "cuda_library_shadowed" || cause.remedies.empty())
        return;
    const PathDirectory* const directory =
        directory_named_in(path, mapped(log.events, &LogEvent::text));
    if (!directory)
        return;
    cause.message = "LD_LIBRARY_PATH contains " + directory->directory +
                    ", whose libraries come before those that the framework was installed with";
    const std::string libraries = join(directory->cuda_libraries, ", ");
    // The variable of this process is the command's.
    cause.evidence.push_back(
        {"LD_LIBRARY_PATH", directory->directory + " contains " + libraries, "rnncheck run"});
    cause.remedies.front().commands = {command_without_cuda(path)};
    raise(cause, Confidence::certain, certain_weight);
}

/// "libcudnn_adv" of the file that the output reports as not found.
std::vector<std::string> libraries_not_found(const Log& log) {
    std::vector<std::string> stems;
    for (const LogEvent& event : log.events) {
        const LogField* library = find_by(event.captures, &LogField::name, "library");
        if (event.kind != LogKind::error || !library)
            continue;
        const std::string stem = library->value.substr(0, library->value.find(".so"));
        if (stem.starts_with("lib"))
            stems.push_back(stem);
    }
    return stems;
}

/// "libcudnn" names libcudnn.so.9, not libcudnn_adv.so.9.
bool names(const std::string& text, const std::string& stem) {
    return contains(text, stem + '.') || contains(text, stem + ' ') || text.ends_with(stem);
}

bool names_any(const Finding& finding, const std::vector<std::string>& stems) {
    return std::ranges::any_of(stems, [&](const std::string& stem) {
        return names(finding.message, stem) || names(finding.subject, stem);
    });
}

/// Why the machine does not show a cause; null if it does or cannot decide. What is below the
/// libraries, such as free memory, was perhaps different when the command ran.
const std::string* why_not_here(const Finding& cause, const Report& from_machine) {
    if (cause.confidence == Confidence::certain || cause.layer < Layer::runtime)
        return nullptr;
    const RuleVerdict* verdict = find_by(from_machine.verdicts, &RuleVerdict::rule, cause.rule);
    if (verdict && verdict->outcome == Outcome::pass)
        return &verdict->reason;
    return nullptr;
}

/// Causes that the machine does not show come last, unless it shows none.
void demote(std::vector<Finding>& causes, const Report& from_machine) {
    constexpr int least_weight = 1;
    const auto is_absent = [&](const Finding& cause) {
        return why_not_here(cause, from_machine) != nullptr;
    };
    if (std::ranges::all_of(causes, is_absent))
        return;
    for (Finding& cause : causes) {
        const std::string* why_not = why_not_here(cause, from_machine);
        if (!why_not)
            continue;
        cause.weight = least_weight;
        cause.confidence = Confidence::possible;
        cause.decided_by = DecidingCheck{"This machine does not show it: " + *why_not, ""};
    }
}

/// The output alone leaves several causes open.
bool is_open(const Report& from_output) {
    return !from_output.findings.empty() &&
           from_output.findings.front().confidence != Confidence::certain;
}

/// How sure it is that an error of the machine made the command fail; nothing if it need not have.
/// `first` is the first cause of the output, which names the libraries that were not found.
std::optional<Confidence> blame(
    const Finding& error,
    const Finding& first,
    const std::vector<std::string>& not_found,
    const FailureTraits& traits) {
    // The output names the very library whose fault the machine shows.
    if (names_any(error, not_found))
        return Confidence::certain;
    // The output explains itself.
    if (first.confidence != Confidence::possible)
        return std::nullopt;
    const bool has_same_layer = first.rule != "unknown_error_in_log" && error.layer == first.layer;
    const bool crashed_in_gpu_code = traits.has_crashed && traits.uses_gpu_libraries;
    if (has_same_layer || crashed_in_gpu_code)
        return Confidence::likely;
    return std::nullopt;
}

/// Only words in common point to it, and the machine has not confirmed it.
bool is_by_words(const Finding& cause) {
    return cause.confidence == Confidence::possible &&
           find_by(cause.evidence, &Evidence::what, what_is_in_common);
}

/// Errors of the machine that the output does not point to but may follow from.
void add_errors_of_machine(
    Report& report, const Report& from_machine, const FailureTraits& traits) {
    if (!is_open(report))
        return;
    const auto not_found = libraries_not_found(*report.facts.log);
    std::vector<Finding> added;
    for (const Finding& error : from_machine.findings) {
        const Finding* const named = find_by(report.findings, &Finding::rule, error.rule);
        if (!is_error_of_machine(error) || (named && !is_by_words(*named)))
            continue;
        const auto confidence = blame(error, report.findings.front(), not_found, traits);
        if (!confidence)
            continue;
        int weight = likely_weight;
        if (*confidence == Confidence::certain)
            weight = certain_weight;
        added.push_back(error);
        raise(added.back(), *confidence, weight);
    }
    if (!added.empty())
        report.verdict = OverallVerdict::problems;
    std::erase_if(report.findings, [&](const Finding& cause) {
        return is_by_words(cause) && find_by(added, &Finding::rule, cause.rule);
    });
    append(report.findings, std::move(added));
}

}  // namespace

Report cause_of_failure(
    Report from_output, const Report& from_machine, const FailureTraits& traits) {
    // Beside a cause that lines indicate, words in common are no sign that a machine could confirm.
    const bool has_indicated =
        !from_output.findings.empty() && !is_by_words(from_output.findings.front());
    for (Finding& cause : from_output.findings) {
        if (cause.confidence == Confidence::certain || (has_indicated && is_by_words(cause)))
            continue;
        const Finding* const shown = find_where(from_machine.findings, [&](const Finding& finding) {
            return finding.rule == cause.rule && is_shown_by_machine(finding);
        });
        if (shown)
            confirm(cause, *shown);
        confirm_shadowing(cause, *from_output.facts.log, traits.library_path);
    }
    add_errors_of_machine(from_output, from_machine, traits);
    demote(from_output.findings, from_machine);
    if (from_output.findings.empty())
        return from_output;
    std::ranges::stable_sort(from_output.findings, std::greater(), &Finding::weight);
    from_output.sentence.clear();  // it named the first cause, which may be another one now
    from_output.sentence = sentence_of(from_output);
    return from_output;
}

}  // namespace rnncheck
