// Who uses this machine and what it is called, for the redaction of reports.
#pragma once

#include "report/redact.hpp"

namespace rnncheck {

/// From the environment, /etc/passwd and the kernel. Asks no name service: that could open sockets and wait.
Identity this_machine();

}  // namespace rnncheck
