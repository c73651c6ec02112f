// Code page and modes belong to the console, not to the process: a shell would keep them.
#include "windows/console.hpp"

#include <windows.h>

#include <cstdlib>

namespace rnncheck::windows {

namespace {

/// 0: not taken
UINT code_page_before = 0;

/// Whether the descriptor is a console that understands escape sequences from now on.
bool is_capable_console(int descriptor) {
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    DWORD mode = 0;
    return GetConsoleMode(handle, &mode) &&
           SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/// What the user has set stays.
void set_default(const char* name, const char* text) {
    if (!std::getenv(name))
        _putenv_s(name, text);
}

}  // namespace

void take_console() {
    const bool shown = is_capable_console(1), capable = is_capable_console(2) || shown;
    if (!capable)
        return;
    code_page_before = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    set_default("TERM", "xterm");
    // where output is read by another program, only ASCII is safe
    if (shown)
        set_default("LANG", "C.UTF-8");
}

void give_back_console() {
    if (code_page_before != 0)
        SetConsoleOutputCP(code_page_before);
    code_page_before = 0;
}

}  // namespace rnncheck::windows
