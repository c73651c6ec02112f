"""NVIDIA's own cuDNNs for Windows with faults planted in them, and the places where frameworks find them."""

import os
import shutil
import struct
from pathlib import Path

import windows_wheels

# Both are of the same major version and differ in the minor one. What is in the second only comes
# in for "another version".
VERSIONS = (("nvidia-cudnn-cu12", "9.10.2.21", ("nvidia-cudnn-cu12", "9.1.0.70")),)
FOR_RNNS = {
    8: ("cudnn_ops_infer64_8.dll", "cudnn_cnn_infer64_8.dll", "cudnn_adv_infer64_8.dll"),
    9: ("cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_adv64_9.dll"),
}
KINDS = ("missing", "cut", "text", "32-bit", "another version")
# Of a cuDNN of no environment: a front that is damaged is not recognized as one, a part for another
# processor shows as a crash that names the front, and one of another version is not compared.
SEEN_BY_DOCTOR = ("missing", "cut", "text")
CUDNN_RULES = (
    "cudnn_mixed_sublibraries",
    "cudnn_part_missing",
    "cudnn_rnn_unusable",
    "cudnn_unusable",
    "library_file_damaged",
    "library_for_other_machine",
)


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def rules_and_messages(findings):
    return [(one["rule"], one["message"]) for one in findings]


class Cudnn:
    """The libraries of one wheel, unpacked."""

    def __init__(self, wheel, version, directory):
        windows_wheels.unpack(wheel, directory, ".dll")
        self.directory = directory / "nvidia/cudnn/bin"
        self.version = version.rpartition(".")[0]
        self.major = int(version.split(".")[0])
        self.front = f"cudnn64_{self.major}.dll"


class RealCudnns:
    """Those whose wheels are there; the test is skipped where there is none."""

    def __init__(self, test):
        self.all, self.count = [], 0
        for number, (name, version, (other_name, other_version)) in enumerate(VERSIONS):
            wheel = windows_wheels.wheel(name, version)
            other = windows_wheels.wheel(other_name, other_version)
            if wheel and other:
                place = test.directory / f"cudnn{number}"
                self.all.append(
                    (
                        Cudnn(wheel, version, place),
                        Cudnn(other, other_version, Path(f"{place}_other")),
                    )
                )
        if not self.all:
            test.skipTest(f"{windows_wheels.DIRECTORY} has no wheels of cuDNN for Windows")

    def cases(self, kinds=KINDS):
        """A cuDNN, the one whose files are of another version, and the fault: all, or some of the kinds in the parts."""
        self.count = 0
        for cudnn, other in self.all:
            faults = [Fault(None, cudnn.front)]
            for kind in kinds:
                faults += [Fault(kind, name) for name in FOR_RNNS[cudnn.major]]
            if kinds == KINDS:
                faults += [Fault(kind, cudnn.front) for kind in ("cut", "text", "32-bit")]
            for fault in faults:
                self.count += 1
                yield cudnn, other, fault


class Fault:
    """What is wrong with one file of a cuDNN."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name

    def words(self):
        return f"{self.name} {self.kind}" if self.kind else "whole"

    def apply(self, cudnn, other, directory):
        """Fills the directory with the libraries, of which this one has the fault."""
        directory = Path(directory)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        for file in cudnn.directory.iterdir():
            if not self.kind or file.name != self.name:
                os.link(file, directory / file.name)
        source, target = cudnn.directory / self.name, directory / self.name
        if self.kind == "cut":
            cut_to(source, target, source.stat().st_size // 2)
        if self.kind == "text":
            target.write_bytes(b"<html>not a library</html>")
        if self.kind == "32-bit":
            make_32_bit(source, target)
        if self.kind == "another version":
            os.link(other.directory / self.name, target)

    def is_seen(self, findings):
        """A finding names the file; where nothing is wrong, there is none."""
        if not self.kind:
            return not findings
        return any(self.name in str(one) for one in findings)


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
        f"cuda_version = '12.9'\ncudnn_version = '{cudnn.version}'\n"
    )
    shutil.copy(plain, top / "cublas64_12.dll")


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
    (site / "torch/version.py").write_text("__version__ = '2.7.0+cu129'\ncuda = '12.9'\n")
    return []


def front_loaded_before(top, plain, cudnn, put):
    """CTranslate2, which contains the front of cuDNN; that opens the others on PATH."""
    site = environment(top, plain, "ctranslate2", "4.8.5")
    put(top / "cudnn")
    (site / "ctranslate2").mkdir()
    shutil.copy(plain.with_name("opens_cublas.dll"), site / "ctranslate2/ctranslate2.dll")
    if (top / "cudnn" / cudnn.front).exists():
        (top / "cudnn" / cudnn.front).rename(site / "ctranslate2" / cudnn.front)
    shutil.copy(plain, top / "cublas64_12.dll")
    return [windows_path(top / "cudnn")]


LAYOUTS = (on_path, beside_the_program, by_full_path, front_loaded_before)
