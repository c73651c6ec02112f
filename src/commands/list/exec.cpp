// Examines the machine as a program will find it, then becomes that program.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/errors.hpp"
#include "base/log.hpp"
#include "commands/command.hpp"
#include "commands/examination.hpp"
#include "commands/verdict_code.hpp"

namespace rnncheck::commands {

namespace {

/// As a shell says that a program cannot be started, or is not there.
constexpr int not_startable = 126, not_found = 127;

/// Standard output is the program's alone.
void tell(const Report& report, const DoctorOptions& options) {
    const std::string text = written(report, *options.format, options, wants_color(options.color, STDERR_FILENO));
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

/// Environment, folder, streams and process stay; so do its exit code and what signals do.
int become(const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    ::execvp(words.front(), words.data());
    const int error = errno;
    log::warn("cannot start '" + command.front() + "': " + std::strerror(error));
    return error == ENOENT ? not_found : not_startable;
}

int run(const DoctorOptions& options, const std::vector<std::string>& command) {
    if (options.verbose) log::set_level(log::Level::verbose);
    if (options.facts_file == "-" || std::count(options.logs.begin(), options.logs.end(), "-") > 0)
        throw UsageError("standard input is the program's own: give --facts and --log a file");
    const Report report = examination(options);
    const bool files = write_files(report, options);
    const Exit code = exit_code(report.verdict, options.fail_on);
    if (code != healthy || !options.quiet) tell(report, options);
    if (!files) return usage;
    if (code == healthy) return become(command);
    log::warn("'" + command.front() + "' was not started");
    return stopped;
}

std::function<int()> declare(CLI::App& app) {
    const auto command = std::make_shared<std::vector<std::string>>();
    auto read_options = declare_doctor_options(app);
    app.add_option("CMD", *command, "The program and its arguments, after --")->required();
    app.footer("The report goes to standard error. Exit code: the program's own; " + std::to_string(stopped) +
               " when the examination stopped it, 127 when it is not found, 126 when it cannot be started.");
    return [read_options, command] { return run(read_options(), *command); };
}

}  // namespace

extern const Command exec{.title = "Examine this machine, then start a program on it", .declare = declare};

}  // namespace rnncheck::commands
