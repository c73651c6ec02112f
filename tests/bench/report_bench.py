#!/usr/bin/env python3
"""What each format adds to a report, in processor time, and what the short commands cost.

usage: report_bench.py RNNCHECK FACTS [ROUNDS]

FACTS are saved facts, best those of eight GPUs. A format is written twenty times more in one run than in the other, so that
reading, judging and redaction do not count. Medians are printed. Nothing is asserted.
"""

import os
import statistics
import subprocess
import sys

program, facts = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
copies = 20


def milliseconds(*arguments):
    process = subprocess.Popen(
        [program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1000


def median(*arguments):
    return statistics.median(milliseconds(*arguments) for _ in range(rounds))


formats = subprocess.run(
    [program, "list", "formats"], capture_output=True, check=True, text=True
).stdout
alone = median("doctor", "--facts", facts, "--quiet")
print(f"doctor --facts, one line: {alone:.1f} ms; one more report as")
for name in (line.split()[0] for line in formats.splitlines()):
    many = median("doctor", "--facts", facts, "--quiet", *[f"--output={name}=/dev/null"] * copies)
    print(f"  {name:12} {(many - alone) / copies:6.2f} ms")
for command in (
    "--version",
    "list rules",
    "matrix check driver=535 cuda=12.2 cudnn=8.9.7 gpu=8.6",
    "matrix show",
    "help",
):
    print(f"{command.split(' driver')[0]:14} {median(*command.split()):6.1f} ms")
