#!/usr/bin/env python3
"""The program for Windows under Wine, beside the one for Linux of the same commit.

windows_test.py RNNCHECK.EXE RNNCHECK [unittest's options]     exit code 77: a program is missing, or Wine is not installed
"""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from real_cudnns import (
    CUDNN_RULES,
    LAYOUTS,
    Fault,
    RealCudnns,
    Tally,
    at_layout,
    on_path,
    windows_path,
)

ROOT = Path(__file__).resolve().parent.parent.parent


def output_of(*command, expect=0, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


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
    programs = None  # rnncheck.exe, and the program for Linux of the same commit

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
        if not self.programs or not shutil.which("wine"):
            self.skipTest("there is no rnncheck.exe, or no wine")
        self.program, self.linux = self.programs
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)

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

    def system_library(self, name, source, *objects):
        """A DLL by our compiler in Windows' own directory, until the test ends."""
        library = Path(self.WINE["WINEPREFIX"]) / "drive_c/windows/system32" / name
        self.addCleanup(library.unlink)
        self.compile(source, library, "-shared", *objects)

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
        of_windows = ("memory limit", "DLL directories", "DLLs of other processors", "long paths")
        # Wine proves nothing about Windows, and is named as what it is.
        self.assertEqual({checks.pop(name) for name in of_windows}, {"restricted"})
        self.assertEqual((code, set(checks.values())), (0, {"passed"}), checks)
        self.assertNotIn("/proc", checks)

    def test_endings(self):
        """The ends of the process in which the driver's library is called: how each is reported."""
        self.needs_compiler()
        self.system_library("nvcuda.dll", ROOT / "tests/windows/hostile_dll.c")
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
                if signal and behavior != "abort":  # which no filter sees
                    self.assertRegex(run["signal"], r"in .*\\nvcuda\.dll")
                if end != "finished":
                    self.assertEqual(
                        run["last_call"],
                        "LoadLibraryEx(nvcuda.dll)" if "DllMain" in behavior else "cuInit",
                    )
                self.assertLess(time.monotonic() - began, 15)

    def test_driver_version(self):
        """Without NVML by the version resource of nvcuda.dll, and without that by the registry."""
        self.needs_compiler()
        key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}\\0042"
        self.registry(key, ProviderName="NVIDIA", DriverVersion="31.0.15.2824")
        report = self.examined("--look-only")
        about = report["facts"]["host"]["windows"]
        self.assertEqual((about["driver_version"], about["gpu_timeout_s"]), ("528.24", 2))
        resource = self.directory / "version.o"
        (self.directory / "version.rc").write_text("1 VERSIONINFO FILEVERSION 32,0,15,6094\n{\n}\n")
        output_of("x86_64-w64-mingw32-windres", self.directory / "version.rc", resource)
        self.system_library("nvcuda.dll", ROOT / "tests/windows/hostile_dll.c", resource)
        driver = self.examined()["facts"]["driver"]
        self.assertEqual(driver["library_version"], "560.94")

    def registry(self, key, **values):
        """Values of the registry, until the test ends."""
        quiet = {"env": self.WINE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.addCleanup(subprocess.run, ["wine", "reg", "delete", key, "/f"], check=False, **quiet)
        for name, text in values.items():
            command = ["wine", "reg", "add", key, "/v", name, "/d", text, "/f"]
            subprocess.run(command, check=True, **quiet)

    def on_drive(self):
        """A directory of drive C, until the test ends, and Windows' name of it."""
        directory = Path(tempfile.mkdtemp(dir=Path(self.WINE["WINEPREFIX"]) / "drive_c"))
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        return directory, "C:\\" + directory.name

    def test_environments(self):
        """Which Python is meant, and whether it is there: the fixes are commands of PowerShell."""
        directory, top = self.on_drive()
        for name in ("Python", "venv"):
            site = directory / name / "Lib/site-packages/numpy-1.0.dist-info"
            site.mkdir(parents=True)
        (directory / "Python/python.exe").write_bytes(b"MZ")
        scripts = directory / "venv/Scripts"
        scripts.mkdir()
        (scripts / "python.exe").write_bytes(b"MZ")
        torch = directory / "venv/Lib/site-packages/torch"
        torch.mkdir()
        (torch / "version.py").write_text("__version__ = '2.7.0+cpu'\ncuda = None\n")
        (torch.parent / "torch-2.7.0.dist-info").mkdir()
        (torch.parent / "torch-2.7.0.dist-info/METADATA").write_text(
            "Name: torch\nVersion: 2.7.0\n"
        )
        variables = {"WINEPATH": top + "\\Python", "VIRTUAL_ENV": top + "\\venv"}

        def commands_for(rule, home):
            (directory / "venv/pyvenv.cfg").write_text(f"home = {home}\nversion = 3.11.4\n")
            report = self.examined("--look-only", **variables)
            found = [one for one in report["findings"] if one["rule"] == rule]
            return [
                command
                for one in found
                for remedy in one["remedies"]
                for command in remedy["commands"]
            ]

        self.assertEqual(
            commands_for("wrong_python_environment", top + "\\Python"),
            [f"& '{top}\\venv\\Scripts\\Activate.ps1'"],
        )
        self.assertEqual(commands_for("python_interpreter_missing", top + "\\Python"), [])
        self.assertEqual(
            commands_for("python_interpreter_missing", top + "\\gone"),
            [
                "winget install --id Python.Python.3.11",
                f"py -3.11 -m venv --upgrade '{top}\\venv'",
            ],
        )

    def test_store_python(self):
        """The Python of the Microsoft Store: found by the registry, with the packages of this user."""
        self.needs_compiler()
        directory, top = self.on_drive()
        name = "PythonSoftwareFoundation.Python.3.11_3.11.2544.0_x64__qbz5n2kfra8p0"
        plain = self.directory / "plain.dll"
        self.compile(ROOT / "tests/windows/named.c", plain, "-shared", '-DNAMES=""')
        users = directory.parent / "users"
        below = "AppData/Local/Packages/PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0"
        user = output_of("wine", "cmd", "/c", "echo %USERNAME%", env=self.WINE).strip()
        own, other = users / user / below, Path(tempfile.mkdtemp(dir=users)) / below
        self.addCleanup(shutil.rmtree, own, ignore_errors=True)
        self.addCleanup(shutil.rmtree, users / other.relative_to(users).parts[0])
        packages = "LocalCache/local-packages/Python311/site-packages"
        (other / packages / "tensorflow-2.10.1.dist-info").mkdir(parents=True)
        (other / packages / "tensorflow-2.10.1.dist-info/METADATA").write_text(
            "Name: tensorflow\nVersion: 2.10.1\n"
        )
        site = own / packages
        (site / "torch").mkdir(parents=True)
        (site / "torch/version.py").write_text("__version__ = '2.7.0+cpu'\ncuda = None\n")
        (site / "torch-2.7.0.dist-info").mkdir()
        (site / "torch-2.7.0.dist-info/METADATA").write_text("Name: torch\nVersion: 2.7.0\n")
        for file in (f"{name}/python.exe", f"{name}/python311.dll", "WindowsApps/python.exe"):
            (directory / file).parent.mkdir(exist_ok=True)
            shutil.copy(plain, directory / file)
        known = "HKCU\\Software\\Classes\\Local Settings\\Software\\Microsoft\\Windows\\CurrentVersion\\AppModel\\Repository\\Packages"
        self.registry(f"{known}\\{name}", PackageRootFolder=f"{top}\\{name}")
        variables = {"WINEPATH": top + "\\WindowsApps"}
        facts = self.examined("--look-only", **variables)["facts"]
        python = next(one for one in facts["pythons"] if one["active"])
        self.assertEqual((python["kind"], python["version"]), ("store", "3.11"), facts["pythons"])
        self.assertEqual(
            [one["name"] for one in facts["frameworks"]], ["pytorch"], facts["pythons"]
        )

    def test_hostile_settings(self):
        """PATH of 32 KB, thousands of directories, and registry values of any kind: the report comes, in time."""
        directory, top = self.on_drive()
        many = 10_000
        for number in range(many):
            (directory / f"many/{number}").mkdir(parents=True)
        path = ";".join(f"{top}\\many\\{number}" for number in range(many))[:32_000]
        began = time.monotonic()
        self.assertNotEqual(self.examined("--look-only", WINEPATH=path)["verdict"], "healthy")
        long = "x" * 30_000
        company = "HKCU\\Software\\Python\\Hostile"
        for number, value in enumerate(
            ("", long, "C:", "\\\\?\\pipe\\x", "..\\..", "%PATH%", "\u202e\u0000")
        ):
            key = f"{company}\\{number}\\InstallPath"
            self.registry_value(key, "", value)
        self.registry_value("HKCU\\Environment", "Path", "%PATH%;" * 3000)
        self.addCleanup(self.delete_value, "HKCU\\Environment", "Path")
        self.registry(company)  # removed with all below
        report = self.examined("--look-only")
        self.assertEqual({run["end"] for run in report["facts"]["probe_runs"]}, {"finished"})
        self.answer("which", "--json")
        print(f"hostile settings: {time.monotonic() - began:.1f} s")

    def registry_value(self, key, name, value):
        """By a file, which may hold what no command line does."""
        hive = {"HKCU": "HKEY_CURRENT_USER", "HKLM": "HKEY_LOCAL_MACHINE"}[key[:4]]
        data = value.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
        file = self.directory / "value.reg"
        text = f'Windows Registry Editor Version 5.00\r\n\r\n[{hive}{key[4:]}]\r\n{json.dumps(name) if name else "@"}="{data}"\r\n'
        file.write_bytes(text.encode("utf-16"))
        quiet = {"env": self.WINE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["wine", "reg", "import", windows_path(file)], check=True, **quiet)

    def delete_value(self, key, name):
        quiet = {"env": self.WINE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = ["wine", "reg", "delete", key, "/v", name, "/f"]
        subprocess.run(command, check=False, **quiet)

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
        source, part = ROOT / "tests/windows/named.c", "cudnn_ops_infer64_8.dll"
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
        self.compile(ROOT / "tests/windows/program.c", program)
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

    def found_by_doctor(self, *arguments, **variables):
        report = self.examined(*arguments, **variables)
        return report, [one for one in report["findings"] if one["rule"] in CUDNN_RULES]

    def found_by_which(self, *arguments):
        code, output, errors = self.answer("which", *arguments, "--json")
        self.assertIn(code, (0, 1, 3), errors)
        return json.loads(output)["findings"]

    def test_cudnn(self):
        """NVIDIA's own cuDNNs for Windows on PATH, whole and with a fault in a library that RNNs need: the doctor finds it, and names the file."""
        tally, changed = Tally(), self.directory / "changed"
        for cudnn, fault in RealCudnns(self).cases():
            fault.apply(cudnn, changed)
            report, found = self.found_by_doctor(WINEPATH=windows_path(changed))
            tally.add(cudnn.version, fault=fault, findings=found)
            if not fault.kind:
                self.check_whole(report, cudnn)
        tally.close(self, "doctor")

    def check_whole(self, report, cudnn):
        facts = next(
            one
            for one in report["facts"]["cudnns"]
            if one["library"].endswith(f"/changed/{cudnn.front}")
        )
        self.assertEqual((facts["version"], facts["rnn_usable"]), (cudnn.version, True))
        self.assertEqual({file["version"] for file in facts["files"]}, {cudnn.version})
        cuda = {file["cuda_major"] for file in facts["files"] if file.get("cuda_major")}
        self.assertEqual(cuda, {int(cudnn.cuda.split(".")[0])})

    def plain_dll(self):
        """One without needs, and beside it those that open cuBLAS by its name."""
        plain = self.directory / "plain.dll"
        named = {plain: ""} | {
            plain.with_name(f"opens_cublas_{major}.dll"): f"cublas64_{major}.dll"
            for major in (11, 12, 13)
        }
        for file, name in named.items():
            self.compile(ROOT / "tests/windows/named.c", file, "-shared", f'-DNAMES="{name}"')
        return plain

    def test_cudnn_of_frameworks(self):
        """The same faults where a framework finds cuDNN: on PATH, beside the program, by its full path, and with the front loaded before."""
        self.needs_compiler()
        plain, top = self.plain_dll(), self.directory / "python"
        by_which, by_doctor = Tally(), Tally()
        for cudnn, fault in RealCudnns(self).cases():
            for layout in LAYOUTS:
                path = at_layout(layout, top, plain, cudnn, partial(fault.apply, cudnn))
                python = windows_path(top)
                case = layout.__name__, cudnn.version
                found = self.found_by_which(python, "--path", path or "C:\\none")
                by_which.add(*case, fault=fault, findings=found)
                _, found = self.found_by_doctor("--look-only", "--python", python, WINEPATH=path)
                by_doctor.add(*case, fault=fault, findings=found)
        by_which.close(self, "which")
        by_doctor.close(self, "doctor")

    def test_cudnn_for_another_cuda(self):
        """A whole cuDNN for another CUDA than the framework that finds it."""
        self.needs_compiler()
        plain, top = self.plain_dll(), self.directory / "python"
        for cudnn in RealCudnns(self).all:
            whole = Fault(None, cudnn.front)
            path = at_layout(on_path, top, plain, cudnn, partial(whole.apply, cudnn.others[1]))
            python = windows_path(top)
            for found in (
                self.found_by_which(python, "--path", path),
                self.found_by_doctor("--python", python, WINEPATH=path)[1],
            ):
                self.assertEqual([one["rule"] for one in found], ["cudnn_built_for_other_cuda"])
                self.assertIn(cudnn.front, found[0]["message"])


def main():
    programs = [Path(one).resolve() for one in sys.argv[1:3]]
    if len(programs) < 2 or not all(one.exists() for one in programs) or not shutil.which("wine"):
        print("SKIPPED: there is no rnncheck.exe (./run package windows), or Wine is not installed")
        sys.exit(77)
    Windows.programs = programs
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
