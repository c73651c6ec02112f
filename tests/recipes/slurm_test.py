#!/usr/bin/env python3
"""packaging/slurm in a real Slurm: NODES slurmd on this machine, of which one gets a damaged library.

usage: slurm_test.py RNNCHECK SIM_DIRECTORY PACKAGING_DIRECTORY WORK_DIRECTORY NODES INTERVAL_S LOAD      exits 77 where it cannot run
Prints what it measured. LOAD busy loops run beside the nodes while they are watched.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

from machine import DAMAGED, Machine  # noqa: I001
from doctor import Checks

program, sim, packaging, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
count, interval, load = map(int, sys.argv[5:8])
check = Checks()
if (
    os.environ.get("RNNCHECK_CI_FULL") != "1"
    or os.geteuid()
    or not all(map(shutil.which, ("slurmctld", "slurmd", "srun", "munged")))
):
    print(
        "SKIPPED: needs RNNCHECK_CI_FULL=1, root and Slurm (slurmctld, slurmd, slurm-client, munge)"
    )
    sys.exit(77)
machine = Machine(program, sim, work, "live")
nodes = [f"node{number:03}" for number in range(1, count + 1)]
bad, other = nodes[count // 2], nodes[0]
running = []


def start(*command):
    running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def run_command(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def start_cluster():
    """The lines of packaging/slurm/slurm.conf with another interval, and what several nodes on one machine need."""
    for directory in ("run", "log", "state"):
        (work / directory).mkdir()
    shutil.chown(work / "run", "munge")
    os.mknod(work / "nvidia0", 0o20666, os.makedev(1, 3))  # stands for the GPU
    machine.installed(packaging / "slurm" / "rnncheck-node", {"/run/rnncheck": f"{work}/verdicts"})
    machine.installed(packaging / "slurm" / "rnncheck-collect")
    machine.write(
        work / "rnncheck-node",
        f"#!/bin/sh\nSLURM_CONF={work}/slurm.conf exec {work}/slurm/rnncheck-node\n",
    )
    recipe = (
        (packaging / "slurm" / "slurm.conf")
        .read_text()
        .replace("/etc/slurm/rnncheck-node", f"{work}/rnncheck-node")
    )
    recipe = recipe.replace("HealthCheckInterval=300", f"HealthCheckInterval={interval}").replace(
        "SchedulerParameters=", "SchedulerParameters=batch_sched_delay=0,sched_min_interval=1,"
    )
    own, *ports = free_ports(count + 1)
    lines = [
        f"NodeName={node} NodeHostname=localhost Port={port} CPUs=2 RealMemory=100 Gres=gpu:1 State=UNKNOWN"
        for node, port in zip(nodes, ports)
    ]
    lines[-1] = lines[-1].replace("Gres=gpu:1 ", "")  # a node without a GPU, which is never drained
    (work / "slurm.conf").write_text(
        f"""{recipe}
