#!/usr/bin/env python3
"""What the doctor costs on this machine, against a floor measured in the same run.

usage: doctor_bench.py RNNCHECK FLOOR [ROUNDS]

The floor opens the very libraries that the doctor found and asks them the same, one after the other, in one small C
program. Both are run in turn, so that both see the same machine; medians are printed. Nothing is asserted.
"""

import json
import os
import statistics
import subprocess
import sys
import time

program, floor = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 30


def milliseconds(command):
    started = time.perf_counter()
    subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=os.environ
    )
    return (time.perf_counter() - started) * 1000


report = json.loads(
    subprocess.run([program, "doctor", "--json"], capture_output=True, check=False).stdout
)
facts = report["facts"]
libraries = [
    f"{kind}={entry['library']}"
    for kind, section in (("cudart", "runtimes"), ("cudnn", "cudnns"), ("nvrtc", "nvrtcs"))
    for entry in facts[section]
    if "failure" not in entry
]
commands = {
    "doctor": [program, "doctor", "--json"],
    "floor": [floor, *libraries],
    "floor, versions only": [floor, *libraries, "versions_only"],
    "--version": [program, "--version"],
    "/bin/true": ["/bin/true"],
}
times = {name: [] for name in commands}
for _ in range(rounds):
    for name, command in commands.items():
        times[name].append(milliseconds(command))
median = {name: statistics.median(values) for name, values in times.items()}
print(f"{len(libraries)} libraries, {rounds} rounds, medians (fastest) in ms:")
for name, values in times.items():
    print(f"  {name:22} {median[name]:7.1f} ({min(values):.1f})")
print(f"doctor / floor: {median['doctor'] / median['floor']:.2f}")
