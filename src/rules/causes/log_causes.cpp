#include "rules/causes/log_causes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/causes/log_evidence.hpp"
#include "rules/causes/log_resemblance.hpp"
#include "rules/rule.hpp"
#include "rules/support/versions.hpp"
#include "stack/conflicts.hpp"

namespace rnncheck::rules {

namespace {

constexpr std::size_t most_causes = 5;
/// As many causes are named where words in common are compared.
constexpr std::size_t most_with_resembling = 3;

/// Why the system, as the log or the user specifies it, has no such cause; "" where it may have it.
std::string excluded_by_system(const LogCause& cause, const LogContext& log) {
    const bool windows = log.has("os_windows"),
               other = log.has("os_linux") || log.has("os_wsl") || log.has("os_macos");
    if (cause.occurs_on == "windows" && other && !windows)
        return "it occurs on Windows only";
    if (cause.occurs_on == "linux" && windows && !other)
        return "it occurs on Linux only";
    return "";
}

/// Why the versions exclude a cause that the log only points to, in the words of the engine that
/// decides versions; "" where they do not. What is installed may be another than what is loaded, so
/// that only causes count that follow from versions alone.
std::string excluded_by_versions(
    const IndicatedCause& indicated, const stack::Stack& installed, const LogContext& log) {
    using enum stack::ConflictKind;
    constexpr stack::ConflictKind by_versions[] = {
        cudnn_masked_rnn_bug,
        cudnn_newer_than_framework_supports,
        cudnn_runtime_older_than_built,
        cudnn_varlen_rnn_bug,
        driver_too_old,
        gpu_arch_not_in_build,
        gpu_too_old,
        tf_no_native_windows_gpu};
    if (!log.has("log_alone"))
        return "";  // the rules evaluate the machine
    const auto kind = from_name<stack::ConflictKind>(indicated.cause);
    if (!kind || !includes(by_versions, *kind) || indicated.strength != Confidence::possible)
        return "";
    const stack::Judgement judgement = stack::judgement(*kind, installed, log.matrix);
    return judgement.outcome == Outcome::pass ? judgement.reason : "";
}

Evidence evidence_of_line(const LogEvent& event, const std::string& what, const Log& log) {
    const std::string file = log.files.size() > 1 ? event.file + ", " : "";
    return {
        what,
        file + "line " + std::to_string(event.line) + ": " + event.text,
        "log.events[" + std::to_string(&event - log.events.data()) + "]"};
}

void add_evidence(Finding& finding, const std::string& word, const LogContext& log) {
    if (const LogEvent* event = log.first_event(word)) {
        const LogSignature* signature =
            find_by(log.matrix.log_signatures(), &LogSignature::id, event->signature);
        finding.evidence.push_back(
            evidence_of_line(*event, signature ? signature->meaning : word, log.parsed));
    } else if (const std::string* why = look_up(log.words, word)) {
        finding.evidence.push_back({"also known", *why, "log"});
    }
}

/// "The NVIDIA driver is too old, because CUDA 12.8 needs driver 525.60.13, installed is 565.77".
Evidence ruled_out_because(const LogCause& cause, const std::string& why) {
    return {std::string(what_is_ruled_out), concat(cause.title, ", because ", why), "log"};
}

/// What rows of log_evidence rule out, each with the reason.
std::vector<Evidence> ruled_out_by_lines(const Indications& indicated, const LogContext& log) {
    std::vector<Evidence> all;
    for (const auto& [name, word] : indicated.ruled_out) {
        const LogCause* cause = find_by(log.matrix.log_causes(), &LogCause::cause, name);
        const std::string* why = look_up(log.words, word);
        if (cause)
            all.push_back(
                ruled_out_because(*cause, why && !why->empty() ? *why : "the log shows it"));
    }
    return all;
}

/// A cause whose only sign is a lack: the lines that are there speak for it.
void add_first_events(Finding& finding, const Log& log) {
    for (const LogEvent& event : log.events)
        if (event.kind == LogKind::harmless && finding.evidence.size() < 3)
            finding.evidence.push_back(evidence_of_line(event, "harmless line", log));
}

bool has_symptom(const LogEvent& event, std::string_view symptom, const Matrix& matrix) {
    const LogSignature* signature =
        find_by(matrix.log_signatures(), &LogSignature::id, event.signature);
    return signature && includes(split(signature->symptoms, ' '), symptom);
}

bool is_harmless(const LogEvent& event) {
    return event.kind == LogKind::context || event.kind == LogKind::harmless;
}

/// The program found no GPU to use and trained all the same: nothing failed, whatever it might have
/// run faster on.
bool trained_without_gpu(const Log& log, const Matrix& matrix) {
    std::int64_t last_error = 0, progress = 0;
    for (const LogEvent& event : log.events) {
        if (event.signature == "training_progress")
            progress = event.line;
        if (is_harmless(event))
            continue;
        if (!has_symptom(event, "goes_on_without_gpu", matrix))
            return false;
        last_error = event.line;
    }
    return last_error > 0 && progress > last_error;
}

/// For readers of the JSON document: each cause weighs less than the one before it, and none more
/// than its strength.
int weight_of(Confidence strength, std::size_t index) {
    constexpr int certain = 98, likely = 90, possible = 60;
    const int steps = 2 * static_cast<int>(index);
    if (strength == Confidence::certain)
        return certain;
    return (strength == Confidence::likely ? likely : possible) - steps;
}

/// Only the first cause can be certain: two that exclude all others contradict each other.
Finding finding_of(const IndicatedCause& indicated, std::size_t index, const LogContext& log) {
    const bool is_certain = indicated.strength == Confidence::certain && index == 0;
    const bool is_possible = indicated.strength == Confidence::possible;
    Finding finding = {.rule = indicated.cause, .subject = "log", .confidence = Confidence::likely};
    if (is_certain)
        finding.confidence = Confidence::certain;
    if (is_possible)
        finding.confidence = Confidence::possible;
    finding.weight = weight_of(finding.confidence, index);
    for (const std::string& word : indicated.words)
        if (!word.starts_with('!'))
            add_evidence(finding, word, log);
    if (finding.evidence.size() < 2 && finding.rule == "harmless_line")
        add_first_events(finding, log.parsed);
    if (const LogCause* cause = find_by(log.matrix.log_causes(), &LogCause::cause, finding.rule)) {
        finding.message = cause->message;
        finding.layer = from_name<Layer>(cause->layer).value_or(Layer::host);
        finding.severity = from_name<Severity>(cause->severity).value_or(Severity::error);
        if (finding.confidence != Confidence::certain)
            finding.decided_by = check_for(*cause, log);
        finding.remedies = remedies_for(*cause, log);
    }
    return finding;
}

/// What the exit codes of shells, Python and Windows mean, as in the manual signal(7) and
/// Microsoft's list of NTSTATUS.
std::string_view meaning_of_exit_code(std::string_view code) {
    struct Row {
        std::string_view codes, meaning;
    };
    constexpr Row rows[] = {
        {" 139 -11 ", "a segmentation fault"},
        {" 134 -6 ", "the process aborted itself"},
        {" 137 -9 ", "the process was killed by signal 9, often because main memory was exhausted"},
        {" 135 -7 ", "a bus error, often because /dev/shm is full"},
        {" 132 -4 ", "an instruction that this CPU does not have"},
        {" 136 -8 ", "an arithmetic exception"},
        {" 143 -15 ", "the process was terminated by signal 15"},
        {" c0000005 -1073741819 3221225477 ", "an access violation"},
        {" c0000006 -1073741818 3221225478 ", "a file could not be read while it was in use"},
        {" c000001d -1073741795 3221225501 ", "an instruction that this CPU does not have"},
        {" c0000094 -1073741676 3221225620 ", "a division by zero"},
        {" c00000fd -1073741571 3221225725 ", "a stack overflow"},
        {" c0000135 -1073741515 3221225781 ", "a DLL was not found"},
        {" c0000139 -1073741511 3221225785 ", "a DLL lacks a function that another one needs"},
        {" c000007b -1073741701 3221225595 ", "a DLL is damaged or for 32 bits"},
        {" c0000374 -1073740940 3221226356 ", "the heap was damaged"},
        {" c0000409 -1073740791 3221226505 ",
         "the process aborted itself, as cuDNN does on Windows when one of its DLLs is missing"}};
    std::string word = lower(code);
    if (word.starts_with("0x"))
        word.erase(0, 2);
    word = ' ' + word + ' ';
    for (const Row& row : rows)
        if (contains(row.codes, word))
            return row.meaning;
    return "";
}

/// ": exit code 139 (a segmentation fault)", of the first code in the log that has a meaning.
std::string exit_code_in_words(const Log& log) {
    for (const LogEvent& event : log.events)
        for (const LogField& field : event.captures)
            if (field.name == "code")
                if (const auto meaning = meaning_of_exit_code(field.value); !meaning.empty())
                    return concat(": exit code ", field.value, " (", meaning, ')');
    return "";
}

/// Every line that is an error only shows that a process ended.
bool shows_only_an_end(const Log& log, const Matrix& matrix) {
    return std::ranges::all_of(log.events, [&](const LogEvent& event) {
        return is_harmless(event) || has_symptom(event, "process_ended", matrix);
    });
}

/// Losses, progress bars or results, and no word for an abnormal end.
bool went_on(const Log& log, const Matrix& matrix) {
    const auto is_sign = [&](const LogEvent& event) {
        return has_symptom(event, "went_on", matrix);
    };
    return std::ranges::any_of(log.events, is_sign) &&
           !find_by(log.events, &LogEvent::signature, "crash_word");
}

/// A process ended, or there is an error and no sign that the program went on: harmless lines
/// beside it do not explain that.
bool has_unexplained_end(const Log& log, const Matrix& matrix) {
    const auto is_end = [&](const LogEvent& event) {
        return has_symptom(event, "process_ended", matrix);
    };
    if (std::ranges::any_of(log.events, is_end))
        return true;
    return !std::ranges::all_of(log.events, is_harmless) && !went_on(log, matrix);
}

/// Whether an error matches no signature. A crash does not count: its words name no reason. Nor
/// does an error after which the program went on.
bool has_unknown_error(const Log& log, const Matrix& matrix) {
    return find_by(log.events, &LogEvent::kind, LogKind::unknown) &&
           !find_by(log.events, &LogEvent::signature, "crash_word") &&
           !shows_only_an_end(log, matrix) && !went_on(log, matrix);
}

/// Why the system or the versions exclude the cause; "" where it is possible.
std::string reason_against(
    const IndicatedCause& indicated,
    const LogCause& cause,
    const stack::Stack& installed,
    const LogContext& log) {
    const std::string by_system = excluded_by_system(cause, log);
    return by_system.empty() ? excluded_by_versions(indicated, installed, log) : by_system;
}

/// The line whose words were compared first: the first error, else the first complaint.
Evidence compared_line(const Log& log) {
    if (log.first_error)
        return {"first error", *log.first_error, "log.first_error"};
    const LogEvent* line = find_by(log.events, &LogEvent::signature, "complaint");
    return line ? evidence_of_line(*line, "complaint", log) : Evidence{"first error", "", "log"};
}

/// The check comes before the fix: common words alone do not show that it is this cause.
Finding finding_of_resemblance(const Resemblance& alike, std::size_t index, const LogContext& log) {
    Finding finding = finding_of({alike.cause, Confidence::possible, {}}, index, log);
    constexpr int least_weight = 40;
    finding.weight = least_weight - 2 * static_cast<int>(index);
    finding.severity = Severity::warning;
    finding.evidence = {
        compared_line(log.parsed),
        {std::string(what_is_in_common),
         concat(
             "no known line; only these words also occur in the messages or "
             "the description of this cause: ",
             join(alike.words, ", ")),
         "log"}};
    if (!finding.decided_by)
        return finding;
    Remedy check{.action = Action::investigate, .text = finding.decided_by->text};
    if (!finding.decided_by->command.empty())
        check.commands = {finding.decided_by->command};
    finding.remedies.insert(finding.remedies.begin(), std::move(check));
    return finding;
}

/// Adds possible causes by words in common, up to three causes in all. They are no verdict.
void add_resembling(
    std::vector<Finding>& findings,
    const Indications& indicated,
    const stack::Stack& installed,
    const LogContext& log) {
    for (const Resemblance& alike : resembling_causes(log.parsed, log.matrix)) {
        if (findings.size() >= most_with_resembling)
            return;
        const LogCause* cause = find_by(log.matrix.log_causes(), &LogCause::cause, alike.cause);
        const IndicatedCause one{alike.cause, Confidence::possible, {}};
        const bool is_named = find_by(findings, &Finding::rule, alike.cause);
        if (cause && !is_named && alike.cause != "harmless_line" &&
            !indicated.ruled_out.contains(alike.cause) &&
            reason_against(one, *cause, installed, log).empty())
            findings.push_back(finding_of_resemblance(alike, findings.size(), log));
    }
}

/// Those that lines, or words of the user, indicate.
std::vector<Finding> indicated_causes(
    const Indications& indicated, const stack::Stack& installed, const LogContext& known) {
    const Matrix& matrix = known.matrix;
    std::vector<Finding> findings;
    std::vector<Evidence> excluded = ruled_out_by_lines(indicated, known);
    for (const IndicatedCause& one : indicated.causes) {
        if (findings.size() == most_causes)
            break;
        if (indicated.ruled_out.contains(one.cause))
            continue;
        const bool is_harmless_line = one.cause == "harmless_line";
        const bool explains_nothing =
            one.strength == Confidence::possible && has_unexplained_end(known.parsed, matrix);
        if (is_harmless_line && (!findings.empty() || explains_nothing))
            continue;  // no cause beside another one, nor of a crash
        const LogCause* cause = find_by(matrix.log_causes(), &LogCause::cause, one.cause);
        const std::string why = cause ? reason_against(one, *cause, installed, known) : "";
        if (why.empty())
            findings.push_back(finding_of(one, findings.size(), known));
        else
            excluded.push_back(ruled_out_because(*cause, why));
    }
    if (!findings.empty())
        append(findings.front().evidence, std::move(excluded));
    const bool is_no_fault = trained_without_gpu(known.parsed, matrix);
    for (Finding& finding : findings) {
        if (is_no_fault)
            finding.severity = Severity::note;
        if (finding.rule != "layer_without_cudnn")
            continue;
        const LogEvent* line = known.first_event("layer_without_cudnn");
        if (line && line->count > 1)
            finding.message += concat("; ", line->count, " lines of the log are about such layers");
        if (known.has("keras_use_cudnn_rejected"))
            finding.severity = Severity::error;
        else if (went_on(known.parsed, matrix))
            finding.severity = Severity::note;
    }
    return findings;
}

/// No line is an error, but some complain, and none shows that the program went on.
bool only_complains(const Log& log, const Matrix& matrix) {
    return !log.first_error_line && !went_on(log, matrix) &&
           find_by(log.events, &LogEvent::signature, "complaint");
}

/// The first cause is neither certain nor none, and the log goes on no further.
bool leaves_causes_open(
    const std::vector<Finding>& findings, const Log& log, const Matrix& matrix) {
    return findings.front().confidence != Confidence::certain &&
           findings.front().rule != "harmless_line" &&
           findings.front().severity != Severity::note && !went_on(log, matrix);
}

struct CausesOfLog {
    std::vector<Finding> findings;
    bool by_words_alone = false;  ///< no line indicates one
};

CausesOfLog causes_of(const Facts& facts, const Matrix& matrix) {
    if (!facts.log)
        return {};
    const LogContext known = log_context(facts, matrix);
    const Indications indicated = indications(known);
    const stack::Stack installed = as_installed(known.hints.stack, matrix);
    CausesOfLog all{indicated_causes(indicated, installed, known)};
    if (!known.has("log_alone"))
        return all;
    const Log& log = known.parsed;
    const bool is_open = all.findings.empty()
                             ? has_unknown_error(log, matrix) || only_complains(log, matrix)
                             : leaves_causes_open(all.findings, log, matrix);
    all.by_words_alone = all.findings.empty();
    if (is_open)
        add_resembling(all.findings, indicated, installed, known);
    return all;
}

}  // namespace

std::vector<Finding> causes_in_log(const Facts& facts, const Matrix& matrix) {
    return causes_of(facts, matrix).findings;
}

/// The log contains an error that no signature matches, and nothing that indicates a cause.
Verdict unknown_error_in_log(const Facts& facts, const Matrix& matrix) {
    if (!facts.log)
        return not_applicable("no log was specified");
    const Log& log = *facts.log;
    if (!log.first_error_line)
        return pass("no line of the log is an error");
    const CausesOfLog causes = causes_of(facts, matrix);
    if (!causes.findings.empty() && !causes.by_words_alone)
        return not_applicable("the log indicates known causes");
    if (!causes.findings.empty())
        return undecided("the error is unknown to rnncheck; only its words are those of others");
    const bool is_crash = shows_only_an_end(log, matrix);
    Verdict verdict = undecided("the errors in the log are unknown to rnncheck");
    verdict.findings = {
        {.severity = Severity::warning,
         .subject = "log",
         .message = is_crash ? "the log shows only that the process ended" + exit_code_in_words(log)
                             : "the log contains an error that is unknown to rnncheck; the first "
                               "one is in line " +
                                   std::to_string(*log.first_error_line),
         .evidence = {{"first error", log.first_error.value_or(""), "log.first_error"}},
         .remedies = {remedy(is_crash ? "unknown_error_in_log/crash" : "unknown_error_in_log")},
         .confidence = Confidence::possible}};
    return verdict;
}

/// Without an error, only a line that shows that the program computed something is evidence that
/// nothing failed.
Verdict program_end_not_in_log(const Facts& facts, const Matrix& matrix) {
    if (!facts.log || !is_log_only(facts))
        return not_applicable("only a log by itself is evaluated");
    const Log& log = *facts.log;
    if (log.lines == 0)
        return not_applicable("the log is empty");
    if (log.first_error_line)
        return not_applicable("the log contains an error");
    const auto fails = [](const Finding& cause) { return cause.severity != Severity::note; };
    const CausesOfLog causes = causes_of(facts, matrix);
    const bool is_named = std::ranges::any_of(causes.findings, fails);
    if (is_named && causes.by_words_alone)
        return undecided("no line is a known error; only its words are those of others");
    if (is_named)
        return not_applicable("the log indicates a cause");
    std::vector<std::string> not_text;
    for (const LogEvent& event : log.events)
        if (event.signature == "not_text")
            not_text.push_back(event.text);
    const bool is_text = not_text.empty();
    if (is_text && went_on(log, matrix))
        return pass("the log shows that the program went on");
    Verdict verdict = undecided("no line shows that the program went on or ended well");
    verdict.findings = {
        {.severity = Severity::note,
         .subject = "log",
         .message = is_text
                        ? "no line is a known error, and no line shows that the program went on or "
                          "ended well"
                        : join_with_and(not_text) + ", and no log",
         .remedies = {remedy(
             is_text ? "program_end_not_in_log" : "program_end_not_in_log/not_text")},
         .confidence = Confidence::possible}};
    return verdict;
}

}  // namespace rnncheck::rules
