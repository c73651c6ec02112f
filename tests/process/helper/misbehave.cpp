// Writes "begun" to the answer descriptor, then does what the first argument names.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "support/survive_kill.hpp"

namespace {

constexpr int answer = 199;

void print(const std::string& text) {
    if (write(answer, text.data(), text.size()) < 0)
        _exit(77);
}

[[noreturn]] void done(int code = 0) {
    print("done\n");
    _exit(code);
}

void flood(int descriptor, long megabytes) {
    const std::string block(1 << 20, 'x');
    for (long i = 0; i < megabytes; ++i)
        if (write(descriptor, block.data(), block.size()) < 0)
            return;
}

void sleep_for_ever() {
    while (true)
        pause();
}

void leave_grandchild() {
    if (fork() == 0)
        sleep_for_ever();
    done();
}

void ignore_sigterm() {
    signal(SIGTERM, SIG_IGN);
    sleep_for_ever();
}

volatile unsigned long nowhere = 8;  // the compiler must not see through it

void bad_write() {
    *reinterpret_cast<volatile int*>(nowhere) = 1;
}

void crash_in_exit_handler() {
    std::atexit([] { abort(); });
    print("done\n");
    std::exit(0);
}

void hang_in_exit_handler() {
    std::atexit(sleep_for_ever);
    print("done\n");
    std::exit(0);
}

void throw_uncaught() {
    throw std::runtime_error("nobody catches this");
}

void echo_input() {
    char buffer[1 << 16];
    long total = 0;
    for (ssize_t got; (got = read(198, buffer, sizeof buffer)) > 0;)
        total += got;
    print("read " + std::to_string(total) + "\n");
    done();
}

const std::map<std::string, void (*)()> habits = {
    {"well", [] { done(); }},
    {"exit_code", [] { _exit(3); }},
    {"exit_zero", [] { _exit(0); }},
    {"bad_write", bad_write},
    {"abort", [] { abort(); }},
    {"throw", throw_uncaught},
    {"kill", [] { kill(getpid(), SIGKILL); }},
    {"sleep", sleep_for_ever},
    {"busy",
     [] {
         for (volatile bool busy = true; busy;) {
         }
     }},
    {"ignore_sigterm", ignore_sigterm},
    {"chatter",
     [] {
         flood(1, 100);
         done();
     }},
    {"endless_chatter", [] { flood(1, 1L << 40); }},
    {"flood_stderr",
     [] {
         flood(2, 20);
         done();
     }},
    {"close_output",
     [] {
         close(1);
         close(2);
         done();
     }},
    {"close_all",
     [] {
         for (int i = 0; i < 1024; ++i)
             close(i);
         sleep_for_ever();
     }},
    {"half_line",
     [] {
         print("{\"half");
         _exit(0);
     }},
    {"garbage",
     [] {
         print(std::string("\0\xff\n\n\n", 5));
         done();
     }},
    {"long_line",
     [] {
         flood(answer, 40);
         print("\n");
         done();
     }},
    {"grandchild", leave_grandchild},
    {"crash_at_exit", crash_in_exit_handler},
    {"hang_at_exit", hang_in_exit_handler},
    {"slow_progress",
     [] {
         for (int i = 0; i < 6; ++i) {
             usleep(100'000);
             print("step\n");
         }
         done();
     }},
    {"last_words",
     [] {
         std::fputs("the reason is here\n", stderr);
         abort();
     }},
    {"echo_input", echo_input},
    {"survive_kill",
     [] {
         rnncheck::test::become_unkillable(5);
         sleep_for_ever();
     }},
    {"survive_kill_after_last_word",
     [] {
         rnncheck::test::become_unkillable(5);
         done();
         sleep_for_ever();
     }},
    {"environment",
     [] {
         print(std::string(getenv("PLANTED") ? getenv("PLANTED") : "unset") + "\n");
         done();
     }},
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2)
        return 2;
    print("begun\n");
    const auto habit = habits.find(argv[1]);
    if (habit == habits.end())
        return 2;
    habit->second();
    return 0;
}
