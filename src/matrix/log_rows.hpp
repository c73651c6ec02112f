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
    std::string says;  ///< one clause: what such a line means
};

/// A sign that points to a cause: all words of `when` hold. A word is the id of a signature that was seen, or a trait
/// (rules/support/log_traits.hpp), or a comparison "pytorch<=1.6"; with '!' before it, it must not hold.
struct LogPointer : Row {
    std::string cause;
    std::string when;
    int weight = 0;        ///< 1 to 100: how strongly, beside the others
    bool decides = false;  ///< nothing else is known to give this picture
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
    std::string remedy;
    std::string command;   ///< may be empty
    std::string risk;      ///< a name of Risk
    std::string harmless;  ///< when it may be left alone
};

/// The newest CUDA that official builds of a range of releases were made with, the old ones included.
struct FrameworkCuda : Row {
    std::string framework;
    Version first;
    Version last;
    Version newest_cuda;
    int cudnn_major = 0;  ///< of the cuDNN it was built with
};

}  // namespace rnncheck
