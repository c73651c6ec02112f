#!/usr/bin/env python3
"""The doctor under tight limits of its own: they are no fault of the machine.

usage: limits_test.py RNNCHECK DIRECTORY_OF_HOSTILE_LIBRARIES
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
check = Checks()
ENVIRONMENT = {"LD_LIBRARY_PATH": str(directory)}
usual = Report(program, environment=ENVIRONMENT)


def errors(report):
    return {
        (finding["rule"], finding["subject"])
        for finding in report.document["findings"]
        if finding["severity"] == "error"
    }


def under(limits, *options, wrapper=()):
    def set_limits():
        for name, value in limits.items():
            resource.setrlimit(name, (value, value))

    return Report(
        program,
        "--show-private",
        *options,
        environment=ENVIRONMENT,
        wrapper=wrapper,
        before=set_limits,
    )


def few_descriptors():
    for most in (10, 12, 16, 24, 40, 64, 100, 199, 200, 201, 300):
        report = under({resource.RLIMIT_NOFILE: most})
        check.that(
            report.document is not None, f"{most} descriptors: no report; {report.stderr[:200]}"
        )
        if report.document is None:
            continue
        new = errors(report) - errors(usual)
        ends = {run["end"] for run in report.facts["probe_runs"]}
        check.that(not new, f"{most} descriptors: the machine is blamed: {new}, {ends}")
        check.that(
            ends <= {"finished", "not_started"}, f"{most} descriptors: processes ended {ends}"
        )
        if most >= 40:
            check.that(
                report.rules() == usual.rules() and ends == {"finished"},
                f"{most} descriptors: {report.rules()}, {ends}",
            )
        for run in report.facts["probe_runs"]:
            check.that(
                run["end"] == "finished" or "Too many open files" in run.get("reason", ""),
                f"{most} descriptors: {run}",
            )


def a_small_stack():
    report = under({resource.RLIMIT_STACK: 64 << 10})
    check.that(report.document is not None, f"64 KiB of stack: exit {report.code}")
    if report.document:
        ours = [
            run["end"]
            for run in report.facts["probe_runs"]
            if str(directory) in run["target"] or not run["target"]
        ]
        check.that(set(ours) == {"finished"}, f"64 KiB of stack: {ours}")


def a_short_deadline():
    for seconds in (0.001, 0.003, 0.006, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12):
        report = Report(program, "--deadline", str(seconds), environment=ENVIRONMENT)
        new = errors(report) - errors(usual)
        check.that(not new, f"deadline {seconds}: {new}")
        check.that(report.code != 0, f"deadline {seconds}: what was cut off is called fine")
        if seconds == 0.001:
            check.that(
                (report.code, report.verdict) == (3, "undetermined"),
                f"deadline {seconds}: {report.code} {report.verdict}",
            )


def an_output_that_is_full():
    with tempfile.TemporaryDirectory() as place, open("/dev/full", "wb") as full:
        done = subprocess.run(
            [
                program,
                "doctor",
                "--json",
                "--look-only",
                "--output",
                f"json={place}/report",
                "--save-facts",
                f"{place}/facts",
            ],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
        check.that(done.returncode == 2, f"full standard output: exit {done.returncode}")
        check.that(
            b"could not be written to standard output: No space left" in done.stderr,
            f"full standard output: {done.stderr}",
        )
        for name in ("report", "facts"):
            check.that(
                pathlib.Path(place, name).is_file(),
                f"full standard output: {name} is written all the same",
            )


def hidden_directories():
    """In a bare chroot everything else is unknown for one cause, and that cause is reported."""
    hide = 'for directory in /proc /sys /dev; do mount -t tmpfs none $directory || exit 99; done; exec "$@"'
    wrapper = ["unshare", "--map-root-user", "--mount", "sh", "-c", hide, "sh"]
    if subprocess.run([*wrapper, "true"], capture_output=True, check=False).returncode != 0:
        print("SKIPPED: no mount namespaces to be had here")
        return
    report = Report(program, environment=ENVIRONMENT, wrapper=wrapper)
    check.that(report.document is not None, f"hidden directories: {report.stderr[:300]}")
    if report.document is None:
        return
    ends = {run["end"] for run in report.facts["probe_runs"]}
    check.that(
        ends == {"finished"},
        f"hidden directories: processes ended {ends}, {report.facts['probe_runs'][0]}",
    )
    finding = report.finding("proc_sys_hidden")
    check.that(
        finding and finding["subject"] == "/proc, /sys and /dev",
        f"hidden directories: {report.rules()}",
    )
    guesses = {
        "driver_missing",
        "driver_library_missing",
        "kernel_module_missing",
        "device_nodes_missing",
        "uvm_device_node_missing",
    }
    check.that(not guesses & set(report.rules()), f"hidden directories: guesses {report.rules()}")
    with tempfile.TemporaryDirectory() as place:
        closed = " ".join(
            [
                *wrapper[:5],
                f"'{hide}'",
                "sh",
                program,
                "doctor",
                "--look-only",
                "--output",
                f"json={place}/x",
                ">&-",
            ]
        )
        code = subprocess.run(
            ["sh", "-c", closed], stderr=subprocess.DEVNULL, check=False
        ).returncode
        check.that(
            code in (0, 1, 3) and pathlib.Path(place, "x").is_file(),
            f"hidden directories, closed standard output: exit {code}",
        )


few_descriptors()
a_small_stack()
a_short_deadline()
an_output_that_is_full()
hidden_directories()
sys.exit(check.close())
