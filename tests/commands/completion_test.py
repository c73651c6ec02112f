#!/usr/bin/env python3
"""Completion of every kind of argument, typed into the real shells as a person at a terminal does.

usage: completion_test.py RNNCHECK HELP_PAGES_DIRECTORY SHELL        exits 77 where the shell is not installed
"""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

program, pages, shell = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
sys.path[:0] = [pages, str(pathlib.Path(__file__).parents[1] / "support")]
import help_pages  # noqa: E402
from doctor import Checks  # noqa: E402

NAMES = {"bash": "rnncheck.bash", "zsh": "_rnncheck", "fish": "rnncheck.fish"}
LOG = "a_log_in_this_directory"
# A line of which one word is begun, and the word that Tab makes of it.
LINES = {
    "rnncheck mat": "matrix",
    "rnncheck matrix ver": "verify",
    "rnncheck fleet mer": "merge",
    "rnncheck explain driver_miss": "driver_missing",
    "rnncheck explain host_sys": "host_system",
    "rnncheck help exit": "exit-codes",
    "rnncheck help matrix ver": "verify",
    "rnncheck list prob": "probes",
    "rnncheck matrix show status": "status_names",
    "rnncheck matrix check drive": "driver=",
    "rnncheck matrix check tensorf": "tensorflow=",
    "rnncheck matrix plan pyth": "python=",
    "rnncheck doctor --only cudnn_part_m": "cudnn_part_missing",
    "rnncheck doctor --format markd": "markdown",
    "rnncheck doctor --color alw": "always",
    "rnncheck doctor --save-fa": "--save-facts",
    "rnncheck lstm --cell gr": "gru",
    "rnncheck diagnose a_log_in_th": LOG,
    "rnncheck model a_log_in_th": LOG,
    "rnncheck which a_log_in_th": LOG,
    "rnncheck fleet merge a_log_in_th": LOG,
    "rnncheck doctor --facts a_log_in_th": LOG,
}


def read_until(terminal, wanted, seconds):
    """What the terminal shows until `wanted` is there; a limit for a shell that never shows it."""
    text, end = b"", time.monotonic() + seconds
    while wanted not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 10000)
    return text


def typed(command, setting, line, wanted, directory):
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(directory)
        os.execvpe(
            command[0],
            command,
            {
                "PATH": os.environ["PATH"],
                "TERM": "dumb",
                "HOME": str(directory),
                "LC_ALL": "C.UTF-8",
            },
        )
    os.write(terminal, f"{setting}; echo rea''dy\n".encode())
    read_until(terminal, b"ready\r\n", 60)
    os.write(terminal, f"{line}\t".encode())
    text = read_until(terminal, wanted.encode(), 20)
    os.close(terminal)
    os.waitpid(process, 0)
    return text.decode()


def completed_by_fish(line, script, directory):
    command = ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return [word.split("\t")[0] for word in done.stdout.splitlines()]


def completed(line, wanted, script, directory):
    if shell == "fish":
        return wanted in completed_by_fish(line, script, directory)
    if shell == "bash":
        return wanted in typed(
            ["bash", "--norc", "-i"], f"source {script}", line, wanted, directory
        )
    setting = f"fpath=({script.parent} $fpath); autoload -U compinit; compinit -u"
    return wanted in typed(["zsh", "-f", "-i"], setting, line, wanted, directory)


if not shutil.which(shell):
    print(f"SKIPPED: {shell} is not installed")
    sys.exit(77)
check = Checks()
with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name)
    (place / LOG).touch()
    completion = place / NAMES[shell]
    completion.write_text(help_pages.completions(program)[shell])
    for begun, word in LINES.items():
        check.that(
            completed(begun, word, completion, place),
            f"{shell}: '{begun}' does not become '{word}'",
        )
sys.exit(check.close())
