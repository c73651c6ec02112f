// Makes a report fit to be shown to others: who uses the machine, its name, and the serial numbers and UUIDs of its
// parts become words like USER1, HOST1, GPU-UUID-1, the same word for the same thing in the whole report.
#pragma once

#include <string>
#include <vector>

#include "report/documents.hpp"
#include "report/report.hpp"

namespace rnncheck {

/// What gives away this machine and its user, beside what the texts themselves show.
struct Identity {
    std::vector<std::string> users;
    std::vector<std::string> homes;  ///< home directories, wherever they are
    std::vector<std::string> hosts;
};

/// Every text of the report, map keys and evidence included, but the ids of rules and probes and the tool's own stamp.
/// Known without help: /home/NAME, /Users/NAME, C:\Users\NAME, /root, GPU-..., MIG-... and bare UUIDs, what follows
/// "serial number", and the variables HOME, USER, LOGNAME, SUDO_USER and HOSTNAME of the recorded environment.
/// Words of an already redacted report stay as they are.
Report redact(Report report, const Identity& identity);

WhichDocument redact(WhichDocument document, const Identity& identity);

/// One text alone, for a message without a report.
std::string redact(std::string_view text, const Identity& identity);

}  // namespace rnncheck
