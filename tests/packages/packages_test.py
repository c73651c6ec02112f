"""Tries what `./run package` put into dist/: packages_test.py [unittest's options]; needs root, for clean systems of Debian."""

import hashlib
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "windows"))
import windows_test  # noqa: E402
from windows_test import output_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
DIST = ROOT / "dist"
ROOTS = ROOT / "build/package/roots"
TOOLS = Path(sys.executable).parent
MACHINE = platform.machine()
MIRROR = "http://deb.debian.org/debian"
SUITES = ("bullseye", "bookworm", "trixie")
LONGEST = 10  # seconds of processor time from nothing to the first answer: on a machine without other work those of the clock
# Layers a clean system under a directory in memory, without network, and runs a script in it.
IN_ROOT = """
mount -t tmpfs none "$1" && cd "$1" && mkdir upper work root
mount -t overlay -o lowerdir="$2",upperdir=upper,workdir=work none root
mkdir root/dist && mount --bind "$3" root/dist && mount -t proc proc root/proc && mount --rbind /dev root/dev
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot root bash -ec "$4"
"""


def one_file(pattern):
    found = list(DIST.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"dist/{pattern} is {len(found)} files; ./run package makes it")
    return found[0]


def clean_system(suite):
    """A directory with Debian's smallest system and Python."""
    directory = ROOTS / suite
    if not directory.exists():
        ROOTS.mkdir(parents=True, exist_ok=True)
        partial = ROOTS / f"{suite}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        output_of(
            "debootstrap", "--variant=minbase", "--include=python3-venv", suite, partial, MIRROR
        )
        partial.rename(directory)
    return directory


def in_clean_system(suite, script):
    """What the script prints."""
    with tempfile.TemporaryDirectory() as mount:
        return output_of(
            "unshare",
            "--mount",
            "--net",
            "bash",
            "-ec",
            IN_ROOT,
            "-",
            mount,
            clean_system(suite),
            DIST,
            script,
        )


def newest_glibc(program):
    versions = re.findall(
        r"GLIBC_(\d+)\.(\d+)", output_of("readelf", "--version-info", "--wide", program)
    )
    return max((int(major), int(minor)) for major, minor in versions)


def unpacked(machine, directory):
    with tarfile.open(one_file(f"*-linux-{machine}.tar.gz")) as archive:
        archive.extractall(directory)
    return next(Path(directory).glob("rnncheck-*"))


