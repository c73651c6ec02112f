"""Real wheels for Windows: those that RNNCHECK_WINDOWS_WHEELS (default: build/wheels) has, and with RNNCHECK_CI_FULL=1 what PyPI has besides."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DIRECTORY = Path(os.environ.get("RNNCHECK_WINDOWS_WHEELS") or ROOT / "build/wheels")


def wheel(name, version, python="3.11"):
    """The file, or nothing: wheel("nvidia-cudnn-cu12", "9.10.2.21")."""

    def found():
        stem = f"{name.replace('-', '_')}-{version}-"
        files = sorted(DIRECTORY.glob(stem + "*.whl")) if DIRECTORY.is_dir() else []
        return [file for file in files if file.stem.endswith(("win_amd64", "none-any"))]

    if not found() and os.environ.get("RNNCHECK_CI_FULL") == "1":
        download(f"{name}=={version}", python)
    return next(iter(found()), None)


def download(what, python):
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--platform=win_amd64"]
    command = [sys.executable, "-m", "pip", "download", *options, f"--python-version={python}"]
    done = subprocess.run([*command, "--dest", DIRECTORY, what], check=False)
    if done.returncode != 0:
        print(f"{what}: NOT downloaded, its cases are left out", flush=True)


def unpack(path, directory, suffix=""):
    """The files of the wheel whose names end so, or in one of several ways, in the directory."""
    with zipfile.ZipFile(path) as archive:
        wanted = [name for name in archive.namelist() if name.endswith(suffix)]
        archive.extractall(directory, wanted)
    return directory


def unpacked_dlls(path):
    """The directory with the wheel's DLLs, which stays for later runs."""
    directory = DIRECTORY / "unpacked" / path.stem
    if not directory.exists():
        unfinished = directory.with_name(f"{path.stem}.unfinished")
        unpack(path, unfinished, ".dll")
        unfinished.rename(directory)
    return directory
