"""Builds the portable program with zig, and from it what is in dist/: wheel, .deb, .rpm, tarball, for Windows wheel and .zip; SHA256SUMS.

./run package [x86_64] [aarch64] [windows]     all, unless named
"""

import hashlib
import os
import platform
import re
import shutil
import sys
import urllib.request
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import ziglang

import formats
import help_pages
from formats import run

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/package"
DIST = ROOT / "dist"
ZIG = Path(ziglang.__file__).parent
MAINTAINER = os.environ.get(
    "RNNCHECK_MAINTAINER", "rnncheck maintainers <maintainers@rnncheck.invalid>"
)


@dataclass
class Source:
    name: str  # as FetchContent has it in cmake/dependencies.cmake
    version: str
    licence: str
    archive: str
    sha256: str
    licence_file: str


POOL = "https://deb.debian.org/debian/pool/main/"
SOURCES = [
    Source(
        "nlohmann_json",
        "3.11.2",
        "MIT",
        POOL + "n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz",
        "d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273",
        "LICENSE.MIT",
    ),
    Source(
        "CLI11",
        "2.1.2",
        "BSD-3-Clause",
        POOL + "c/cli11/cli11_2.1.2+ds.orig.tar.xz",
        "8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d",
        "LICENSE",
    ),
    Source(
        "fmt",
        "9.1.0",
        "MIT",
        POOL + "f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz",
        "84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583",
        "LICENSE.rst",
    ),
    Source(
        "re2",
        "2022-06-01",
        "BSD-3-Clause",
        POOL + "r/re2/re2_20220601+dfsg.orig.tar.xz",
        "3bc61251da3b0b97be40a8a127818c517c62516e4eda11fc901d29496663df54",
        "LICENSE",
    ),
    Source(
        "re2-tables",
        "2024-07-02",
        "BSD-3-Clause",
        POOL + "r/re2/re2_20240702.orig.tar.gz",
        "eb2df807c781601c14a260a507a5bb4509be1ee626024cb45acbd57cb9d4032b",
        "LICENSE",
    ),
    Source(
        "zlib",
        "1.3.1",
        "Zlib",
        POOL + "z/zlib/zlib_1.3.dfsg+really1.3.1.orig.tar.gz",
        "60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb",
        "LICENSE",
    ),
    # Debian's package: the last version does not compile with today's compilers without its patches.
    Source(
        "rapidjson",
        "1.1.0",
        "MIT",
        POOL + "r/rapidjson/rapidjson-dev_1.1.0+dfsg2-7.1_all.deb",
        "37d2bd2dd97e3f8a25d9d27958ba22dfed13550a515852cc30434e538b9f47a3",
        "usr/share/doc/rapidjson-dev/copyright",
    ),
    # Debian's package, of which only the headers are used; those are the same for all machines.
    Source(
        "tomlplusplus",
        "3.3.0",
        "MIT",
        POOL + "t/tomlplusplus/libtomlplusplus-dev_3.3.0+ds-1_amd64.deb",
        "2779cce0001466dcf60eb6262ff68a888d49f9e30aee80c499d1d4f6f9f6e12e",
        "usr/share/doc/libtomlplusplus-dev/copyright",
    ),
]


