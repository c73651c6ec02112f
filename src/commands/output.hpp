// Where documents go: stdout, which carries one and nothing else, and files; and whose names are
// redacted in them.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "report/redact.hpp"

namespace rnncheck {

/// stdout or a file could not be written.
struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Opens a closed stdin, stdout or stderr as /dev/null or, where that is hidden, as a dead pipe,
/// before a file or pipe of ours takes its number.
void open_missing_streams();

/// Restores signals and streams as they were before that, for another program that takes our place.
void give_back_process();

/// Whether messages keep what is private: --show-private.
void keep_private_in_messages(bool keep);

/// A sentence for stderr without what is private, unless that is kept.
std::string redacted_message(std::string_view sentence);

/// To stderr; a failure to write is ignored.
void write_stderr(std::string_view text);

/// "rnncheck: SENTENCE" to stderr.
void print_message(const std::string& sentence);

/// The one document of this run, to stdout. OutputError when it could not be written whole. A
/// reader that has closed the pipe wants no more of it: that is no error.
void print_document(std::string_view text);

/// Writes beside the file first and then renames, so that nobody ever reads half of it; a pipe or
/// device is written directly. OutputError.
void write_file(const std::string& path, std::string_view text);

/// No output may replace this file ("-" is standard input): it is read.
void protect_input(const std::string& path);

/// The same for a report: it replaces neither an input nor another output of this run, under
/// whatever name; and it is appended to the summary of a step that GitHub shows
/// ($GITHUB_STEP_SUMMARY), which the step's other commands write as well.
void write_output(const std::string& path, std::string_view text);

/// A file that cannot be written is reported, and costs no report: false where `write` throws
/// OutputError.
bool was_written(const std::function<void()>& write);

/// From the environment, /etc/passwd and the kernel. Uses no name service: that could open sockets
/// and wait.
Identity this_machine();

}  // namespace rnncheck
