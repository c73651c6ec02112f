#include "rules/causes/log_causes.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "rules/causes/log_remedies.hpp"

namespace rnncheck::rules {

namespace {

constexpr std::size_t most_causes = 5;
constexpr int farthest_behind = 60;
constexpr int likely_from = 70;

struct Candidate {
    const LogEvidence* best = nullptr;
    std::vector<std::string> words;
};

bool all_hold(const std::vector<std::string>& words, const LogWords& known) {
    return std::ranges::all_of(words, [&](const std::string& word) { return known.holds(word); });
}

std::vector<Candidate> candidates(const LogWords& known, const Matrix& matrix) {
    std::vector<Candidate> found;
    for (const LogEvidence& row : matrix.log_evidence()) {
        auto words = split(row.when, ' ');
        if (!all_hold(words, known)) continue;
        const auto same = std::ranges::find_if(found, [&](const Candidate& c) { return c.best->cause == row.cause; });
        if (same == found.end())
            found.push_back({&row, std::move(words)});
        else if (row.weight > same->best->weight)
            *same = {&row, std::move(words)};
    }
    std::ranges::stable_sort(found,
                             [](const Candidate& a, const Candidate& b) { return a.best->weight > b.best->weight; });
    return found;
}

std::string place_of(const LogEvent& event, bool several_files) {
    return (several_files ? event.file + ", line " : "line ") + std::to_string(event.line);
}

/// The row of that name; null when there is none.
template <class Row>
const Row* row_named(const std::vector<Row>& rows, std::string Row::*name, const std::string& wanted) {
    const auto found = std::ranges::find(rows, wanted, name);
    return found == rows.end() ? nullptr : &*found;
}

void add_evidence(Finding& finding, const std::string& word, const Log& log, const LogWords& known,
                  const Matrix& matrix) {
    for (std::size_t i = 0; i < log.events.size(); ++i) {
        const LogEvent& event = log.events[i];
        if (event.signature != word) continue;
        const LogSignature* signature = row_named(matrix.log_signatures(), &LogSignature::id, word);
        finding.evidence.push_back({signature ? signature->meaning : word,
                                    place_of(event, log.files.size() > 1) + ": " + event.text,
                                    "log.events[" + std::to_string(i) + "]"});
        return;
    }
    if (const auto feature = known.words.find(word); feature != known.words.end())
        finding.evidence.push_back({"also known", feature->second, "log"});
}

/// A cause whose only sign is a lack: the lines that are there speak for it.
void add_first_events(Finding& finding, const Log& log) {
    for (std::size_t i = 0; i < log.events.size() && finding.evidence.size() < 3; ++i)
        if (log.events[i].kind == LogKind::harmless)
            finding.evidence.push_back({"harmless line",
                                        place_of(log.events[i], log.files.size() > 1) + ": " + log.events[i].text,
                                        "log.events[" + std::to_string(i) + "]"});
}

void add_advice(Finding& finding, const LogCause& cause, const KnownOfLog& t) {
    finding.message = cause.message;
    finding.layer = from_name<Layer>(cause.layer).value_or(Layer::host);
    finding.severity = from_name<Severity>(cause.severity).value_or(Severity::error);
    if (finding.confidence != Confidence::certain) finding.decided_by = check_for(cause, t);
    finding.remedies = remedies_for(cause, t);
}

/// Lines that say no more than that a program goes on without a GPU.
bool is_about_no_gpu(const LogEvent& event) {
    static const std::set<std::string_view> signatures = {
        "cuinit_failed",        "gpu_node_absent",         "jax_no_visible_devices", "kaldi_no_devices",
        "kernel_driver_absent", "missing_cuda_library",    "missing_cudnn",          "missing_libcuda",
        "mxnet_no_driver",      "ngc_driver_not_detected", "no_cuda_device",         "tf_dlopen_failed",
        "tf_gpu_skipped",       "tf_library_missing"};
    return signatures.contains(event.signature);
}

/// The program found no GPU to use and trained all the same: nothing failed, whatever it might have run faster on.
bool trained_without_gpu(const Log& log) {
    std::int64_t last_error = 0, progress = 0;
    for (const LogEvent& event : log.events) {
        if (event.signature == "training_progress") progress = event.line;
        if (event.kind == LogKind::context || event.kind == LogKind::harmless) continue;
        if (!is_about_no_gpu(event)) return false;
        last_error = event.line;
    }
    return last_error > 0 && progress > last_error;
}

Finding finding_of(const Candidate& candidate, bool is_first, const Log& log, const LogWords& known,
                   const Matrix& matrix) {
    Finding finding;
    finding.rule = candidate.best->cause;
    finding.subject = "log";
    finding.weight = candidate.best->weight;
    finding.confidence = is_first && candidate.best->conclusive  ? Confidence::certain
                         : candidate.best->weight >= likely_from ? Confidence::likely
                                                                 : Confidence::possible;
    for (const std::string& word : candidate.words)
        if (!word.starts_with('!')) add_evidence(finding, word, log, known, matrix);
    if (finding.evidence.size() < 2 && finding.rule == "harmless_line") add_first_events(finding, log);
    if (const LogCause* cause = row_named(matrix.log_causes(), &LogCause::cause, finding.rule))
        add_advice(finding, *cause, {log, matrix, known});
    return finding;
}

}  // namespace

std::vector<Finding> causes_in_log(const Facts& facts, const Matrix& matrix) {
    std::vector<Finding> findings;
    if (!facts.log) return findings;
    const LogWords known = log_words(facts, matrix);
    for (const Candidate& candidate : candidates(known, matrix)) {
        const bool is_first = findings.empty();
        if (findings.size() == most_causes ||
            (!is_first && candidate.best->weight + farthest_behind < *findings.front().weight))
            break;
        findings.push_back(finding_of(candidate, is_first, *facts.log, known, matrix));
    }
    if (trained_without_gpu(*facts.log))
        for (Finding& finding : findings) finding.severity = Severity::note;
    return findings;
}

}  // namespace rnncheck::rules
