#!/usr/bin/env python3
"""What `rnncheck which --root` shows of real wheels for Windows, unpacked but never run.

usage: real_windows_wheels_test.py RNNCHECK     exit code 77: RNNCHECK_WINDOWS_WHEELS names no directory, or Wine is not installed

RNNCHECK_WINDOWS_WHEELS is a directory of *.whl files, fetched with
  pip download --no-deps --only-binary=:all: --platform win_amd64 nvidia-cudnn-cu12==9.10.2.21 nvidia-cudnn-cu12==9.1.0.70 \
      nvidia-cublas-cu12==12.9.1.4 onnxruntime-gpu==1.31.1 ctranslate2==4.8.5
Wine's DLLs are those of System32. Cases whose wheels are not there are left out; at least one must be there.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

directory = os.environ.get("RNNCHECK_WINDOWS_WHEELS", "")
wine = next(
    (
        path
        for path in map(
            pathlib.Path,
            ("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows", "/usr/lib/wine/x86_64-windows"),
        )
        if path.is_dir()
    ),
    None,
)
if not os.path.isdir(directory) or not wine:
    print("SKIPPED: RNNCHECK_WINDOWS_WHEELS names no directory of wheels, or Wine is not installed")
    sys.exit(77)
program, wheels = sys.argv[1], pathlib.Path(directory)
failures, tried = [], 0
SITE = "C:\\Python312\\Lib\\site-packages\\"
CUDNN, CUBLAS = SITE + "nvidia\\cudnn\\bin", SITE + "nvidia\\cublas\\bin"
OLD = "C:\\old"


def wheel(name):
    return next(iter(sorted(wheels.rglob(f"{name}-*.whl"))), None)


def unpack(path, site):
    with zipfile.ZipFile(path) as archive:
        archive.extractall(site)


class Disk:
    def __init__(self, root, *names):
        self.root, self.site = root, root / "Python312/Lib/site-packages"
        self.site.mkdir(parents=True)
        (root / "Python312/python.exe").write_bytes(b"MZ")
        (root / "Windows").mkdir()
        shutil.copytree(wine, root / "Windows/System32")
        for name in names:
            unpack(wheel(name), self.site)

    def which(self, *path):
        done = subprocess.run(
            [
                program,
                "which",
                "--root",
                self.root,
                "--path",
                ";".join(path),
                "--json",
                "--show-private",
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode not in (0, 1, 3):
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)


def expect(what, seen, wanted):
    if seen != wanted:
        failures.append(f"{what}: {seen} instead of {wanted}")


def rules(document):
    return sorted({finding["rule"] for finding in document["findings"]})


def path_of(document, name):
    return next((one["path"] for one in document["libraries"] if one["soname"] == name), None)


def ctranslate2(root):
    disk = Disk(
        root, "ctranslate2-4.8.5", "nvidia_cudnn_cu12-9.10.2.21", "nvidia_cublas_cu12-12.9.1.4"
    )
    good = disk.which(CUDNN, CUBLAS)
    expect("CTranslate2 with both wheels on PATH", rules(good), [])
    expect("its front", path_of(good, "cudnn64_9.dll"), SITE + "ctranslate2\\cudnn64_9.dll")
    for part in ("graph", "ops", "adv", "cnn"):
        expect(
            "its parts", path_of(good, f"cudnn_{part}64_9.dll"), f"{CUDNN}\\cudnn_{part}64_9.dll"
        )
    without = disk.which(CUBLAS)
    expect("CTranslate2 without cuDNN on PATH", rules(without), ["cudnn_part_missing"])
    for finding in without["findings"]:
        expect("where it is", CUDNN in finding["message"], True)
    if not wheel("nvidia_cudnn_cu12-9.1.0.70"):
        return
    with zipfile.ZipFile(wheel("nvidia_cudnn_cu12-9.1.0.70")) as archive:
        (root / "old").mkdir()
        for name in archive.namelist():
            if name.endswith(".dll"):
                (root / "old" / name.rpartition("/")[2]).write_bytes(archive.read(name))
    expect(
        "CTranslate2 with cuDNN 9.1 on PATH",
        rules(disk.which(OLD, CUBLAS)),
        ["cudnn_mixed_sublibraries"],
    )
    (root / "old/cudnn_ops64_9.dll").unlink()
    (root / "old/cudnn_adv64_9.dll").unlink()
    mixed = disk.which(OLD, CUDNN, CUBLAS)
    expect("with graph of 9.1 and ops of 9.10", rules(mixed), ["cudnn_mixed_sublibraries"])
    expect(
        "its reason",
        any("WinError 127" in finding["message"] for finding in mixed["findings"]),
        True,
    )


def onnxruntime(root):
    disk = Disk(
        root, "onnxruntime_gpu-1.31.1", "nvidia_cudnn_cu12-9.10.2.21", "nvidia_cublas_cu12-12.9.1.4"
    )
    expect(
        "ONNX Runtime for CUDA 13 with CUDA 12",
        rules(disk.which(CUDNN, CUBLAS)),
        ["cuda_version_not_the_one_built_for"],
    )
    expect(
        "ONNX Runtime without PATH",
        rules(disk.which("C:\\none")),
        ["cuda_version_not_the_one_built_for", "cudnn_not_on_loader_path"],
    )


for case, names in (
    (
        ctranslate2,
        ("ctranslate2-4.8.5", "nvidia_cudnn_cu12-9.10.2.21", "nvidia_cublas_cu12-12.9.1.4"),
    ),
    (
        onnxruntime,
        ("onnxruntime_gpu-1.31.1", "nvidia_cudnn_cu12-9.10.2.21", "nvidia_cublas_cu12-12.9.1.4"),
    ),
):
    if not all(map(wheel, names)):
        print("left out:", case.__name__)
        continue
    tried += 1
    with tempfile.TemporaryDirectory() as place:
        case(pathlib.Path(place))
for failure in failures:
    print("FAILED", failure)
print(f"{tried} frameworks, {len(failures)} failures")
sys.exit(1 if failures or not tried else 0)
