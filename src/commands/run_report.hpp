// What `rnncheck run` prints about a command that has ended.
#pragma once

#include "commands/command_end.hpp"
#include "commands/doctor_options.hpp"

namespace rnncheck {

/// Why a command failed: from its output, how it ended, the libraries that it loaded, and this
/// machine. To standard error, because standard output is the command's, and to the files of
/// --output. With replay, a recurrent network that failed according to the output is run on cuDNN
/// alone.
void explain_failure(
    const process::CommandEnd& end,
    CommandObserver& observer,
    const DoctorOptions& options,
    bool with_replay);

/// One line about a command that did not fail but did not do what was expected of it; nothing
/// usually.
void remark_on_success(
    const process::CommandEnd& end, const CommandObserver& observer, const DoctorOptions& options);

}  // namespace rnncheck
