// What Linux does with limits, capabilities and forks is here a job object, or nothing.
#include "process/this_process.hpp"

#include <windows.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "process/apart.hpp"
#include "process/limits.hpp"
#include "process/processors.hpp"
#include "windows/crash.hpp"
#include "windows/system.hpp"

namespace rnncheck::process {

std::string own_program() {
    return windows::file_of_module(nullptr);
}

std::chrono::steady_clock::time_point start_of_program() {
    static const auto now = std::chrono::steady_clock::now();
    return now;
}

void confine_to_reading(std::size_t most_memory) {
    windows::report_crashes();
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    limits.ProcessMemoryLimit = most_memory;
    // as long as this process
    const HANDLE job = CreateJobObjectW(nullptr, nullptr);
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    AssignProcessToJobObject(job, GetCurrentProcess());
}

/// The job object of a started process ends it with its parent; there are no device nodes.
void drop_privileges(bool) {
    windows::report_crashes();
}

/// What this process keeps of the work does not reach a command,
/// which is a process of its own.
std::optional<int> run_in_fork(const std::function<int()>& work) {
    return work();
}

std::vector<std::string> directories_of_kernel() {
    return {};
}

const std::string crash_by_bad_memory = windows::exception_name(EXCEPTION_ACCESS_VIOLATION);

void use_bad_memory() {
    volatile int* const nobodys = nullptr;
    *nobodys = 1;
}

/// The heap of Windows stays as it is.
void keep_freed_memory() {
}

/// Not terminated: the job object of the parent ends it.
void stay_until_ended() {
    for (;;)
        Sleep(INFINITE);
}

std::string temporary_directory() {
    return std::filesystem::temp_directory_path().generic_string();
}

/// Left behind where this process is killed.
class PrivateDirectory::Keeper {
  public:
    Keeper() {
        std::error_code failed;
        const std::string name = "rnncheck-" + std::to_string(GetCurrentProcessId());
        path_ = std::filesystem::path(temporary_directory()) / name;
        is_ours_ = std::filesystem::create_directory(path_, failed) && !failed;
    }
    ~Keeper() {
        std::error_code failed;
        if (is_ours_)
            std::filesystem::remove_all(path_, failed);
    }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    bool has_directory() const {
        return is_ours_;
    }
    std::string path() const {
        return path_.generic_string();
    }

  private:
    std::filesystem::path path_;
    bool is_ours_ = false;
};

PrivateDirectory::PrivateDirectory() : keeper_(std::make_unique<Keeper>()) {
    if (keeper_->has_directory())
        path_ = keeper_->path();
}

PrivateDirectory::~PrivateDirectory() = default;

/// There is no fork: a file system that hangs hangs this process.
std::string apart(const std::function<std::string()>& work) {
    return work();
}

void require_response(const std::string&) {
}

void end_work_apart_at(std::optional<std::chrono::steady_clock::time_point>) {
}

std::vector<ResourceLimit> resource_limits(const Root&) {
    return {};
}

LimitWatch::LimitWatch() = default;

std::optional<ResourceLimit> LimitWatch::behind(const ProbeRun&) const {
    return std::nullopt;
}

int usable_processors(const Root&) {
    return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

}  // namespace rnncheck::process
