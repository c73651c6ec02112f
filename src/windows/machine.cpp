// In place of what examines a machine, which cannot be done from Windows yet; and a process that reads a model.
#include <process.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <future>

#include "base/files.hpp"
#include "base/program.hpp"
#include "commands/command.hpp"
#include "commands/lstm.hpp"
#include "files/python/environments.hpp"
#include "process/apart.hpp"
#include "process/probe.hpp"
#include "process/survey.hpp"
#include "process/this_process.hpp"

namespace rnncheck {

namespace {

[[noreturn]] void reject_this_machine() {
    throw UsageError(
        "this machine cannot be examined from Windows yet; run rnncheck for Linux in WSL2, or 'rnncheck diagnose LOG' "
        "on a log of the program that failed");
}

std::function<int()> declare_rejected(CLI::App& app) {
    app.description("Not on Windows yet; rnncheck for Linux has it, also in WSL2");
    app.allow_extras();
    return []() -> int { reject_this_machine(); };
}

}  // namespace

namespace commands {

namespace exec {
extern const Command command{declare_rejected};
}
namespace lstm {
extern const Command command{declare_rejected};
}
namespace probe {
extern const Command command{declare_rejected};
}
namespace run {
extern const Command command{declare_rejected};
}
namespace selftest {
extern const Command command{declare_rejected};
}
namespace which {
extern const Command command{declare_rejected};
}

}  // namespace commands

std::span<const Named<Probe>> all_probes() {
    return {};
}

Deadline deadline_after(const std::optional<double>&) {
    return std::nullopt;
}

Facts survey(const SurveyOptions&) {
    reject_this_machine();
}

std::vector<FitSearch> find_fits(const Facts&, const SurveyOptions&, bool) {
    reject_this_machine();
}

namespace python {

Variables variables_of_process() {
    return {};
}

std::string path_of_python(const Root&, const Variables&, const std::string&) {
    reject_this_machine();
}

}  // namespace python

namespace process {

namespace {

/// As the C library of the started program splits them.
std::string quoted(const std::string& argument) {
    const auto slashes = argument.size() - std::min(argument.size(), argument.find_last_not_of('\\') + 1);
    return '"' + argument + std::string(slashes, '\\') + '"';
}

std::string read_to_end(int from) {
    std::string text, block(1 << 16, '\0');
    while (const auto got = ::read(from, block.data(), 1 << 16)) {
        if (got < 0) break;
        text.append(block, 0, static_cast<std::size_t>(got));
    }
    ::close(from);
    return text;
}

}  // namespace

std::string apart(const std::function<std::string()>& work) {
    return work();
}

void require_response(const std::string&) {}

void end_work_apart_at(Deadline) {}

std::string temporary_directory() {
    return std::filesystem::temp_directory_path().string();
}

void confine_to_reading(std::size_t most_memory) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    limits.ProcessMemoryLimit = most_memory;
    const HANDLE job = CreateJobObjectA(nullptr, nullptr);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    AssignProcessToJobObject(job, GetCurrentProcess());
}

ChildAnswer answer_of_child(std::vector<std::string> arguments, std::chrono::milliseconds limit) {
    char program[1 << 15] = {};
    GetModuleFileNameA(nullptr, program, sizeof program - 1);
    int ends[2];
    if (::pipe(ends) != 0) return {{}, "could not be started: there is no pipe"};
    const int inherited = ::dup(ends[1]);
    ::close(ends[1]);
    arguments.insert(arguments.begin(), program);
    arguments.insert(arguments.end(), {"--answer-to", std::to_string(inherited)});
    std::vector<std::string> words;
    for (const std::string& argument : arguments) words.push_back(quoted(argument));
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    pointers.push_back(nullptr);
    const intptr_t child = _spawnv(_P_NOWAIT, program, pointers.data());
    ::close(inherited);
    if (child == -1)
        return ::close(ends[0]), ChildAnswer{{}, "could not be started: " + std::string(std::strerror(errno))};
    const auto handle = reinterpret_cast<HANDLE>(child);
    std::future<std::string> answer = std::async(std::launch::async, read_to_end, ends[0]);
    const bool ended = WaitForSingleObject(handle, static_cast<DWORD>(limit.count())) == WAIT_OBJECT_0;
    if (!ended) TerminateProcess(handle, 1);
    std::string text = answer.get();
    DWORD code = 0;
    GetExitCodeProcess(handle, &code);
    CloseHandle(handle);
    if (!ended) return {{}, "did not finish within " + std::to_string(limit.count() / 1000) + " seconds"};
    if (!text.ends_with('\n')) return {{}, "exited with code " + std::to_string(code)};
    text.pop_back();
    return {std::move(text), ""};
}

}  // namespace process

}  // namespace rnncheck
