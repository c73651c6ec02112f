#!/usr/bin/env python3
"""Whatever a vendor library does, the doctor gives one complete report that names the library and the call.

usage: hostile_test.py RNNCHECK DIRECTORY_OF_HOSTILE_LIBRARIES
"""

import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks, Report  # noqa: E402

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
check = Checks()

# habit: (the rule that tells it, the probe's end); None: nothing is wrong with it
HABITS = {
    "bad_write": ("probe_crashed", "crashed"),
    "abort": ("probe_crashed", "crashed"),
    "throw": ("probe_crashed", "crashed"),
    "kill": ("probe_crashed", "killed"),
    "exit_0": ("probe_quit_early", "quit_early"),
    "sleep": ("probe_timed_out", "cut_off"),
    "busy": ("probe_timed_out", "cut_off"),
    "chatter": (None, "finished"),
    "close_stdout": (None, "finished"),
}
CALLS = {
    "cuInit": ("driver_api", "libcuda"),
    "cuDriverGetVersion": ("driver_api", "libcuda"),
    "nvmlInit_v2": ("nvml_devices", "libnvidia-ml"),
    "cudaRuntimeGetVersion": ("cuda_runtime", "libcudart"),
    "cudnnGetVersion": ("cudnn_library", "libcudnn"),
    "cudnnAdvVersionCheck": ("cudnn_library", "libcudnn"),
    "cudnnCreateRNNDescriptor": ("cudnn_library", "libcudnn"),
    "nvrtcCompileProgram": ("nvrtc_compile", "libnvrtc"),
    "load": (None, None),
}


def run_hostile(call, habit):
    deadline = (
        "2" if habit in ("sleep", "busy", "survive_kill") else "60"
    )  # what comes to its end may be slow on a busy machine
    return Report(
        program,
        "--show-private",
        "--deadline",
        deadline,
        environment={"LD_LIBRARY_PATH": str(directory), "HOSTILE": f"{call}={habit}"},
    )


def check_run(call, habit):
    report = run_hostile(call, habit)
    name = f"{call}={habit}"
    check.that(
        report.document is not None,
        f"{name}: stdout is not one JSON document; stderr: {report.stderr[:300]}",
    )
    if report.document is None:
        return
    rule, end = HABITS[habit]
    probe, library = CALLS[call]
    runs = [
        run
        for run in report.facts["probe_runs"]
        if probe in (None, run["probe"])
        and (str(directory) in run["target"] or run["probe"] in ("driver_api", "nvml_devices"))
    ]
    check.that(
        any(run["end"] == end for run in runs),
        f"{name}: ends are {[run['end'] for run in runs]}, not {end}",
    )
    # Where nothing is wrong with the libraries, the device nodes of this machine decide whether that is an error.
    check.that(
        report.code == (1 if report.rules("error") else 3),
        f"{name}: exit code {report.code}, errors {report.rules('error')}",
    )
    if rule is None:
        return
    texts = [
        finding["subject"] + " " + finding["message"]
        for finding in report.document["findings"]
        if finding["rule"] == rule
    ]
    check.that(texts, f"{name}: no finding of {rule} among {report.rules()}")
    if library:
        check.that(
            any(library in text and call in text for text in texts),
            f"{name}: {texts} do not name {library} and {call}",
        )
    check.that(report.outcome(rule) == "problem", f"{name}: {rule} is {report.outcome(rule)}")


for call in CALLS:
    for habit in HABITS:
        check_run(call, habit)

# What is reported before the crash is kept.
report = run_hostile("cudnnAdvVersionCheck", "abort")
ours = [entry for entry in report.facts["cudnns"] if str(directory) in entry["library"]]
check.that(
    [entry.get("version") for entry in ours] == ["9.19.0"],
    f"the version reported before a crash is kept: {ours}",
)


report = run_hostile("cuInit", "survive_kill")  # as a process that hangs inside the kernel
runs = report.probe_runs("driver_api")
if runs[0].get("exit_code") == 77:
    print("SKIPPED: no process may trace another here")
else:
    check.that(
        [run["end"] for run in runs] == ["stuck"], f"a process that SIGKILL does not end: {runs}"
    )
    finding = report.finding("probe_stuck")
    check.that(
        finding and "libcuda" in finding["message"] and "cuInit" in finding["message"],
        f"it is reported: {finding}",
    )
    check.that(report.code == 1, f"exit code {report.code}")


def damaged(name, content, expected):
    """A file called libcudnn.so.9 that is no library is reported as exactly what it is."""
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / name
        path.write_bytes(content)
        report = Report(program, environment={"LD_LIBRARY_PATH": place})
        problems = [
            entry.get("problem")
            for entry in report.facts["libraries"]
            if entry["path"].startswith(place)
        ]
        check.that(problems == [expected], f"{expected}: reported as {problems}")
        reported = [
            finding
            for finding in report.document["findings"]
            if place in finding["subject"] + finding["message"]
            or "libcudnn.so.9" in finding["subject"] + finding["message"]
        ]
        check.that(reported, f"{expected}: no finding names the file")


whole = (directory / "libcudnn.so.9").read_bytes()
other_machine = bytearray(whole)
other_machine[18] = 183 if whole[18] != 183 else 62  # e_machine: aarch64 or x86-64
damaged("libcudnn.so.9", b"not a library\n", "not_elf")
damaged("libcudnn.so.9", whole[: len(whole) // 2], "truncated")
damaged("libcudnn.so.9", bytes(other_machine), "other_machine")

with tempfile.TemporaryDirectory() as place:  # a library of that name without the functions
    shutil.copy(directory / "libcudart.so.12", pathlib.Path(place) / "libcudnn.so.9")
    report = Report(program, environment={"LD_LIBRARY_PATH": place})
    finding = report.finding("cudnn_unusable")
    check.that(
        finding and "cudnnGetVersion" in str(finding), f"missing symbols are named: {finding}"
    )

sys.exit(check.close())
