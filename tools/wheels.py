"""Wheels of a Python package index, read over HTTP by range requests: nothing is stored, and of a library only the bytes that pass by."""

import collections
import concurrent.futures
import io
import json
import os
import re
import ssl
import struct
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile

PLATFORMS = {
    "linux": r"linux.*_x86_64|-any",
    "windows": r"win_amd64|-any",
    "macos": r"macosx_|-any",
}
VERSION = re.compile(r"\d+(\.\d+)*")
FAT_BINARY = re.escape(
    struct.pack("<IHH", 0xBA55ED50, 1, 16)
)  # https://docs.nvidia.com/cuda/cuda-binary-utilities/
SMALL_BLOCK, LARGE_BLOCK = 1 << 16, 1 << 23


def numbers(version):
    return tuple(map(int, version.split(".")))


def pip_setting(name, default):
    """As pip has it: the environment, then its files."""
    if value := os.environ.get("PIP_" + name.upper().replace("-", "_")):
        return value
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    found = re.search(rf"^global\.{name}='(.*)'$", listed, re.M)
    return found[1] if found else default


class Remote(io.RawIOBase):
    """A file behind a URL. What is read in sequence is fetched in ever larger blocks."""

    def __init__(self, url, context):
        super().__init__()
        self.url, self.context, self.at, self.block, self.start, self.held = (
            url,
            context,
            0,
            SMALL_BLOCK,
            0,
            b"",
        )
        self.size = int(self.fetch(0, 0)[1].rpartition("/")[2])

    def fetch(self, first, last):
        request = urllib.request.Request(self.url, headers={"Range": f"bytes={first}-{last}"})
        with urllib.request.urlopen(request, context=self.context, timeout=300) as answer:
            if answer.status != 206:
                raise OSError(f"{self.url}: the server ignores range requests")
            return answer.read(), answer.headers["Content-Range"]

    def seekable(self):
        return True

    def readable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=os.SEEK_SET):
        self.at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.at, os.SEEK_END: self.size}[whence]
        return self.at

    def read(self, size=-1):
        size = max(0, min(self.size - self.at, size if size >= 0 else self.size))
        end = self.start + len(self.held)
        if not self.start <= self.at <= self.at + size <= end and size:
            in_sequence = self.start <= self.at <= end
            self.block = min(2 * self.block, LARGE_BLOCK) if in_sequence else SMALL_BLOCK
            self.held = self.fetch(self.at, min(self.size, self.at + max(size, self.block)) - 1)[0]
            self.start = self.at
        begin = self.at - self.start
        self.at += size
        return self.held[begin : begin + size]


class Index:
    """The index that pip uses: its JSON metadata, and the wheels that they name."""

    def __init__(self):
        self.simple = pip_setting("index-url", "https://pypi.org/simple").rstrip("/")
        self.context = ssl.create_default_context(cafile=pip_setting("cert", None))
        self.packages = {}

    def fetch_all(self, packages, at_once=4):
        """The metadata of all these packages, so many at a time: the index is one host."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
            list(threads.map(self.releases, packages))

    def releases(self, package):
        """Of each final version its wheels that were not withdrawn; {} when the index does not have the package."""
        if package not in self.packages:
            try:
                with urllib.request.urlopen(
                    f"{self.simple.removesuffix('/simple')}/pypi/{package}/json",
                    context=self.context,
                    timeout=300,
                ) as answer:
                    released = json.load(answer)["releases"]
            except urllib.error.HTTPError as error:
                if error.code != 404:
                    raise
                released = {}
            wheels = {
                version: [
                    file
                    for file in files
                    if file["filename"].endswith(".whl") and not file.get("yanked")
                ]
                for version, files in released.items()
                if VERSION.fullmatch(version)
            }
            self.packages[package] = {
                version: wheels[version]
                for version in sorted(wheels, key=numbers)
                if wheels[version]
            }
        return self.packages[package]

    def wheels(self, package, version, system):
        return [
            file
            for file in self.releases(package).get(version, [])
            if re.search(PLATFORMS[system], file["filename"].removesuffix(".whl"))
        ]

    def versions(self, package, system):
        return [
            version for version in self.releases(package) if self.wheels(package, version, system)
        ]

    def open(self, package, version, system):
        """The wheel for the newest Python, as a zip file, or None."""
        wheels = sorted(
            self.wheels(package, version, system),
            key=lambda file: (pythons(file["filename"])[-1:], file["filename"]),
        )
        url = wheels and urllib.parse.urljoin(f"{self.simple}/{package}/", wheels[-1]["url"])
        return zipfile.ZipFile(Remote(url, self.context)) if wheels else None


def pythons(filename):
    """The Python versions that a wheel's name gives: cp311 is 3.11; free-threaded builds do not count."""
    _, tag, abi = filename.removesuffix(".whl").rsplit("-", 3)[:3]
    return [
        (int(digits[0]), int(digits[1:]))
        for digits in re.findall(r"cp(\d{2,})", tag)
        if not abi.endswith("t")
    ]


