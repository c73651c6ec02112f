// A crash of a started process: what it writes about itself before it ends,
// and what others read from it.
#pragma once

#include <windows.h>

#include <optional>
#include <string>

namespace rnncheck::windows {

/// From now on an exception that nobody handles is written to standard error,
/// with the file in whose code it was, and ends this process with its code: no
/// dialog, no debugger, no error report.
void report_crashes();

/// The file that a process wrote when it crashed, in what it has
/// written; nothing where it did not.
std::optional<std::string> fault_in(const std::string& output);

/// "0xC0000005 (access violation)"
std::string exception_name(DWORD code);

}  // namespace rnncheck::windows
