#include "base/program.hpp"

#include <iostream>

#include "base/text.hpp"

namespace rnncheck {

std::string_view version_of_rnncheck() {
    return RNNCHECK_VERSION;
}

namespace log {

namespace {

Level chosen = Level::normal;

/// In one piece: another process may write there as well.
void print(std::string_view text) {
    std::cerr << "rnncheck: " + escaped(text) + "\n";
}

}  // namespace

void set_level(Level level) {
    chosen = level;
}

void warn(std::string_view text) {
    if (chosen != Level::quiet) print(text);
}

void detail(std::string_view text) {
    if (chosen == Level::verbose) print(text);
}

}  // namespace log

}  // namespace rnncheck
