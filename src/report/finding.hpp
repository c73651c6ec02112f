// What rules answer. Data only: may not print, may not look anything up.
#pragma once

#include "stack/conflict.hpp"

namespace rnncheck {

RNNCHECK_ENUM(Layer, host, driver, gpu, runtime, cudnn, rnn)

/// Evidence for a cause of a log that names another cause, and why that one is excluded.
inline constexpr std::string_view what_is_ruled_out = "ruled out";
/// Of a cause that no line indicates: its texts only have these words in common with the log.
inline constexpr std::string_view what_is_in_common = "words in common";

RNNCHECK_ENUM(Risk, safe, needs_root, disruptive, destructive)

/// What a remedy does, in one word for automation, by the remedy's first step.
RNNCHECK_ENUM(
    Action,
    other,               ///< none of these, or several of equal weight
    none,                ///< nothing, unless the condition in its text holds
    investigate,         ///< find out more: logs, processes, further tests
    install_driver,      ///< install or update the NVIDIA driver
    configure_driver,    ///< kernel modules, device nodes, modes and services of the driver
    restart_node,        ///< reboot
    reset_gpu,           ///< reset the GPU, or reboot
    replace_hardware,    ///< exchange the GPU
    configure_machine,   ///< settings of the BIOS or the virtual machine
    install_package,     ///< install or remove a package, or another version of it
    reinstall_package,   ///< the same version again
    change_environment,  ///< variables, search paths, groups, the Python environment
    change_program,      ///< other features or types in the network
    free_resources,      ///< stop other programs, wait, raise a limit
    request_gpu          ///< start the container, job or virtual machine with a GPU
)

/// `text` for people, `action` and `commands` for scripts, `verify` a command that shows the cure
/// (of a rule: empty for the rule itself, evaluated again).
struct Remedy {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(Action, action, "its first step, in one word for automation") = Action::other;
    RNNCHECK_FIELD(std::string, text, "what to do") = {};
    RNNCHECK_FIELD(std::vector<std::string>, commands, "commands that do it") = {};
    RNNCHECK_FIELD(Risk, risk, "what the commands may disturb") = Risk::safe;
    RNNCHECK_FIELD(std::string, verify, "a command that shows that it helped") = {};
    RNNCHECK_FIELD(std::string, link, "documentation") = {};
    RNNCHECK_FIELD(
        std::vector<std::string>,
        checks,
        "commands that show what the text names and change nothing") = {};
    bool text_is_code = false;  ///< `text` is to be typed as it is; not printed
    std::vector<GivenValue> changes =
        {};  ///< what `matrix check` would be given afterwards instead; not printed
    RNNCHECK_FIELDS_END
};

/// What settles a question that the evidence leaves open: what a person has to look at, and what
/// each outcome would mean. Only findings that are not certain have one.
struct DecidingCheck {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(std::string, text, "what to look at, and what it means");
    RNNCHECK_FIELD(std::string, command, "a command that shows it; empty when there is none");
    bool is_needed = true;  ///< not printed; false if the log shows it already
    RNNCHECK_FIELDS_END
};

/// `message` is one sentence that begins in lower case or with a proper name, names the subject,
/// and has no full stop. `rule`, `title` and `layer` are filled in by the judge.
struct Finding {
    RNNCHECK_FIELDS
    RNNCHECK_FIELD(
        std::string, rule, "id of the rule; `rnncheck explain ID` shows its documentation") = {};
    RNNCHECK_FIELD(std::string, title, "the kind of fault, as the rule's page is headed") = {};
    RNNCHECK_FIELD(Layer, layer, "where it sits; repair from the bottom (host) up") = Layer::host;
    RNNCHECK_FIELD(Severity, severity, "how bad it is") = Severity::error;
    RNNCHECK_FIELD(std::string, subject, "what it is about: GPU 0, a file ...") = {};
    /// Not printed: of a GPU or a part of a stack, which one it is, whatever its version.
    stack::Part part = {};
    std::optional<int> gpu =
        {};  ///< the number of the GPU that it is about, if it is about one; not printed
    RNNCHECK_FIELD(std::string, message, "what is wrong, in one sentence") = {};
    /// The judge leaves out what has no value, being unknown.
    RNNCHECK_FIELD(std::vector<Evidence>, evidence, "what it rests on") = {};
    RNNCHECK_FIELD(std::vector<Remedy>, remedies, "what to do about it") = {};
    RNNCHECK_FIELD(Confidence, confidence, "how far the evidence goes") = Confidence::certain;
    /// Only where the evidence does not decide.
    RNNCHECK_FIELD(std::optional<DecidingCheck>, decided_by, "the check that would decide") = {};
    /// The message has it too.
    RNNCHECK_FIELD(
        std::optional<std::string>,
        ignored,
        "the reason for which the profile ignores it: it does not affect the verdict") = {};
    /// Only of a cause that a log points to.
    RNNCHECK_FIELD(
        std::optional<int>,
        weight,
        "how strongly the log points to it, 1 to 100, beside the other candidates") = {};
    /// For Rule::superseded_by, not printed: the places in the facts ("rnn_runs[3]") that show the
    /// fault, its subject when empty, and those that it accounts for besides.
    std::vector<std::string> symptoms = {};
    std::vector<std::string> explains = {};
    RNNCHECK_FIELDS_END
};

/// Why a rule was not evaluated: the user left it or its stage out, or without a machine it lacks
/// the machine or values.
RNNCHECK_ENUM(NotEvaluated, skipped, stage_off, needs_machine, needs_values)

/// A rule's answer. `findings` with `fault`, and with `undecided` what could not be decided;
/// `reason` always shows why in a few words. `evidence` is what a pass rests on, where that is more
/// than the reason shows. `missing` has a meaning with `undecided` only, `still_unknown` with
/// `fault` only: what is unknown beside it, empty when nothing.
struct Verdict {
    Outcome outcome = Outcome::undecided;
    std::string reason;
    std::vector<Finding> findings;
    std::vector<Evidence> evidence;
    MissingInput missing = MissingInput::facts;
    std::optional<NotEvaluated> not_evaluated = {};
    std::string still_unknown = {};
};

inline Verdict pass(std::string reason, std::vector<Evidence> evidence = {}) {
    return {Outcome::pass, std::move(reason), {}, std::move(evidence)};
}
inline Verdict not_applicable(std::string reason) {
    return {Outcome::not_applicable, std::move(reason), {}, {}};
}
inline Verdict undecided(std::string reason) {
    return {Outcome::undecided, std::move(reason), {}, {}};
}
/// A version lies outside the tables.
inline Verdict outside_the_data(std::string reason) {
    return {Outcome::undecided, std::move(reason), {}, {}, MissingInput::data};
}
/// A fault when there is any finding; else the other answer.
inline Verdict fault_or(std::vector<Finding> findings, Verdict otherwise) {
    if (findings.empty())
        return otherwise;
    std::string reason = findings.front().message;
    return {Outcome::fault, std::move(reason), std::move(findings), {}};
}
inline Verdict fault(Finding finding) {
    return fault_or({std::move(finding)}, {});
}

}  // namespace rnncheck
