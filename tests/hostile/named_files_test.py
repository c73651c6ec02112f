#!/usr/bin/env python3
"""Whatever lies where a file is expected, each command ends with a report or with one sentence, in bounded memory.

usage: named_files_test.py RNNCHECK
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks  # noqa: E402

PROGRAM = sys.argv[1]
MOST_MEMORY = 256 << 20
check = Checks()
place = pathlib.Path(tempfile.mkdtemp(prefix="rnncheck-named-"))
large = place / "large"


@contextlib.contextmanager
def growing(path):
    """A file into which somebody writes all the time."""
    stop = threading.Event()

    def grow():
        with open(path, "wb") as file:
            while not stop.wait(0.001):
                file.write(b"x" * (1 << 16))
                file.flush()
                if file.tell() > 512 << 20:
                    file.truncate(0)

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        os.unlink(path)


@contextlib.contextmanager
def made(kind, path):
    if kind == "growing":
        with growing(path):
            yield
        return
    holder = None
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "silent_writer":
        os.mkfifo(path)
        holder = open(path, "r+b", buffering=0)
    elif kind == "device":
        os.symlink("/dev/zero", path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "socket":
        holder = socket.socket(socket.AF_UNIX)
        holder.bind(path)
    elif kind == "loop":
        os.symlink(path, path)
    elif kind == "sparse":
        with open(path, "wb") as file:
            file.truncate(3 << 30)
    elif kind == "large":
        os.link(large, path)
    try:
        yield
    finally:
        if holder:
            holder.close()
        os.rmdir(path) if kind == "directory" else os.unlink(path)


KINDS = [
    "fifo",
    "silent_writer",
    "device",
    "directory",
    "socket",
    "loop",
    "sparse",
    "growing",
    "large",
]
ARGUMENTS = [
    ["doctor", "--facts"],
    ["doctor", "--look-only", "--profile"],
    ["doctor", "--look-only", "--log"],
    ["diff"],
    ["diagnose"],
    ["model"],
    ["which"],
    ["lstm", "--resume"],
    ["lstm", "--from-log"],
    ["fleet", "merge"],
    ["fleet", "diff", "{}"],
    ["fleet", "merge", "--expect", "{}"],
    ["matrix", "verify"],
    ["doctor", "--look-only", "--python"],
]


def run(arguments):
    """Exit code, output, messages, and the most memory that one of its processes had."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        timer = threading.Timer(120, child.kill)  # only where it hangs
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        out.seek(0), err.seek(0)
        return (
            child.returncode,
            out.read(),
            err.read().decode(errors="replace"),
            usage.ru_maxrss << 10,
        )


def judge(name, arguments, may_report=False):
    code, out, err, memory = run(arguments)
    check.that(
        code in ((0, 1, 2, 3) if may_report else (2,)), f"{name}: exit code {code}, {err[-300:]}"
    )
    check.that(
        code != 2 or (err.startswith("rnncheck: ") and len(err.strip().splitlines()) == 1),
        f"{name}: {err!r}",
    )
    check.that("bug" not in err, f"{name}: {err!r}")
    check.that(memory < MOST_MEMORY, f"{name}: {memory >> 20} MiB")


with open(large, "wb") as text:
    for _ in range((MOST_MEMORY >> 20) + 64):
        text.write(b'[{"a": 1}, \n' * (1 << 16))
sound = place / "sound.json"
sound.write_bytes(
    subprocess.run(
        [PROGRAM, "doctor", "--look-only", "--json"], capture_output=True, check=False
    ).stdout
)
for kind in KINDS:
    path = str(place / "named")
    for words in ARGUMENTS:
        arguments = [word.replace("{}", str(sound)) for word in words] + [path]
        if words[-1] == "{}":
            arguments = [*words[:-1], path, str(sound)]
        if words == ["diff"]:
            arguments = ["diff", str(sound), path]
        # A log may be any text; of reports, those that can be read are compared; a model, and a directory of Python packages, may be one.
        may_report = words[0] in ("diagnose", "fleet") or words[-1] in (
            "--log",
            "--python",
            "--from-log",
            "--profile",
        )
        with made(kind, path):
            judge(f"{kind} for {' '.join(words)}", arguments, may_report)
    for words in (["fleet", "merge"], ["matrix", "verify"]):
        directory = place / "directory"
        directory.mkdir()
        with made(kind, str(directory / "x.json")):
            (directory / "sound.json").write_bytes(sound.read_bytes())
            judge(f"{kind} in the directory for {' '.join(words)}", [*words, str(directory)], True)
            if words[0] == "fleet":
                document = json.loads(run(["fleet", "merge", "--json", str(directory)])[1])
                check.that(
                    document["read"] == 1,
                    f"{kind}: the sound report beside it was not read: {document['sentence']}",
                )
                check.that(document["unreadable"], f"{kind} in a directory of reports is not named")
        (directory / "sound.json").unlink()
        directory.rmdir()

# What a shell's process substitution gives is read; so is standard input.
with open(sound, "rb") as file:
    both = subprocess.run(
        ["bash", "-c", '"$0" diff <(cat "$1") <(sleep 1; cat "$1")', PROGRAM, str(sound)],
        capture_output=True,
        check=False,
    )
    check.that(both.returncode in (0, 3) and not both.stderr, f"process substitution: {both}")
    piped = subprocess.run(
        [PROGRAM, "fleet", "merge", "-"], stdin=file, capture_output=True, check=False
    )
    check.that(b"1 node" in piped.stdout or b"1 report" in piped.stdout, f"standard input: {piped}")
sound.unlink()
large.unlink()
place.rmdir()
sys.exit(check.close())
