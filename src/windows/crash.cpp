// A handler for exceptions that nobody handled: it writes the file of the code
// that crashed, then ends the process with the exception's code.
#include "windows/crash.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "base/lists.hpp"
#include "windows/system.hpp"

namespace rnncheck::windows {

namespace {

constexpr std::string_view beginning = "\nrnncheck: crashed in ";

/// In the module that is to blame. An exception of C++ is raised in a library of Windows; its
/// fourth parameter is where the module that threw it begins:
/// https://devblogs.microsoft.com/oldnewthing/20100730-00/?p=13273
const void* place_of(const EXCEPTION_RECORD& record) {
    constexpr DWORD of_cpp = 0xE06D7363, module_parameter = 3;
    if (record.ExceptionCode != of_cpp)
        return record.ExceptionAddress;
    if (record.NumberParameters <= module_parameter)
        return nullptr;
    return reinterpret_cast<const void*>(record.ExceptionInformation[module_parameter]);
}

LONG WINAPI end_process(EXCEPTION_POINTERS* about) {
    // Without memory of its own: this may be the end of a stack or of the heap.
    // One write, for the reader takes what comes.
    constexpr std::size_t longest = 1 << 12;
    static wchar_t path[longest];
    static char text[beginning.size() + 3 * longest + 1];
    HMODULE module = nullptr;
    const DWORD flags =
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    const auto* const address = static_cast<const wchar_t*>(place_of(*about->ExceptionRecord));
    if (address && GetModuleHandleExW(flags, address, &module)) {
        const int size = static_cast<int>(GetModuleFileNameW(module, path, longest));
        char* const at = std::ranges::copy(beginning, text).out;
        const int bytes =
            WideCharToMultiByte(CP_UTF8, 0, path, size, at, 3 * longest, nullptr, nullptr);
        at[bytes] = '\n';
        DWORD wrote = 0;
        const auto all = static_cast<DWORD>(at + bytes + 1 - text);
        WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, all, &wrote, nullptr);
    }
    TerminateProcess(GetCurrentProcess(), about->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

}  // namespace

/// abort() would print a message of its own and call Windows Error Reporting.
void report_crashes() {
    reject_dialogs();
    // bytes of stack, where it overflowed
    ULONG kept_for_filter = 1 << 16;
    SetThreadStackGuarantee(&kept_for_filter);
    SetUnhandledExceptionFilter(end_process);
    _set_abort_behavior(0, _WRITE_ABORT_MSG | _CALL_REPORTFAULT);
}

/// The last one: what was printed before may contain such a line of another process.
std::optional<std::string> fault_in(const std::string& output) {
    const auto at = output.rfind(beginning);
    const auto end = output.find('\n', at == std::string::npos ? output.size() : at);
    if (end == std::string::npos)
        return std::nullopt;
    const auto path = at + beginning.size();
    return output.substr(path, end - path);
}

/// https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-erref/596a1078-e883-4972-9bbc-49e60bebca55
/// and, of delayed imports,
/// https://learn.microsoft.com/en-us/cpp/build/reference/error-handling-and-notification
std::string exception_name(DWORD code) {
    static const std::map<DWORD, const char*> names = {
        {0x80000003, "breakpoint"},
        // Wine's, for an import that is missing
        {0x80000100, "a function that the library lacks was called"},
        {0xC0000005, "access violation"},
        {0xC0000006, "a file could not be read into memory"},
        {0xC0000017, "out of memory"},
        {0xC000001D, "illegal instruction"},
        {0xC0000094, "division by zero"},
        {0xC00000FD, "stack overflow"},
        {0xC0000135, "a DLL was not found"},
        {0xC0000139, "a DLL lacks a function"},
        {0xC000013A, "interrupted from the keyboard"},
        {0xC0000142, "a DLL could not be initialized"},
        {0xC0000374, "heap corruption"},
        {0xC0000409, "abort"},
        {0xC06D007E, "a DLL to be loaded on demand was not found"},
        {0xC06D007F, "a DLL loaded on demand lacks a function"},
        {0xE06D7363, "an exception of C++"}};
    char number[16];
    std::snprintf(number, sizeof number, "0x%08lX", code);
    const auto* const name = look_up(names, code);
    if (!name)
        return number;
    return std::string(number) + " (" + *name + ")";
}

}  // namespace rnncheck::windows
