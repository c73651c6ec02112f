#include "commands/color.hpp"

#include <unistd.h>

#include <cstdlib>

namespace rnncheck {

namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

bool is_capable_terminal(int descriptor) {
    const std::string_view terminal = variable("TERM");
    return isatty(descriptor) == 1 && !terminal.empty() && terminal != "dumb";
}

bool wants_color(ColorChoice choice, int descriptor) {
    if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
    return variable("NO_COLOR").empty() && is_capable_terminal(descriptor);
}

}  // namespace rnncheck