ClusterName=test
SlurmctldHost=localhost
SlurmctldPort={own}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={work}/run/munge.socket
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool/%n
SlurmctldPidFile={work}/run/ctld.pid
SlurmdPidFile={work}/run/%n.pid
SlurmctldLogFile={work}/log/ctld.log
SlurmdLogFile={work}/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=1
GresTypes=gpu
"""
        + "\n".join(lines)
        + "\nPartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
    )
    (work / "gres.conf").write_text(
        f"NodeName={nodes[0]},{','.join(nodes[1:-1])} Name=gpu File={work}/nvidia0\n"
    )
    (work / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
    os.environ["SLURM_CONF"] = f"{work}/slurm.conf"
    munge = work / "run" / "munge"
    start(
        "runuser",
        "-u",
        "munge",
        "--",
        "munged",
        "--foreground",
        f"--socket={munge}.socket",
        f"--pid-file={munge}.pid",
        f"--log-file={munge}.log",
        f"--seed-file={munge}.seed",
    )
    start("slurmctld", "-D")
    for node in nodes:
        (work / "spool" / node).mkdir(parents=True)
        start("slurmd", "-D", "-N", node)


def states():
    """{node: (state, reason)}, as an administrator sees them."""
    lines = run_command("sinfo", "-h", "-N", "-o", "%N|%T|%E").stdout.splitlines()
    return {
        line.split("|")[0]: (line.split("|")[1].rstrip("*"), line.split("|")[2])
        for line in lines
        if line.count("|") >= 2
    }


drained = {}


def wait(what, limit, holds):
    """Seconds until it holds; notes every node that is drained in the meantime."""
    began = time.monotonic()
    while True:
        now = states()
        drained.update({node: reason for node, (state, reason) in now.items() if "drain" in state})
        seconds = time.monotonic() - began
        if holds(now) or seconds > limit:
            check.that(seconds <= limit, f"not within {limit} s: {what}; {now}")
            print(f"measured: {seconds:6.1f} s  {what}", flush=True)
            return seconds
        time.sleep(0.2)


def checked():
    return len(machine.calls())


def job(number):
    shown = run_command("scontrol", "--oneliner", "show", "job", number).stdout
    return dict(word.split("=", 1) for word in shown.split() if "=" in word)


def batch(command, *options):
    done = run_command(
        "sbatch",
        "--parsable",
        "--output=/dev/null",
        f"--chdir={work}",
        *options,
        f"--wrap={command}",
    )
    check.that(done.returncode == 0, f"sbatch: {done.stderr}")
    return done.stdout.strip()


def test_health_check():
    """Drained within two intervals and the time of the check, resumed as quickly, its running job goes on."""
    went_on = batch(f"sleep {4 * interval}", f"--nodelist={bad}")
    wait(
        "job runs on the node that gets the fault",
        60,
        lambda _: job(went_on).get("JobState") == "RUNNING",
    )
    machine.finds("damaged", bad)
    took = wait(
        f"drained after the fault (interval {interval} s)",
        2 * interval + 60,
        lambda now: "drain" in now[bad][0],
    )
    check.that(
        took <= 2 * interval + 20 + load,
        f"drained after {took:.0f} s, two intervals are {2 * interval} s",
    )
    reason = states()[bad][1]
    check.that(reason.startswith(f"rnncheck: {DAMAGED}: "), f"the reason is '{reason}'")
    check.that(
        job(went_on)["JobState"] == "RUNNING", f"the job on the drained node: {job(went_on)}"
    )
    wait(
        "job on the drained node completed",
        4 * interval + 60,
        lambda _: job(went_on)["JobState"] == "COMPLETED",
    )
    machine.finds("undetermined", bad)
    time.sleep(2.5 * interval)
    check.that("drain" in states()[bad][0], "an undetermined check resumed the node")
    machine.finds("healthy", bad)
    wait("resumed after the repair", 2 * interval + 60, lambda now: now[bad] == ("idle", "none"))
    check.that(set(drained) == {bad}, f"healthy nodes were drained: {drained}")


def test_other_reason():
    run_command("scontrol", "update", f"NodeName={other}", "State=DRAIN", "Reason=fan is noisy")
    time.sleep(2.5 * interval)
    check.that(
        states()[other] == ("drained", "fan is noisy"),
        f"a node that an administrator drained: {states()[other]}",
    )
    run_command("scontrol", "update", f"NodeName={other}", "State=RESUME")


def test_load():
    """No healthy node is drained at this load, however long a check takes."""
    drained.clear()
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(load)]
    try:
        before = checked()
        wait(
            f"every node checked three times at load {load}",
            40 * interval + 300,
            lambda _: checked() - before >= 3 * count,
        )
        print(
            f"measured: load average {os.getloadavg()[0]:.0f}; verdicts {sorted({line.split()[0] for line in machine.calls()[before:]})}"
        )
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    wait("verdicts of the load are gone", 60 + interval, lambda _: True)
    check.that(not drained, f"healthy nodes were drained at load {load}: {drained}")
    logged = "".join(path.read_text(errors="replace") for path in (work / "log").glob("node*.log"))
    print(f"measured: {logged.count('timeout')} checks killed by slurmd")


def test_prolog():
    """A job that meets a bad node before the health check does is requeued, and runs elsewhere."""
    run_command("scontrol", "reconfigure")
    machine.finds("damaged", bad)
    number = batch("true", f"--nodelist={bad}", "--gres=gpu:1")
    wait("prolog drained the node", 60, lambda now: "drain" in now[bad][0])
    check.that(
        states()[bad][1].startswith(f"rnncheck: {DAMAGED}"), f"the prolog's reason: {states()[bad]}"
    )
    wait("job is requeued, not held", 60, lambda _: job(number)["JobState"] == "PENDING")
    check.that(job(number)["Priority"] != "0", f"the job is held: {job(number)}")
    if (
        os.environ.get("RNNCHECK_WAIT_FOR_REQUEUE") != "1"
    ):  # Slurm starts a requeued job two minutes later
        run_command("scontrol", "update", f"JobId={number}", "StartTime=now")
    run_command("scontrol", "update", f"JobId={number}", "ReqNodeList=")
    wait("rejected job ran on another node", 240, lambda _: job(number)["JobState"] == "COMPLETED")
    check.that(job(number)["NodeList"] != bad, f"the job ran on {bad}")
    machine.finds("healthy", bad)
    wait("resumed after the prolog's drain", 2 * interval + 60, lambda now: now[bad][0] == "idle")
    began = time.monotonic()
    done = run_command("srun", f"--nodelist={bad}", "--gres=gpu:1", "true")
    print(f"measured: {time.monotonic() - began:6.2f} s  srun of a GPU job with the prolog")
    check.that(done.returncode == 0, f"srun on a healthy node: {done.stderr}")
    machine.finds("damaged", bad)
    done = run_command("srun", "--immediate=10", f"--nodelist={bad}", "--gres=gpu:1", "true")
    check.that(done.returncode != 0, "an interactive job ran on a bad node")
    print(f"an interactive job on a bad node: {done.stderr.strip()}")
    machine.finds("healthy", bad)
    wait("resumed again", 2 * interval + 60, lambda now: now[bad][0] == "idle")


def test_collect():
    machine.finds("damaged", bad)
    began = time.monotonic()
    done = run_command(
        work / "slurm" / "rnncheck-collect", work / "reports", f"--nodes={count}", "--overcommit"
    )
    print(f"measured: {time.monotonic() - began:6.2f} s  rnncheck-collect on {count} nodes")
    check.that(
        done.returncode == 0 and done.stdout.count("\n") == count,
        f"collect: {done.returncode} {done.stdout} {done.stderr}",
    )
    reports = {
        path.stem: json.loads(path.read_text()) for path in (work / "reports").glob("*.json")
    }
    check.that(sorted(reports) == nodes, f"reports of {sorted(reports)}")
    for node, report in reports.items():
        check.that(
            report["labels"] == {"node": node}
            and report["verdict"] == ("problems" if node == bad else "healthy"),
            f"{node}: {report['verdict']}",
        )
    machine.finds("healthy", bad)


try:
    start_cluster()
    machine.finds("damaged", nodes[-1])
    wait(
        f"{count} nodes idle",
        120,
        lambda now: len(now) == count and all(state == "idle" for state, _ in now.values()),
    )
    test_health_check()
    test_other_reason()
    test_prolog()
    if load:
        test_load()
    machine.finds("healthy", nodes[-1])
    test_collect()
finally:
    run_command("scancel", "--user=root")  # a job outlives its slurmd
    time.sleep(2)
    for process in reversed(running):
        process.terminate()
    for process in reversed(running):
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
sys.exit(check.close())
