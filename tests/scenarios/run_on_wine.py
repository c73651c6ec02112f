#!/usr/bin/env python3
"""The scenarios that concern Windows too, by rnncheck.exe under Wine: it finds what rnncheck for Linux finds, where run_scenarios.py holds that to the
same file.

usage: run_on_wine.py RNNCHECK.EXE DLL_DIRECTORY WORK_DIRECTORY [NAME...]

DLL_DIRECTORY is where tests/vendor_sim/windows was built. A scenario has "windows": true, or what it expects there in place of what "expect" has,
and "options" in place of its own: under Wine processes start more slowly, so that a deadline may have to be later.
The variable WINEPREFIX names the directory in whose System32 the simulated driver is put while this runs.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks, with_each_run  # noqa: E402
from simulated_machine import HEALTHY_SIM, SYSTEM  # noqa: E402

DRIVER = ("nvcuda.dll", "nvml.dll")
LONGEST_AFTER_DEADLINE = 10  # seconds, with the start of Wine
program, dlls, work = sys.argv[1], pathlib.Path(sys.argv[2]) / "sim", pathlib.Path(sys.argv[3])
system32 = pathlib.Path(os.environ["WINEPREFIX"]) / "drive_c/windows/system32"
check = Checks()


def build_machine(scenario, directory):
    """The driver in System32, the other libraries in a directory of PATH."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for name in DRIVER:
        (system32 / name).unlink(missing_ok=True)
    for flavour in scenario.get("libraries", {SYSTEM: ["base", "cudnn9"]}).get(SYSTEM, []):
        for library in (dlls / flavour).iterdir():
            shutil.copy(library, system32 if library.name in DRIVER else directory)


def run(arguments, scenario, sim, directory):
    environment = {
        "SIM": f"{HEALTHY_SIM} {sim}",
        "WINEPATH": "Z:" + str(directory.resolve()).replace("/", "\\"),
        "WINEDEBUG": "-all",
        **scenario.get("environment", {}),
    }
    return subprocess.run(
        ["wine", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        check=False,
    )


def deadline_of(options):
    words = " ".join(options).replace("=", " ").split()
    return float(words[words.index("--deadline") + 1]) if "--deadline" in words else 60


def expected_of(scenario):
    here = scenario["windows"]
    return {**scenario["expect"], **(here if here is not True else {})}


def options_of(scenario):
    here = scenario["windows"]
    return (here if here is not True else {}).get("options", scenario.get("options", []))


def check_report(name, scenario, sim, directory):
    expect = expected_of(scenario)
    options = options_of(scenario)
    began = time.monotonic()
    done = run(["doctor", "--json", *options], scenario, sim, directory)
    seconds = time.monotonic() - began
    try:
        report = json.loads(done.stdout)
    except ValueError:
        check.that(False, f"{name}: no JSON document; {done.stderr[:500]}")
        return
    check.that(
        seconds < deadline_of(options) + LONGEST_AFTER_DEADLINE, f"{name}: took {seconds:.1f} s"
    )
    found = [[one["rule"], one["severity"]] for one in report["findings"]]
    wanted = expect["findings"]
    if wanted and isinstance(wanted[0], str):
        found = [rule for rule, _ in found]
    check.that(
        found == wanted,
        f"{name}: findings {found}, expected {wanted}; {[one['message'] for one in report['findings']]}",
    )
    # What is not examined on Windows is undetermined: a machine is never healthy there.
    verdict = "problems" if expect["verdict"] == "problems" else "undetermined"
    check.that(report["verdict"] == verdict, f"{name}: verdict {report['verdict']}")
    check_runs(name, report, expect.get("runs", {}))
    unfinished = [
        one["probe"] for one in report["facts"]["probe_runs"] if one["end"] == "not_started"
    ]
    check.that(not unfinished, f"{name}: not started: {unfinished}")
    print(f"{name}: {seconds:.1f} s, {found}", flush=True)


def check_runs(name, report, expected):
    for gpu, ends in expected.items():
        runs = [one for one in with_each_run(report["facts"])["rnn_runs"] if one["gpu"] == int(gpu)]
        for end, count in ends.items():
            found = sum(one["end"] == end for one in runs)
            right = (
                found > 0 if count == "some" else found == (len(runs) if count == "all" else count)
            )
            check.that(
                right, f"{name}: GPU {gpu}: {found} of {len(runs)} cases {end}, expected {count}"
            )


def check_lstm(name, scenario, sim, directory, expected):
    if "log" in expected or "within_processor_s" in expected:
        return
    done = run(["lstm", "--json", *expected["options"]], scenario, sim, directory)
    what = f"{name}: lstm {' '.join(expected['options'])}"
    if "complains" in expected:
        check.that(expected["complains"] in done.stderr.decode(), f"{what}: {done.stderr[:400]}")
        return
    try:
        document = json.loads(done.stdout)
    except ValueError:
        check.that(False, f"{what}: no JSON document; {done.stderr[:500]}")
        return
    check.that(
        document.get("verdict") == expected["verdict"], f"{what}: {document.get('sentence')}"
    )
    check.that(done.returncode == expected["exit"], f"{what}: exit code {done.returncode}")
    check.that(
        expected.get("says", "") in done.stdout.decode(),
        f"{what}: nothing shows '{expected.get('says')}'",
    )


def main():
    wanted = set(sys.argv[4:])
    try:
        for path in sorted(here.glob("*.json")):
            scenario = json.loads(path.read_text())
            if "windows" not in scenario or (wanted and path.stem not in wanted):
                continue
            for sim in scenario.get("sims", [scenario.get("sim", "")]):
                name = f"{path.stem} [{sim}]" if "sims" in scenario else path.stem
                build_machine(scenario, work / path.stem)
                check_report(name, scenario, sim, work / path.stem)
                for expected in expected_of(scenario).get("lstm", []):
                    check_lstm(name, scenario, sim, work / path.stem, expected)
            shutil.rmtree(work / path.stem)
    finally:
        for name in DRIVER:
            (system32 / name).unlink(missing_ok=True)
    sys.exit(check.close())


main()
