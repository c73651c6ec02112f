#include "process/child.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/text.hpp"
#include "process/process_state.hpp"
#include "process/this_process.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/survive_kill.hpp"

using namespace rnncheck;
using namespace rnncheck::process;
using std::chrono::milliseconds;

namespace {

struct Observed {
    ProbeRun run;
    std::vector<std::string> lines;
    double waited_ms = 0;
};

Command command(const std::string& habit, milliseconds quiet_limit) {
    Command made;
    made.arguments = {MISBEHAVE, habit};
    made.quiet_limit = quiet_limit;
    return made;
}

Observed run(const Command& what) {
    Observed output;
    const auto started = std::chrono::steady_clock::now();
    output.run = process::run(what, [&](std::string_view line) {
        if (output.lines.size() < 100)
            output.lines.emplace_back(line);
        return LineMeaning{line == "done"};
    });
    output.waited_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
            .count();
    return output;
}

Observed run(const std::string& habit, milliseconds quiet_limit = milliseconds(5000)) {
    return run(command(habit, quiet_limit));
}

bool text(const Observed& output, const std::string& line) {
    return std::find(output.lines.begin(), output.lines.end(), line) != output.lines.end();
}

/// No child of ours is left, dead or alive.
bool no_child_left() {
    return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

}  // namespace

TEST_CASE("a well-behaved process is over at once") {
    const Observed output = run("well");
    CHECK(output.run.end == ProbeEnd::finished);
    CHECK(text(output, "begun"));
    CHECK(text(output, "done"));
    CHECK(no_child_left());
}

TEST_CASE("each way to die is distinguished, and what was written before is kept") {
    struct Expected {
        ProbeEnd end;
        std::optional<std::string> signal;
        std::optional<int> exit_code;
    };
    const std::map<std::string, Expected> expected = {
        {"exit_code", {ProbeEnd::quit_early, {}, 3}},
        {"exit_zero", {ProbeEnd::quit_early, {}, 0}},
        {"bad_write", {ProbeEnd::crashed, "SIGSEGV", {}}},
        {"abort", {ProbeEnd::crashed, "SIGABRT", {}}},
        {"throw", {ProbeEnd::crashed, "SIGABRT", {}}},
        {"kill", {ProbeEnd::killed, "SIGKILL", {}}},
        {"half_line", {ProbeEnd::quit_early, {}, 0}},
        {"crash_at_exit", {ProbeEnd::crashed_at_exit, "SIGABRT", {}}},
    };
    for (const auto& [habit, how] : expected) {
        INFO(habit);
        const Observed output = run(habit);
        CHECK(output.run.end == how.end);
        CHECK(output.run.signal == how.signal);
        CHECK(output.run.exit_code == how.exit_code);
        CHECK(text(output, "begun"));
        CHECK(text(output, "done") == (habit == "crash_at_exit"));
        CHECK(no_child_left());
    }
}

TEST_CASE("a process without progress is ended within its limit") {
    for (const std::string habit :
         {"sleep", "busy", "ignore_sigterm", "endless_chatter", "close_all"}) {
        INFO(habit);
        const Observed output = run(habit, milliseconds(200));
        CHECK(output.run.end == ProbeEnd::timed_out);
        CHECK(contains(output.run.reason.value(), "no progress"));
        CHECK(output.waited_ms >= 200);
        CHECK(text(output, "begun"));
        CHECK(no_child_left());
    }
}

TEST_CASE("a process that gets no processor time uses up nobody's limit") {
    const auto spin_on_one_processor = [](bool idle_class) {
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(0, &first);
        sched_setaffinity(0, sizeof first, &first);
        const sched_param none{};
        if (idle_class)
            sched_setscheduler(0, SCHED_IDLE, &none);
        for (volatile unsigned turns = 0;;)
            turns = turns + 1;
    };
    const pid_t starved = fork();
    if (starved == 0)
        spin_on_one_processor(true);
    const pid_t busy = fork();
    if (busy == 0)
        spin_on_one_processor(false);
    RunClock clock(starved), clock_of_busy(busy);
    clock.restart();
    clock_of_busy.restart();
    for (int i = 0; i < 15; ++i) {
        std::this_thread::sleep_for(milliseconds(100));
        clock.elapsed();
        clock_of_busy.elapsed();
    }
    CHECK(clock.elapsed() < milliseconds(600));
    CHECK(clock_of_busy.elapsed() > 2 * clock.elapsed());
    for (const pid_t process : {starved, busy})
        kill(process, SIGKILL);
    for (const pid_t process : {starved, busy})
        CHECK(waitpid(process, nullptr, 0) == process);
}

TEST_CASE("of a wait for a processor nothing counts, whenever the kernel shows it") {
    using Look = RunClock::Look;
    const auto passed = milliseconds(1000);
    const auto look = [](int used_ms, int waited_ms, bool is_running) {
        return Look{milliseconds(used_ms), milliseconds(waited_ms), is_running};
    };
    RunClock clock(getpid());
    CHECK(
        clock.could_run(passed, look(0, 0, false), look(0, 0, false)) ==
        milliseconds(1000));  // it slept
    CHECK(
        clock.could_run(passed, look(0, 0, false), look(50, 900, false)) ==
        milliseconds(100));  // mostly it waited
    CHECK(
        clock.could_run(passed, look(0, 0, false), look(200, 900, false)) ==
        milliseconds(200));  // what it used counts
    CHECK(
        clock.could_run(passed, look(0, 0, true), look(30, 0, true)) ==
        milliseconds(30));  // and still waits
    CHECK(clock.could_run(passed, look(30, 0, true), look(30, 1970, false)) == milliseconds(0));
    CHECK(
        clock.could_run(passed, look(30, 1970, false), look(30, 1970, false)) ==
        milliseconds(1000));
    const Look uncounted{milliseconds(0), std::nullopt, false};
    CHECK(clock.could_run(passed, uncounted, uncounted) == milliseconds(250));
}

TEST_CASE("a line may change the limit of its process") {
    const ProbeRun run = process::run(command("sleep", milliseconds(60000)), [](std::string_view) {
        return LineMeaning{false, milliseconds(200)};
    });
    CHECK(run.end == ProbeEnd::timed_out);
    REQUIRE(run.hang);
    CHECK(run.hang->state == "sleeping");
}

TEST_CASE("a private directory goes with the process that created it, whatever ends it") {
    std::string path;
    {
        const PrivateDirectory directory;
        path = directory.path().value();
        CHECK(std::filesystem::is_directory(path));
        std::ofstream(path + "/kernel") << "compiled";
    }
    CHECK_FALSE(std::filesystem::exists(path));

    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t creator = fork();
    if (creator == 0) {
        const PrivateDirectory directory;
        const bool output = write(ends[1], directory.path()->c_str(), directory.path()->size()) > 0;
        while (output)
            pause();
        _exit(1);
    }
    char text[256] = {};
    CHECK(read(ends[0], text, sizeof text - 1) > 0);
    CHECK(std::filesystem::is_directory(text));
    kill(creator, SIGKILL);
    CHECK(waitpid(creator, nullptr, 0) == creator);
    for (int i = 0; i < 100 && std::filesystem::exists(text); ++i)
        std::this_thread::sleep_for(milliseconds(20));
    CHECK_FALSE(std::filesystem::exists(text));
}

TEST_CASE(
    "a process that SIGKILL does not end is given up, reported as stuck, and holds nobody",
    "[optional]") {
    Command unkillable = command("survive_kill", milliseconds(200));
    unkillable.stuck_after = milliseconds(300);
    const Observed output = run(unkillable);
    if (output.run.exit_code == test::tracing_forbidden)
        return test::skip("no process may trace another here");
    CHECK(output.run.end == ProbeEnd::stuck);
    CHECK(contains(output.run.reason.value(), "no progress"));
    CHECK(output.waited_ms >= 500);
    CHECK(text(output, "begun"));
    CHECK(waitpid(-1, nullptr, 0) > 0);
    CHECK(no_child_left());
}

TEST_CASE(
    "a process that has done its work and whose memory the kernel still gives back has not crashed",
    "[optional]") {
    Command leaving = command("survive_kill_after_last_word", milliseconds(60'000));
    leaving.exit_grace = milliseconds(60'000);
    leaving.stuck_after = milliseconds(300);
    leaving.deadline = std::chrono::steady_clock::now() + milliseconds(300);
    const Observed output = run(leaving);
    if (output.run.exit_code == test::tracing_forbidden)
        return test::skip("no process may trace another here");
    CHECK(text(output, "done"));
    CHECK(output.run.end == ProbeEnd::finished);
    CHECK_FALSE(output.run.reason);
    CHECK(waitpid(-1, nullptr, 0) > 0);
    CHECK(no_child_left());
}

TEST_CASE("progress renews the limit, the deadline does not care") {
    CHECK(run("slow_progress", milliseconds(400)).run.end == ProbeEnd::finished);
    Command hurried = command("slow_progress", milliseconds(400));
    hurried.deadline = std::chrono::steady_clock::now() + milliseconds(250);
    const Observed output = run(hurried);
    CHECK(output.run.end == ProbeEnd::cut_off);
    CHECK(contains(output.run.reason.value(), "deadline"));
}

TEST_CASE("output is drained and only its end is kept") {
    for (const std::string habit : {"chatter", "flood_stderr"}) {
        INFO(habit);
        const Observed output = run(habit);
        CHECK(output.run.end == ProbeEnd::finished);
        CHECK(text(output, "done"));
        CHECK(output.run.output_tail.value().size() == 4096);
    }
    CHECK(contains(run("last_words").run.output_tail.value(), "the reason is here"));
}

TEST_CASE("closed descriptors, garbage and endless lines are survived") {
    CHECK(text(run("close_output"), "done"));
    CHECK(text(run("garbage"), "done"));
    const Observed output = run("long_line");
    CHECK(text(output, "done"));
    for (const auto& line : output.lines)
        CHECK(line.size() < 100);
}

TEST_CASE("a grandchild that holds the pipes neither holds us nor survives") {
    const Observed output = run("grandchild");
    CHECK(output.run.end == ProbeEnd::finished);
}

TEST_CASE("an exit handler that hangs is ended after its grace, and the last word counts") {
    Command hanging = command("hang_at_exit", milliseconds(60'000));
    hanging.exit_grace = milliseconds(300);
    const Observed output = run(hanging);
    CHECK(output.run.end == ProbeEnd::crashed_at_exit);
    CHECK(contains(output.run.reason.value(), "did not exit"));
    CHECK(text(output, "done"));
}

TEST_CASE("input of any size arrives, the environment too") {
    Command big = command("echo_input", milliseconds(5000));
    big.input.assign(3'000'000, 'i');
    CHECK(text(run(big), "read 3000000"));
    Command planted = command("environment", milliseconds(5000));
    planted.extra_environment = {"PLANTED=here"};
    CHECK(text(run(planted), "here"));
}

TEST_CASE("input that nobody reads does no harm") {
    Command big = command("exit_zero", milliseconds(5000));
    big.input.assign(3'000'000, 'i');
    CHECK(run(big).run.exit_code == 0);
}

TEST_CASE("a program that cannot be started is reported") {
    Command missing;
    missing.arguments = {"/no/such/program"};
    missing.quiet_limit = milliseconds(1000);
    const Observed output = run(missing);
    CHECK(output.run.end == ProbeEnd::not_started);
    CHECK(contains(output.run.reason.value(), "No such file"));
}

TEST_CASE("many at once all come home") {
    std::vector<std::unique_ptr<Process>> running;
    for (int i = 0; i < 12; ++i)
        running.push_back(start(
            command(i % 3 ? "well" : "abort", milliseconds(5000)),
            [](std::string_view line) { return LineMeaning{line == "done"}; }));
    std::map<ProbeEnd, int> ends;
    while (!running.empty()) {
        std::vector<const Process*> processes;
        for (const auto& process : running)
            processes.push_back(process.get());
        poll_all(processes);
        std::erase_if(running, [&](const auto& process) {
            const auto run = process->look();
            if (run)
                ++ends[run->end];
            return run.has_value();
        });
    }
    CHECK(ends == std::map<ProbeEnd, int>{{ProbeEnd::finished, 8}, {ProbeEnd::crashed, 4}});
    CHECK(no_child_left());
}

TEST_CASE("signals have their names") {
    CHECK(signal_name(SIGSEGV) == "SIGSEGV");
    CHECK(signal_name(63) == "signal 63");
}

TEST_CASE("only a process that may create nodes can still start a set-user-id helper") {
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
        WARN("this process may not gain rights itself");
        return;
    }
    const bool had = prctl(PR_CAPBSET_READ, CAP_MKNOD, 0, 0, 0) == 1;
    for (const bool may : {false, true}) {
        const pid_t child = fork();
        if (child == 0) {
            drop_privileges(may);
            const bool free = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
            const bool has = prctl(PR_CAPBSET_READ, CAP_MKNOD, 0, 0, 0) == 1;
            _exit(free == may && (!may || has == had) ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
}

TEST_CASE("a confined process cannot create device nodes nor gain rights") {
    const pid_t child = fork();
    if (child == 0) {
        drop_privileges();
        const bool made = mknod("confined_node", 0600 | 0020000, 0x103) ==
                          0;  // a character device, as nvidia's are
        if (made)
            unlink("confined_node");
        _exit(made ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a process that stays has done its work, and ends with its object") {
    {
        const auto process =
            start(command("hang_at_exit", milliseconds(5000)), [](std::string_view line) {
                return LineMeaning{line == "done", {}, line == "done"};
            });
        auto run = process->look();
        for (; !run; run = process->look())
            poll_all({process.get()});
        CHECK(run->end == ProbeEnd::finished);
        CHECK(process->stays());
        CHECK(waitpid(-1, nullptr, WNOHANG) == 0);  // it is alive
    }
    CHECK(no_child_left());
}

TEST_CASE("a process that could run uses up its limit, whether or not somebody looks") {
    long long ran = 0;
    std::ifstream("/proc/self/schedstat") >> ran;
    if (ran == 0) {
        WARN("this kernel does not count how long a process waits for a processor");
        return;
    }
    const pid_t sleeper = fork();
    if (sleeper == 0)
        for (;;)
            pause();
    RunClock clock(sleeper);
    clock.restart();
    std::this_thread::sleep_for(milliseconds(60));
    clock.elapsed();
    std::this_thread::sleep_for(milliseconds(1500));  // as long as others had the processor
    CHECK(clock.elapsed() >= milliseconds(1500));
    CHECK_FALSE(is_exiting(sleeper));
    kill(sleeper, SIGKILL);
    siginfo_t ended{};
    CHECK(waitid(P_PID, static_cast<id_t>(sleeper), &ended, WEXITED | WNOWAIT) == 0);
    CHECK(is_exiting(sleeper));
    CHECK(waitpid(sleeper, nullptr, 0) == sleeper);
}

TEST_CASE("a process that is killed leaves no private directory, at whatever moment") {
    std::string place = std::filesystem::temp_directory_path() / "rnncheck-private-XXXXXX";
    REQUIRE(mkdtemp(place.data()));
    for (int i = 0; i < 300; ++i) {
        const pid_t creator = fork();
        if (creator == 0) {
            setpgid(0, 0);
            setenv("TMPDIR", place.c_str(), 1);
            const PrivateDirectory directory;
            for (;;)
                pause();
        }
        setpgid(creator, creator);
        usleep(static_cast<useconds_t>(i * 10));
        kill(i % 2 ? creator : -creator, SIGKILL);  // or its whole process group
        CHECK(waitpid(creator, nullptr, 0) == creator);
    }
    for (int i = 0; i < 500 && !std::filesystem::is_empty(place); ++i)
        std::this_thread::sleep_for(milliseconds(20));
    CHECK(std::filesystem::is_empty(place));
    std::filesystem::remove_all(place);
}

TEST_CASE("a limit can be shortened while the process runs, and not prolonged") {
    const auto process = start(
        command("sleep", milliseconds(60'000)), [](std::string_view) { return LineMeaning{}; });
    process->shorten(milliseconds(200));
    process->shorten(milliseconds(60'000));
    auto run = process->look();
    for (; !run; run = process->look())
        poll_all({process.get()});
    CHECK(run->end == ProbeEnd::timed_out);
    CHECK(run->reason == "no progress for 0 s");
}
