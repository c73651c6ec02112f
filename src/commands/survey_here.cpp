#include "commands/survey_here.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "commands/common_options.hpp"
#include "process/apart.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

/// Empty where files can be created.
static std::string why_no_temporary_files() {
    const auto try_access = []() -> std::string {
        if (access(process::temporary_directory().c_str(), W_OK | X_OK) == 0)
            return "";
        return std::strerror(errno);
    };
    try {
        return process::apart(try_access);
    } catch (const process::NoResponse&) {
        return "its file system does not respond";
    }
}

/// What this process may not do, so that a report does not take what it could not see for absent.
static std::vector<std::string> restrictions_of(const Facts& facts) {
    std::vector<std::string> sentences;
    const auto not_started =
        std::ranges::count(facts.probe_runs, ProbeEnd::not_started, &ProbeRun::end);
    if (const ProbeRun* const first =
            find_by(facts.probe_runs, &ProbeRun::end, ProbeEnd::not_started))
        sentences.push_back(
            "the processes of " + pluralized(not_started, "probe", "probes") +
            " could not be started (" + first->reason.value_or("no reason given") +
            "), so what they look at was not examined");
    // Until it can, a report on Windows must not look complete.
    if (on_windows(facts))
        sentences.emplace_back(
            "on Windows it cannot decide every check yet, so the report names those that are open");
    for (const std::string& directory : facts.host.hidden_directories)
        sentences.push_back(without_directory(directory));
    if (const std::string why = why_no_temporary_files(); !why.empty())
        sentences.push_back(without_temporary_files(why));
    return sentences;
}

Progress::Progress(bool wanted) : wanted_(wanted && is_capable_terminal(STDERR_FILENO)) {
}

Progress::~Progress() {
    if (!last_.empty())
        std::fputs("\r\x1b[K", stderr);
}

void Progress::show(std::string_view text) {
    constexpr std::size_t narrow_terminal = 70;
    // A line that disappears at once would only flicker.
    if (!wanted_ || text == last_ ||
        std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1))
        return;
    last_ = text;
    std::fprintf(stderr, "\r\x1b[K%s", escaped(text, narrow_terminal).c_str());
}

Facts surveyed(SurveyOptions how, bool quiet) {
    Progress progress(!quiet);
    how.progress = [&progress](std::string_view text) { progress.show(text); };
    return survey(how);
}

Facts surveyed_with_restrictions(const SurveyOptions& how, bool quiet) {
    Facts facts = surveyed(how, quiet);
    facts.tool.restrictions = restrictions_of(facts);
    return facts;
}

/// Containers often have root and no sudo.
static void drop_sudo(std::vector<std::string>& commands) {
    constexpr std::string_view sudo = "sudo ";
    for (std::string& command : commands)
        if (command.starts_with(sudo))
            command.erase(0, sudo.size());
}

void fit_commands_to_user(Report& report) {
    // Another user may have sudo: the commands are shown as they are.
    if (geteuid() != 0)
        return;
    for (Finding& finding : report.findings) {
        for (Remedy& remedy : finding.remedies) {
            drop_sudo(remedy.commands);
            drop_sudo(remedy.checks);
        }
    }
}

std::string without_directory(const std::string& directory) {
    const std::string hidden = directory + " is empty or closed to this process";
    if (directory == "/proc")
        return hidden +
               ", so the version of the driver's kernel module cannot be read, nor what a hanging "
               "process does";
    if (directory == "/sys")
        return hidden + ", so the PCI bus and the loaded kernel modules cannot be read";
    return hidden + ", so the driver's device nodes cannot be listed";
}

std::string without_temporary_files(const std::string& reason) {
    return "no file can be created in " + process::temporary_directory() + " (" + reason +
           "), so kernels that must be compiled for a GPU are compiled again in every process, "
           "which takes longer";
}

}  // namespace rnncheck
