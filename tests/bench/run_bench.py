#!/usr/bin/env python3
"""What `rnncheck run` costs beside the bare command, in turn.

usage: run_bench.py RNNCHECK [ROUNDS] [GIGABYTES]     5 rounds and 10 GB by default

Start: `true`, with pipes and on a pseudo-terminal. Flood: `yes | head -c 10G` through a pipe. Many: 200 busy processes, of which the share of
processor time that rnncheck uses is shown. Memory: the most that one process of rnncheck had. Nothing is asserted.
"""

import os
import pty
import resource
import statistics
import subprocess
import sys
import time

program = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
gigabytes = int(sys.argv[3]) if len(sys.argv) > 3 else 10
RUN = [program, "run", "--"]


def seconds(act, *arguments):
    started = time.perf_counter()
    act(*arguments)
    return time.perf_counter() - started


def with_pipes(command):
    subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)


def on_terminal(command):
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], command)
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        pass
    os.close(terminal)
    os.waitpid(process, 0)


def flood(prefix):
    line = " ".join([*prefix, "sh -c", f"'yes | head -c {gigabytes}G'"])
    subprocess.run(["sh", "-c", f"{line} | cat > /dev/null"], check=True)


def compare(name, act, bare, wrapped, how_many):
    times = {"bare": [], "run": []}
    for _ in range(how_many):
        times["bare"].append(seconds(act, bare))
        times["run"].append(seconds(act, wrapped))
    bare_s, run_s = (statistics.median(times[which]) for which in ("bare", "run"))
    print(
        f"{name:34} bare {bare_s * 1000:9.1f} ms   run {run_s * 1000:9.1f} ms   more {1000 * (run_s - bare_s):7.1f} ms   "
        f"ratio {run_s / bare_s:5.2f}"
    )


def busy_processes(how_many=200, duration_s=20):
    """Own processor time of rnncheck's processes, as a share of all that passed."""
    script = f"for i in $(seq {how_many}); do sh -c 'while :; do :; done' & done; sleep {duration_s}; kill $(jobs -p)"
    process = subprocess.Popen(
        [*RUN, "bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(duration_s * 0.9)
    ticks = 0
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if not file.read().startswith(program.encode()):
                    continue
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        except (OSError, IndexError):
            continue
    process.communicate()
    share = ticks / os.sysconf("SC_CLK_TCK") / (duration_s * 0.9)
    print(f"{how_many} busy processes: {share * 100:.2f} % of one processor")


compare("start, pipes", with_pipes, ["true"], [*RUN, "true"], 8 * rounds)
compare("start, pseudo-terminal", on_terminal, ["true"], [*RUN, "true"], 8 * rounds)
compare(f"yes | head -c {gigabytes}G, to a pipe", flood, [], RUN, rounds)
print(
    f"most memory of one process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.1f} MiB (of all that ran here)"
)
busy_processes()