def git(*arguments):
    return run("git", *arguments, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def say(text):
    print("package:", text, file=sys.stderr)


def fetched(source):
    """The directory with the unpacked source."""
    archive = WORK / "archives" / source.archive.rpartition("/")[2]
    directory = WORK / "sources" / source.name
    if not archive.exists():
        say(f"fetching {source.archive}")
        archive.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(source.archive, timeout=60) as answer:
            archive.write_bytes(answer.read())
    if hashlib.sha256(archive.read_bytes()).hexdigest() != source.sha256:
        archive.unlink()
        sys.exit(
            f"package: {source.archive} is not the file that packaging/package.py expects: its SHA-256 differs"
        )
    if not directory.exists():
        directory.mkdir(parents=True)
        if archive.suffix == ".deb":
            run("dpkg-deb", "-x", archive, directory)
        else:
            run("tar", "xf", archive, "-C", directory, "--strip-components=1")
    return directory


def fetch_sources():
    directories = {source.name: fetched(source) for source in SOURCES}
    # Debian removes from its sources what is generated (RE2's tables of Unicode).
    for table in ("perl_groups", "unicode_casefold", "unicode_groups"):
        shutil.copy2(directories["re2-tables"] / f"re2/{table}.cc", directories["re2"] / "re2")
    # An assignment to constants that nobody calls, which clang 19 and later reject; upstream removed it (RapidJSON's issue 718).
    document = directories["rapidjson"] / "usr/include/rapidjson/document.h"
    document.write_text(
        document.read_text().replace("{ s = rhs.s; length = rhs.length; }", "= delete;")
    )
    return directories


def build(machine, sources):
    """The program for glibc 2.17 and later, or for Windows."""
    windows = machine == "windows"
    directory = WORK / machine
    os.environ["ZIG_GLOBAL_CACHE_DIR"] = str(WORK / "zig-cache")
    flags = (
        f"-ffile-prefix-map={ROOT}=. -g0 -w"  # zig would add -g; warnings are for the other builds
    )
    run(
        "cmake",
        "-S",
        ROOT,
        "-B",
        directory,
        "-G",
        "Ninja",
        "--toolchain",
        ROOT / "packaging/zig.cmake",
        f"-DZIG={ZIG / 'zig'}",
        f"-DZIG_TARGET={'x86_64-windows-gnu' if windows else f'{machine}-linux-gnu.2.17'}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DRNNCHECK_TESTS=OFF",
        "-DRNNCHECK_STATIC_RUNTIME=OFF",
        "-DCMAKE_CXX_COMPILER_LAUNCHER=",
        "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON",
        f"-DCMAKE_C_FLAGS={flags}",
        f"-DCMAKE_CXX_FLAGS={flags}",
        f"-DCMAKE_EXE_LINKER_FLAGS={'-s' if windows else '-s -pie -Wl,-z,relro,-z,now'}",
        *(f"-DFETCHCONTENT_SOURCE_DIR_{name.upper()}={path}" for name, path in sources.items()),
        stdout=sys.stderr,
    )
    run(
        "cmake",
        "--build",
        directory,
        "--target",
        "rnncheck",
        "-j",
        os.cpu_count(),
        stdout=sys.stderr,
    )
    return directory / ("rnncheck.exe" if windows else "rnncheck")


def linked(sources, machine):
    """What is in the program beside our own code: for the notices and the SBOM."""
    found = [
        (
            one.name,
            one.version,
            one.licence,
            one.archive,
            one.sha256,
            (sources[one.name] / one.licence_file).read_text(),
        )
        for one in SOURCES
    ]
    version = metadata.version("ziglang")
    start_files = (
        ("mingw-w64 runtime", "ZPL-2.1", "lib/libc/mingw/COPYING")
        if machine == "windows"
        else ("glibc start files", "LGPL-2.1-or-later", "lib/libc/glibc/LICENSES")
    )
    for name, licence, file in (
        (
            "libc++, libc++abi, libunwind",
            "Apache-2.0 WITH LLVM-exception",
            "lib/libcxx/LICENSE.TXT",
        ),
        ("zig compiler_rt", "MIT", "LICENSE"),
        start_files,
    ):
        found.append(
            (
                name,
                f"of zig {version}",
                licence,
                f"https://pypi.org/project/ziglang/{version}/",
                "",
                (ZIG / file).read_text(),
            )
        )
    return found


def recipes():
    """The directories of recipes beside this file, with their page; their texts."""
    files = (
        ROOT / name for name in git("ls-files", "packaging/*/*", ":!packaging/python").split("\n")
    )
    found = {f"recipes/{file.relative_to(ROOT / 'packaging')}": file.read_text() for file in files}
    return found | {
        "recipes/README.md": (ROOT / "docs/deploy.md").read_text().replace("packaging/", "recipes/")
    }


def main():
    known = [*formats.DEBIAN_NAMES, "windows"]
    machines = sys.argv[1:] or known
    if unknown := set(machines) - set(known):
        sys.exit(f"package: unknown machine {', '.join(unknown)}; known are {', '.join(known)}")
    if git("status", "--porcelain"):
        say(
            "there are changes that are not committed: what the packages state as their commit is not all that is in them"
        )
    os.umask(0o022)
    version = re.search(
        r"project\(rnncheck VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()
    )[1]
    commit, seconds = git("log", "-1", "--format=%h %ct", "--abbrev=12").split()
    os.environ["SOURCE_DATE_EPOCH"] = seconds
    sources = fetch_sources()
    native = (
        platform.machine()
    )  # its program prints the help, from which the man page and the completions are made
    programs = {machine: build(machine, sources) for machine in dict.fromkeys([native, *machines])}
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for machine in machines:
        one = formats.Build(
            version=version,
            commit=commit,
            seconds=int(seconds),
            maintainer=MAINTAINER,
            machine=machine,
            program=programs[machine],
            readme=ROOT / "README.md",
            licence=ROOT / "LICENSE",
            linked=linked(sources, machine),
            man="",
            completions=help_pages.completions(programs[native]),
            recipes=recipes(),
            work=WORK / f"{machine}-packages",
            dist=DIST,
        )
        one.man = help_pages.man_page(programs[native], version, one.time("%Y-%m-%d"))
        for pack in formats.WINDOWS if machine == "windows" else formats.LINUX:
            pack(one)
    files = sorted(DIST.iterdir())
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files
    )
    (DIST / "SHA256SUMS").write_text(sums)
    print(sums, end="")


if __name__ == "__main__":
    main()
