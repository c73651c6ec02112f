#!/usr/bin/env python3
"""`rnncheck run -- COMMAND` beside COMMAND alone: same bytes, same exit code, same signals, same job control.

usage: transparency_test.py RNNCHECK [unittest arguments]
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from programs import PLAIN, PYTHON, TYPED, python, shell  # noqa: E402
from terminal import Terminal  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
THIS_FILE = os.path.abspath(__file__)
# Programs such as nohup(1) write into the current directory.
CURRENT_DIRECTORY = tempfile.TemporaryDirectory()
os.chdir(CURRENT_DIRECTORY.name)
# The report about a failed command is another test's; this one is short.
RUN = [PROGRAM, "run", "--quiet", "--only", "proc_sys_hidden", "--"]
ENVIRONMENT = {
    **os.environ,
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PS1": "$ ",
}
for name in ("COLUMNS", "LINES", "LS_COLORS", "BASH_ENV", "PROMPT_COMMAND"):
    ENVIRONMENT.pop(name, None)


def without_report(got, bare):
    """Of a command that failed, what was written before the report."""
    return bare if got.startswith(bare) and got[len(bare) :].startswith(b"rnncheck") else got


def becoming(command, streams=()):
    """A function that becomes the command, with (number, file) as its streams."""

    def start():
        for number, file in streams:
            os.dup2(file.fileno(), number)
        os.execvpe(command[0], command, ENVIRONMENT)

    return start


def on_terminal(command, actions=(), streams=()):
    """What was on the screen, and how it ended."""
    terminal = Terminal(becoming(command, streams))
    seen = 0
    for awaited, action in actions:
        seen = terminal.wait_for(awaited, seen)
        time.sleep(
            0.05
        )  # a program that has just written its prompt may still be changing the terminal's modes
        if isinstance(action, tuple):
            terminal.resize(*action[1:])
        else:
            terminal.type(action)
    return terminal.finish(), terminal.status


def with_pipes(command, given=b"", together=False):
    done = subprocess.run(
        command,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if together else subprocess.PIPE,
        check=False,
        timeout=120,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    return done.stdout, done.stderr or b"", done.returncode


class Plain(unittest.TestCase):
    def each(self, look):
        for name, command in PLAIN.items():
            with self.subTest(name):
                bare, got = look(command), look(RUN + command)
                got = (
                    *(
                        without_report(text, other) if isinstance(text, bytes) else text
                        for text, other in zip(got, bare)
                    ),
                )
                self.assertEqual(got, bare)

    def test_on_a_terminal(self):
        self.each(
            lambda command: on_terminal(
                command,
                [(b"ready\r\n", b"\x04")] if command[-1] == PLAIN["standard input"][-1] else [],
            )
        )

    def test_with_pipes(self):
        self.each(lambda command: with_pipes(command, b"given\0\xff\n"))

    def test_both_streams_in_one_pipe(self):
        self.each(lambda command: with_pipes(command, together=True))

    def test_files(self):
        def to_files(command):
            with (
                tempfile.TemporaryFile() as out,
                tempfile.TemporaryFile() as err,
                open(THIS_FILE, "rb") as given,
            ):
                out.write(b"before\n")
                out.flush()
                code = subprocess.run(
                    command,
                    stdin=given,
                    stdout=out,
                    stderr=err,
                    check=False,
                    timeout=120,
                    env=ENVIRONMENT,
                    start_new_session=True,
                ).returncode
                out.seek(0)
                err.seek(0)
                return out.read(), err.read(), code

        self.each(to_files)

    def test_output_to_a_pipe_and_errors_to_the_terminal(self):
        def mixed(command):
            with tempfile.NamedTemporaryFile() as kept:
                line = " ".join(
                    f"'{word}'"
                    if "'" not in word
                    else '"' + word.replace('"', '\\"').replace("$", "\\$") + '"'
                    for word in command
                )
                screen, _ = on_terminal(
                    ["bash", "-c", f"{line} | cat > {kept.name}; exit ${{PIPESTATUS[0]}}"]
                )
                return screen, kept.read()

        for name in (
            "echo",
            "both streams",
            "tqdm",
            "stderr only",
            "is a terminal",
            "size",
            "colours",
            "exit 3",
        ):
            with self.subTest(name):
                bare, got = mixed(PLAIN[name]), mixed(RUN + PLAIN[name])
                self.assertEqual((without_report(got[0], bare[0]), got[1]), bare)

    def test_input_from_a_pipe_and_output_on_the_terminal(self):
        for line in (
            "seq 500 | {} less",
            "echo abc | {} cat",
            "yes 2>/dev/null | {} head -3",
            "seq 3 | {} python3 -c 'import os; print(os.isatty(0), os.isatty(1), input())'",
        ):
            with self.subTest(line):
                actions = [(b"\r\n23\r\n", b"G"), (b"500", b"q")] if "less" in line else []
                bare = on_terminal(["bash", "-c", line.format("")], actions)
                self.assertEqual(
                    on_terminal(["bash", "-c", line.format(" ".join(RUN))], actions), bare
                )


class Typed(unittest.TestCase):
    def test_what_is_typed(self):
        for name, (command, actions) in TYPED.items():
            with self.subTest(name):
                bare_screen, bare_status = on_terminal(command, actions)
                screen, status = on_terminal(RUN + command, actions)
                self.assertEqual(
                    (without_report(screen, bare_screen), status), (bare_screen, bare_status)
                )

    def test_the_terminal_is_as_the_command_left_it(self):
        for command in (
            "true",
            "stty -echo",
            "stty -onlcr",
            "python3 -c 'import tty; tty.setraw(0)'",
        ):
            with self.subTest(command):
                bare, _ = on_terminal(["bash", "-c", f"{command}; stty -a"])
                self.assertEqual(
                    on_terminal(["bash", "-c", f"{' '.join(RUN)} {command}; stty -a"])[0], bare
                )


class JobControl(unittest.TestCase):
    """In an interactive shell; the word PREFIX stands before the command."""

    def session(self, prefix, actions):
        start = becoming(["bash", "--norc", "--noprofile", "--noediting", "-i"])
        terminal = Terminal(start)
        terminal.wait_for(b"$ ")
        terminal.type(b"PS1='P:'; P='" + " ".join(prefix).encode() + b"'\n")
        seen = begin = terminal.wait_for(b"\r\nP:", 0)
        for action, awaited in actions:
            time.sleep(0.1)
            if isinstance(action, tuple):
                terminal.resize(*action)
            else:
                terminal.type(action)
            seen = terminal.wait_for(awaited, seen)
        terminal.type(b"exit\n")
        return re.sub(
            rb"rnncheck \d[^\n]*\n",
            b"",
            re.sub(rb"\[1\] \d+", b"[1] PROCESS", terminal.finish()[begin:]),
        )

    def compare(self, *actions):
        bare = self.session([], actions)
        self.assertEqual(self.session(RUN, actions), bare)

    def test_stop_and_foreground(self):
        self.compare(
            (b"$P bash -c 'echo ready; exec cat'\n", b"\nready\r\n"),
            (b"one\n", b"one\r\none\r\n"),
            (b"\x1a", b"P:"),
            (b"echo between\n", b"\r\nbetween\r\nP:"),
            (b"fg\n", b"cat'\r\n"),
            (b"two\n", b"two\r\ntwo\r\n"),
            (b"\x04", b"P:"),
            (b"echo $?\n", b"\r\n0\r\nP:"),
        )

    def test_stop_and_background(self):
        self.compare(
            (b"$P bash -c 'echo ready; for i in $(seq 15); do sleep 0.2; done'\n", b"\nready\r\n"),
            (b"\x1a", b"P:"),
            (b"bg\n", b"P:"),
            (b"wait\n", b"P:"),
            (b"jobs\n", b"P:"),
        )

    def test_stop_twice(self):
        line = b'$P python3 -c \'import signal, time\nn = [0]\nsignal.signal(signal.SIGCONT, lambda *_: print("continued", flush=True))\nprint("ready", flush=True)\nwhile True: signal.pause()\'\n'
        self.compare(
            (line, b"ready\r\n"),
            (b"\x1a", b"P:"),
            (b"fg\n", b"continued\r\n"),
            (b"\x1a", b"P:"),
            (b"fg\n", b"continued\r\n"),
            (b"\x03", b"P:"),
        )

    def test_started_in_the_background(self):
        self.compare((b"$P sleep 0.3 & wait $!; echo $?\n", b"\r\n0\r\nP:"))

    def test_a_background_job_that_reads_is_stopped(self):
        # One line, because the shell says at its next prompt, whenever that is, that a job was stopped.
        self.compare(
            (b"$P cat & until jobs | grep -q Stopped; do sleep 0.1; done\n", b"\nP:"),
            (b"fg\n", b"cat\r\n"),
            (b"x\n", b"x\r\nx\r\n"),
            (b"\x04", b"P:"),
        )

    def test_kill_of_a_job(self):
        self.compare((b"$P sleep 50 & sleep 0.3; kill %1; wait $!; echo $?\n", b"\r\n143\r\nP:"))

    def test_vim_is_stopped_and_continued(self):
        actions = (
            (b"$P vim -u NONE -i NONE -n\n", b"VIM - Vi IMproved"),
            (b"\x1a", b"P:"),
            (b"fg\n", b"\x1b"),
            (b":q\r", b"P:"),
        )
        for prefix in ([], RUN):
            self.assertIn(b"P:exit", self.session(prefix, actions))

    def test_resize_while_stopped(self):
        line = b"$P python3 -c 'import os; print(\"ready\"); input(); print(os.get_terminal_size()); input()'\n"
        self.compare(
            (line, b"\nready\r\n"),
            (b"\x1a", b"P:"),
            ((50, 150), b""),
            (b"fg\n", b"input()'\r\n"),
            (b"\n", b"columns=150, lines=50"),
            (b"\n", b"P:"),
        )

    def test_script_is_interrupted_as_a_whole(self):
        self.compare(
            (b"bash -c \"$P sh -c 'echo ready; sleep 50'; echo not reached\"\n", b"\nready\r\n"),
            (b"\x03", b"P:"),
            (b"echo $?\n", b"\r\n130\r\nP:"),
        )


COUNTS = """import os, signal, sys, time
got = []
for s in (signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGINT, signal.SIGRTMIN):
    signal.signal(s, lambda n, f: (got.append(n), os.write(1, f"{n} ".encode())))
