"""Which files the parts of a real cuDNN 9 come from, predicted by `rnncheck which` and as loaded in a process.

usage: real_cudnn_mixtures_test.py RNNCHECK   RNNCHECK_CUDNNS names a directory with unpacked cuDNNs, one directory
each (DIRECTORY/9.28.0.42/libcudnn.so.9 and its libraries). Every libcudnn.so.9 is combined with the libraries of every
other in LD_LIBRARY_PATH, named as in wheels and as in NVIDIA's archives. No GPU is needed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CALLS = {
    "ops": ["cudnnGetVersion", "cudnnCreateDropoutDescriptor", "cudnnCreateRNNDescriptor"],
    "adv": ["cudnnGetVersion", "cudnnCreateRNNDescriptor", "cudnnCreateDropoutDescriptor"],
}
PROGRAM = """
import ctypes, sys
cudnn = ctypes.CDLL(sys.argv[1])
for call in sys.argv[2:]:
    function = getattr(cudnn, call)
    function.restype = ctypes.c_size_t
    print(call, function() if call == "cudnnGetVersion" else function(ctypes.byref(ctypes.c_void_p())))
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if "/libcudnn" in line}), sep="\\n")
"""
PARTS = ("graph", "ops", "adv")


def part_of(path):
    return re.match(r"libcudnn_?([a-z]*)", pathlib.Path(path).name).group(1)


def loaded(front, library_path, first):
    """Real files by part, and what the calls returned; None for a process that ended early."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, front, *CALLS[first]],
        capture_output=True,
        text=True,
        env={**os.environ, "LD_LIBRARY_PATH": library_path},
        check=False,
    )
    lines = run.stdout.splitlines()
    files = {part_of(line): os.path.realpath(line) for line in lines if line.startswith("/")}
    calls = [line.split()[1] for line in lines if not line.startswith("/")]
    return {part: files.get(part) for part in PARTS} if run.returncode == 0 else None, calls


def predicted(rnncheck, front, library_path, first):
    run = subprocess.run(
        [rnncheck, "which", "--json", "--show-private", front],
        capture_output=True,
        text=True,
        env={**os.environ, "LD_LIBRARY_PATH": library_path},
        check=False,
    )
    document = json.loads(run.stdout)
    files = {}
    for library in document["libraries"]:
        if library["soname"].startswith("libcudnn_") and library["path"]:
            files.setdefault(part_of(library["soname"]), os.path.realpath(library["path"]))
    for note in document["notes"]:
        if (
            differs := re.match(r"which (\S+) is loaded .* as in JAX, (none|/.*)", note)
        ) and first == "adv":
            path = differs.group(2)
            files[part_of(differs.group(1))] = None if path == "none" else os.path.realpath(path)
    return {part: files.get(part) for part in PARTS}


def short(files):
    return files and " ".join(
        f"{part}={pathlib.Path(path).parent.name if path else 'none'}"
        for part, path in files.items()
    )


def main():
    place = os.environ.get("RNNCHECK_CUDNNS")
    if not place:
        print("RNNCHECK_CUDNNS is not set")
        return 77
    cudnns = sorted(
        path for path in pathlib.Path(place).iterdir() if (path / "libcudnn.so.9").exists()
    )
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for parts in cudnns:
            archive = pathlib.Path(temporary, parts.name)
            archive.mkdir()
            for file in parts.glob("libcudnn_*.so.9"):
                full = f"{file.name}.{'.'.join(re.search(r'9[.]([0-9]+)[.]([0-9]+)', parts.name).groups())}"
                (archive / full).symlink_to(file)
                (archive / file.name).symlink_to(full)
        for front in cudnns:
            for parts in cudnns:
                for form, directory in (
                    ("wheel", parts),
                    ("archive", pathlib.Path(temporary, parts.name)),
                ):
                    for first in CALLS:
                        real, calls = loaded(str(front / "libcudnn.so.9"), str(directory), first)
                        reported = predicted(
                            sys.argv[1], str(front / "libcudnn.so.9"), str(directory), first
                        )
                        good = real == reported
                        wrong += not good
                        print(
                            f"{front.name} LD_LIBRARY_PATH={parts.name} ({form}), {first} first: {'ok' if good else 'WRONG'}"
                            f"\n    real      {short(real)} returned {' '.join(calls)}\n    predicted {short(reported)}"
                        )
    print(f"{wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
