"""NVIDIA's own cuDNNs for Windows with faults planted in them, and the places where frameworks find them."""

import os
import shutil
import struct
from pathlib import Path

import windows_wheels

# Each with one of another minor or patch version for the same CUDA, and one of the same version for
# another CUDA. Of those only files come in for "another version" and "another CUDA".
VERSIONS = (
    ("cu12", "8.9.5.29", ("cu12", "8.9.7.29"), ("cu11", "8.9.5.29")),
    ("cu12", "9.10.2.21", ("cu12", "9.1.0.70"), ("cu11", "9.10.2.21")),
    ("cu13", "9.28.0.42", ("cu13", "9.28.1.4"), ("cu12", "9.28.0.42")),
)
FOR_RNNS = {
    8: ("cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll", "cudnn_adv_infer64_8.dll"),
    9: ("cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_adv64_9.dll"),
}
CUDA = {"cu11": "11.8", "cu12": "12.9", "cu13": "13.0"}
# cudnn_graph64_9.dll of 9.10 has nothing of CUDA, cudnn_ops64_9.dll of it for CUDA 11 no PTX.
SHOWS_NO_CUDA = {
    "9.10.2": ("cudnn_graph64_9.dll", "cudnn_ops64_9.dll"),
}
KINDS = ("missing", "cut", "text", "32-bit", "another version", "another CUDA")
CUDNN_RULES = (
    "cudnn_built_for_other_cuda",
    "cudnn_mixed_sublibraries",
    "cudnn_part_missing",
    "cudnn_rnn_unusable",
    "cudnn_unusable",
    "library_file_damaged",
    "library_for_other_machine",
    "probe_crashed",
    "probe_quit_early",
    "probe_timed_out",
)


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def rules_and_messages(findings):
    return [(one["rule"], one["message"]) for one in findings]


class Cudnn:
    """The libraries of one wheel, unpacked; those of another version and for another CUDA beside them."""

    def __init__(self, package, version, *others):
        wheel = windows_wheels.wheel(f"nvidia-cudnn-{package}", version)
        self.is_there = wheel is not None
        if not wheel:
            return
        self.directory = windows_wheels.unpacked_dlls(wheel) / "nvidia/cudnn/bin"
        self.version = version.rpartition(".")[0]
        self.major = int(version.split(".")[0])
        self.front = f"cudnn64_{self.major}.dll"
        self.cuda = CUDA[package]
        self.others = [Cudnn(*one) for one in others]
        self.is_there = all(one.is_there for one in self.others)

    def faults(self):
        """Each in each of the libraries that RNNs need, and in the front."""
        yield Fault(None, self.front)
        for kind in KINDS:
            for name in FOR_RNNS[self.major]:
                shows_none = name in SHOWS_NO_CUDA.get(self.version, ())
                if kind != "another CUDA" or not shows_none:
                    yield Fault(kind, name)
        for kind in ("cut", "text", "32-bit", "another version"):
            yield Fault(kind, self.front)


class RealCudnns:
    """Those whose wheels are there; the test is skipped where there is none."""

    def __init__(self, test):
        self.all = [one for one in (Cudnn(*row) for row in VERSIONS) if one.is_there]
        if not self.all:
            test.skipTest(f"{windows_wheels.DIRECTORY} has no wheels of cuDNN for Windows")

    def cases(self):
        """A cuDNN and a fault."""
        for cudnn in self.all:
            for fault in cudnn.faults():
                yield cudnn, fault


class Tally:
    """Which cases were wrong, of how many."""

    def __init__(self):
        self.count, self.wrong = 0, []

    def add(self, *case, fault, findings):
        self.count += 1
        if not fault.is_seen(findings):
            self.wrong.append((*case, fault.words(), rules_and_messages(findings)))

    def close(self, test, by):
        print(f"{self.count} cases by {by}, {len(self.wrong)} wrong")
        test.assertEqual(self.wrong, [])


