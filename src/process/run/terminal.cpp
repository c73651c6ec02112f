// posix_openpt(3) and its relatives, in the order that pty(7) requires.
#include "process/run/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace rnncheck::process {

std::optional<PseudoTerminal> pseudo_terminal(int like) {
    PseudoTerminal pair;
    pair.controller = Descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    char name[64];
    if (!pair.controller.open() || grantpt(pair.controller.number()) != 0 ||
        unlockpt(pair.controller.number()) != 0 ||
        ptsname_r(pair.controller.number(), name, sizeof name) != 0)
        return std::nullopt;
    pair.terminal = Descriptor(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!pair.terminal.open())
        return std::nullopt;
    copy_size(like, pair.controller.number());
    return pair;
}

void copy_size(int from, int to) {
    winsize size{};
    if (ioctl(from, TIOCGWINSZ, &size) == 0)
        ioctl(to, TIOCSWINSZ, &size);
}

bool is_in_foreground(int terminal) {
    return tcgetpgrp(terminal) == getpgrp();
}

TakenTerminal::TakenTerminal(int terminal) : terminal_(terminal) {
    tcgetattr(terminal, &modes_);
}

/// TCSADRAIN, so that what was written before is printed in the old modes.
void TakenTerminal::take() {
    termios raw = modes_;
    cfmakeraw(&raw);
    is_taken_ = tcsetattr(terminal_, TCSADRAIN, &raw) == 0;
}

void TakenTerminal::give_back() {
    give_back_with(modes_);
}

void TakenTerminal::give_back_with(const termios& modes) {
    if (is_taken_)
        tcsetattr(terminal_, TCSADRAIN, &modes);
    is_taken_ = false;
}

}  // namespace rnncheck::process
