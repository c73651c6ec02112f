#!/usr/bin/env python3
"""`rnncheck which` as a user or a script meets it.

usage: which_test.py RNNCHECK [unittest arguments]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Run  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
OPEN_CUDNN = """
import ctypes, sys

cudnn = ctypes.CDLL(sys.argv[1])
cudnn.cudnnGetVersion()
for name in ("cudnnOpsVersionCheck", "cudnnOpsInferVersionCheck", "cudnnCnnVersionCheck"):
    if hasattr(cudnn, name):
        getattr(cudnn, name)()
print("\\n".join({line.split()[-1] for line in open("/proc/self/maps") if "libcudnn" in line}))
"""
LISTER = shutil.which("ls")


def which(*arguments, **more):
    return Run(PROGRAM, "which", *arguments, **more)


def document(*arguments, **more):
    return which(*arguments, "--json", **more).json()


class Which(unittest.TestCase):
    def rejected(self, run, *words):
        self.assertEqual((run.code, run.out), (2, b""))
        self.assertEqual(run.err.count("\n"), 1)
        for word in words:
            self.assertIn(word, run.err)

    def test_a_program_is_named_by_path_or_as_on_path(self):
        first, second = document("ls", "--all"), document(LISTER, "--all")
        self.assertEqual(first, second)
        self.assertEqual(first["schema"], 1)
        libc = next(library for library in first["libraries"] if library["soname"] == "libc.so.6")
        self.assertTrue(os.path.exists(libc["path"]))
        self.assertIn(libc["rule"], ("cache", "default_directory"))
        self.assertEqual(libc["needed_by"], first["target"])

    def test_a_library_is_named_as_the_loader_finds_it(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        with tempfile.TemporaryDirectory() as directory:
            path, source = f"{directory}/libcudnn.so.9", pathlib.Path(directory, "empty.c")
            source.write_text("")
            subprocess.run(
                [compiler, "-shared", "-o", path, "-Wl,-soname,libcudnn.so.9", source], check=True
            )
            self.assertEqual(
                document(
                    "libcudnn.so.9", "--show-private", environment={"LD_LIBRARY_PATH": directory}
                )["target"],
                path,
            )
        self.rejected(which("libcudnn.so.4"), "the loader finds no library 'libcudnn.so.4'")

    def test_without_gpu_libraries_it_reports_it(self):
        run = which("ls")
        self.assertEqual((run.code, run.err), (0, ""))
        self.assertIn(b"no such library is needed", run.out)

    def test_every_answer_has_the_members_that_scripts_rely_on(self):
        for libraries in (document()["libraries"], document("ls", "--all")["libraries"]):
            self.assertTrue(libraries)
            for library in libraries:
                self.assertLessEqual(
                    {"soname", "path", "rule", "needed_by", "candidates"}, set(library)
                )
                self.assertEqual(library["path"] is None, library["rule"] is None)
                for candidate in library["candidates"]:
                    self.assertEqual(set(candidate), {"path", "rule", "why_not"})

    def test_a_missing_needed_library_gives_1(self):
        with tempfile.TemporaryDirectory() as directory:
            copy = pathlib.Path(directory, "tool")
            text = pathlib.Path(LISTER).resolve().read_bytes()
            copy.write_bytes(text.replace(b"\0libc.so.6\0", b"\0libq.so.6\0"))
            run = which(str(copy), "--all")
            self.assertEqual(run.code, 1)
            self.assertIn(b"not found", run.out)

    def test_a_relative_path_is_a_file_here(self):
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(LISTER, directory + "/tool")
            for name in ("./tool", "tool"):
                self.assertEqual(
                    pathlib.Path(document(name, directory=directory)["target"]).name, "tool"
                )

    def test_the_variables_count(self):
        with tempfile.TemporaryDirectory() as directory:
            library = pathlib.Path(document("ls", "--all")["libraries"][0]["path"])
            shutil.copy(library, directory)
            found = document("ls", "--all", environment={"LD_LIBRARY_PATH": directory})[
                "libraries"
            ][0]
            self.assertEqual(
                (found["rule"], found["path"]), ("ld_library_path", f"{directory}/{library.name}")
            )
            self.assertIn(str(library), [candidate["path"] for candidate in found["candidates"]])
            found = document(
                "ls", "--all", environment={"LD_PRELOAD": f"{directory}/{library.name}"}
            )["libraries"][0]
            self.assertEqual(found["rule"], "ld_preload")

    def test_a_running_process(self):
        child = subprocess.Popen(
            [sys.executable, "-c", "import ctypes, zlib; print(1, flush=True); input()"],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "LD_LIBRARY_PATH": "/nowhere"},
        )
        try:
            child.stdout.readline()
            found = document("--pid", str(child.pid), "--all")
            self.assertIn(str(child.pid), found["target"])
            libc = next(
                library for library in found["libraries"] if library["soname"] == "libc.so.6"
            )
            self.assertEqual(libc["rule"], "mapped")
            self.assertTrue(
                any(library["soname"].startswith("libcuda.so") for library in found["libraries"])
            )
        finally:
            child.communicate("\n")

    def test_the_parts_of_the_installed_cudnn_are_those_that_it_opens(self):
        copies = [
            library["path"]
            for library in document()["libraries"]
            if library["soname"].startswith("libcudnn.so.") and library["path"]
        ]
        if not copies:
            self.skipTest("no cuDNN on the loader's path")
        opened = subprocess.run(
            [sys.executable, "-c", OPEN_CUDNN, copies[0]],
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split("\n")
        parts = {os.path.realpath(path) for path in opened if "libcudnn_" in path}
        self.assertTrue(parts)
        reported = {
            os.path.realpath(library["path"])
            for library in document(copies[0])["libraries"]
            if library["path"]
        }
        self.assertLessEqual(parts, reported)

    def test_scripts_are_followed_to_the_program_that_runs_them(self):
        real = os.path.realpath(sys.executable)
        with tempfile.TemporaryDirectory() as directory:
            spaced = pathlib.Path(directory, "a b")
            spaced.mkdir()
            (spaced / "python3").symlink_to(real)
            scripts = {
                "plain": f"#!{real}\n",
                "env": "#!/usr/bin/env python3\n",
                "split": "#!/usr/bin/env -S A=1 python3 -u\n",
                "long": f"#!/bin/sh\n'''exec' \"{spaced}/python3\" \"$0\" \"$@\"\n' '''\n",
                "uv": f"#!/bin/sh\n'''exec' '{spaced}/python3' \"$0\"\n",
            }
            for name, text in scripts.items():
                pathlib.Path(directory, name).write_text(text)
                found = document(
                    f"{directory}/{name}",
                    "--show-private",
                    environment={"PATH": f"{spaced}:/usr/bin:/bin"},
                )
                self.assertEqual(found["target"], real, name)
                self.assertIn(f"{directory}/{name} is a script that", found["notes"][0])
            pathlib.Path(directory, "shell").write_text("#!/bin/sh\necho\n")
            self.assertIn(
                "what the script starts is not followed",
                document(f"{directory}/shell", "--show-private")["notes"][0],
            )
            pathlib.Path(directory, "dead").write_text("#!/gone/python3\n")
            self.rejected(
                which(f"{directory}/dead"),
                "is a script that '/gone/python3' runs, which does not exist",
            )
            pathlib.Path(directory, "nameless").write_text("#!/usr/bin/env no-such-python\n")
            self.rejected(
                which(f"{directory}/nameless"),
                "'no-such-python' runs, which does not exist on PATH",
            )

    def test_python_names_what_its_frameworks_load(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        with tempfile.TemporaryDirectory() as directory:
            venv = pathlib.Path(directory, "venv")
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
            python = str(venv / "bin/python3")
            self.assertIn(
                "no framework that rnncheck knows is installed",
                " ".join(document(python, "--show-private")["notes"]),
            )
            site = next(venv.glob("lib/python*/site-packages"))
            for path, text in {
                "torch-2.4.1.dist-info/METADATA": "Name: torch\nVersion: 2.4.1\n",
                "torch/version.py": "cuda = '12.1'\n",
            }.items():
                (site / path).parent.mkdir(exist_ok=True)
                (site / path).write_text(text)
            core, cudnn = (
                site / "torch/lib/libtorch_cuda.so",
                site / "nvidia/cudnn/lib/libcudnn.so.9",
            )
            for path in (core, cudnn):
                path.parent.mkdir(parents=True)
            source = pathlib.Path(directory, "x.c")
            source.write_text("int x;\n")
            subprocess.run(
                [compiler, "-shared", "-o", cudnn, "-Wl,-soname,libcudnn.so.9", source], check=True
            )
            subprocess.run(
                [
                    compiler,
                    "-shared",
                    "-o",
                    core,
                    "-Wl,--no-as-needed",
                    "-Wl,--disable-new-dtags",
                    "-Wl,-rpath,$ORIGIN/../../nvidia/cudnn/lib",
                    cudnn,
                ],
                check=True,
            )
            found = document(python, "--show-private")
            self.assertIn(
                f"imported, pytorch 2.4.1 loads the libraries that {core} needs", found["notes"]
            )
            chosen = next(
                library for library in found["libraries"] if library["soname"] == "libcudnn.so.9"
            )
            self.assertEqual(
                (os.path.realpath(chosen["path"]), chosen["needed_by"]), (str(cudnn), str(core))
            )

    def test_what_cannot_be_answered_is_one_sentence(self):
        self.rejected(which(""), "TARGET is empty")
        self.rejected(which("no-such-program-anywhere"), "no program 'no-such-program-anywhere'")
        self.rejected(which("/etc/passwd"), "'/etc/passwd' is a text file")
        self.rejected(which("/etc"), "is a directory")
        self.rejected(which("--pid", "x"), "--pid cannot be 'x'")
        self.rejected(which("--pid", "-3"), "--pid cannot be '-3'")
        self.rejected(which("--pid", "99999999"), "there is no process 99999999")
        self.rejected(which("--pid", "1", "ls"), "cannot be used together")
        failed = which("/etc/passwd", "--json")
        self.assertEqual(failed.json()["error"]["kind"], "input")

    def test_what_is_printed_is_private_unless_requested(self):
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(LISTER, directory + "/tool")
            home = {"HOME": directory}
            text = which(directory + "/tool", environment=home).text
            self.assertNotIn(directory, text)
            self.assertIn("--show-private", text)
            self.assertIn(
                directory, which(directory + "/tool", "--show-private", environment=home).text
            )

    def test_names_from_files_do_no_harm_to_a_terminal(self):
        with tempfile.TemporaryDirectory() as directory:
            name = directory + "/t\x1b[31m\nx"
            shutil.copy(LISTER, name)
            out = which(name, "--all").out
            self.assertNotIn(b"\x1b", out)
            self.assertEqual(which(name, "--all", "--json").code, 0)


if __name__ == "__main__":
    unittest.main()
