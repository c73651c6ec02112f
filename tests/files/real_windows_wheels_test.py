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
import mmap
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
    tags = {"ctranslate2": "3.12", "onnxruntime_gpu": "3.12", "torch": "3.12"}
    tags["tensorflow_gpu"] = "3.10"  # the last Python that 2.10 has wheels for
    return windows_wheels.wheel(package, version, tags.get(package, "3.11"))


class Disk:
    def __init__(self, root, *names, suffix=""):
        self.root, self.site = root, root / "Python312/Lib/site-packages"
        self.site.mkdir(parents=True)
        (root / "Python312/python.exe").write_bytes(b"MZ")
        (root / "Windows").mkdir()
        shutil.copytree(wine, root / "Windows/System32")
        for name in names:
            windows_wheels.unpack(wheel(name), self.site, suffix)

    def put(self, path, *names):
        """Files that are DLLs, and no more: copies of one of Wine."""
        (self.root / path).mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(wine / "version.dll", self.root / path / name)

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


MOVE_OF_EIGHT_BYTES = b"\x48\xb8"  # mov rax, "cublasLt"


def texts_of(file, *texts):
    """Those of the texts that the file contains with a zero byte on both sides, or as an operand."""
    with file.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)

    def has(text):
        return (
            content.find(b"\0" + text + b"\0") >= 0
            or len(text) == 8
            and content.find(MOVE_OF_EIGHT_BYTES + text) >= 0
        )

    return {text for text in texts if has(text.encode())}


def opened_by(document, core):
    """What the core opens by name, in order."""
    return [
        one["soname"]
        for one in document["libraries"]
        if one["by_dlopen"] and (one["needed_by"] or "").endswith(core)
    ]


# Those that TensorFlow opens before it uses a GPU, in this order:
# https://github.com/tensorflow/tensorflow/blob/v2.10.1/tensorflow/stream_executor/platform/default/dlopen_checker.cc
TENSORFLOW = {
    "cudart": "64_110",
    "cublas": "64_11",
    "cublasLt": "64_11",
    "cufft": "64_10",
    "curand": "64_10",
    "cusolver": "64_11",
    "cusparse": "64_11",
    "cudnn": "64_8",
}


def tensorflow(root):
    disk = Disk(
        root,
        "tensorflow_gpu-2.10.1",
        suffix=("_pywrap_tensorflow_internal.pyd", "METADATA", "/build_info.py", "self_check.py"),
    )
    core = disk.site / "tensorflow/python/_pywrap_tensorflow_internal.pyd"
    texts = {*TENSORFLOW, *TENSORFLOW.values()} - {"64_8"}
    expect("TensorFlow's texts", texts_of(core, *texts), texts)
    names = [f"{stem}{number}.dll" for stem, number in TENSORFLOW.items()]
    without = disk.which("C:\\none")
    expect("what TensorFlow opens", opened_by(without, core.name), names)
    expect(
        "TensorFlow without CUDA",
        rules(without),
        ["cuda_version_mismatch", "cudnn_not_installed"],
    )
    disk.put("cuda", *names[:-1])
    expect("TensorFlow with CUDA", rules(disk.which("C:\\cuda")), ["cudnn_not_installed"])
    expect(
        "TensorFlow with CUDA, not on PATH",
        path_of(disk.which("C:\\none"), "cusparse64_11.dll"),
        None,
    )
    (root / "cuda/cusparse64_11.dll").unlink()
    expect(
        "TensorFlow without one of CUDA's DLLs",
        rules(disk.which("C:\\cuda")),
        ["cuda_version_mismatch", "cudnn_not_installed"],
    )
    (root / "Windows/System32/msvcp140_1.dll").unlink()
    expect("what TensorFlow's code misses", missed_by_tensorflow(disk), ["msvcp140_1.dll"])
    document = disk.which("C:\\cuda")
    messages = [
        one["message"] for one in document["findings"] if one["rule"] == "vc_runtime_missing"
    ]
    expect("the message about it", ["msvcp140_1.dll" in one for one in messages], [True])


def missed_by_tensorflow(disk):
    """The DLLs that its self_check.py does not find in System32."""
    platform_of_wheel = disk.site / "tensorflow/python/platform"
    build_info = types.ModuleType("build_info")
    exec((platform_of_wheel / "build_info.py").read_text(), build_info.__dict__)  # noqa: S102
    source = (platform_of_wheel / "self_check.py").read_text()
    namespace, missing = {"build_info": build_info}, []

    def load(name):
        if not (disk.root / "Windows/System32" / name).exists():
            missing.append(name)
            raise OSError(name)

    wanted = [
        one for one in ast.parse(source).body if isinstance(one, (ast.Assign, ast.FunctionDef))
    ]
    exec(compile(ast.Module(wanted, []), "self_check.py", "exec"), namespace)  # noqa: S102
    namespace["os"] = types.SimpleNamespace(name="nt")
    namespace["ctypes"] = types.SimpleNamespace(WinDLL=load)
    try:
        namespace["preload_check"]()
    except ImportError:
        pass
    return missing


