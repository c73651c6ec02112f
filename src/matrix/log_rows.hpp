// Logs: how software words what fails, which cause that points to, what to do then.
#pragma once

#include "matrix/row.hpp"

namespace rnncheck {

/// A kind of line in a log.
struct LogSignature : Row {
    std::string id;
    std::string kind;  ///< a name of LogKind
    /// RE2 syntax; a blank matches any run of white space or none, named groups become the event's
    /// fields.
    std::string pattern;
    std::string meaning;  ///< one clause: what such a line means
    /// Classes of messages that it belongs to, for LogEvidence. The id of a cause among them: the
    /// line indicates this cause, which is likely then.
    std::string symptoms;
    /// Signatures and symptoms that follow from what this line reports and indicate nothing beside
    /// it.
    std::string supersedes;

    auto key() const {
        return id;
    }
    RNNCHECK_COLUMNS(id, kind, pattern, meaning, symptoms, supersedes)
    static constexpr std::string_view may_be_missing[] = {"symptoms", "supersedes"};
};

/// What a symptom indicates where all words of `when` hold. A symptom is the id of a signature that
/// was seen, one of its symptoms, or a feature (rules/causes/log_causes.hpp); a word of `when` is
/// one of these or a comparison "pytorch<=1.6", with '!' before it: it must not hold. The causes of
/// each column are in the order of their likelihood, as are the rows of a symptom.
struct LogEvidence : Row {
    std::string symptom;
    std::string when;
    std::string certain;  ///< causes: nothing else is known to produce this
    std::string likely, possible;
    std::string rules_out;  ///< causes that it excludes; the last word of `when` is the reason

    auto key() const {
        return symptom;
    }
    static constexpr bool order_is_meant = true;  ///< of rows with the same key
    RNNCHECK_COLUMNS(symptom, when, certain, likely, possible, rules_out)
    static constexpr std::string_view may_be_missing[] = {
        "when", "certain", "likely", "possible", "rules_out"};
};

/// What to report about a cause that a log indicates.
struct LogCause : Row {
    std::string cause;
    std::string layer;     ///< a name of Layer
    std::string severity;  ///< a name of Severity
    std::string title;     ///< one sentence that states the fault
    std::string message;  ///< the finding: begins in lower case or with a proper name, no full stop
    std::string means;    ///< a paragraph; "" where docs/rules/ has a page
    std::string knows;    ///< what distinguishes it from similar causes
    std::string check;    ///< the one check that decides
    bool needs_no_check = false;  ///< the log shows what `check` would
    std::string check_command;
    std::string windows_check_command;  ///< where check_command is one for Unix
    /// "{search_path}" means the variable with the directories that the loader searches:
    /// LD_LIBRARY_PATH, PATH.
    std::string remedy;
    std::string action;  ///< a name of Action
    /// May be empty. "{nvidia-cudnn}" means the package in the version that the log requests,
    /// "{nvidia-cudnn>=8.9.2,<9}" for this range of it, "{plan}" for the plan of the log's GPU
    /// (rules/causes/log_packages.cpp); " && " parts commands.
    std::string command;
    std::string windows_command;  ///< where command is one for Unix
    std::string
        rests_on;  ///< feature of rnn_limits or id of rnn_defects whose versions the text names
    std::string occurs_on;  ///< "windows" or "linux" for what no other system can have
    std::string risk;       ///< a name of Risk
    std::string harmless;   ///< when it may be left alone

    auto key() const {
        return cause;
    }
    RNNCHECK_COLUMNS(
        cause,
        layer,
        severity,
        title,
        message,
        means,
        knows,
        check,
        needs_no_check,
        check_command,
        windows_check_command,
        remedy,
        action,
        command,
        windows_command,
        rests_on,
        occurs_on,
        risk,
        harmless)
    static constexpr std::string_view may_be_missing[] = {
        "means",
        "needs_no_check",
        "check_command",
        "windows_check_command",
        "command",
        "windows_command",
        "rests_on",
        "occurs_on",
        "risk",
        "harmless"};
};

/// What to do about causes where a line of the log names the failure more exactly: text and
/// command instead of those of LogCause. Of several rows of a cause whose conditions hold, the
/// first counts.
struct LogRemedy : Row {
    std::string causes;           ///< parted by spaces: "cudnn_not_installed gpu_too_old"
    std::string when;             ///< conditions, as LogEvidence::when; never empty
    std::string remedy;           ///< as LogCause::remedy
    std::string command;          ///< without placeholders; may be empty
    std::string windows_command;  ///< where command is one for Unix

    auto key() const {
        return causes;
    }
    static constexpr bool order_is_meant = true;  ///< of rows with the same key
    RNNCHECK_COLUMNS(causes, when, remedy, command, windows_command)
    static constexpr std::string_view may_be_missing[] = {"command", "windows_command"};
};

}  // namespace rnncheck
