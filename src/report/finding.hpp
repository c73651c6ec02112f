// What rules answer. Data only: may not print, may not look anything up.
#pragma once

#include "facts/common.hpp"

namespace rnncheck {

enum class Layer { host, driver, gpu, runtime, cudnn, rnn };
RNNCHECK_ENUM_NAMES(Layer, "host", "driver", "gpu", "runtime", "cudnn", "rnn")

enum class Severity { error, warning, note };
RNNCHECK_ENUM_NAMES(Severity, "error", "warning", "note")

/// How far the evidence goes: it decides, it points, it only allows.
enum class Confidence { certain, likely, possible };
RNNCHECK_ENUM_NAMES(Confidence, "certain", "likely", "possible")

enum class Risk { safe, needs_root, disruptive, destructive };
RNNCHECK_ENUM_NAMES(Risk, "safe", "needs_root", "disruptive", "destructive")

/// What a remedy does, in one word for automation, by the remedy's first step.
enum class Action {
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
    request_gpu,         ///< start the container, job or virtual machine with a GPU
};
RNNCHECK_ENUM_NAMES(Action, "other", "none", "investigate", "install_driver", "configure_driver", "restart_node",
                    "reset_gpu", "replace_hardware", "configure_machine", "install_package", "reinstall_package",
                    "change_environment", "change_program", "free_resources", "request_gpu")

/// `text` for people, `action` and `commands` for scripts, `verify` a command that shows the cure (of a rule: empty
/// for the rule itself, asked again). A rule may list commands that only look among `commands`; judge() tells them
/// apart.
struct Remedy {
    Action action = Action::other;
    std::string text = {};
    std::vector<std::string> commands = {};
    Risk risk = Risk::safe;
    std::string verify = {};
    std::string link = {};
    std::vector<std::string> checks = {};
    std::vector<GivenValue> changes = {};  ///< what `matrix check` would be told afterwards instead; not printed

    static void fields(auto& self, auto&& visit) {
        visit("action", self.action, "its first step, in one word for automation");
        visit("text", self.text, "what to do");
        visit("commands", self.commands, "commands that do it");
        visit("checks", self.checks, "commands that show what the text names and change nothing");
        visit("risk", self.risk, "what the commands may disturb");
        visit("verify", self.verify, "a command that shows that it helped");
        visit("link", self.link, "documentation");
    }
};

/// What settles a question that the evidence leaves open.
struct DecidingCheck {
    std::string text;
    std::string command;

    static void fields(auto& self, auto&& visit) {
        visit("text", self.text, "what to look at, and what it means");
        visit("command", self.command, "a command that shows it; empty when there is none");
    }
};

/// `message` is one sentence that begins in lower case or with a proper name, names the subject, and has no full
/// stop. `rule`, `title` and `layer` are filled in by the judge.
struct Finding {
    std::string rule = {};
    std::string title = {};
    Layer layer = Layer::host;
    Severity severity = Severity::error;
    std::string subject = {};
    std::string message = {};
    std::vector<Evidence> evidence = {};  ///< the judge leaves out what has no value, being unknown
    std::vector<Remedy> remedies = {};
    Confidence confidence = Confidence::certain;
    std::optional<DecidingCheck> decided_by = {};  ///< only where the evidence does not decide
    std::optional<std::string> ignored = {};       ///< the reason, which the message also contains
    std::optional<int> weight = {};                ///< only of a cause that a log points to: 1 to 100
    /// For Rule::yields_to, not printed: the places in the facts ("rnn_runs[3]") that show the fault, its subject when
    /// empty, and those that it accounts for besides.
    std::vector<std::string> symptoms = {};
    std::vector<std::string> explains = {};

    static void fields(auto& self, auto&& visit) {
        visit("rule", self.rule, "id of the rule; `rnncheck explain ID` shows its documentation");
        visit("title", self.title, "the kind of fault, as the rule's page is headed");
        visit("layer", self.layer, "where it sits; repair from the bottom (host) up");
        visit("severity", self.severity, "how bad it is");
        visit("subject", self.subject, "what it is about: GPU 0, a file ...");
        visit("message", self.message, "what is wrong, in one sentence");
        visit("evidence", self.evidence, "what it rests on");
        visit("remedies", self.remedies, "what to do about it");
        visit("confidence", self.confidence, "how far the evidence goes");
        visit("decided_by", self.decided_by, "the check that would decide");
        visit("ignored", self.ignored, "the reason for which the profile ignores it: it does not affect the verdict");
        visit("weight", self.weight, "how strongly the log points to it, 1 to 100, beside the other candidates");
    }
};

enum class Outcome { pass, fault, not_applicable, undecided };
RNNCHECK_ENUM_NAMES(Outcome, "pass", "problem", "not_applicable", "undetermined")

/// What an undecided rule lacks: facts that are unknown, rows of the tables for facts that were, or which of
/// several published builds is meant.
enum class MissingInput { facts, data, choice };

/// Why a rule was not asked: the user left it or its stage out, or without a machine it lacks the machine or values.
enum class NotAsked { left_out, stage_off, needs_machine, needs_values };
RNNCHECK_ENUM_NAMES(NotAsked, "left_out", "stage_off", "needs_machine", "needs_values")

/// A rule's answer. `findings` with `fault`, and with `undecided` what could not be decided; `reason` always says why
/// in a few words. `evidence` is what a pass rests on, where that is more than the reason tells. `missing` has a
/// meaning with `undecided` only, `still_unknown` with `fault` only: what is unknown beside it, empty when nothing.
struct Verdict {
    Outcome outcome = Outcome::undecided;
    std::string reason;
    std::vector<Finding> findings;
    std::vector<Evidence> evidence;
    MissingInput missing = MissingInput::facts;
    std::optional<NotAsked> not_asked = {};
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
/// Published builds differ, and which is meant was not told.
inline Verdict depends_on_choice(std::string reason) {
    return {Outcome::undecided, std::move(reason), {}, {}, MissingInput::choice};
}
/// A fault when there is any finding; else the other answer.
inline Verdict fault_or(std::vector<Finding> findings, Verdict otherwise) {
    if (findings.empty()) return otherwise;
    std::string reason = findings.front().message;
    return {Outcome::fault, std::move(reason), std::move(findings), {}};
}
inline Verdict fault(Finding finding) {
    return fault_or({std::move(finding)}, {});
}

}  // namespace rnncheck
