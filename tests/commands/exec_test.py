#!/usr/bin/env python3
"""`rnncheck exec -- CMD`: the check goes to stderr, then CMD runs as if it had been started alone.

usage: exec_test.py RNNCHECK [unittest arguments]
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Run  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
# Nothing on this machine may decide over these tests: one rule that always passes, or one that cannot on a machine without a GPU.
CALM = ("--look-only", "--only", "proc_sys_hidden")
STOPS = ("--look-only", "--only", "driver_missing,driver_library_missing")
HAS_DRIVER = os.path.exists("/dev/nvidiactl") or os.path.exists("/sys/module/nvidia")


def run(*arguments, **more):
    return Run(PROGRAM, "exec", *arguments, **more)


def calmly(*command, **more):
    return run(*CALM, "--", *command, **more)


class Exec(unittest.TestCase):
    def test_the_report_goes_to_stderr_and_the_streams_are_the_commands(self):
        done = calmly("cat", given=b"through\0and through\n")
        self.assertEqual((done.code, done.out), (0, b"through\0and through\n"))
        self.assertTrue(done.err.startswith("rnncheck "), done.err)

    def test_arguments_reach_the_command_as_they_are(self):
        arguments = [
            "--json",
            "[1,2]",
            "",
            "--",
            "a b",
            "-q",
            "doctor",
            "--epochs=3",
            "{}",
            "@file",
            "\n",
        ]
        done = calmly(
            sys.executable, "-c", "import sys; sys.stdout.write(repr(sys.argv[1:]))", *arguments
        )
        self.assertEqual(done.out.decode(), repr(arguments), done.err)

    def test_exit_codes_pass_through(self):
        for code in (0, 1, 2, 3, 70, 125, 255):
            self.assertEqual(calmly("sh", "-c", f"exit {code}").code, code)

    def test_signals_pass_through(self):
        self.assertEqual(calmly("sh", "-c", "kill -SEGV $$").code, -signal.SIGSEGV)
        child = subprocess.Popen(
            [PROGRAM, "exec", *CALM, "--", "sh", "-c", "echo up; exec sleep 60"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        child.stdout.readline()
        child.terminate()
        self.assertEqual(child.wait(30), -signal.SIGTERM)
        child.stdout.close()

    def test_the_command_finds_the_process_as_it_was(self):
        show = "grep -E '^(SigBlk|SigIgn|Cap|NoNewPrivs|Threads)' /proc/self/status; ulimit -a; ls /proc/self/fd; env | sort; pwd"
        environment = {"LD_LIBRARY_PATH": "/nowhere", "RNNCHECK_TEST_MARK": "1"}

        def before():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)

        command = ["bash", "-c", show]
        alone = subprocess.run(
            command,
            input=b"",
            capture_output=True,
            check=False,
            env={**os.environ, **environment},
            preexec_fn=before,
        )
        self.assertEqual(calmly(*command, environment=environment, before=before).out, alone.stdout)

    def test_what_cannot_be_started(self):
        missing = calmly("no-such-program-anywhere")
        self.assertEqual((missing.code, missing.out), (127, b""))
        self.assertIn("'no-such-program-anywhere' was not found", missing.err)
        with tempfile.NamedTemporaryFile() as file:
            rejected = calmly(file.name)
            self.assertEqual(rejected.code, 126)
            self.assertIn("cannot be started", rejected.err)

    def test_usage(self):
        for arguments in (
            [],
            ["--"],
            ["--nonsense", "--", "true"],
            ["--only", "nonsense", "--", "true"],
        ):
            done = run(*arguments)
            self.assertEqual((done.code, done.out, done.err.count("\n")), (2, b"", 1), arguments)

    @unittest.skipIf(HAS_DRIVER, "this machine has a driver")
    def test_a_problem_stops_it_with_a_code_of_its_own(self):
        done = run(*STOPS, "--", "echo", "ran")
        self.assertEqual((done.code, done.out), (125, b""), done.err)
        self.assertIn("driver", done.err)
        self.assertIn("'echo' was not started", done.err)
        expected = run(*STOPS, "--allow-no-gpu", "--", "echo", "ran")
        self.assertEqual((expected.code, expected.out), (0, b"ran\n"), expected.err)
        ignored = run(
            *STOPS, "--ignore", "driver_missing,driver_library_missing", "--", "echo", "ran"
        )
        self.assertEqual((ignored.code, ignored.out), (0, b"ran\n"), ignored.err)

    @unittest.skipIf(HAS_DRIVER, "this machine has a driver")
    def test_the_report_is_that_of_the_doctor(self):
        doctor = Run(PROGRAM, "doctor", *STOPS)
        self.assertTrue(run(*STOPS, "--", "true").err.startswith(doctor.text))


if __name__ == "__main__":
    unittest.main()
