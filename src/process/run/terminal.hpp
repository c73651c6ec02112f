// The terminal that a person sits at, and the pseudo-terminal that a command
// gets in its place.
#pragma once

#include <termios.h>

#include <optional>

#include "base/files.hpp"

namespace rnncheck::process {

/// The two ends of a pseudo-terminal, pty(7).
struct PseudoTerminal {
    /// reads what the command writes, and writes what it reads
    Descriptor controller;
    /// for the command
    Descriptor terminal;
};

/// With the size of `like`, a terminal. Nothing where the system has none.
std::optional<PseudoTerminal> pseudo_terminal(int like);

/// The size of one terminal becomes that of another.
void copy_size(int from, int to);

/// This process's group is in the foreground of the terminal.
bool is_in_foreground(int terminal);

/// A terminal whose keys this process hands on: while it is taken, the terminal
/// itself interprets none of them.
class TakenTerminal {
  public:
    /// `terminal` is a terminal. Not yet taken.
    explicit TakenTerminal(int terminal);

    /// As it was when this object was created: what the pseudo-terminal begins with.
    const termios& modes() const {
        return modes_;
    }

    void take();
    void give_back();

    /// Gives it back with these modes, which the command has set.
    void give_back_with(const termios& modes);

    bool is_taken() const {
        return is_taken_;
    }

  private:
    int terminal_;
    termios modes_{};
    bool is_taken_ = false;
};

}  // namespace rnncheck::process
