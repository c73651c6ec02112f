#!/usr/bin/env python3
"""Many doctors at once at the lowest priority, on a healthy machine: what gets no processor time says nothing about the machine.

usage: starved_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY [HOW_MANY]     40 by default
"""

import collections
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

program, sim, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
how_many = int(sys.argv[4]) if len(sys.argv) > 4 else 40
check = Checks()
root = work / "starved"
build_root({}, root, sim)
environment = {**os.environ, **environment_of({}, root)}
doctors = [
    subprocess.Popen(
        [program, "doctor", "--json", f"--root={root}"],
        env=environment,
        stdout=open(work / f"starved{number}.json", "wb"),
        preexec_fn=lambda: os.nice(19),
    )
    for number in range(how_many)
]
codes = collections.Counter(doctor.wait() for doctor in doctors)
print(f"{how_many} doctors: {codes[0]} healthy, {codes[3]} undetermined, exit codes {dict(codes)}")
check.that(set(codes) <= {0, 3}, f"exit codes {dict(codes)}")
for number in range(how_many):
    file = work / f"starved{number}.json"
    try:
        report = json.loads(file.read_bytes())
        found = [finding["message"] for finding in report["findings"]]
        check.that(not found, f"doctor {number}: {found}")
    except ValueError:
        check.that(False, f"doctor {number}: no JSON document")
    file.unlink()
sys.exit(check.close())