class Fault:
    """What is wrong with one file of a cuDNN."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name

    def words(self):
        return f"{self.name} {self.kind}" if self.kind else "whole"

    def apply(self, cudnn, directory):
        """Fills the directory with the libraries, of which this one has the fault."""
        directory = Path(directory)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        for file in cudnn.directory.iterdir():
            if not self.kind or file.name != self.name:
                link(file, directory / file.name)
        source, target = cudnn.directory / self.name, directory / self.name
        if self.kind == "cut":
            cut_to(source, target, source.stat().st_size // 2)
        if self.kind == "text":
            target.write_bytes(b"<html>not a library</html>")
        if self.kind == "32-bit":
            make_32_bit(source, target)
        if self.kind == "another version":
            link(cudnn.others[0].directory / self.name, target)
        if self.kind == "another CUDA":
            link(cudnn.others[1].directory / self.name, target)

    def is_seen(self, findings):
        """A finding names the file; where nothing is wrong, there is none."""
        if not self.kind:
            return not findings
        return any(self.name in one["message"] for one in findings)


def link(source, target):
    """A copy where the two are on different file systems."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def cut_to(source, target, size):
    with source.open("rb") as whole:
        target.write_bytes(whole.read(size))


def make_32_bit(source, target):
    """The headers of a 32-bit DLL; its contents are never reached."""
    with source.open("rb") as file:
        head = bytearray(file.read(4096))
    header = struct.unpack_from("<I", head, 0x3C)[0]
    struct.pack_into("<H", head, header + 4, 0x14C)
    struct.pack_into("<H", head, header + 24, 0x10B)
    with target.open("wb") as file:
        file.write(head)
        file.truncate(source.stat().st_size)


def environment(top, plain, package, version):
    """A Python environment with the metadata of a package."""
    site = top / "Lib/site-packages"
    (site / f"{package}-{version}.dist-info").mkdir(parents=True)
    (site / f"{package}-{version}.dist-info/METADATA").write_text(
        f"Name: {package}\nVersion: {version}\n"
    )
    for name in ("python.exe", "python311.dll"):
        shutil.copy(plain, top / name)
    return site


def paddle(top, plain, cudnn):
    """PaddlePaddle, which opens cuBLAS and cuDNN by their names alone."""
    site = environment(top, plain, "paddlepaddle_gpu", "3.0.0")
    (site / "paddle/base").mkdir(parents=True)
    (site / "paddle/version").mkdir()
    shutil.copy(plain, site / "paddle/base/libpaddle.pyd")
    (site / "paddle/version/__init__.py").write_text(
        f"cuda_version = '{cudnn.cuda}'\ncudnn_version = '{cudnn.version}'\n"
    )
    shutil.copy(plain, top / f"cublas64_{cudnn.cuda.split('.')[0]}.dll")


def on_path(top, plain, cudnn, put):
    paddle(top, plain, cudnn)
    put(top / "cudnn")
    return [windows_path(top / "cudnn")]


def beside_the_program(top, plain, cudnn, put):
    put(top / "cudnn")
    paddle(top, plain, cudnn)
    for file in (top / "cudnn").iterdir():
        file.rename(top / file.name)
    return []


def by_full_path(top, plain, cudnn, put):
    """PyTorch, which loads every DLL of its directory by its path."""
    site = environment(top, plain, "torch", "2.7.0")
    put(site / "torch/lib")
    shutil.copy(plain, site / "torch/lib/torch_cuda.dll")
    (site / "torch/version.py").write_text(f"__version__ = '2.7.0'\ncuda = '{cudnn.cuda}'\n")
    return []


def front_loaded_before(top, plain, cudnn, put):
    """CTranslate2, which contains the front of cuDNN; that opens the others on PATH."""
    site = environment(top, plain, "ctranslate2", "4.8.5")
    put(top / "cudnn")
    (site / "ctranslate2").mkdir()
    shutil.copy(
        plain.with_name(f"opens_cublas_{cudnn.cuda[:2]}.dll"), site / "ctranslate2/ctranslate2.dll"
    )
    if (top / "cudnn" / cudnn.front).exists():
        (top / "cudnn" / cudnn.front).rename(site / "ctranslate2" / cudnn.front)
    shutil.copy(plain, top / f"cublas64_{cudnn.cuda.split('.')[0]}.dll")
    return [windows_path(top / "cudnn")]


def at_layout(layout, top, plain, cudnn, put):
    """Builds it in an empty directory: the value of PATH."""
    shutil.rmtree(top, ignore_errors=True)
    return ";".join(layout(top, plain, cudnn, put))


LAYOUTS = (on_path, beside_the_program, by_full_path, front_loaded_before)
