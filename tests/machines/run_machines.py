#!/usr/bin/env python3
"""Recorded machines: the facts in each directory, judged again, must give the verdict and findings beside them.

usage: run_machines.py RNNCHECK           checks every directory
       run_machines.py RNNCHECK bless     writes what the program says now into expected.json
A new machine is a directory with the facts.json of `rnncheck doctor --save-facts`.
"""

import json
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks  # noqa: E402

program, bless = sys.argv[1], sys.argv[2:] == ["bless"]
check = Checks()
for directory in sorted(path.parent for path in here.glob("*/facts.json")):
    result = subprocess.run(
        [program, "doctor", "--facts", directory / "facts.json", "--json"],
        capture_output=True,
        check=False,
    )
    report = json.loads(result.stdout)
    stated = {
        "exit": result.returncode,
        "verdict": report["verdict"],
        "findings": [
            [finding[key] for key in ("rule", "severity", "subject")]
            for finding in report["findings"]
        ],
    }
    if bless:
        (directory / "expected.json").write_text(json.dumps(stated, indent=2) + "\n")
        continue
    expected = json.loads((directory / "expected.json").read_text())
    check.that(stated == expected, f"{directory.name}: {stated}, expected {expected}")
sys.exit(0 if bless else check.close())
