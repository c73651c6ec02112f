// Text as one word of a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace rnncheck {

/// As it is where no shell takes anything in it for its own; else in single quotes, those in it kept. POSIX shell,
/// 2.2.2: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html
std::string shell_quoted(std::string_view text);

}  // namespace rnncheck