os.write(1, b"ready ")
end = time.monotonic() + 30
while time.monotonic() < end and len(got) < int(sys.argv[1]): time.sleep(0.01)
time.sleep(0.3)
os._exit(0)"""


def state_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def ends(process, limit_s=30):
    """A process that runs on for ever is not ended after the limit; a busy machine needs less."""
    limit = time.monotonic() + limit_s
    while time.monotonic() < limit:
        if state_of(process) in ("Z", "X", "gone"):
            return True
        time.sleep(0.02)
    return False


class Signals(unittest.TestCase):
    def start(self, command, **more):
        return subprocess.Popen(
            RUN + command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=ENVIRONMENT,
            start_new_session=True,
            **more,
        )

    def test_a_signal_arrives_once(self):
        """From one process to the program, and to the whole group, as schedulers and timeout(1) send it."""
        for send in (os.kill, os.killpg):
            for number in (
                signal.SIGTERM,
                signal.SIGUSR1,
                signal.SIGHUP,
                signal.SIGINT,
                signal.SIGRTMIN,
            ):
                with self.subTest(f"{send.__name__} {number}"):
                    running = self.start([PYTHON, "-c", COUNTS, "1"])
                    self.assertEqual(running.stdout.read(6), b"ready ")
                    send(running.pid, number)
                    out, _ = running.communicate(timeout=60)
                    self.assertEqual((out, running.returncode), (b"%d " % number, 0))

    def test_the_command_dies_with_the_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGALRM):
            with self.subTest(number):
                running = self.start(shell("echo ready $$; exec sleep 60"))
                command = int(running.stdout.readline().split()[1])
                os.kill(running.pid, number)
                self.assertEqual(running.wait(60), -number)
                self.assertTrue(ends(command), "the command runs on")
                running.stdout.close()

    def test_an_ignored_hang_up_stays_ignored(self):
        running = self.start(
            shell("echo ready; sleep 0.5; echo survived"),
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        self.assertEqual(running.stdout.readline(), b"ready\n")
        os.killpg(running.pid, signal.SIGHUP)
        out, _ = running.communicate(timeout=60)
        self.assertEqual((out, running.returncode), (b"survived\n", 0))

    def test_ignored_child_signals(self):
        def before():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        done = subprocess.run(
            RUN + shell("grep SigIgn /proc/self/status; exit 9"),
            capture_output=True,
            check=False,
            env=ENVIRONMENT,
            preexec_fn=before,
        )
        bare = subprocess.run(
            shell("grep SigIgn /proc/self/status; exit 9"),
            capture_output=True,
            check=False,
            env=ENVIRONMENT,
            preexec_fn=before,
        )
        self.assertEqual((done.stdout, done.returncode), (bare.stdout, 9))

    def test_a_stopped_group_continues(self):
        running = self.start(
            shell("echo ready; for i in $(seq 100); do sleep 0.02; done; echo end")
        )
        self.assertEqual(running.stdout.readline(), b"ready\n")
        os.killpg(running.pid, signal.SIGSTOP)
        time.sleep(3)
        self.assertIsNone(running.poll())
        os.killpg(running.pid, signal.SIGCONT)
        out, _ = running.communicate(timeout=60)
        self.assertEqual((out, running.returncode), (b"end\n", 0))


class Pipes(unittest.TestCase):
    def line(self, text, prefix=tuple(RUN)):
        done = subprocess.run(
            ["bash", "-c", text.replace("RUN", " ".join(prefix))],
            capture_output=True,
            check=False,
            timeout=300,
            env=ENVIRONMENT,
        )
        return done.stdout, done.returncode

    def test_lines_of_a_shell(self):
        for text in (
            "RUN yes | head -1; echo ${PIPESTATUS[@]}",
            "RUN seq 1000000 | md5sum",
            "RUN head -c 50000000 /dev/zero | md5sum",
            "RUN sh -c 'echo a; sleep 0.5; echo b; echo $? >&2' 2>&1 >/dev/full | cat",
            "RUN sh -c 'echo a; sleep 2; echo b; exit 3' | head -1; echo ${PIPESTATUS[@]}",
            "seq 10 | RUN sh -c 'read x; echo $x' ; echo $?",
            "yes | RUN true; echo ${PIPESTATUS[@]}",
            "RUN sh -c 'exec >&-; sleep 0.4; exit 6' | { cat; echo closed; }",
            "x=$(RUN sh -c 'echo captured; exit 5'); echo $x $?",
            "RUN cat < /dev/null; echo $?",
            "RUN cat <&- 2>/dev/null; echo $?",
            "RUN sh -c 'echo gone' >&-; echo $?",
            "RUN sh -c 'echo three >&3' 3>&1",
            "f=$(mktemp); echo first > $f; RUN echo second >> $f; cat $f; rm $f",
            "f=$(mktemp); { echo one; RUN echo two; echo three; } > $f; cat $f; rm $f",
            "f=$(mktemp); RUN sh -c 'echo o; echo e >&2; echo o2' > $f 2>&1; cat $f; rm $f",
            "RUN RUN sh -c 'echo nested; exit 8'; echo $?",
            "timeout 0.5 RUN sleep 20; echo $?",
            "RUN timeout 0.3 sleep 20; echo $?",
            "RUN setsid -w sh -c 'echo session; exit 4'; echo $?",
        ):
            with self.subTest(text):
                self.assertEqual(self.line(text), self.line(text, ()))

    def test_what_is_left_behind_writes_on(self):
        for text in (
            "RUN sh -c '(sleep 0.5; echo later) & echo now' | cat",
            "RUN sh -c '(sleep 0.5; echo later; echo error >&2) & echo now' 2>&1 | cat",
            "f=$(mktemp); RUN sh -c '(sleep 0.3; echo later) & echo now' > $f; until grep -q later $f; do sleep 0.1; done; cat $f; rm $f",
        ):
            with self.subTest(text):
                self.assertEqual(self.line(text), self.line(text, ()))

    def test_what_is_left_behind_does_not_hold_the_shell(self):
        line = f"{' '.join(RUN)} sh -c 'sleep 1000 & echo $!'; echo shell"
        with subprocess.Popen(
            ["bash", "-c", line], stdout=subprocess.PIPE, env=ENVIRONMENT
        ) as running:
            left = int(running.stdout.readline())
            self.assertEqual(running.stdout.readline(), b"shell\n")
            self.assertEqual(running.wait(300), 0)
            os.kill(left, signal.SIGTERM)  # it still lives

    def test_what_is_left_behind_on_a_terminal(self):
        line = "sh -c '(sleep 2; echo later; kill -0 $$ || echo alone) & echo now'; echo shell; sleep 5; echo end"
        bare, _ = on_terminal(["bash", "-c", line])
        got, _ = on_terminal(["bash", "-c", f"{' '.join(RUN)} {line}"])
        self.assertEqual(got.replace(b"\r\r\n", b"\r\n"), bare)

    def test_a_socket(self):
        for prefix in ([], RUN):
            ours, theirs = socket.socketpair()
            running = subprocess.Popen(
                prefix + ["seq", "200000"],
                stdout=theirs,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            theirs.close()
            total = 0
            while got := ours.recv(1 << 16):
                total += len(got)
            self.assertEqual((total, running.wait(60)), (1288895, 0))
            ours.close()

    def test_a_slow_reader_gets_everything(self):
        running = subprocess.Popen(
            RUN + ["seq", "400000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        time.sleep(0.5)
        parts = []
        while part := os.read(running.stdout.fileno(), 100000):
            parts.append(part)
            time.sleep(0.002)
        self.assertEqual(b"".join(parts), b"".join(b"%d\n" % i for i in range(1, 400001)))
        self.assertEqual(running.wait(60), 0)
        running.stdout.close()

    def test_the_program_is_not_found(self):
        done = subprocess.run(RUN + ["no-such-program"], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (127, b""))
        self.assertIn(b"'no-such-program' was not found", done.stderr)
        with tempfile.NamedTemporaryFile() as file:
            done = subprocess.run(RUN + [file.name], capture_output=True, check=False)
            self.assertEqual(done.returncode, 126)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    unittest.main()
