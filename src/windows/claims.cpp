// What reports about Windows rely on and Wine cannot show, or shows of itself alone.
#include "process/claims.hpp"

#include <windows.h>

#include <filesystem>
#include <fstream>

#include "base/program.hpp"
#include "process/this_process.hpp"
#include "windows/system.hpp"

namespace rnncheck::process {

using windows::Handle;

namespace {

namespace fs = std::filesystem;

/// Wine's own function.
bool is_wine() {
    return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
}

/// A process of this program that never runs, for as long as the object lives.
class Asleep {
  public:
    Asleep() {
        std::wstring command = windows::command_line({own_program()});
        STARTUPINFOW about{};
        about.cb = sizeof about;
        const DWORD flags = CREATE_SUSPENDED | CREATE_NO_WINDOW;
        if (!CreateProcessW(
                nullptr,
                command.data(),
                nullptr,
                nullptr,
                FALSE,
                flags,
                nullptr,
                nullptr,
                &about,
                &started_))
            started_ = {};
    }
    Asleep(const Asleep&) = delete;
    Asleep& operator=(const Asleep&) = delete;
    ~Asleep() {
        const Handle process(started_.hProcess), thread(started_.hThread);
        if (process)
            TerminateProcess(process.get(), 1);
    }
    HANDLE process() const {
        return started_.hProcess;
    }

  private:
    PROCESS_INFORMATION started_{};
};

/// The limit that readers of models get.
std::optional<bool> memory_limit_holds() {
    constexpr std::size_t limit = 64 << 20, wanted = 256 << 20;
    const Asleep other;
    const Handle job(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    limits.ProcessMemoryLimit = limit;
    if (!other.process() ||
        !SetInformationJobObject(
            job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits) ||
        !AssignProcessToJobObject(job.get(), other.process()))
        return std::nullopt;
    return VirtualAllocEx(other.process(), nullptr, wanted, MEM_COMMIT, PAGE_READWRITE) == nullptr;
}

/// DLLs of Windows under names of their own, in directories that are removed at the end.
/// Loaded under names of their own, because a DLL that the process has
/// already is not searched for again.
class OwnDlls {
  public:
    explicit OwnDlls(const fs::path& top) : top_(top) {
    }
    OwnDlls(const OwnDlls&) = delete;
    OwnDlls& operator=(const OwnDlls&) = delete;
    ~OwnDlls() {
        for (const HMODULE module : loaded_)
            FreeLibrary(module);
        std::error_code failed;
        fs::remove_all(top_, failed);
    }

    /// The new directory; empty where Windows has no such file.
    fs::path put(const wchar_t* original, const std::wstring& directory, const std::wstring& name) {
        std::error_code failed;
        fs::create_directories(top_ / directory, failed);
        fs::copy_file(
            fs::path(environment_variable("SystemRoot").value_or("")) / original,
            top_ / directory / name,
            failed);
        if (failed)
            return {};
        return top_ / directory;
    }
    std::optional<fs::path> load(const std::wstring& name, DWORD flags) {
        const HMODULE module = LoadLibraryExW(name.c_str(), nullptr, flags);
        if (!module)
            return std::nullopt;
        loaded_.push_back(module);
        return fs::path(windows::utf16(windows::file_of_module(module)));
    }

  private:
    fs::path top_;
    std::vector<HMODULE> loaded_;
};

fs::path directory_for(const std::wstring& name) {
    return fs::path(windows::utf16(temporary_directory())) /
           (L"rnncheck-" + std::to_wstring(GetCurrentProcessId()) + name);
}

/// So cuDNN opens its libraries, and for that os.add_dll_directory() is no remedy.
std::optional<bool> name_alone_passes_over_user_directories() {
    OwnDlls dlls(directory_for(L"-user"));
    const std::wstring name = L"rnncheck_user.dll";
    const fs::path directory = dlls.put(L"System32/version.dll", L"a", name);
    if (directory.empty() || !AddDllDirectory(directory.c_str()))
        return std::nullopt;
    const bool passed_over = !dlls.load(name, 0);
    return passed_over && dlls.load(name, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

/// SysWOW64 has the 32-bit DLLs: one of them is first on PATH, and the
/// search has to go on after it.
std::optional<bool> search_passes_over_other_machine() {
    OwnDlls dlls(directory_for(L"-machine"));
    const std::wstring name = L"rnncheck_machine.dll";
    const fs::path narrow = dlls.put(L"SysWOW64/version.dll", L"32", name),
                   wide = dlls.put(L"System32/version.dll", L"64", name);
    if (narrow.empty() || wide.empty())
        return std::nullopt;
    const std::string before = environment_variable("PATH").value_or("");
    SetEnvironmentVariableW(L"PATH", (narrow.native() + L";" + wide.native()).c_str());
    const auto loaded = dlls.load(name, 0);
    SetEnvironmentVariableW(L"PATH", windows::utf16(before).c_str());
    return loaded == wide / name;
}

std::optional<bool> long_path_is_read() {
    const fs::path top = directory_for(L"-long");
    fs::path deep = top;
    // beyond the 260 characters of older programs
    constexpr int parts = 12, length = 30;
    for (int i = 0; i < parts; ++i)
        deep /= std::wstring(length, L'x');
    std::error_code failed;
    fs::create_directories(deep, failed);
    std::ofstream(deep / L"file") << "text";
    const bool is_read = fs::file_size(deep / L"file", failed) > 0 && !failed;
    fs::remove_all(top, failed);
    return is_read;
}

/// Under Wine the answer is about Wine, so that nothing is claimed.
Claim tried(const std::string& name, std::optional<bool> holds, const std::string& words) {
    if (!holds)
        return {name, std::nullopt, words + ": it cannot be tried here"};
    if (is_wine())
        return {
            name,
            std::nullopt,
            words + ": this is Wine, where it " + (*holds ? "holds" : "does not hold") +
                ", and not Windows"};
    return {name, holds, words};
}

}  // namespace

std::vector<Claim> claims_about_system() {
    return {
        tried(
            "memory limit",
            memory_limit_holds(),
            "a process that reads a model gets no more memory than its job object allows"),
        tried(
            "DLL directories",
            name_alone_passes_over_user_directories(),
            "LoadLibrary with a name does not search the directories of AddDllDirectory"),
        tried(
            "DLLs of other processors",
            search_passes_over_other_machine(),
            "the search for a DLL goes on after a file for another processor"),
        tried("long paths", long_path_is_read(), "paths of more than 260 characters are read")};
}

}  // namespace rnncheck::process
