#!/usr/bin/env python3
"""Does the cost of `rnncheck lstm --level thorough` grow linearly with the number of cases, with and without a document kept?

usage: lstm_bench.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY [MOST_GPUS]

Simulated GPUs multiply the cases (809 each). Processor time of all processes counts, so it does not matter how many run at
a time. Prints milliseconds for each case: the column must not grow.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from simulated_machine import build_root, environment_of  # noqa: E402

program, sim, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
most = int(sys.argv[4]) if len(sys.argv) > 4 else 8
root = work / "root"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(gpus, *options):
    """Cases and seconds of one run."""
    before = processor_seconds()
    done = subprocess.run(
        [program, "lstm", "--level", "thorough", "--json", f"--root={root}", *options],
        capture_output=True,
        env={**os.environ, **environment_of({"sim": f"gpus={gpus}"}, root)},
        check=False,
    )
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["complete"], document["sentence"]
    return len(document["facts"]["rnn_runs"]), processor_seconds() - before


build_root({}, root, sim)
print("cases   s        ms/case  ms/case with --save")
gpus = 1
while gpus <= most:
    cases, seconds = measured(gpus)
    _, kept = measured(gpus, "--save", str(work / "bench.json"))
    print(f"{cases:5}  {seconds:6.2f}  {1000 * seconds / cases:9.2f}  {1000 * kept / cases:9.2f}")
    gpus *= 2
