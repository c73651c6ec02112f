#!/usr/bin/env python3
"""What a question to the matrix costs, process start included, and what the bundled matrix adds to the doctor.

usage: matrix_bench.py RNNCHECK [ROUNDS]

The doctor judges an empty facts file, which asks every rule, once with the bundled tables and once with a directory of the same
tables, which are all read at once: the difference to `--version` bounds what the matrix can add. Commands are run in turn, so that
all see the same machine; medians are printed. Nothing is asserted. Use a release build.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
tables = pathlib.Path(__file__).parents[2] / "compat_matrix"


def milliseconds(command):
    """Wall time, and the processor time that a busy machine cannot stretch as much."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


with tempfile.NamedTemporaryFile("w", suffix=".json") as facts:
    json.dump({"schema": 2}, facts)
    facts.flush()
    queries = {
        "show all": ["show"],
        "show one row": ["show", "driver_for_cuda", "cuda=12.4"],
        "show builds": ["show", "framework_builds", "framework=pytorch", "version=2.4"],
        "plan": ["plan", "gpu=8.6", "driver=535"],
        "plan by name": ["plan", "gpu=RTX 3090", "driver=535"],
        "plan --for": ["plan", "--for", "tensorflow==2.15"],
        "plan, own tables": ["plan", "gpu=8.6", "driver=535", "--matrix", str(tables)],
        "verify": ["verify"],
    }
    commands = {"--version": [program, "--version"]}
    commands |= {
        f"matrix {name}": [program, "matrix", *arguments] for name, arguments in queries.items()
    }
    commands["doctor, no facts"] = [program, "doctor", "--facts", facts.name, "--json"]
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(milliseconds(command))
median = {
    name: [statistics.median(kind) for kind in zip(*values)] for name, values in times.items()
}
print(
    f"{rounds} rounds; ms of wall time (median, fastest) and of processor time (median, and above --version):"
)
for name, values in times.items():
    wall, processor = median[name]
    print(
        f"  {name:24} {wall:6.2f} {min(value[0] for value in values):6.2f}   {processor:6.2f} {processor - median['--version'][1]:6.2f}"
    )
