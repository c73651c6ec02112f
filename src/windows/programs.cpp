// Programs that a command line names, and the command of `rnncheck exec`: a process of its own,
// since Windows replaces none.
#include "commands/programs.hpp"

#include <windows.h>

#include <cerrno>
#include <cstdlib>

#include "base/program.hpp"
#include "base/text.hpp"
#include "commands/output.hpp"
#include "process/this_process.hpp"
#include "windows/console.hpp"
#include "windows/crash.hpp"
#include "windows/pythons.hpp"
#include "windows/system.hpp"

namespace rnncheck {

std::optional<std::string> find_in_path(const std::string& name) {
    return windows::program_named(Root(), name);
}

std::optional<std::string> program_of_command(const std::string& name) {
    const auto program = windows::program_named(Root(), name);
    if (!program)
        return std::nullopt;
    const std::string ending = lower(*program);
    if (ending.ends_with(".bat") || ending.ends_with(".cmd"))
        throw InputError(
            "'" + *program +
            "' is a batch file, which only the command interpreter runs: start it "
            "as cmd /c " +
            shell_quoted(name));
    return program;
}

std::string python_of_command(const std::string& name) {
    const auto program = windows::program_named(Root(), name);
    if (!program)
        return "";
    const auto environment =
        dll::environment_at(windows::disk_of_machine(), directory_of(*program));
    if (!environment)
        return "";
    return environment->prefix;
}

namespace {

HANDLE command = nullptr;  ///< its process, for the handler

/// The command gets each event of the console as well, and decides. Where the console is closed,
/// the system ends this process when the handler returns, so it waits.
BOOL WINAPI leave_to_command(DWORD event) {
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        WaitForSingleObject(command, INFINITE);
    return TRUE;
}

/// Ends the command, not what it started, when this process is ended: as if this process had become
/// the command.
HANDLE job_of_command() {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    const HANDLE job = CreateJobObjectW(nullptr, nullptr);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

int error_number(DWORD error) {
    constexpr DWORD needs_elevation = 740;  // ERROR_ELEVATION_REQUIRED of winerror.h
    switch (error) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND:
            return ENOENT;
        case ERROR_ACCESS_DENIED:
        case needs_elevation:
            return EACCES;
        case ERROR_BAD_EXE_FORMAT:
        case ERROR_EXE_MACHINE_TYPE_MISMATCH:
            return ENOEXEC;
        default:
            return EINVAL;
    }
}

/// What a user can do about the codes by which programs with cuDNN end most often; empty for the
/// others.
std::string advice_on(DWORD code) {
    switch (code) {
        case 0xC0000135:
        case 0xC0000139:
            return ": Windows did not find what it needs to start the program; the message of "
                   "Windows, or its event log, names the file";
        case 0xC0000409:
            return ": a library ended the program, as cuDNN does that does not find one of its own "
                   "DLLs; 'rnncheck which' shows which DLLs are found";
        case 0xC0000005:
            return ": a library used memory that is not its own, as libraries of different "
                   "versions do; 'rnncheck which' shows which are loaded, and 'rnncheck diagnose' "
                   "reads the log";
        default:
            return "";
    }
}

void explain(const std::string& name, DWORD code) {
    constexpr DWORD first = 0x80000000, last = 0xEFFFFFFF, interrupted = 0xC000013A;
    if (code >= first && code <= last && code != interrupted)
        print_message(
            "'" + name + "' ended with " + windows::exception_name(code) + advice_on(code));
}

}  // namespace

/// Ends this process with the exit code of the command.
int process::exec_command(const std::vector<std::string>& arguments) {
    const auto program = windows::program_named(Root(), arguments.front());
    if (!program)
        return ENOENT;
    windows::give_back_console();
    SetErrorMode(0);  // as programs are started from a shell
    const HANDLE job = job_of_command();
    STARTUPINFOW how{};
    how.cb = sizeof how;
    PROCESS_INFORMATION started{};
    std::wstring line = windows::command_line(arguments);
    if (!CreateProcessW(
            windows::utf16(*program).c_str(),
            line.data(),
            nullptr,
            nullptr,
            TRUE,
            CREATE_SUSPENDED,
            nullptr,
            nullptr,
            &how,
            &started))
        return error_number(GetLastError());
    command = started.hProcess;
    SetConsoleCtrlHandler(leave_to_command, TRUE);
    AssignProcessToJobObject(job, command);
    ResumeThread(started.hThread);
    WaitForSingleObject(command, INFINITE);
    DWORD code = 0;
    GetExitCodeProcess(command, &code);
    explain(arguments.front(), code);
    std::exit(static_cast<int>(code));
}

}  // namespace rnncheck