class Packages(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        self.tree = unpacked(MACHINE, self.directory)
        self.program = self.tree / "rnncheck"

    def test_glibc(self):
        for machine in ("x86_64", "aarch64"):
            if list(DIST.glob(f"*-linux-{machine}.tar.gz")):
                with self.subTest(machine):
                    self.assertLessEqual(
                        newest_glibc(unpacked(machine, self.directory / machine) / "rnncheck"),
                        (2, 17),
                    )
        ordinary = ROOT / "build/release/rnncheck"
        if ordinary.exists():  # the test can fail
            self.assertGreater(newest_glibc(ordinary), (2, 17))

    def test_commit(self):
        commit = json.loads(output_of(self.program, "--version", "--json"))["tool"]["commit"]
        self.assertEqual(
            commit, output_of("git", "rev-parse", "--short=12", "HEAD", cwd=ROOT).strip()
        )

    def test_no_path_of_the_build(self):
        self.assertNotIn(str(ROOT).encode(), self.program.read_bytes())

    def first_answer(self, suite, install, program):
        """Installs in a clean system of Debian; doctor's report is valid and comes in time."""
        clean_system(suite)
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        text = in_clean_system(
            suite, f"{install} >/dev/null; {program} doctor --json || [ $? = 1 ]"
        )
        seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(
            f"{suite}: {program} after {seconds:.1f} s, {processor:.1f} s of processor time",
            file=sys.stderr,
        )
        self.assertLess(processor, LONGEST)
        jsonschema.Draft202012Validator(json.loads(output_of(self.program, "schema"))).validate(
            json.loads(text)
        )

    def test_wheel(self):
        self.assertLess(one_file(f"*_{MACHINE}.whl").stat().st_size, 6_000_000)
        for suite in SUITES:
            with self.subTest(suite):
                install = (
                    f"python3 -m venv v && v/bin/pip install --no-index /dist/*_{MACHINE}.whl 2>&1"
                )
                self.first_answer(suite, install, "v/bin/rnncheck")
                text = in_clean_system(
                    suite,
                    f"{install} >/dev/null; v/bin/rnncheck --version; v/bin/python -m rnncheck --version; "
                    "v/bin/python -m rnncheck explain driver_missing | head -1",
                )
                lines = text.splitlines()
                self.assertEqual(lines[:2], lines[2:4])
                self.assertIn("driver", lines[4])

    def test_wheel_tag(self):
        shown = output_of(TOOLS / "auditwheel", "show", one_file(f"*_{MACHINE}.whl"))
        self.assertIn(f'"manylinux_2_17_{MACHINE}"', shown)

    def test_pipx(self):
        home = {**os.environ, "PIPX_HOME": str(self.directory / "pipx"), "COLUMNS": "100"}
        text = output_of(
            TOOLS / "pipx",
            "run",
            "--spec",
            one_file(f"*_{MACHINE}.whl"),
            "rnncheck",
            "--version",
            env=home,
        )
        self.assertEqual(text, output_of(self.program, "--version"))

    def test_deb(self):
        deb = f"/dist/{one_file('*_' + output_of('dpkg', '--print-architecture').strip() + '.deb').name}"
        for suite in SUITES:
            with self.subTest(suite):
                self.first_answer(suite, f"dpkg --install {deb}", "rnncheck")
                in_clean_system(
                    suite,
                    f"find / -xdev >before; dpkg --install {deb}; [ -x /usr/bin/rnncheck ]; dpkg --remove rnncheck; "
                    "! find / -xdev | grep rnncheck | grep -v ^/dist",
                )
        self.assertEqual(
            output_of("lintian", "--allow-root", "--fail-on", "error,warning", *DIST.glob("*.deb")),
            "",
        )

    def test_tarball(self):
        for suite in SUITES:
            with self.subTest(suite):
                self.first_answer(
                    suite, f"tar xf /dist/*-linux-{MACHINE}.tar.gz", "rnncheck-*/rnncheck"
                )

    def test_readme(self):
        """Each way of the README by its own words, in a new system each; an .rpm cannot be installed on Debian."""
        lines = re.findall(r"`([^`]* dist/[^`]*)`", (ROOT / "README.md").read_text())
        lines = [
            line.removeprefix("sudo ") for line in lines if "rpm" not in line and "win" not in line
        ]
        self.assertEqual(len(lines), 3)
        for line in lines:
            with self.subTest(line):
                script = "python3 -m venv v; . v/bin/activate; " if line.startswith("pip") else ""
                then = "rnncheck-*/rnncheck" if line.startswith("tar") else "rnncheck"
                text = in_clean_system(
                    "trixie", f"cd /; {script}{line} >/dev/null; {then} doctor || [ $? = 1 ]"
                )
                self.assertIn("driver_missing", text)

    def test_rpm(self):
        for rpm in DIST.glob("*.rpm"):
            with self.subTest(rpm.name):
                output_of("rpm", "--checksig", "--nosignature", rpm)
                self.assertNotRegex(
                    output_of("rpm", "-qp", "--requires", rpm), r"GLIBC_2\.(1[89]|[2-9]\d)"
                )
                with subprocess.Popen(["rpm2cpio", rpm], stdout=subprocess.PIPE) as cpio:
                    output_of("cpio", "-id", "--quiet", stdin=cpio.stdout, cwd=self.directory)
                machine = rpm.name.split(".")[-2]
                packed = (self.directory / "usr/bin/rnncheck").read_bytes()
                self.assertEqual(
                    packed, (unpacked(machine, self.directory / machine) / "rnncheck").read_bytes()
                )
                shutil.rmtree(self.directory / "usr")

    def test_aarch64(self):
        """Debian 11's C library for it, in emulation."""
        if not list(DIST.glob("*-linux-aarch64.tar.gz")):
            self.skipTest("dist/ has no packages for aarch64")
        library = self.directory / "arm64"
        (library / "lists/partial").mkdir(parents=True)
        (library / "sources").write_text(
            f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {MIRROR} bullseye main\n"
        )
        apt = [
            "apt-get",
            "-qq",
            "-o",
            "APT::Architecture=arm64",
            "-o",
            "APT::Architectures=arm64",
            "-o",
            f"Dir::State={library}",
            "-o",
            f"Dir::State::lists={library}/lists",
            "-o",
            f"Dir::Cache={library}",
            "-o",
            f"Dir::Etc::SourceList={library}/sources",
            "-o",
            "Dir::Etc::SourceParts=/dev/null",
            "-o",
            "Dir::State::status=/dev/null",
            "-o",
            "APT::Sandbox::User=root",
        ]
        output_of(*apt, "update")
        output_of(*apt, "download", "libc6", cwd=library)
        output_of("dpkg", "-x", next(library.glob("libc6*.deb")), library / "root")
        emulated = [
            "qemu-aarch64-static",
            "-L",
            library / "root",
            unpacked("aarch64", self.directory / "aarch64") / "rnncheck",
        ]
        self.assertEqual(output_of(*emulated, "--version"), output_of(self.program, "--version"))
        output_of(*emulated, "matrix", "verify")
        facts = self.directory / "facts.json"
        output_of(self.program, "doctor", "--look-only", "--save-facts", facts, expect=None)
        self.assertEqual(
            output_of(*emulated, "doctor", "--facts", facts, expect=None),
            output_of(self.program, "doctor", "--facts", facts, expect=None),
        )

    def test_man_page(self):
        self.assertEqual(
            output_of("mandoc", "-T", "lint", "-W", "all", self.tree / "rnncheck.1"), ""
        )
        page = output_of("mandoc", "-T", "ascii", self.tree / "rnncheck.1")
        page = re.sub(".\b", "", page)
        for command in json.loads(output_of(self.program, "list", "commands", "--json"))["items"]:
            self.assertRegex(page, rf"\n +{command['name']}\n")

    def test_recipes(self):
        names = set(output_of("git", "ls-files", "packaging/*/*", cwd=ROOT).split()) | {
            "packaging/README.md"
        }
        packed = {
            str(path.relative_to(self.tree))
            for path in self.tree.glob("recipes/**/*")
            if path.is_file()
        }
        self.assertEqual(packed, {name.replace("packaging", "recipes", 1) for name in names})
        for listed in (
            output_of("dpkg-deb", "--contents", one_file("*_amd64.deb")),
            output_of("rpm", "-qlp", one_file("*.x86_64.rpm")),
        ):
            self.assertEqual(
                packed - set(re.findall(r"/usr/share/doc/rnncheck/(recipes/\S+)", listed)), set()
            )

    def test_sbom(self):
        output_of(TOOLS / "pyspdxtools", "--infile", self.tree / "sbom.spdx.json")
        document = json.loads((self.tree / "sbom.spdx.json").read_text())
        notices = (self.tree / "NOTICES").read_text()
        for package in document["packages"][1:]:
            self.assertIn(
                f"\n{package['name']} {package['versionInfo']}: {package['licenseDeclared']}\n",
                notices,
            )
        self.assertEqual(
            document["packages"][0]["checksums"][0]["checksumValue"],
            hashlib.sha256(self.program.read_bytes()).hexdigest(),
        )

    def test_sums(self):
        output_of("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=DIST)
        self.assertEqual(
            len((DIST / "SHA256SUMS").read_text().splitlines()), len(list(DIST.iterdir())) - 1
        )


class Windows(windows_test.Windows):
    """The same with the program that is published."""

    def setUp(self):
        if not list(DIST.glob("*.zip")):
            self.skipTest("dist/ has no packages for Windows")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        unpacked_to = Path(temporary.name)
        with zipfile.ZipFile(one_file("*-windows-x86_64.zip")) as archive:
            archive.extractall(unpacked_to)
        self.programs = (
            next(unpacked_to.glob("rnncheck-*/rnncheck.exe")),
            unpacked(MACHINE, unpacked_to / "linux") / "rnncheck",
        )
        super().setUp()

    def test_needs_windows_alone(self):
        needed = re.findall(r"DLL Name: (\S+)", output_of("objdump", "-p", self.program))
        self.assertEqual(
            [
                name
                for name in needed
                if not re.match(
                    r"(?i)kernel32|ntdll|advapi32|user32|shell32|ws2_32|api-ms-win-", name
                )
            ],
            [],
        )

    def test_wheel(self):
        pip, wanted = (
            [sys.executable, "-m", "pip"],
            [
                "--quiet",
                "--platform",
                "win_amd64",
                "--only-binary",
                ":all:",
                "--no-index",
                "--find-links",
                DIST,
                "rnncheck",
            ],
        )
        output_of(*pip, "download", "--dest", self.directory / "got", *wanted)
        output_of(*pip, "install", "--target", self.directory / "installed", *wanted)
        program = next((self.directory / "installed").rglob("rnncheck.exe"))
        self.assertEqual(program.read_bytes(), self.program.read_bytes())
        self.assertEqual(
            self.answer("--version", program=program)[1],
            output_of(self.linux, "--version").encode(),
        )


class Workflows(unittest.TestCase):
    def test_schema(self):
        output_of(
            TOOLS / "check-jsonschema",
            "--builtin-schema",
            "vendor.github-workflows",
            *(ROOT / ".github/workflows").iterdir(),
        )


class Completions(unittest.TestCase):
    def test_shells(self):
        """The scripts in the archive; tests/commands/completion_test.py uses them in the shells."""
        with tempfile.TemporaryDirectory() as directory:
            names = {
                path.name for path in (unpacked(MACHINE, Path(directory)) / "completions").iterdir()
            }
        self.assertEqual(names, {"rnncheck.bash", "_rnncheck", "rnncheck.fish"})


class Reproducible(unittest.TestCase):
    def test_two_builds(self):
        """The commit, built in another directory: the same packages, bit by bit."""
        with tempfile.TemporaryDirectory(prefix="another_directory_") as directory:
            other = Path(directory) / "rnncheck"
            output_of("git", "clone", "--quiet", ROOT, other)
            shutil.copytree(ROOT / "build/package/archives", other / "build/package/archives")
            subprocess.run(
                [sys.executable, other / "packaging/package.py", MACHINE],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            sums = (DIST / "SHA256SUMS").read_text().splitlines()
            for line in (other / "dist/SHA256SUMS").read_text().splitlines():
                self.assertIn(line, sums)


if __name__ == "__main__":
    unittest.main(verbosity=2)
