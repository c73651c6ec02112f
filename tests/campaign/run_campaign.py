#!/usr/bin/env python3
"""Whatever a vendor call does, the doctor gives one complete report: every vendor function that it calls times every way to fail.

usage: run_campaign.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY ABI_DIRECTORY [--sample N] [--seed S] [--jobs N] [--flavour NAME]
                       [--function PATTERN] [--way PATTERN] [--deadline S] [--log FILE] [--dry-run]

The functions are those of the lists in ABI_DIRECTORY/*_abi.hpp (src/vendor). A run on the healthy machine counts how often each
is called in one process, so a fault is planted only where it comes to act: at the first call, at the 2nd and at the 20th.

Of every run is checked:
  complete   stdout is one JSON report with all probes and all rules of the healthy one, and the exit code is the verdict's
  named      a call that fails, crashes, hangs or leaves is named in a finding, in a probe's failed or last call, or in the result
             of a kernel or a recurrent-network case. Of one that claims success (garbage, nothing) nobody can ask that.
  healthy    the verdict is not healthy
  one error  no more than one rule has findings of severity error: one cause, one error (it may show on several subjects)
  clean      nothing new on disk or in /dev, no process left
harmless.json lists what may break one of the middle three, each with the reason; an entry that no run needs fails the campaign.

The whole is run_campaign.py without --sample; ctest runs a sample, which has a run for each entry of harmless.json.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from simulated_machine import SYSTEM, build_root, environment_of  # noqa: E402

EXIT_CODES = {"healthy": 0, "warnings": 0, "problems": 1, "undetermined": 3}
POSITIONS = (1, 2, 20)
PATIENCE_S = 300  # four times the longest run of the doctor, for machines with much else to do
# With error correction, and of both generations that report it, so that NVML is queried for all it can be queried.
MACHINES = {"cudnn9": "nvml.ecc=1", "cudnn8": "nvml.ecc=1", "cudnn7": "nvml.ecc=1 cc=7.0"}
CUDA = [1, 2, 3, 100, 201, 209, 214, 700, 719, 802, 999]
STATUSES = {
    "cuda": CUDA,
    "cudart": [1, 3, 35, 100, 999],
    "nvml": [1, 3, 4, 9, 15, 18, 999],
    "nvrtc": [1, 2, 3, 4, 5, 6, 7],
    "cudnn9": [1001, 1008, 2000, 3000, 4000, 4004, 5000],
    "cudnn8": [1, 2, 3, 4, 8, 9],
    "cudnn7": [1, 2, 3, 4, 8, 9],
}
LOUD = ["segv", "abort", "exit", "hang"]
GPU_PROBES = {"ptx_launch", "rnn_forward"}  # they run on each GPU that CUDA lists
QUIET = ["garbage", "garbage:1", "nothing"]
# Functions that are called after another fault alone: those that put a status into words, and what a hang is explained by.
AFTER = {
    "nvmlDeviceGetComputeRunningProcesses_v3": "nvmlDeviceGetComputeRunningProcesses_v2=fail:3",
    "nvmlDeviceGetUtilizationRates": "cuMemAlloc_v2=hang",
    "cuGetErrorName": "cuMemcpyDtoH_v2=fail:999",
    "cuGetErrorString": "cuMemcpyDtoH_v2=fail:999",
    "nvmlErrorString": "nvmlDeviceGetName=fail:999",
    "cudaGetErrorString": "cudaRuntimeGetVersion=fail:999",
    "nvrtcGetErrorString": "nvrtcCompileProgram=fail:6",
    "cudnnGetErrorString": "cudnnCreateTensorDescriptor=fail:4000",
}

Function = collections.namedtuple("Function", "library name result")
Fault = collections.namedtuple("Fault", "flavour function way position")


def functions_of(directory):
    """Every X(name, result, ...) of the lists."""
    found = []
    for header in sorted(pathlib.Path(directory).glob("*_abi.hpp")):
        library, text = header.name.removesuffix("_abi.hpp"), header.read_text()
        typed = re.findall(r"\bX\([\s\\]*(\w+),[\s\\]*([\w:]+(?: char\*)?),", text)
        if len(typed) != len(re.findall(r"\bX\([\s\\]*\w+,", text)):
            sys.exit(f"{header}: not every function of the list could be read")
        found += [Function(library, name, result) for name, result in typed]
    return found


def sim_of(fault):
    at = "" if fault.position == 1 else f"@{fault.position}"
    return f"{AFTER.get(fault.function, '')} {fault.function}={fault.way}{at}"


def title(fault):
    return f"{fault.flavour} {sim_of(fault).strip()}"


class Machine:
    """A healthy simulated machine with one cuDNN, and what the doctor says of it."""

    def __init__(self, options, flavour):
        self.options, self.flavour = options, flavour
        self.root = pathlib.Path(options.work) / flavour
        build_root({"libraries": {SYSTEM: ["base", flavour]}}, self.root, pathlib.Path(options.sim))
        self.files = self.listed()
        self.calls = collections.Counter()

    def listed(self):
        return sorted(str(path) for path in self.root.rglob("*"))

    def run(self, name, sim):
        """Exit code, stdout and stderr of the doctor, and what it left behind."""
        place = pathlib.Path(self.options.work) / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        environment = {
            **os.environ,
            **environment_of({"sim": f"{MACHINES[self.flavour]} {sim}"}, self.root),
            "TMPDIR": str(place),
            "HOME": str(place),
            "CAMPAIGN_RUN": str(place),
        }
        more = [f"--deadline={self.options.deadline}"] if self.options.deadline else []
        command = [self.options.program, "doctor", "--json", f"--root={self.root}", *more]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                check=False,
                env=environment,
                cwd=place,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(
                command, None, b"", f"it did not end within {PATIENCE_S} s".encode()
            )
        left = [str(path) for path in place.rglob("*")] + processes_of(place)
        shutil.rmtree(place)
        return done, left

    def learn(self):
        """The healthy report, and how often one process calls each function."""
        record = pathlib.Path(self.options.work) / f"{self.flavour}.calls"
        record.unlink(missing_ok=True)
        done, left = self.run(f"{self.flavour}-healthy", f"calls_to={record}")
        report = json.loads(done.stdout)
        if report["verdict"] != "healthy" or left:
            sys.exit(
                f"{self.flavour}: the machine without a fault is {report['verdict']}, left behind: {left}"
            )
        in_process = collections.Counter(record.read_text().splitlines())
        for line, count in in_process.items():
            function = line.split()[1]
            self.calls[function] = max(self.calls[function], count)
        self.probes = {run["probe"] for run in report["facts"]["probe_runs"]}
        self.rules = [verdict["rule"] for verdict in report["verdicts"]]


def processes_of(place):
    """Processes that a run has left, by the variable that all of its processes have."""
    mark, left = f"CAMPAIGN_RUN={place}\0".encode(), []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes():
                left.append(f"process {entry.name}: {(entry / 'cmdline').read_bytes()[:200]}")
        except OSError:
            pass
    return left


def usable_cudnn(facts):
    return any(cudnn.get("rnn_usable") for cudnn in facts["cudnns"])


def judge(machine, fault, done, left):
    """What does not hold, as {check: what was seen}; also the verdict."""
    wrong = {"clean": f"left behind: {left}"} if left else {}
    try:
        report = json.loads(done.stdout)
        facts, verdict = report["facts"], report["verdict"]
    except (ValueError, KeyError):
        return {
            **wrong,
            "complete": f"no report: exit code {done.returncode}, {done.stdout[:200]} {done.stderr[:400]}",
        }, "lost"
    missing = (
        machine.probes
        - {run["probe"] for run in facts["probe_runs"]}
        - (GPU_PROBES if not facts["cuda_devices"] else set())
    )
    if missing - ({"rnn_forward"} if not usable_cudnn(facts) else set()):
        wrong["complete"] = f"probes not reported: {missing}"
    if [reported["rule"] for reported in report["verdicts"]] != machine.rules:
        wrong["complete"] = "some rules have no verdict"
    if done.returncode != EXIT_CODES[verdict]:
        wrong["complete"] = f"exit code {done.returncode} with the verdict {verdict}"
    reported = [
        report["findings"],
        [[run["failed_calls"], run.get("last_call")] for run in facts["probe_runs"]],
        [run.get("result") for run in facts["kernel_runs"] + facts["rnn_runs"]],
    ]
    if fault.way not in QUIET and fault.function not in json.dumps(reported):
        wrong["named"] = f"the function is not named; {verdict}: {messages(report)}"
    if verdict == "healthy":
        wrong["healthy"] = "the verdict is healthy"
    errors = sorted(
        {finding["rule"] for finding in report["findings"] if finding["severity"] == "error"}
    )
    if len(errors) > 1:
        wrong["one error"] = f"errors of {errors}: {messages(report)}"
    return wrong, verdict


def messages(report):
    return [
        f"{finding['severity']} {finding['rule']}: {finding['message'][:200]}"
        for finding in report["findings"]
    ]


def planned(options, machines):
    """Every fault that can come to act."""
    faults = []
    for function in functions_of(options.abi):
        calling = [machine for machine in machines if machine.calls[function.name]] or machines[:1]
        for machine in calling if function.library == "cudnn" else calling[:1]:
            count = machine.calls[function.name] or (1 if function.name in AFTER else 0)
            statuses = STATUSES[
                machine.flavour if function.library == "cudnn" else function.library
            ]
            ways = (
                LOUD
                + QUIET
                + ([f"fail:{status}" for status in statuses] if function.result == "int" else [])
            )
            faults += [
                Fault(machine.flavour, function.name, way, at)
                for way in ways
                for at in POSITIONS
                if at <= count
            ]
    return [
        fault
        for fault in faults
        if fnmatch.fnmatch(fault.function, options.function)
        and fnmatch.fnmatch(fault.way, options.way)
    ]


class Harmless:
    """harmless.json: [{function, way, flavour, position (patterns; all by default), allows (a check), reason}]"""

    def __init__(self):
        self.entries = json.loads((here / "harmless.json").read_text())
        self.used = [0] * len(self.entries)

    @staticmethod
    def fits(entry, fault):
        return all(
            fnmatch.fnmatch(str(getattr(fault, key)), entry.get(key, "*")) for key in Fault._fields
        )

    def allow(self, fault, check):
        for number, entry in enumerate(self.entries):
            if entry["allows"] == check and self.fits(entry, fault):
                self.used[number] += 1
                return True
        return False


def sampled(options, faults, harmless):
    """A seeded sample, without hangs at later calls: they take long; with a fault for each entry of the list."""
    chooser = random.Random(options.seed)
    chosen = set(chooser.sample(faults, min(options.sample, len(faults))))
    for entry in harmless.entries:
        fitting = [fault for fault in faults if Harmless.fits(entry, fault)]
        if fitting and not any(fault in chosen for fault in fitting):
            chosen.add(chooser.choice(fitting))
    return [fault for fault in faults if fault in chosen]


def run_one(machines, number, fault):
    machine = machines[fault.flavour]
    started = time.monotonic()
    done, left = machine.run(f"run{number}", sim_of(fault))
    return fault, *judge(machine, fault, done, left), time.monotonic() - started


def devices():
    return sorted(os.listdir("/dev") + os.listdir("/dev/shm"))


def campaign(options, machines, harmless, faults):
    before = devices()
    started, verdicts, excused, failed, lost = (
        time.monotonic(),
        collections.Counter(),
        collections.Counter(),
        0,
        0,
    )
    log = open(options.log, "a", encoding="utf-8") if options.log else None
    # Hanging doctors sleep, so many of them go beside the others.
    with (
        concurrent.futures.ThreadPoolExecutor(options.jobs) as busy,
        concurrent.futures.ThreadPoolExecutor(8 * options.jobs) as idle,
    ):
        runs = [
            (idle if "=hang" in sim_of(fault) else busy).submit(run_one, machines, number, fault)
            for number, fault in enumerate(faults)
        ]
        for run in concurrent.futures.as_completed(runs):
            fault, wrong, verdict, seconds = run.result()
            verdicts[verdict] += 1
            lost += verdict == "lost"
            for check, what in wrong.items():
                allowed = harmless.allow(fault, check)
                excused[check] += allowed
                failed += not allowed
                if not allowed:
                    print(f"FAILED: {title(fault)}: {check}: {what}", flush=True)
            if log:
                log.write(json.dumps([*fault, verdict, wrong, round(seconds, 1)]) + "\n")
                log.flush()
    for machine in machines.values():
        if machine.listed() != machine.files:
            failed += 1
            print(f"FAILED: files below {machine.root} came or went")
    if devices() != before:
        failed += 1
        print(f"FAILED: came or went in /dev or /dev/shm: {set(devices()) ^ set(before)}")
    for entry, used in zip(harmless.entries, harmless.used):
        if not used and options.whole:
            failed += 1
            print(f"FAILED: no run needs the entry {entry} of harmless.json")
    print(
        f"{len(faults)} runs in {time.monotonic() - started:.0f} s, verdicts {dict(verdicts)}, reports lost: {lost}, "
        f"allowed by harmless.json: {dict(excused)}, failed checks: {failed}"
    )
    return 1 if failed or not faults else 0


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("program", "sim", "work", "abi"):
        parser.add_argument(name)
    for name, kind, default in (
        ("sample", int, 0),
        ("seed", int, 20),
        ("jobs", int, 2),
        ("flavour", str, "*"),
        ("function", str, "*"),
        ("way", str, "*"),
        ("deadline", float, 0),
        ("log", str, ""),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    options.whole = not options.sample and (options.flavour, options.function, options.way) == (
        "*",
        "*",
        "*",
    )
    options.program, options.work = (
        str(pathlib.Path(options.program).resolve()),
        str(pathlib.Path(options.work).resolve()),
    )
    return options


def main():
    options = arguments()
    pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
    machines = {
        flavour: Machine(options, flavour)
        for flavour in MACHINES
        if fnmatch.fnmatch(flavour, options.flavour)
    }
    for machine in machines.values():
        machine.learn()
    uncalled = [
        function.name
        for function in functions_of(options.abi)
        if function.name not in AFTER
        and not any(machine.calls[function.name] for machine in machines.values())
    ]
    harmless = Harmless()
    faults = planned(options, list(machines.values()))
    if options.sample:
        faults = sampled(options, faults, harmless)
    print(
        f"{len(faults)} runs; not called by the doctor: {', '.join(uncalled) or 'none'}", flush=True
    )
    if options.dry_run:
        return 0
    return campaign(options, machines, harmless, faults)


if __name__ == "__main__":
    sys.exit(main())