OWN_TOOLKIT = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8/bin"


def paddle(root):
    disk = Disk(root, "paddlepaddle_gpu-2.6.2")
    core = disk.site / "paddle/base/libpaddle.pyd"
    texts = {"C:/" + OWN_TOOLKIT, "cudnn64_8.dll", "cublas64_118.dll;cublas64_11.dll"}
    expect("PaddlePaddle's texts", texts_of(core, *texts), texts)
    without = disk.which("C:\\none")
    expect(
        "what PaddlePaddle opens",
        opened_by(without, core.name),
        ["cublas64_11.dll", "cudnn64_8.dll"],
    )
    added, path = directories_of_paddle(disk)
    expect("what its code adds", added, [disk.site / "paddle/libs"])
    expect(
        "what its code puts before PATH",
        path,
        [disk.site / "paddle/base", disk.site / "paddle/libs"],
    )
    for directory in reversed(path):
        disk.put(directory, "cublas64_11.dll")
        expect(
            "the first directory of PATH",
            path_of(disk.which("C:\\none"), "cublas64_11.dll"),
            "C:\\" + str((directory / "cublas64_11.dll").relative_to(root)).replace("/", "\\"),
        )
        (directory / "cublas64_11.dll").unlink()
    disk.put(OWN_TOOLKIT, "cublas64_11.dll", "cudnn64_8.dll")
    expect(
        "the toolkit that it was built with",
        path_of(disk.which("C:\\none"), "cudnn64_8.dll"),
        "C:\\" + OWN_TOOLKIT.replace("/", "\\") + "\\cudnn64_8.dll",
    )
    disk.put("other", "cudnn64_8.dll")
    expect(
        "PATH before that",
        path_of(disk.which("C:\\other"), "cudnn64_8.dll"),
        "C:\\other\\cudnn64_8.dll",
    )


def directories_of_paddle(disk):
    """What its base/core.py gives to os.add_dll_directory, and puts in front of PATH."""
    core, added = disk.site / "paddle/base/core.py", []
    environment = {"path": "before"}
    windows = types.SimpleNamespace(
        name="nt", sep="/", path=os.path, environ=environment, add_dll_directory=added.append
    )
    namespace = {
        "__file__": str(core),
        "os": windows,
        "sys": types.SimpleNamespace(path=[], version_info=(3, 11)),
    }
    body = ast.parse(core.read_text()).body
    first = [ast.unparse(one).startswith("current_path") for one in body].index(True)
    block = next(one for one in body if isinstance(one, ast.Try))
    exec(compile(ast.Module([body[first], block], []), str(core), "exec"), namespace)  # noqa: S102
    resolved = [pathlib.Path(os.path.normpath(one)) for one in environment["path"].split(";")[:-1]]
    return [pathlib.Path(os.path.normpath(one)) for one in added], resolved


TOOLKIT = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.4"
CUDNN_8 = ["cudnn64_8.dll"] + [
    f"cudnn_{part}64_8.dll"
    for part in ("ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train")
]


def cupy_13(root):
    disk = Disk(root, "cupy_cuda12x-13.6.0")
    bin_of_toolkit = "C:\\" + (TOOLKIT + "/bin").replace("/", "\\")
    disk.put(TOOLKIT + "/bin", "cublas64_12.dll", *CUDNN_8)
    added, loaded = loads_of_cupy(disk)
    expect("what CuPy's code adds", added, [str(root / TOOLKIT / "bin")])
    expect("what CuPy's code loads by name", loaded, CUDNN_8)
    document = disk.which("C:\\none")
    for name in ("cublas64_12.dll", *CUDNN_8):
        expect("CuPy's " + name, path_of(document, name), f"{bin_of_toolkit}\\{name}")
    own = "Users/ada/.cupy/cuda_lib/12.x/cudnn/8.8.1/bin"
    disk.put(own, *CUDNN_8)
    _, loaded = loads_of_cupy(disk)
    expect("CuPy's code with its own cuDNN", loaded, [str(root / own / name) for name in CUDNN_8])
    document = disk.which("C:\\none")
    for name in CUDNN_8:
        expect(
            "CuPy's own " + name,
            path_of(document, name),
            "C:\\" + own.replace("/", "\\") + "\\" + name,
        )


