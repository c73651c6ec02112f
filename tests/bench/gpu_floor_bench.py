#!/usr/bin/env python3
"""What the doctor costs on a machine with a GPU, beside a C program that makes the same calls of driver and cuDNN.

usage: gpu_floor_bench.py RNNCHECK GPU_FLOOR [ROUNDS]

Needs a GPU; no test runs it. The networks are those of `rnncheck lstm --level quick`. Floor and rnncheck run in turn; both have
warmed up once. Prints the median of each (wall and processor seconds), what each probe of the doctor took, and the ratio.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

cells = {"relu": 0, "tanh": 1, "lstm": 2, "gru": 3}
dtypes = {"fp32": 0, "fp64": 1, "fp16": 2, "bf16": 9}
maths = {"default": 0, "tensor_op": 1, "fma": 3}
algorithms = {"standard": 0, "persist_static": 1, "persist_dynamic": 2, "persist_static_small_h": 3}
layouts = {"sequence_major": 0, "sequence_major_packed": 1, "batch_major": 2}


def line_of(case):
    """A case of the facts as gpu_floor reads it: enumerators of cudnn.h."""
    numbers = [
        cells[case.get("cell", "lstm")],
        dtypes[case.get("dtype", "fp32")],
        maths[case.get("math", "default")],
        algorithms[case.get("algorithm", "standard")],
        2 if case.get("direction") == "bidirectional" else 1,
        case.get("layers", 1),
        case.get("input", 1),
        case.get("hidden", 1),
        case.get("batch", 1),
        case.get("sequence_length", 1),
        int(case.get("states", False)),
        int(case.get("training", False)),
        layouts[case.get("layout", "sequence_major")],
    ]
    lengths = ",".join(map(str, case["lengths"])) if case.get("lengths") else "-"
    return " ".join(map(str, numbers)) + " " + lengths


def timed(command):
    """Wall and processor seconds of a command, and its standard output."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - began, processor, output


def main():
    program, floor = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as directory:
        facts_file = pathlib.Path(directory, "facts.json")
        subprocess.run(
            [program, "doctor", "-q", "--save-facts", facts_file], capture_output=True, check=False
        )
        facts = json.loads(facts_file.read_text())
        libraries = [run["library"] for run in facts["rnn_runs"]]
        cases = pathlib.Path(directory, "cases")
        cases.write_text("".join(line_of(case) + "\n" for case in facts["rnn_cases"]))
        first = os.path.dirname(libraries[0])
        commands = {
            "floor": [floor, str(cases)],
            "lstm": [program, "lstm", "--level", "quick", "--cudnn", libraries[0], "-q"],
            "look": [program, "doctor", "--look-only", "-q"],
            "doctor": [program, "doctor", "-q", "--save-facts", str(facts_file)],
        }
        print(
            f"{len(facts['rnn_cases'])} networks, cuDNN of {first}, the doctor with {len(libraries)} cuDNN installations"
        )
        seen = {name: [] for name in commands}
        for i in range(rounds + 1):
            for name, command in commands.items():
                wall, processor, output = timed(command)
                if i == 0:
                    continue
                seen[name].append((wall, processor))
                if name == "floor" and i == rounds:
                    print(output.rstrip())
        medians = {
            name: [statistics.median(column) for column in zip(*values)]
            for name, values in seen.items()
        }
        for name, (wall, processor) in medians.items():
            print(
                f"{name:8} {wall:6.2f} s wall  {processor:6.2f} s processor  {wall / medians['floor'][0]:5.2f} x floor"
            )
        for run in sorted(
            json.loads(facts_file.read_text())["probe_runs"], key=lambda run: -run["elapsed_ms"]
        ):
            print(f"{run['elapsed_ms']:8.0f} ms  {run['probe']} {run['target']}")


main()
