// The console of Windows, whose settings outlive a program.
#pragma once

namespace rnncheck::windows {

/// Output is UTF-8 from now on, with escape sequences where the console
/// understands them (Windows 10 and later). Does nothing where neither standard
/// output nor standard error is a console.
void take_console();

/// As it was before take_console().
void give_back_console();

}  // namespace rnncheck::windows
