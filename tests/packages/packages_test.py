"""Tries what `./run package` put into dist/: packages_test.py [unittest's options]; needs root, for clean systems of Debian."""

import hashlib
import json
import os
import platform
import pty
import re
import resource
import select
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


def output_of(*command, expect=0, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


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


class Windows(unittest.TestCase):
    """The program for Windows under Wine, beside the one for Linux."""

    REJECTED = "this cannot be done on Windows yet"
    WINE = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "WINEPREFIX": str(ROOT / "build/package/wine"),
        "WINEDEBUG": "-all",
        "DISPLAY": "",
        "LC_ALL": "C.UTF-8",
    }

    COMPILER = "x86_64-w64-mingw32-gcc-posix"

    @classmethod
    def setUpClass(cls):
        if shutil.which("wine"):
            # One server for all, else each program starts one and waits for its end: two seconds.
            # It and the services of Windows keep the streams that they are given.
            quiet = {"env": cls.WINE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run(["wineserver", "--persistent"], **quiet)
            cls.addClassCleanup(subprocess.run, ["wineserver", "--kill"], **quiet)
            subprocess.run(["wine", "wineboot"], check=True, **quiet)

    def setUp(self):
        if not list(DIST.glob("*.zip")) or not shutil.which("wine"):
            self.skipTest("dist/ has no packages for Windows, or there is no wine")
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        with zipfile.ZipFile(one_file("*-windows-x86_64.zip")) as archive:
            archive.extractall(self.directory)
        self.linux = unpacked(MACHINE, self.directory / "linux") / "rnncheck"
        self.program = next(self.directory.glob("rnncheck-*/rnncheck.exe"))

    def answer(self, *arguments, program=None, stdin=b"", **variables):
        done = subprocess.run(
            ["wine", program or self.program, *arguments],
            input=stdin,
            capture_output=True,
            env=self.WINE | variables,
            cwd=self.directory,
        )
        return done.returncode, done.stdout, done.stderr.decode()

    def same(self, *arguments, stdin=b""):
        """What both print, which may differ in the time of the run alone."""
        code, windows, errors = self.answer(*arguments, stdin=stdin)
        linux = subprocess.run(
            [self.linux, *arguments],
            input=stdin,
            capture_output=True,
            cwd=self.directory,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        )
        time = rb'"(run_at|duration_ms)": *("[^"]*"|[0-9.]+)'
        self.assertEqual(re.sub(time, b"", windows), re.sub(time, b"", linux.stdout), arguments)
        self.assertEqual(
            (code, errors.replace("\r", "")), (linux.returncode, linux.stderr.decode()), arguments
        )
        return windows

    def test_diagnose(self):
        """One of twenty of our messages, as Unix and as Windows write them, by names that only UTF-8 can hold."""
        lines = (ROOT / "tests/log/messages.jsonl").read_text().splitlines()[::20]
        for number, text in enumerate(json.loads(line)["log"] for line in lines):
            name = f"Größe {number} 训练.log"
            (self.directory / name).write_bytes(text.encode())
            unix = json.loads(self.same("diagnose", name, "--json"))["findings"]
            self.same("diagnose", "-", "--json", stdin=text.encode())
            (self.directory / name).write_bytes(text.replace("\n", "\r\n").encode("utf-16"))
            windows = json.loads(self.same("diagnose", name, "--json"))["findings"]
            self.assertEqual([one["rule"] for one in windows], [one["rule"] for one in unix], text)

    def test_commands(self):
        report = self.directory / "report.json"
        report.write_bytes(
            subprocess.run(
                [self.linux, "doctor", "--look-only", "--json"], stdout=subprocess.PIPE
            ).stdout
        )
        for arguments in (
            ["doctor", "--facts", "report.json"],
            ["doctor", "--facts", "report.json", "--json"],
            ["doctor", "--facts", "report.json", "--output", "json=report.json"],
            ["diff", "report.json", "report.json"],
            ["fleet", "merge", "report.json", "--json"],
            ["explain", "driver_missing"],
            ["explain", "driver_api"],
            ["schema"],
            ["list", "rules"],
            ["matrix", "check", "gpu=RTX 3090", "driver=535", "pytorch=2.4+cu124"],
            ["matrix", "verify"],
            ["help", "exit-codes"],
            ["matrix", "verify", "--matrix", str(ROOT / "compat_matrix")],
            ["diagnose", "no such.log"],
            ["doctr"],
        ):
            self.same(*arguments)
        self.same("fleet", "merge", "-", "--json", stdin=report.read_bytes())
        (self.directory / "out.json").write_text("old")
        self.answer("doctor", "--facts", "report.json", "--output", "json=out.json")
        json.loads((self.directory / "out.json").read_text())

    def test_models(self):
        for file in sorted((ROOT / "tests/models/files").iterdir()):
            shutil.copytree(file, self.directory / file.name) if file.is_dir() else shutil.copy(
                file, self.directory
            )
            self.same("model", file.name, "--json")

    def test_rejected(self):
        for arguments in (["run", "--", "python"],):
            code, output, errors = self.answer(*arguments)
            self.assertEqual((code, output), (2, b""), arguments)
            self.assertIn(self.REJECTED, errors)

    def examined(self, *arguments, **variables):
        """The report of this machine."""
        done = subprocess.run(
            ["wine", self.program, "doctor", "--json", *arguments],
            stdout=subprocess.PIPE,
            env=self.WINE | variables,
            cwd=self.directory,
        )
        self.assertIn(done.returncode, (1, 3))
        return json.loads(done.stdout)

    def system_library(self, name, source):
        """A DLL by our compiler in Windows' own directory, until the test ends."""
        library = Path(self.WINE["WINEPREFIX"]) / "drive_c/windows/system32" / name
        self.addCleanup(library.unlink)
        self.compile(source, library, "-shared")

    def compile(self, source, file, *options):
        output_of(self.COMPILER, "-O0", "-o", file, source, *options)

    def needs_compiler(self):
        if not shutil.which(self.COMPILER):
            self.skipTest("there is no gcc-mingw-w64-x86-64-posix")

    def test_doctor(self):
        """A machine without a driver: that is the only finding, and what is not examined does not pass."""
        report = self.examined()
        self.assertEqual(
            (report["facts"]["host"]["platform"], report["verdict"]), ("windows", "problems")
        )
        self.assertEqual([finding["rule"] for finding in report["findings"]], ["driver_missing"])
        self.assertEqual({run["end"] for run in report["facts"]["probe_runs"]}, {"finished"})
        passed = {one["rule"] for one in report["verdicts"] if one["outcome"] == "pass"}
        self.assertEqual(passed, {"probe_crashed", "probe_quit_early", "probe_timed_out"})
        commands = [
            command
            for one in report["findings"]
            for remedy in one["remedies"]
            for command in remedy["commands"] + remedy["checks"]
        ]
        self.assertEqual(
            [command for command in commands if re.match("sudo|apt|ls|grep|cat|/", command)], []
        )
        self.assertIn("cannot decide every check", report["facts"]["tool"]["restrictions"][0])
        text = self.answer("doctor")[1].decode()
        self.assertIn("rnncheck was restricted here: on Windows", re.sub(r"\s+", " ", text))

    def test_selftest(self):
        code, output, _ = self.answer("selftest", "--json")
        checks = {check["name"]: check["outcome"] for check in json.loads(output)["checks"]}
        self.assertEqual((code, set(checks.values())), (0, {"passed"}), checks)
        self.assertNotIn("/proc", checks)

    def test_endings(self):
        """The ends of the process in which the driver's library is called: how each is reported."""
        self.needs_compiler()
        self.system_library("nvcuda.dll", ROOT / "tests/packages/hostile_dll.c")
        crashes = {
            "crash": "0xC0000005",
            "crash in a thread": "0xC0000005",
            "illegal instruction": "0xC000001D",
            "division by zero": "0xC0000094",
            "stack overflow": "0xC00000FD",
            "exception": "0xE06D7363",
            "abort": "0xC0000409",
        }
        expected = {behavior: ("crashed", code, None) for behavior, code in crashes.items()} | {
            "exit": ("quit_early", None, 3),
            "exit with success": ("quit_early", None, 0),
            "exit in DllMain": ("quit_early", None, 3),
            "hang": ("cut_off", None, None),
            "loop": ("cut_off", None, None),
            "hang in DllMain": ("cut_off", None, None),
            "DllMain fails": ("finished", None, None),
            "": ("finished", None, None),
        }
        for behavior, (end, signal, exit_code) in expected.items():
            with self.subTest(behavior):
                began = time.monotonic()
                report = self.examined("--deadline", "4", HOSTILE=behavior)
                run = next(
                    run for run in report["facts"]["probe_runs"] if run["probe"] == "driver_api"
                )
                self.assertEqual((run["end"], run.get("exit_code")), (end, exit_code), run)
                self.assertTrue(run.get("signal", "").startswith(signal or ""), run)
                if signal and behavior not in (
                    "abort",
                    "exception",
                ):  # no filter sees the one, the other comes from a DLL of Windows
                    self.assertRegex(run["signal"], r"in .*\\nvcuda\.dll")
                if end != "finished":
                    self.assertEqual(
                        run["last_call"],
                        "LoadLibraryEx(nvcuda.dll)" if "DllMain" in behavior else "cuInit",
                    )
                self.assertLess(time.monotonic() - began, 15)

    def test_simulated_machines(self):
        """The simulated libraries as DLLs: what doctor and lstm find on the scenarios, beside Linux."""
        if not shutil.which("x86_64-w64-mingw32-g++-posix"):
            self.skipTest("there is no g++-mingw-w64-x86-64-posix")
        libraries = ROOT / "build/package/simulated_dlls"
        sources = ROOT / "tests/vendor_sim/windows"
        output_of("cmake", "-S", sources, "-B", libraries, "-G", "Ninja")
        output_of("cmake", "--build", libraries)
        scenarios = ROOT / "tests/scenarios/run_on_wine.py"
        output_of(
            sys.executable, scenarios, self.program, libraries, self.directory / "m", env=self.WINE
        )

    def tensorflow(self):
        """On drive C, Python 3.10 with TensorFlow 2.10, whose cuDNN has a DLL in another directory: Windows' path of it."""
        drive = Path(self.WINE["WINEPREFIX"]) / "drive_c"
        top = Path(tempfile.mkdtemp(dir=drive))
        self.addCleanup(shutil.rmtree, top)
        plain, front = self.directory / "plain.dll", self.directory / "front.dll"
        source, part = ROOT / "tests/packages/named.c", "cudnn_ops_infer64_8.dll"
        self.compile(source, plain, "-shared", '-DNAMES=""')
        self.compile(source, front, "-shared", f'-DNAMES="{part}"')
        site = top / "Python/Lib/site-packages"
        for file, content in {
            top / "Python/python.exe": plain,
            top / "Python/python310.dll": plain,
            site / "tensorflow/python/_pywrap_tensorflow_internal.pyd": plain,
            top / "cuda/cudart64_110.dll": plain,
            top / "cuda/cublas64_11.dll": plain,
            top / "cuda/cudnn64_8.dll": front,
            top / "Python/Library/bin" / part: plain,
        }.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(content, file)
        (site / "tensorflow/python/platform").mkdir()
        (site / "tensorflow/python/platform/build_info.py").write_text(
            "build_info = OrderedDict([('cuda_version', '64_112'), ('cudnn_version', '64_8'), ('is_cuda_build', True)])\n"
        )
        (site / "tensorflow-2.10.1.dist-info").mkdir()
        (site / "tensorflow-2.10.1.dist-info/METADATA").write_text(
            "Name: tensorflow\nVersion: 2.10.1\n"
        )
        return "C:\\" + top.name

    def test_which(self):
        """What is loaded, and what is wrong, is what Linux says of the same directories."""
        self.needs_compiler()
        top = self.tensorflow()
        python, cuda = top + "\\Python", top + "\\cuda"
        parts = python + "\\Library\\bin"
        for path, rules in {
            python: ["cudnn_not_installed"],
            cuda: ["cudnn_part_missing"],
            f"{cuda};{parts}": [],
        }.items():
            question = [python, "--path", path, "--json"]
            code, output, errors = self.answer("which", *question)
            document = json.loads(output)
            disk = Path(self.WINE["WINEPREFIX"]) / "drive_c"
            linux = subprocess.run(
                [self.linux, "which", "--root", disk, *question], stdout=subprocess.PIPE
            )
            expected = json.loads(linux.stdout)
            self.assertEqual(code, linux.returncode, errors)
            self.assertEqual(document["libraries"], expected["libraries"])
            messages = [one["message"] for one in document["findings"]]
            self.assertEqual(messages, [one["message"] for one in expected["findings"]])
            found = {one["rule"] for one in document["findings"]}
            self.assertEqual(found, set(rules), path)

        def here(*arguments, path=(python, cuda, parts)):
            variables = {"WINEPATH": ";".join(path)}
            code, output, errors = self.answer("which", *arguments, "--json", **variables)
            return code, json.loads(output), errors

        def paths(document):
            return {one["soname"]: one.get("path") for one in document["libraries"]}

        code, document, errors = here()
        self.assertEqual((code, document["findings"]), (0, []), errors)
        self.assertEqual(paths(document)["cudnn64_8.dll"], cuda + "\\cudnn64_8.dll")
        self.assertIn("in a new terminal", " ".join(document["notes"]))
        for name in ("python", "python.exe", python + "\\python.exe", python.replace("\\", "/")):
            self.assertEqual(paths(here(name)[1]), paths(document), name)
        self.assertEqual(here("3.10")[0], 2)
        key = "HKCU\\Software\\Python\\PythonCore\\3.10"
        self.addCleanup(output_of, "wine", "reg", "delete", key, "/f", env=self.WINE)
        output_of(
            "wine", "reg", "add", key + "\\InstallPath", "/ve", "/d", python + "\\", env=self.WINE
        )
        self.assertEqual(paths(here("3.10", path=(cuda, parts))[1]), paths(document))
        code, document, _ = here(path=(cuda,))
        self.assertEqual(
            (code, [one["rule"] for one in document["findings"]]), (1, ["cudnn_part_missing"])
        )

    def test_frameworks(self):
        """The doctor evaluates the active environment, or the one that --python names."""
        self.needs_compiler()
        top = self.tensorflow()
        python, cuda = top + "\\Python", top + "\\cuda"
        path = {"WINEPATH": f"{python};{cuda}"}
        for arguments, variables in {
            (): path,
            ("--python", "python"): path,
            ("--python", python): {"WINEPATH": cuda},
        }.items():
            report = self.examined("--look-only", *arguments, **variables)
            facts = report["facts"]
            self.assertEqual([one["name"] for one in facts["frameworks"]], ["tensorflow"])
            active = [one for one in facts["pythons"] if one["active"]]
            self.assertEqual([one["path"] for one in active], [python])
            found = {one["rule"]: one for one in report["findings"]}
            self.assertIn("cudnn_part_missing", found)
            self.assertIn(
                f'$env:PATH = "{python}\\Library\\bin;$env:PATH"',
                [
                    command
                    for remedy in found["cudnn_part_missing"]["remedies"]
                    for command in remedy["commands"]
                ],
            )
            verdicts = {one["rule"]: one["outcome"] for one in report["verdicts"]}
            self.assertEqual(verdicts["vc_runtime_missing"], "not_applicable")

    def test_exec(self):
        """The command gets its arguments, streams and Ctrl-C, and its end is ours."""
        self.needs_compiler()
        program = self.directory / "a program.exe"
        self.compile(ROOT / "tests/packages/program.c", program)
        check = ["exec", "-q", "--look-only", "--allow-no-gpu", "--"]
        cases = {
            ("7",): (7, ""),
            ("crash",): (0xC0000005 & 0xFF, "0xC0000005 (access violation): a library used memory"),
            ("abort",): (0xC0000409 & 0xFF, "0xC0000409 (abort): a library ended the program"),
            ("0", 'a "b" c\\', "", "\\", "Größe"): (0, ""),
        }
        for arguments, (code, explanation) in cases.items():
            got, output, errors = self.answer(*check, ".\\a program.exe", *arguments)
            self.assertEqual(got, code, errors)
            self.assertIn(explanation, errors)
            if not explanation:
                lines = output.decode().replace("\r", "").split("\n")[:-1]
                self.assertEqual(lines, [word for word in arguments], arguments)
                self.assertNotIn("rnncheck: '", errors)
        code, _, _ = self.answer(*check, ".\\a program.exe", "input", stdin=b"*")
        self.assertEqual(code, ord("*"))
        code, _, errors = self.answer("exec", "-q", "--look-only", "--", ".\\a program.exe", "0")
        self.assertEqual(code, 125, errors)  # there is no driver
        self.assertEqual(self.answer(*check, "no such program")[0], 127)
        (self.directory / "batch.cmd").write_text("exit 0\n")
        code, _, errors = self.answer(*check, ".\\batch")
        self.assertEqual(code, 2)
        self.assertIn("cmd /c", errors)
        waits = self.directory / "waits"
        self.assertEqual(self.interrupted(waits, *check, ".\\a program.exe", "wait", waits.name), 5)

    def interrupted(self, file, *arguments):
        """The exit code if Ctrl-C is pressed in the program's console once the file exists."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.directory)
            os.execvpe("wine", ["wine", str(self.program), *arguments], self.WINE)
        pressed, end = False, time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if select.select([terminal], [], [], 0.1)[0] and not os.read(terminal, 4096):
                    break
            except OSError:  # the other side is closed
                break
            if file.exists() and not pressed:
                pressed = bool(os.write(terminal, b"\x03"))
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])

    def test_cudnn(self):
        """NVIDIA's own cuDNN for Windows, whole and broken: version, RNN API, and the finding that names the file."""
        wheel = (
            Path(os.environ.get("RNNCHECK_WHEELS", "/nonexistent"))
            / "nvidia_cudnn_cu12-9.10.2.21-py3-none-win_amd64.whl"
        )
        if not wheel.exists():
            self.skipTest("RNNCHECK_WHEELS has no " + wheel.name)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.directory / "wheel")
        whole = self.directory / "wheel/nvidia/cudnn/bin"
        text = b"<html>not a library</html>"
        adv = (whole / "cudnn_adv64_9.dll").read_bytes()
        # what is done to which file; the rule that finds it, if any
        cases = {
            "whole": ("", None, None),
            "no ops": ("cudnn_ops64_9.dll", None, "cudnn_unusable"),
            "no adv": ("cudnn_adv64_9.dll", None, "cudnn_unusable"),
            "no graph": ("cudnn_graph64_9.dll", None, "cudnn_unusable"),
            "text": ("cudnn_adv64_9.dll", text, "cudnn_unusable"),
            "cut": ("cudnn_adv64_9.dll", adv[: len(adv) // 2], "cudnn_unusable"),
        }
        for case, (name, content, rule) in cases.items():
            with self.subTest(case):
                changed = self.directory / "changed"
                shutil.rmtree(changed, ignore_errors=True)
                changed.mkdir()
                for file in whole.iterdir():
                    if file.name != name:
                        os.link(file, changed / file.name)
                if content:
                    (changed / name).write_bytes(content)
                report = self.examined(WINEPATH="Z:" + str(changed).replace("/", "\\"))
                cudnn = next(
                    one
                    for one in report["facts"]["cudnns"]
                    if one["library"].endswith("/changed/cudnn64_9.dll")
                )
                if not rule:
                    self.assertEqual(
                        (cudnn["version"], cudnn["rnn_usable"], len(cudnn["parts_mapped"])),
                        ("9.10.2", True, 4),
                    )
                    self.assertEqual({file["version"] for file in cudnn["files"]}, {"9.10.2"})
                found = [one for one in report["findings"] if one["rule"].startswith("cudnn")]
                self.assertEqual([one["rule"] for one in found], [rule] if rule else [])
                for one in found:
                    self.assertIn(name, one["message"])

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
