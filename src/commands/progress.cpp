#include "commands/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "base/text.hpp"
#include "commands/common_options.hpp"

namespace rnncheck {

Progress::Progress(bool wanted) : wanted_(wanted && is_capable_terminal(STDERR_FILENO)) {}

Progress::~Progress() {
    if (!last_.empty()) std::fputs("\r\x1b[K", stderr);
}

void Progress::tell(std::string_view text) {
    constexpr std::size_t narrow_terminal = 70;
    if (!wanted_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
    if (text == last_) return;
    last_ = text;
    std::fprintf(stderr, "\r\x1b[K%s", escaped(text, narrow_terminal).c_str());
}

Facts surveyed(SurveyOptions how, bool quiet) {
    Progress progress(!quiet);
    how.progress = [&progress](std::string_view text) { progress.tell(text); };
    return survey(how);
}

}  // namespace rnncheck