def loads_of_cupy(disk):
    """What its _environment.py gives to os.add_dll_directory and ctypes.CDLL, for CUDA_PATH and the home directory of the disk."""
    source, recorder = disk.site / "cupy/_environment.py", Recorder()
    before = ctypes.CDLL, sys.platform, dict(os.environ)
    namespace = {"__file__": str(source), "__name__": "cupy._environment"}
    exec(compile(source.read_text(), str(source), "exec"), namespace)  # noqa: S102
    recorder.install({})
    sys.platform = "win32"
    os.environ.update(CUDA_PATH=str(disk.root / TOOLKIT), HOME=str(disk.root / "Users/ada"))
    try:
        namespace["_setup_win32_dll_directory"]()
        namespace["_preload_library"]("cudnn")
    finally:
        ctypes.CDLL, sys.platform = before[:2]
        os.environ.clear()
        os.environ.update(before[2])
    return recorder.added, recorder.loaded


# cuda-pathfinder asks the system and its C library; here the answers are those of Windows.
PATHFINDER = """
import ctypes, json, os, site, sys, sysconfig, types
import ctypes.wintypes
disk, path = sys.argv[1:]
loaded = []
class Function:
    def __init__(self, function):
        self.function = function
    def __call__(self, *arguments):
        return self.function(*arguments)
def load(name, _, flags):
    loaded.append([name, flags])
    found = name if "/" in name else os.path.join(path, name)
    return 1 if os.path.exists(found) else None
kernel32 = types.SimpleNamespace(
    GetModuleHandleW=Function(lambda _: None), LoadLibraryExW=Function(load), GetLastError=Function(lambda: 126),
    GetModuleFileNameW=Function(lambda handle, buffer, size: 1),
)
ctypes.windll = types.SimpleNamespace(kernel32=kernel32)
os.add_dll_directory = lambda _: None
site.getsitepackages = lambda: [disk + "/Python312/Lib/site-packages"]
site.ENABLE_USER_SITE = False
sysconfig.get_platform = lambda: "win-amd64"
sys.path.insert(0, disk + "/Python312/Lib/site-packages")
sys.platform = "win32"
from cuda.pathfinder._dynamic_libs.load_nvidia_dynamic_lib import _load_lib_no_cache
try:
    _load_lib_no_cache("cublas")
except Exception as error:
    loaded.append([type(error).__name__, 0])
print(json.dumps(loaded))
"""


def cupy_14(root):
    disk = Disk(root, "cupy_cuda12x-14.2.0", "cuda_pathfinder-1.9.1")
    names = ["cublasLt64_12.dll", "cublas64_12.dll"]

    def loaded_by_code(path, toolkit=""):
        environment = {"PATH": os.environ["PATH"], "CUDA_PATH": toolkit}
        command = [sys.executable, "-c", PATHFINDER, root, root / path]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        expect("cuda-pathfinder's code runs", (done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout or "[]")

    def predicted_paths(*path):
        document = disk.which(*path)
        return [path_of(document, name) for name in names]

    expect("cuBLAS nowhere", loaded_by_code("none")[-1][0], "DynamicLibNotFoundError")
    expect("cuBLAS nowhere", rules(disk.which("C:\\none")), ["cuda_version_mismatch"])
    disk.put(TOOLKIT + "/bin", *names)
    found = [str(root / TOOLKIT / "bin" / name) for name in names]
    code = loaded_by_code("none", str(root / TOOLKIT))
    expect("cuBLAS of CUDA_PATH", [one for one, _ in code if "/" in one], found)
    expect("cuBLAS of CUDA_PATH", predicted_paths("C:\\none"), windows(root, found))
    disk.put("path", *names)
    code = loaded_by_code("path", str(root / TOOLKIT))
    expect("cuBLAS by name", [one for one, flags in code if flags == 0 and "_12" in one], names)
    expect(
        "cuBLAS by name",
        predicted_paths("C:\\path"),
        windows(root, [str(root / "path" / one) for one in names]),
    )
    disk.put(disk.site / "nvidia/cublas/bin", *names)
    found = [str(disk.site / "nvidia/cublas/bin" / name) for name in names]
    code = loaded_by_code("path", str(root / TOOLKIT))
    expect("cuBLAS of the wheel", code, [[one, 0x1100] for one in found])
    expect("cuBLAS of the wheel", predicted_paths("C:\\path"), windows(root, found))


def windows(root, paths):
    return ["C:\\" + str(pathlib.Path(one).relative_to(root)).replace("/", "\\") for one in paths]


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
    (tensorflow, ("tensorflow_gpu-2.10.1",)),
    (paddle, ("paddlepaddle_gpu-2.6.2",)),
    (cupy_13, ("cupy_cuda12x-13.6.0",)),
    (cupy_14, ("cupy_cuda12x-14.2.0", "cuda_pathfinder-1.9.1")),
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
