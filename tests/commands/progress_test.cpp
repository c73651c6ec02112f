#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/text.hpp"
#include "commands/survey_here.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

namespace {

using namespace rnncheck;

/// What arrives on a terminal that is stderr while `work` runs.
template <class Work>
std::string on_a_terminal(Work work) {
    const int main = posix_openpt(O_RDWR | O_NOCTTY);
    REQUIRE(main >= 0);
    REQUIRE(grantpt(main) == 0);
    REQUIRE(unlockpt(main) == 0);
    const int terminal = open(ptsname(main), O_RDWR | O_NOCTTY);
    const int stderr_before = dup(STDERR_FILENO);
    dup2(terminal, STDERR_FILENO);
    work();
    fflush(stderr);
    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    constexpr std::string_view end_mark =
        "<end>";  // a terminal passes on what was written when it likes, but in order
    REQUIRE(
        write(terminal, end_mark.data(), end_mark.size()) == static_cast<ssize_t>(end_mark.size()));
    std::string seen;
    char buffer[4096];
    while (!seen.ends_with(end_mark)) {
        const ssize_t got = read(main, buffer, sizeof buffer);
        REQUIRE(got > 0);
        seen.append(buffer, static_cast<std::size_t>(got));
    }
    close(terminal);
    close(main);
    seen.resize(seen.size() - end_mark.size());
    return seen;
}

/// A bare chroot has no /dev/pts.
bool no_terminal_here() {
    const int main = posix_openpt(O_RDWR | O_NOCTTY);
    if (main >= 0)
        close(main);
    return main < 0;
}

void wait_until_it_shows() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
}

}  // namespace

TEST_CASE("progress is one line on a terminal, after a second, and gone in the end", "[optional]") {
    if (no_terminal_here())
        return test::skip("a terminal cannot be opened here");
    setenv("TERM", "xterm", 1);
    const std::string seen = on_a_terminal([] {
        Progress progress(true);
        progress.show("too early");
        wait_until_it_shows();
        for (int i = 0; i < 3; ++i)
            progress.show("asking \x1b[31m cuDNN\n" + std::string(500, 'x'));
    });
    CHECK_FALSE(contains(seen, "too early"));
    CHECK(seen.find("asking \\x1b[31m cuDNN\\n") == seen.rfind("asking"));
    CHECK(seen.size() < 200);
    CHECK(seen.ends_with("\r\x1b[K"));
}

TEST_CASE("no progress where nobody looks or wants it", "[optional]") {
    if (no_terminal_here())
        return test::skip("a terminal cannot be opened here");
    setenv("TERM", "xterm", 1);
    CHECK(on_a_terminal([] {
              Progress unwanted(false);
              wait_until_it_shows();
              unwanted.show("text");
          }).empty());
    setenv("TERM", "dumb", 1);
    CHECK(on_a_terminal([] {
              Progress dumb(true);
              wait_until_it_shows();
              dumb.show("text");
          }).empty());
}
