// The rows of the tables about logs: how software words what goes wrong, which cause that points to, what to do then.
#pragma once

#include "matrix/rows.hpp"

namespace rnncheck {

/// A kind of line in a log.
struct LogSignature : Row {
    std::string id;
    std::string kind;  ///< a name of LogKind
    /// RE2 syntax; a blank stands for any run of white space or none, named groups are what the line tells.
    std::string pattern;
    std::string meaning;  ///< one clause: what such a line means

    auto key() const { return id; }
    static void fields(auto& self, auto&& visit) {
        visit("id", self.id);
        visit("kind", self.kind);
        visit("pattern", self.pattern);
        visit("meaning", self.meaning);
    }
};

/// A sign that points to a cause: all words of `when` hold. A word is the id of a signature that was seen, or a trait
/// (rules/causes/log_features.hpp), or a comparison "pytorch<=1.6"; with '!' before it, it must not hold.
struct LogEvidence : Row {
    std::string cause;
    std::string when;
    int weight = 0;           ///< 1 to 100: how strongly, beside the others
    bool conclusive = false;  ///< nothing else is known to give this picture

    auto key() const { return std::tie(cause, when); }
    static void fields(auto& self, auto&& visit) {
        visit("cause", self.cause);
        visit("when", self.when);
        visit("weight", self.weight);
        visit("conclusive", self.conclusive, may_be_missing);
    }
};

/// What to tell about a cause that a log points to.
struct LogCause : Row {
    std::string cause;
    std::string layer;     ///< a name of Layer
    std::string severity;  ///< a name of Severity
    std::string title;     ///< one sentence that states the fault
    std::string message;   ///< the finding: begins in lower case or with a proper name, no full stop
    std::string means;     ///< a paragraph; "" where docs/rules/ has a page
    std::string knows;     ///< what tells it from its neighbours
    std::string check;     ///< the one check that decides
    std::string check_command;
    std::string windows_check_command;  ///< where check_command is one for Unix
    std::string remedy;
    std::string action;  ///< a name of Action
    /// May be empty. "{nvidia-cudnn}" stands for the package in the version that the log asks for,
    /// "{nvidia-cudnn>=8.9.2,<9}" for this range of it, "{plan}" for the plan of the log's GPU
    /// (rules/causes/log_remedies.hpp); " && " parts commands.
    std::string command;
    std::string windows_command;  ///< where command is one for Unix
    std::string rests_on;         ///< feature of rnn_limits or id of rnn_defects whose versions the text names
    std::string risk;             ///< a name of Risk
    std::string harmless;         ///< when it may be left alone

    auto key() const { return cause; }
    static void fields(auto& self, auto&& visit) {
        visit("cause", self.cause);
        visit("layer", self.layer);
        visit("severity", self.severity);
        visit("title", self.title);
        visit("message", self.message);
        visit("means", self.means, may_be_missing);
        visit("knows", self.knows);
        visit("check", self.check);
        visit("check_command", self.check_command, may_be_missing);
        visit("windows_check_command", self.windows_check_command, may_be_missing);
        visit("remedy", self.remedy);
        visit("action", self.action);
        visit("command", self.command, may_be_missing);
        visit("windows_command", self.windows_command, may_be_missing);
        visit("rests_on", self.rests_on, may_be_missing);
        visit("risk", self.risk, may_be_missing);
        visit("harmless", self.harmless, may_be_missing);
    }
};

}  // namespace rnncheck
