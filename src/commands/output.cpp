#include "commands/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/named_file.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "process/apart.hpp"

namespace rnncheck {

namespace {

/// 0, or the error number.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        // A pipe that somebody set to not block: wait until it takes more.
        if (written < 0 && errno == EAGAIN) {
            pollfd ready{descriptor, POLLOUT, 0};
            ::poll(&ready, 1, -1);
            continue;
        }
        if (written < 0)
            return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

/// 0, or the error number.
int write_to_path(const std::string& path, int flags, std::string_view text) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (descriptor < 0)
        return errno;
    const int error = write_all(descriptor, text);
    // Some network file systems report only here that the disk is full.
    if (::close(descriptor) != 0 && error == 0)
        return errno;
    return error;
}

/// A pipe or a device, which must not be replaced by a file.
bool is_no_regular_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
}

/// The file behind a symbolic link, so that the link survives.
std::string behind_links(const std::string& path) {
    std::error_code error;
    const std::string real = std::filesystem::canonical(path, error).string();
    if (error)
        return path;
    return real;
}

/// 0, or the error number. Beside the file: a rename works within one file system.
int write_and_rename(const std::string& path, std::string_view text) {
    // The number of the process keeps two runs with the same output apart.
    const std::string beside = path + ".new-" + std::to_string(::getpid());
    const int error = write_to_path(beside, O_EXCL, text);
    if (error == EACCES || error == EROFS)
        return write_to_path(path, O_TRUNC, text);  // the directory is closed to us
    if (error == EEXIST)
        return error;  // not ours, so it is not removed
    std::error_code renamed, removed;
    if (error == 0)
        std::filesystem::rename(beside, path, renamed);
    if (error == 0 && !renamed)
        return 0;
    std::filesystem::remove(beside, removed);
    if (error != 0)
        return error;
    return renamed.value();
}

/// Where /dev is hidden: writing to it is like writing to a reader that has gone.
void redirect_to_closed_pipe(int stream) {
    int ends[2];
    if (::pipe(ends) != 0)
        return;
    ::dup2(ends[1], stream);
    for (const int end : ends)
        if (end != stream)
            ::close(end);
}

/// "" for the error number 0.
std::string failure_of(const std::string& path, int error) {
    if (error == 0)
        return "";
    return "cannot write '" + path + "': " + std::strerror(error);
}

using Handler = void (*)(int);
Handler file_size_handler = SIG_DFL;  ///< before we ignored it
std::vector<int> missing_streams;     ///< that were closed

/// Adds the value of a variable to what is redacted, if it is set.
void add_variable(std::vector<std::string>& values, const char* name) {
    auto value = environment_variable(name);
    if (value && !value->empty())
        values.push_back(*std::move(value));
}

void add_from_passwd(Identity& identity) {
    const std::string own_id = std::to_string(getuid());
    // getpwuid() could query a name service, which opens sockets.
    for (const std::string& line : split(Root().read("/etc/passwd").value_or(""), '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() < 6 || fields[2] != own_id)
            continue;
        identity.users.push_back(fields[0]);
        identity.homes.push_back(fields[5]);
    }
}

}  // namespace

void open_missing_streams() {
    // A limit on the size of files is then an error of the write, not the end of this process.
    file_size_handler = ::signal(SIGXFSZ, SIG_IGN);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0) {
            missing_streams.push_back(stream);
            if (::open("/dev/null", O_RDWR) != stream)
                redirect_to_closed_pipe(stream);
        }
}

void give_back_process() {
    for (const int stream : missing_streams)
        ::close(stream);
    if (file_size_handler != SIG_ERR)
        ::signal(SIGXFSZ, file_size_handler);
}

static bool messages_keep_private = false;

void keep_private_in_messages(bool keep) {
    messages_keep_private = keep;
}

std::string redacted_message(std::string_view sentence) {
    if (messages_keep_private)
        return std::string(sentence);
    return redact(sentence, this_machine());
}

void write_stderr(std::string_view text) {
    ::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error of the write
    write_all(STDERR_FILENO, text);
}

void print_message(const std::string& sentence) {
    write_stderr("rnncheck: " + escaped(redacted_message(sentence)) + '\n');
}

void print_document(std::string_view text) {
    ::signal(SIGPIPE, SIG_IGN);
    const int error = write_all(STDOUT_FILENO, text);
    if (error != 0 && error != EPIPE)
        throw OutputError(
            "the report could not be written to standard output: " +
            std::string(std::strerror(error)));
}

/// What was opened before this process was started: it is written by this process, not by a fork.
static bool is_open_stream(const std::string& path) {
    return path == "/dev/stdout" || path == "/dev/stderr" || is_inherited(path);
}

/// Throws OutputError for the sentence that `write` returns, if it returns one.
static void write_apart(const std::string& path, const std::function<std::string()>& write) {
    std::string failure;
    try {
        failure = process::apart(write);
    } catch (const process::NoResponse& error) {
        failure = "cannot write '" + path + "': " + error.what();
    }
    if (!failure.empty())
        throw OutputError(failure);
}

/// Why it could not be written; empty if it was.
static std::string write_here(const std::string& path, std::string_view text) {
    if (is_no_regular_file(path))
        return failure_of(path, write_to_path(path, 0, text));
    return failure_of(path, write_and_rename(behind_links(path), text));
}

void write_file(const std::string& path, std::string_view text) {
    const auto write = [&] { return write_here(path, text); };
    if (!is_open_stream(path))
        return write_apart(path, write);
    if (const std::string failure = write(); !failure.empty())
        throw OutputError(failure);
}

/// The files that this run has read or written, and what each is to it.
static std::vector<std::pair<std::string, const char*>> files_in_use;

void protect_input(const std::string& path) {
    std::string file = path;
    if (path == "-")
        file = "/proc/self/fd/0";  // standard input may be a file: rnncheck ... <report.json
    files_in_use.emplace_back(file, "an input");
}

static std::string write_output_here(const std::string& path, std::string_view text) {
    std::error_code no_such_file;
    const auto summary = environment_variable("GITHUB_STEP_SUMMARY");
    if (summary && std::filesystem::equivalent(path, *summary, no_such_file))
        return failure_of(path, write_to_path(path, O_APPEND, text));
    if (std::filesystem::is_regular_file(path, no_such_file))
        for (const auto& [file, use] : files_in_use)
            if (std::filesystem::equivalent(path, file, no_such_file))
                return "'" + path + "' was not written: it is " + use +
                       " of this run, which would be lost; give the name of another file";
    return write_here(path, text);
}

void write_output(const std::string& path, std::string_view text) {
    if (is_open_stream(path))
        return write_file(path, text);
    write_apart(path, [&] { return write_output_here(path, text); });
    files_in_use.emplace_back(path, "another output");
}

bool was_written(const std::function<void()>& write) {
    try {
        write();
    } catch (const OutputError& error) {
        print_message(error.what());  // with --quiet as well: it decides the exit code
        return false;
    }
    return true;
}

Identity this_machine() {
    Identity identity;
    for (const char* name : {"USER", "LOGNAME", "SUDO_USER"})
        add_variable(identity.users, name);
    identity.home = environment_variable("HOME").value_or("");
    add_from_passwd(identity);
    char host[256] = {};
    if (gethostname(host, sizeof host - 1) == 0)
        identity.hosts.emplace_back(host);
    for (const char* name : {"HOSTNAME", "SLURMD_NODENAME"})
        add_variable(identity.hosts, name);
    return identity;
}

}  // namespace rnncheck
