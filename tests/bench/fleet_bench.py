#!/usr/bin/env python3
"""How fast `rnncheck fleet merge` reads many reports, against Python's json, jq and DuckDB (where they are installed) that read one member of each in the same run.

usage: fleet_bench.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY [NODES]

Seventeen nodes have something else than the others, of seven kinds; whether exactly they were named is printed. Nothing is asserted. Use a release build.
"""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "fleet"))
import reports  # noqa: E402

program, sim, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
count, distinct, odd = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000, 300, 17


def write_reports(directory):
    """Every node's report, of which `distinct` have noise of their own; the names of those that have something else."""
    nodes = list(reports.fleet(reports.real_report(program, sim, work / "machine"), distinct, odd))
    healthy = [(name, text) for name, kind, text in nodes if not kind]
    directory.mkdir()
    for number in range(count):
        name = f"gpu{number:05d}"
        old, text = nodes[number][::2] if number < distinct else healthy[number % len(healthy)]
        (directory / f"{name}.json").write_text(text.replace(f'"node":"{old}"', f'"node":"{name}"'))
    return {name for name, kind, _ in nodes if kind}


def measured(command):
    with open(work / "out", "wb") as out:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
    return f"{time.monotonic() - begin:6.2f} s wall, {used.ru_utime + used.ru_stime:6.2f} s processor time, {used.ru_maxrss >> 10:5} MiB"


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
planted = write_reports(work / "reports")
size = sum(file.stat().st_size for file in (work / "reports").iterdir())
print(f"{count} reports, {size / 1e6:.0f} MB")
print(
    f"{'rnncheck fleet merge':24}",
    measured([program, "fleet", "merge", work / "reports", "--format", "json"]),
)
fleet = json.loads((work / "out").read_text())
print(f"{'':24} {fleet['sentence']}; planted {len(planted)}")
read_all = (
    "import json,glob,sys\nfor f in glob.glob(sys.argv[1]+'/*.json'): json.load(open(f))['verdict']"
)
print(f"{'Python json':24}", measured([sys.executable, "-c", read_all, work / "reports"]))
if shutil.which("jq"):
    print(
        f"{'jq .verdict':24}", measured(["sh", "-c", f"cat {work}/reports/*.json | jq -r .verdict"])
    )
if importlib.util.find_spec("duckdb"):
    count_all = "import duckdb,sys\nduckdb.sql(f\"select verdict, count(*) from read_json('{sys.argv[1]}/*.json', columns={{verdict: 'varchar'}}) group by 1\").fetchall()"
    print(f"{'DuckDB verdict':24}", measured([sys.executable, "-c", count_all, work / "reports"]))
shutil.rmtree(work)
