"""Reports of a made-up fleet: one real report of a simulated machine with eight GPUs, repeated with the noise of measured values."""

import copy
import json
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from simulated_machine import build_root, environment_of  # noqa: E402

KINDS = ("driver", "cudnn", "bits", "problem", "slow", "persistence", "extra_library")


def real_report(program, sim, root, gpus=8):
    machine = {"sim": f"gpus={gpus}", "expect": {}}
    build_root(machine, root, pathlib.Path(sim))
    out = subprocess.run(
        [program, "doctor", f"--root={root}", "--json"],
        env=environment_of(machine, root),
        capture_output=True,
        check=True,
    ).stdout
    return json.loads(out)


def with_noise(report, random):
    report = copy.deepcopy(report)
    for run in report["facts"]["rnn_runs"]:
        for time in ("first_ms", "repeat_ms"):
            run[time] = round(0.1 * random.gauss(1, 0.02), 6)
    for board in report["facts"]["nvml_devices"]:
        board["memory_free_mib"] = int(random.gauss(23900, 5))
    return report


def plant(report, kind):
    facts = report["facts"]
    if kind == "driver":
        facts["driver"]["kernel_version"] = "535.183.01"
    elif kind == "cudnn":
        facts["cudnns"][0]["version"] = "9.10.1"
    elif kind == "bits":  # one GPU of eight computes something else
        run = [run for run in facts["rnn_runs"] if run["gpu"] == 5][3]
        run["digest"] = "00deadbe00deadbe"
    elif kind == "problem":
        report["verdict"] = "problems"
        report["findings"] = [
            {
                "rule": "rnn_result_wrong",
                "title": "Recurrent networks return incorrect results",
                "severity": "error",
                "subject": "GPU 1",
            }
        ]
    elif kind == "slow":
        for run in facts["rnn_runs"]:
            if run["gpu"] == 7:
                run["repeat_ms"] *= 2
    elif kind == "persistence":
        facts["nvml_devices"][2]["persistence"] = False
    elif kind == "extra_library":
        facts["libraries"].append(
            {"soname": "libcudnn.so.8", "path": "/usr/lib/libcudnn.so.8", "kind": "cudnn"}
        )


def fleet(report, count, odd, seed=1):
    """(name, kind or "", report as one line of JSON) of each node; `odd` of them have something else than the others."""
    chosen = random.Random(seed)
    kinds = dict(zip(chosen.sample(range(count), odd), (KINDS[i % len(KINDS)] for i in range(odd))))
    for number in range(count):
        node = with_noise(report, chosen)
        node["labels"] = {"node": f"gpu{number:05d}"}
        node["run_at"] = f"2026-11-23T16:{number // 60 % 60:02d}:{number % 60:02d}Z"
        plant(node, kinds.get(number, ""))
        yield f"gpu{number:05d}", kinds.get(number, ""), json.dumps(node, separators=(",", ":"))
