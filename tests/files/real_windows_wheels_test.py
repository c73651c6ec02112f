#!/usr/bin/env python3
"""What `rnncheck which --root` shows of real wheels for Windows, unpacked but never run.

usage: real_windows_wheels_test.py RNNCHECK     exit code 77: there are no wheels, or Wine is not installed

The wheels are those of RNNCHECK_WINDOWS_WHEELS (support/windows_wheels.py). Wine's DLLs are those of System32. Cases whose wheels are not
there are left out; at least one must be there.
"""

import ast
import builtins
import ctypes
import glob
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import types
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import windows_wheels  # noqa: E402

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
program = sys.argv[1]
failures, tried = [], 0
SITE = "C:\\Python312\\Lib\\site-packages\\"
CUDNN, CUBLAS = SITE + "nvidia\\cudnn\\bin", SITE + "nvidia\\cublas\\bin"
OLD = "C:\\old"


def wheel(name):
    """ "ctranslate2-4.8.5" is a package and its version."""
    package, _, version = name.rpartition("-")
    tag = "3.12" if package in ("ctranslate2", "onnxruntime_gpu", "torch") else "3.11"
    return windows_wheels.wheel(package, version, tag)


class Disk:
    def __init__(self, root, *names):
        self.root, self.site = root, root / "Python312/Lib/site-packages"
        self.site.mkdir(parents=True)
        (root / "Python312/python.exe").write_bytes(b"MZ")
        (root / "Windows").mkdir()
        shutil.copytree(wine, root / "Windows/System32")
        for name in names:
            windows_wheels.unpack(wheel(name), self.site)

    def which(self, *path, options=()):
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
                *options,
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
        ["cuda_version_mismatch"],
    )
    expect(
        "ONNX Runtime without PATH",
        rules(disk.which("C:\\none")),
        ["cuda_version_mismatch", "cudnn_not_on_loader_path"],
    )


class Recorder:
    """In place of kernel32 and ctypes.CDLL: which files the code of a framework loads, in order."""

    def __init__(self):
        self.loaded, self.added = [], []

    def __call__(self, path):
        self.loaded.append(path)

    def load(self, path, *_):
        self.loaded.append(path)
        return 1

    def install(self, namespace):
        """The modules that the code imports, as they are on Windows."""
        kernel32 = types.SimpleNamespace(
            AddDllDirectory=True, SetErrorMode=lambda _: 0, LoadLibraryW=Call(self.load)
        )
        kernel32.LoadLibraryExW = Call(self.load)
        ctypes.WinDLL = lambda *_, **__: kernel32
        ctypes.CDLL, ctypes.get_last_error = self, lambda: 0
        os.add_dll_directory = self.added.append
        namespace.update(ctypes=ctypes, os=os, sys=sys, glob=glob, platform=platform)


class Call:
    """A function of a DLL, whose type may be set."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *arguments):
        return self.function(*arguments)


def loaded_by_code(disk, init, part):
    """The files of the wheel that its own __init__.py loads; `part` picks the statements that do."""
    tree = ast.parse(init.read_text())
    recorder = Recorder()
    namespace = {"__file__": str(init), "__name__": init.parent.name, "builtins": builtins}
    before = ctypes.CDLL
    recorder.install(namespace)
    sys.path.insert(0, str(disk.site))
    try:
        for statement in part(tree):
            exec(compile(ast.Module([statement], []), str(init), "exec"), namespace)  # noqa: S102
    finally:
        sys.path.remove(str(disk.site))
        ctypes.CDLL = before
    return sorted(pathlib.Path(one).name for one in recorder.loaded if "/" in str(one))


def predicted(document, library):
    """Those of the directory that are requested; what they need (python312.dll) may be missing on this disk."""
    requested = {one["soname"] for one in document["libraries"]}
    return sorted(requested & {file.name for file in library.glob("*.dll")})


def torch(root):
    """The wheel without CUDA has the same code; what shows CUDA is added, so that it is played through."""
    disk = Disk(root, "torch-2.15.0")
    library = disk.site / "torch/lib"
    version = disk.site / "torch/version.py"
    version.write_text("__version__ = '2.15.0+cu129'\ncuda = '12.9'\n")
    shutil.copy(library / "c10.dll", library / "torch_cuda.dll")

    def part(tree):
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and function.name == "_load_dll_libraries":
                yield function
        yield ast.parse("_load_dll_libraries()").body[0]

    sys.modules["torch"] = types.ModuleType("torch")
    sys.modules["torch"].__path__ = [str(disk.site / "torch")]
    code = loaded_by_code(disk, disk.site / "torch/__init__.py", part)
    expect("PyTorch's code loads some", len(code) > 5, True)
    expect(
        "what PyTorch loads",
        predicted(disk.which("C:\\none", options=["--all"]), library),
        code,
    )


def ctranslate2_code(root):
    disk = Disk(root, "ctranslate2-4.8.5")
    init = disk.site / "ctranslate2/__init__.py"

    def part(tree):
        block = next(one for one in tree.body if isinstance(one, ast.If))
        first = [ast.unparse(one).startswith("site_dir") for one in block.body].index(True)
        yield ast.parse(f"package_dir = {str(init.parent)!r}").body[0]
        yield from block.body[first:]

    code = loaded_by_code(disk, init, part)
    expect("CTranslate2's code loads some", len(code) > 1, True)
    expect(
        "what CTranslate2 loads",
        predicted(disk.which("C:\\none", options=["--all"]), init.parent),
        code,
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
    (torch, ("torch-2.15.0",)),
    (ctranslate2_code, ("ctranslate2-4.8.5",)),
):
    if not wine or not all(map(wheel, names)):
        print("left out:", case.__name__)
        continue
    tried += 1
    with tempfile.TemporaryDirectory() as place:
        case(pathlib.Path(place))
if not tried or not wine:
    print("SKIPPED: there are no wheels for Windows, or Wine is not installed")
    sys.exit(77)
for failure in failures:
    print("FAILED", failure)
print(f"{tried} frameworks, {len(failures)} failures")
sys.exit(1 if failures else 0)
