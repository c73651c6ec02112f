// Makes a report safe to share: who uses the machine, its name, and the serial numbers and UUIDs of
// its parts become words like USER1, HOST1, GPU-UUID-1, the same word for the same thing in the
// whole report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/documents.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// What identifies this machine and its user, in addition to what the texts themselves show.
struct Identity {
    std::vector<std::string> users;
    std::vector<std::string> homes;  ///< other home directories, wherever they are
    std::vector<std::string> hosts;
    std::string home =
        {};  ///< of the user whose shell reads the report: written "~", which shows nothing
};

/// Every text of a document, map keys and evidence included, but the ids of rules and probes and
/// the tool's own stamp. Known without help: the patterns of redact.cpp, and the variables HOME,
/// USER, LOGNAME, SUDO_USER and HOSTNAME of the recorded environment. Words of an already redacted
/// report stay as they are. A report shows what was hidden. The facts have no "~", because no path
/// in them may depend on who reads it; in commands it is what a shell expands.
template <Fielded Document>
Document redact(Document document, const Identity& identity);

/// "/home/USER7/lib" as "/home/USER/lib": each report has numbers of its own.
std::string without_numbers(std::string_view text);

/// One text alone, for a message without a report.
std::string redact(std::string_view text, const Identity& identity);

}  // namespace rnncheck
