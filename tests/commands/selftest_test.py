#!/usr/bin/env python3
"""`rnncheck selftest` where something is forbidden or hidden says so, and the doctor says it of its own report.

usage: selftest_test.py RNNCHECK ENVIRONMENT     77 when this machine does not let us make that environment
"""

import ctypes
import json
import os
import pathlib
import platform
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks  # noqa: E402

PROGRAM, ENVIRONMENT = sys.argv[1], sys.argv[2]
check = Checks()
NAMES = [
    "processes",
    "crash",
    "exit",
    "hang",
    "deadline",
    "reference",
    "tables",
    "temporary files",
    "/proc",
    "/sys",
    "/dev",
]
# Numbers of system calls by machine (asm/unistd.h).
CALLS = {
    "x86_64": {"clone": 56, "fork": 57, "vfork": 58, "kill": 62, "ptrace": 101, "clone3": 435},
    "aarch64": {"clone": 220, "kill": 129, "ptrace": 117, "clone3": 435},
}
IN_NAMESPACE = {  # what is done to a copy of the table of mounts
    "no_proc": "mount -t tmpfs none /proc",
    "no_sys": "mount -t tmpfs none /sys",
    "no_dev": "mount -t tmpfs none /dev",
    "no_tmp": "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp",  # what is in it stays, such as the program
    "read_only_root": "mount -o remount,bind,ro / && { ! grep -q ' /tmp ' /proc/self/mountinfo || mount -o remount,bind,ro /tmp; }",
}
FORBIDDEN = {
    "no_fork": ("clone", "fork", "vfork", "clone3"),
    "no_ptrace": ("ptrace",),
    "no_kill": ("kill",),
}


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def forbid(names):
    """From now on these system calls fail with EPERM, in this process and all that it starts (seccomp(2), mode 2)."""
    numbers = [number for name, number in CALLS[platform.machine()].items() if name in names]
    load_number, if_equal, give, allow, no = (
        0x20,
        0x15,
        0x06,
        0x7FFF0000,
        0x00050001,
    )  # no: SECCOMP_RET_ERRNO with EPERM
    steps = [(load_number, 0, 0, 0)]
    steps += [(if_equal, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    steps += [(give, 0, 0, allow), (give, 0, 0, no)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    set_no_new_privs, set_seccomp, filter_mode = 38, 22, 2
    if libc.prctl(set_no_new_privs, 1, 0, 0, 0) or libc.prctl(
        set_seccomp, filter_mode, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "no seccomp filter")


def run(*arguments):
    """The program in the environment requested: exit code and output."""
    command, before, variables = [PROGRAM, *arguments], None, dict(os.environ)
    variables.pop("TMPDIR", None)
    if ENVIRONMENT in IN_NAMESPACE:
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        command = [
            "unshare",
            *user,
            "--mount",
            "sh",
            "-c",
            f'{IN_NAMESPACE[ENVIRONMENT]} || exit 77; exec "$@"',
            "sh",
            *command,
        ]
    if ENVIRONMENT in FORBIDDEN:
        before = lambda: forbid(FORBIDDEN[ENVIRONMENT])  # noqa: E731
    if ENVIRONMENT == "no_temporary_directory":
        variables["TMPDIR"] = "/nonexistent"
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, preexec_fn=before, env=variables
        )
    except (OSError, subprocess.SubprocessError, KeyError) as error:
        skip(error)
    if done.returncode == 77 or b"unshare" in done.stderr:
        skip(done.stderr.decode(errors="replace").strip())
    return done.returncode, done.stdout.decode()


def doctor_output(*texts):
    restrictions = json.loads(run("doctor", "--look-only", "--json")[1])["facts"]["tool"][
        "restrictions"
    ]
    line = "Limits     rnncheck was restricted here" in run("doctor", "--look-only")[1]
    check.that(line == bool(texts), f"the text report has the line about restrictions: {line}")
    check.that(len(restrictions) == len(texts), f"the doctor's restrictions are {restrictions}")
    for text in texts:
        check.that(
            any(text in sentence for sentence in restrictions),
            f"no restriction of the doctor shows '{text}': {restrictions}",
        )


def expect(code, outcomes, *doctor):
    """`outcomes`: of the checks that do not pass, (outcome, part of the text)."""
    found_code, text = run("selftest", "--json")
    document = json.loads(text)
    check.that(found_code == code, f"exit code {found_code}, expected {code}")
    check.that(
        [entry["name"] for entry in document["checks"]] == NAMES, f"checks: {document['checks']}"
    )
    worst = "failed" if code else "restricted" if outcomes else "passed"
    check.that(document["verdict"] == worst, f"verdict {document['verdict']}, expected {worst}")
    printed = run("selftest")[1]
    for entry in document["checks"]:
        check.that(
            f"{entry['outcome']:<10}  {entry['name']}" in printed,
            f"no line of {entry} in {printed}",
        )
        outcome, text = outcomes.get(entry["name"], ("passed", ""))
        check.that(
            entry["outcome"] == outcome and text in entry["text"],
            f"{entry}, expected {outcome} '{text}'",
        )
    doctor_output(*doctor)


NO_FILES = {"temporary files": ("restricted", "no file can be created in")}
if ENVIRONMENT in ("plain", "no_ptrace"):
    expect(0, {})
elif ENVIRONMENT in ("no_proc", "no_sys", "no_dev"):
    directory = ENVIRONMENT.replace("no_", "/")
    expect(
        0,
        {directory: ("restricted", f"{directory} is empty or closed to this process")},
        f"{directory} is empty or closed",
    )
elif ENVIRONMENT in ("no_tmp", "read_only_root"):
    expect(0, NO_FILES, "no file can be created in /tmp (Read-only file system)")
elif ENVIRONMENT == "no_temporary_directory":
    expect(0, NO_FILES, "no file can be created in /nonexistent (No such file or directory)")
elif ENVIRONMENT == "no_fork":
    not_started = ("failed", "Operation not permitted")
    names = ("processes", "crash", "exit", "hang", "deadline", "/proc", "/sys", "/dev")
    expect(1, {name: not_started for name in names}, "could not be started")
elif ENVIRONMENT == "no_kill":
    stuck = "the child's end was 'stuck'"
    expect(
        1,
        {
            "hang": ("failed", "a hang cannot be distinguished from a slow call; " + stuck),
            "deadline": ("failed", stuck),
        },
    )
sys.exit(check.close())
