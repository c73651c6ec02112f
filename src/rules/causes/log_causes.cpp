#include "rules/causes/log_causes.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "rules/rule.hpp"

namespace rnncheck::rules {

namespace {

constexpr std::size_t most_causes = 5;
constexpr int farthest_behind = 60;
constexpr int likely_from = 70;

struct Candidate {
    const LogEvidence* best = nullptr;
    std::vector<std::string> words;
};

std::vector<Candidate> candidates(const KnownOfLog& t) {
    std::vector<Candidate> found;
    for (const LogEvidence& row : t.matrix.log_evidence()) {
        auto words = split(row.when, ' ');
        if (!std::ranges::all_of(words, [&](const std::string& word) { return t.holds(word); })) continue;
        Candidate* same = find_where(found, [&](const Candidate& one) { return one.best->cause == row.cause; });
        if (!same)
            found.push_back({&row, std::move(words)});
        else if (row.weight > same->best->weight)
            *same = {&row, std::move(words)};
    }
    std::ranges::stable_sort(found, std::greater(), [](const Candidate& one) { return one.best->weight; });
    return found;
}

Evidence evidence_of_line(const LogEvent& event, const std::string& what, const Log& log) {
    const std::string file = log.files.size() > 1 ? event.file + ", " : "";
    return {what, file + "line " + std::to_string(event.line) + ": " + event.text,
            "log.events[" + std::to_string(&event - log.events.data()) + "]"};
}

void add_evidence(Finding& finding, const std::string& word, const KnownOfLog& t) {
    if (const LogEvent* event = find_by(t.log.events, &LogEvent::signature, word)) {
        const LogSignature* signature = find_by(t.matrix.log_signatures(), &LogSignature::id, word);
        finding.evidence.push_back(evidence_of_line(*event, signature ? signature->meaning : word, t.log));
    } else if (const std::string* why = look_up(t.words, word)) {
        finding.evidence.push_back({"also known", *why, "log"});
    }
}

/// A cause whose only sign is a lack: the lines that are there speak for it.
void add_first_events(Finding& finding, const Log& log) {
    for (const LogEvent& event : log.events)
        if (event.kind == LogKind::harmless && finding.evidence.size() < 3)
            finding.evidence.push_back(evidence_of_line(event, "harmless line", log));
}

/// The program found no GPU to use and trained all the same: nothing failed, whatever it might have run faster on.
bool trained_without_gpu(const Log& log) {
    // Lines that only show that a program continues without a GPU.
    constexpr std::string_view about_no_gpu[] = {
        "cuinit_failed",        "gpu_node_absent",         "jax_no_visible_devices", "kaldi_no_devices",
        "kernel_driver_absent", "missing_cuda_library",    "missing_cudnn",          "missing_libcuda",
        "mxnet_no_driver",      "ngc_driver_not_detected", "no_cuda_device",         "tf_dlopen_failed",
        "tf_gpu_skipped",       "tf_library_missing"};
    std::int64_t last_error = 0, progress = 0;
    for (const LogEvent& event : log.events) {
        if (event.signature == "training_progress") progress = event.line;
        if (event.kind == LogKind::context || event.kind == LogKind::harmless) continue;
        if (!includes(about_no_gpu, event.signature)) return false;
        last_error = event.line;
    }
    return last_error > 0 && progress > last_error;
}

Finding finding_of(const Candidate& candidate, bool is_first, const KnownOfLog& t) {
    const LogEvidence& best = *candidate.best;
    Finding finding = {.rule = best.cause,
                       .subject = "log",
                       .confidence = is_first && best.conclusive  ? Confidence::certain
                                     : best.weight >= likely_from ? Confidence::likely
                                                                  : Confidence::possible,
                       .weight = best.weight};
    for (const std::string& word : candidate.words)
        if (!word.starts_with('!')) add_evidence(finding, word, t);
    if (finding.evidence.size() < 2 && finding.rule == "harmless_line") add_first_events(finding, t.log);
    if (const LogCause* cause = find_by(t.matrix.log_causes(), &LogCause::cause, finding.rule)) {
        finding.message = cause->message;
        finding.layer = from_name<Layer>(cause->layer).value_or(Layer::host);
        finding.severity = from_name<Severity>(cause->severity).value_or(Severity::error);
        if (finding.confidence != Confidence::certain) finding.decided_by = check_for(*cause, t);
        finding.remedies = remedies_for(*cause, t);
    }
    return finding;
}

}  // namespace

std::vector<Finding> causes_in_log(const Facts& facts, const Matrix& matrix) {
    std::vector<Finding> findings;
    if (!facts.log) return findings;
    const KnownOfLog known = known_of_log(facts, matrix);
    for (const Candidate& candidate : candidates(known)) {
        const bool is_first = findings.empty();
        if (findings.size() == most_causes ||
            (!is_first && candidate.best->weight + farthest_behind < *findings.front().weight))
            break;
        findings.push_back(finding_of(candidate, is_first, known));
    }
    if (trained_without_gpu(*facts.log))
        for (Finding& finding : findings) finding.severity = Severity::note;
    return findings;
}

/// The log contains an error that no signature matches, and nothing that indicates a cause.
Verdict unknown_error_in_log(const Facts& facts, const Matrix& matrix) {
    if (!facts.log) return not_applicable("no log was specified");
    if (!facts.log->first_error_line) return pass("no line of the log is an error");
    if (!causes_in_log(facts, matrix).empty()) return not_applicable("the log indicates known causes");
    Verdict verdict = undecided("the errors in the log are unknown to rnncheck");
    verdict.findings = {{.severity = Severity::warning,
                         .subject = "log",
                         .message = "the log contains an error that is unknown to rnncheck; the first one is in line " +
                                    std::to_string(*facts.log->first_error_line),
                         .evidence = {{"first error", facts.log->first_error.value_or(""), "log.first_error"}},
                         .remedies = {remedy("unknown_error_in_log")},
                         .confidence = Confidence::possible}};
    return verdict;
}

}  // namespace rnncheck::rules
