// Where documents go: stdout, which carries one and nothing else, and files.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rnncheck {

/// stdout or a file could not be written.
struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Gives a closed stdin, stdout or stderr to /dev/null or, where that is hidden, to a dead pipe, before a file or pipe
/// of ours takes its number.
void open_missing_streams();

/// Makes the signals what they were before that, for another program that takes our place.
void give_back_signals();

/// To stderr; who does not listen misses it.
void print_aside(std::string_view text);

/// The one document of this run, to stdout. OutputError when it could not be written whole. A reader that has closed
/// the pipe wants no more of it: that is no error.
void print_document(std::string_view text);

/// Writes beside the file first and then renames, so that nobody ever reads half of it; a pipe or device is written
/// directly. OutputError.
void write_file(const std::string& path, std::string_view text);

/// A file that cannot be written is reported, and costs no report: false where `write` throws OutputError.
bool was_written(const std::function<void()>& write);

}  // namespace rnncheck
