// The program on Windows: bytes as they are, and a console of UTF-8 and colors.
#include <windows.h>

#include <cstdlib>

#include "commands/command_line.hpp"
#include "windows/console.hpp"

namespace {

/// Where the variable is not set: the value of another one.
void set_default(const char* name, const char* other) {
    const char* const text = std::getenv(other);
    if (text && !std::getenv(name))
        _putenv_s(name, text);
}

}  // namespace

int main(int argc, char** argv) {
    _set_fmode(_O_BINARY);
    for (const int stream : {0, 1, 2})
        _setmode(stream, _O_BINARY);
    set_default("USER", "USERNAME");
    set_default("HOME", "USERPROFILE");
    rnncheck::windows::take_console();
    const rnncheck::Arguments arguments(argv + (argc > 0), argv + argc);
    const int code = rnncheck::run_safely(arguments, rnncheck::run_command_line);
    rnncheck::windows::give_back_console();
    return code;
}
