#!/usr/bin/env python3
"""The doctor leaves no trace: every system call that could change the machine is watched.

usage: trace_test.py RNNCHECK     exit code 77: this machine does not let us trace
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program = sys.argv[1]
CHANGING = (
    "mknod",
    "mknodat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "truncate",
    "chmod",
    "fchmodat",
    "chown",
    "fchownat",
    "bind",
    "connect",
    "sendto",
    "shmget",
    "msgget",
    "semget",
    "mount",
    "init_module",
    "finit_module",
    "setxattr",
    "utimensat",
)
WATCHED = ("open", "openat", "creat", "socket", "mmap", "execve", *CHANGING)


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def trace(home):
    strace = shutil.which("strace") or skip("strace is not installed")
    log = home.parent / "trace"
    command = [
        strace,
        "-f",
        "-qq",
        "-o",
        str(log),
        "-e",
        "trace=" + ",".join(f"?{name}" for name in WATCHED),
        program,
        "doctor",
        "--json",
    ]
    result = subprocess.run(
        command, capture_output=True, check=False, env={**os.environ, "HOME": str(home)}, cwd=home
    )
    if not log.exists() or b"ptrace" in result.stderr:
        skip("strace may not trace here: " + result.stderr.decode(errors="replace").strip()[:200])
    return log.read_text(errors="replace").splitlines(), result


HARMLESS = (
    '"/dev/null"',
    '"/proc/self/oom_score_adj"',
)  # the latter is of the process itself, and gone with it


def problems_of(lines):
    for line in lines:
        match = re.match(r"(\d+)\s+(\w+)\((.*)\)\s+= (-?\w+)", line)
        if not match or match.group(4).startswith("-"):
            continue
        _, call, arguments, _ = match.groups()
        if call in CHANGING:
            yield line
        writes = re.search(r"\b(O_CREAT|O_WRONLY|O_RDWR|O_TRUNC|O_TMPFILE)\b", arguments)
        if (
            call in ("open", "openat", "creat")
            and (call == "creat" or writes)
            and not any(path in arguments for path in HARMLESS)
        ):
            yield line
        if call == "socket" and "AF_UNIX" not in arguments:
            yield line


def vendor_files_mapped_by(pid, lines):
    """The loader opens a library O_RDONLY|O_CLOEXEC and maps it PROT_EXEC on the same descriptor."""
    opened = {}
    for line in lines:
        if not line.startswith(pid):
            continue
        if match := re.search(r'openat\(.*"([^"]+)".*\)\s+= (\d+)', line):
            opened[match.group(2)] = match.group(1)
        if match := re.search(r"mmap\(.*PROT_EXEC.*, (\d+), ", line):
            name = opened.get(match.group(1), "")
            if re.search(r"lib(cuda|cudnn|nvidia|cublas|nvrtc)", name):
                yield name


with tempfile.TemporaryDirectory() as directory:
    home = pathlib.Path(directory) / "home"
    home.mkdir()
    devices = set(os.listdir("/dev"))
    lines, result = trace(home)
    found = list(problems_of(lines))
    if left := list(home.rglob("*")):
        found.append(f"left behind in the home directory: {left}")
    if new := {name for name in set(os.listdir("/dev")) - devices if name.startswith("nvidia")}:
        found.append(f"new device nodes: {new}")
    parent = lines[0].split()[0]
    found += [f"the parent mapped {name}" for name in vendor_files_mapped_by(parent, lines)]
    verdict = json.loads(result.stdout)["verdict"]
    children = len({line.split()[0] for line in lines}) - 1
    print("\n".join(found))
    print(
        f"{len(lines)} calls of the doctor and {children} children watched, verdict {verdict}: {len(found)} traces"
    )
    if children < 3:
        sys.exit("the trace does not show the probes' processes: nothing was checked")
    sys.exit(1 if found else 0)
