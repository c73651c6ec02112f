#!/usr/bin/env python3
"""A healthy machine under limits on memory, processes and files: the limit is named, no library is blamed.

usage: resource_limits_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY     77 where no control group for memory can be created
"""

import contextlib
import os
import pathlib
import pwd
import resource
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

program, sim, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
check = Checks()
root = work / "resource_limits"
build_root({}, root, sim)
MB = 1_000_000
MEMORY_MB = (8, 10, 12, 14, 16, 20, 24, 28, 32, 48, 64, 80, 100, 150, 200)
RLIMITS = {
    "AS": [size * MB for size in (10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 300)],
    "DATA": [size * MB for size in (1, 2, 3, 5, 8, 10, 12, 15, 20, 30, 40, 60, 100)],
    "STACK": [size << 10 for size in (16, 24, 32, 48, 64, 96, 128, 256, 1024, 4096)],
    "NPROC": [0, 1, 2, 3, 5, 8, 12, 20, 40],
    "NOFILE": [3, 5, 8, 10, 12, 16, 20, 24, 32, 64],
}


class MemoryGroup:
    """A control group with so much memory; the processes in it are those whose `enter` runs in them. OSError where none can be created."""

    def __init__(self, size):
        first_version = pathlib.Path("/sys/fs/cgroup/memory")
        self.directory = (
            first_version if first_version.is_dir() else first_version.parent
        ) / f"rnncheck-test-{os.getpid()}"
        self.directory.mkdir()
        try:
            self.write("memory.limit_in_bytes" if first_version.is_dir() else "memory.max", size)
            for swap in ("memory.memsw.limit_in_bytes", "memory.swap.max"):
                with contextlib.suppress(OSError):
                    self.write(swap, size if "memsw" in swap else 0)
        except OSError:
            self.directory.rmdir()
            raise

    def write(self, name, value):
        if not (self.directory / name).exists():
            raise FileNotFoundError(f"{self.directory / name} does not exist")
        (self.directory / name).write_text(str(value))

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for _ in range(100):  # a process that was killed is in it for a moment
            with contextlib.suppress(OSError):
                return self.directory.rmdir()
            time.sleep(0.05)
        self.directory.rmdir()


def judge(name, report, started):
    """Whether the program started under this limit; then a report has to name it or be healthy."""
    failure = report.document.get("error") if report.document else {"kind": "limit"}
    if failure:
        check.that(failure["kind"] == "limit", f"{name}: {failure}")
        check.that(
            not started,
            f"{name}: no report, although there was one under a lower limit; exit {report.code} {report.stderr[:300]}",
        )
        check.that("this is a bug" not in report.stderr, f"{name}: {report.stderr[:300]}")
        return started
    rules = set(report.rules())
    check.that(
        rules <= {"resource_limit_too_low"},
        f"{name}: {[(f['rule'], f['message']) for f in report.document['findings']]}",
    )
    ends = {run["end"] for run in report.facts["probe_runs"]}
    whole = (
        ends == {"finished"}
        and all(run["end"] == "ok" for run in report.facts["rnn_runs"])
        and report.facts["rnn_runs"]
    )
    if whole:
        check.that(report.code == 0, f"{name}: all went well, exit {report.code} {rules}")
    else:
        check.that(
            report.code in (1, 3) and rules,
            f"{name}: exit {report.code}, the limit is not named; ends {ends}, {report.probe_runs('rnn_forward')}",
        )
    return True


def run(before, wrapper=()):
    return Report(
        program,
        f"--root={root}",
        "--show-private",
        environment=environment_of({}, root),
        before=before,
        wrapper=wrapper,
    )


def under_memory_limits():
    started = False
    for size in MEMORY_MB:
        with MemoryGroup(size * MB) as group:
            started = judge(f"{size} MB of memory", run(group.enter), started)
    check.that(started, "200 MB are enough to start")


def under_rlimit(kind, values):
    which, started = getattr(resource, f"RLIMIT_{kind}"), False
    nobody = pwd.getpwnam("nobody")

    def before(value):
        resource.setrlimit(which, (value, value))
        if kind == "NPROC" and os.geteuid() == 0:  # it does not hold for root
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)

    for value in values:
        try:
            report = run(lambda value=value: before(value))
        except OSError:  # not even that many descriptors to start it
            continue
        started = judge(f"RLIMIT_{kind} of {value}", report, started)
    check.that(started, f"RLIMIT_{kind}: started under {values[-1]}")


check.that(run(None).code == 0, "without limits the machine is healthy")
for kind, values in RLIMITS.items():
    under_rlimit(kind, values)
skipped = ""
try:
    under_memory_limits()
except OSError as error:
    skipped = f"SKIPPED: no control group for memory can be created here: {error}"
failed = check.close()
print(skipped)
sys.exit(failed or (77 if skipped else 0))