def python_range(files):
    found = sorted({python for file in files for python in pythons(file["filename"])})
    return (".".join(map(str, found[0])), ".".join(map(str, found[-1]))) if found else (None, None)


def metadata(archive):
    """The lines of METADATA, the description included."""
    name = next(
        entry for entry in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", entry)
    )
    return archive.read(name).decode()


def requirements(text, name):
    """Of the packages whose name begins so: {"nvidia-cudnn-cu12<10.0,>=9.8": ...} without blanks and conditions."""
    found = re.findall(
        r"^Requires-Dist: *([A-Za-z0-9._-]+)((?:\[[^]]*\])?) *\(?([^;)\n]*)", text, re.M
    )
    return sorted(
        {
            package + extra + pin.replace(" ", "")
            for package, extra, pin in found
            if package.lower().startswith(name)
        }
    )


def targets_of(blocks):
    """How often which set of targets occurs in the fat binaries of a stream: what `cuobjdump --list-elf --list-ptx` lists. Layout of the
    entries as CUDA's binaries have it; of the flags, bit 20 is sm_90a's letter and bit 21 sm_100f's (compared with cuobjdump 13.5)."""
    sets, held, skip = collections.Counter(), b"", 0
    left, here = 0, set()
    for block in blocks:
        held += block
        at = 0
        while True:
            if skip:
                step = min(skip, len(held) - at)
                at, skip = at + step, skip - step
                if skip:
                    break
            if left <= 0:
                if here:
                    sets[frozenset(here)] += 1
                    here = set()
                begin = re.compile(FAT_BINARY).search(held, at)
                if not begin or begin.start() + 16 > len(held):
                    at = begin.start() if begin else max(at, len(held) - 15)
                    break
                (left,) = struct.unpack_from("<Q", held, begin.start() + 8)
                at = begin.start() + 16
            if at + 64 > len(held):
                break
            kind, _, header, payload = struct.unpack_from("<HHIQ", held, at)
            (architecture,) = struct.unpack_from("<I", held, at + 28)
            (flags,) = struct.unpack_from("<Q", held, at + 40)
            if kind not in (1, 2) or not 64 <= header <= 4096 or not 10 <= architecture < 1000:
                left, at, here = 0, at + 1, set()
                continue
            letter = "a" if flags >> 20 & 1 else "f" if flags >> 21 & 1 else ""
            here.add(f"compute_{architecture}" if kind == 1 else f"sm_{architecture}{letter}")
            skip, left = header + payload, left - header - payload
        held = held[at:]
    if here and left <= 0:
        sets[frozenset(here)] += 1
    return sets


def order(target):
    kind, number, letter = re.fullmatch(r"(sm|compute)_(\d+)(\w?)", target).groups()
    return kind == "compute", int(number), letter


CUDA_IN_TEXT = re.compile(
    r"(?:CUDA_VERSION|cuda_version|\bcuda)['\"]?\]?\s*(?::[^=\n]+)?[=:,]\s*['\"](\d+\.\d+)", re.A
)
TOOLKIT = re.compile(rb"release (1\d\.\d+), V")
CUDNN = re.compile(rb"cudnn(?:\.so\.|64_)(\d+)")  # libcudnn.so.9, cudnn64_9.dll


class Contents:
    """What the files of one wheel tell, several of them together being one build (jax-cuda12-plugin and jax-cuda12-pjrt)."""

    def __init__(self, archives, libraries=r"\.so(\.\d+)*$|\.dll$|\.pyd$"):
        self.sets, self.toolkits, self.cudnn, self.cuda, self.files = (
            collections.Counter(),
            set(),
            set(),
            None,
            [],
        )
        for archive in archives:
            for entry in archive.infolist():
                self.files.append(entry.filename)
                if re.search(libraries, entry.filename):
                    with archive.open(entry) as file:
                        self.sets += targets_of(
                            self.passing(iter(lambda file=file: file.read(1 << 20), b""))
                        )
                elif re.search(
                    r"/(version|build_info|build_and_package_info)\.py$", entry.filename
                ):
                    found = CUDA_IN_TEXT.search(archive.read(entry).decode(errors="replace"))
                    self.cuda = found[1] if found else self.cuda

    def passing(self, blocks):
        before = b""
        for block in blocks:
            text = before + block
            self.toolkits |= {found.decode() for found in TOOLKIT.findall(text)}
            self.cudnn |= {int(found) for found in CUDNN.findall(text)}
            before = block[-64:]
            yield block

    def targets(self):
        """Those of most fat binaries. Ones for a single GPU hold kernels that only it can run."""
        several = [
            (times, sorted(found, key=order))
            for found, times in self.sets.items()
            if len(found) > 1
        ]
        return max(several, default=(0, []))[1]
