// The program on Windows: bytes as they are, and a console of UTF-8 and colors.
#include <windows.h>

#include <cstdlib>

#include "commands/command_line.hpp"

namespace {

/// The console's code page, which outlives a program, while this one runs.
class ConsoleOfUtf8 {
  public:
    ConsoleOfUtf8() {
        SetConsoleOutputCP(CP_UTF8);
    }
    ~ConsoleOfUtf8() {
        SetConsoleOutputCP(before_);
    }
    ConsoleOfUtf8(const ConsoleOfUtf8&) = delete;
    ConsoleOfUtf8& operator=(const ConsoleOfUtf8&) = delete;

  private:
    UINT before_ = GetConsoleOutputCP();
};

/// Whether the descriptor is a console, which then understands escape sequences (Windows 10 and
/// later).
bool is_capable_console(int descriptor) {
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
    DWORD mode = 0;
    return GetConsoleMode(handle, &mode) &&
           SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

/// Where the variable is not set: `text`.
void set_default(const char* name, const char* text) {
    if (text && !std::getenv(name))
        _putenv_s(name, text);
}

}  // namespace

int main(int argc, char** argv) {
    _set_fmode(_O_BINARY);
    for (const int stream : {0, 1, 2})
        _setmode(stream, _O_BINARY);
    set_default("USER", std::getenv("USERNAME"));
    set_default("HOME", std::getenv("USERPROFILE"));
    const rnncheck::Arguments arguments(argv + (argc > 0), argv + argc);
    const bool shown = is_capable_console(1), capable = is_capable_console(2) || shown;
    if (!capable)
        return rnncheck::run_safely(arguments, rnncheck::run_command_line);
    const ConsoleOfUtf8 utf8;
    set_default("TERM", "xterm");
    if (shown)
        set_default("LANG",
                    "C.UTF-8");  // where output is read by another program, only ASCII is safe
    return rnncheck::run_safely(arguments, rnncheck::run_command_line);
}
