#!/usr/bin/env python3
"""`doctor --python` and `--for`: an environment made of a few files, with simulated libraries in the place of cuDNN.

usage: frameworks_test.py RNNCHECK DIRECTORY_WITH_LIBCUDNN_8 DIRECTORY_WITH_LIBCUDNN_9 C_COMPILER [unittest arguments]
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Run  # noqa: E402

PROGRAM, CUDNN_8, CUDNN_9, COMPILER = (sys.argv.pop(1) for _ in range(4))


def doctor(*arguments, library_path=""):
    return Run(
        PROGRAM,
        "doctor",
        *arguments,
        without=("VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH"),
        environment={"LD_LIBRARY_PATH": str(library_path)} if library_path else None,
    )


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class Frameworks(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="rnncheck_frameworks_"))
        self.addCleanup(shutil.rmtree, self.directory)
        put(
            self.directory / "torch-2.4.1.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: torch\nVersion: 2.4.1\n"
            "Requires-Dist: nvidia-cudnn-cu12 (==9.1.0.70)\n\n",
        )
        put(
            self.directory / "torch/version.py",
            "__version__ = '2.4.1+cu121'\ncuda = '12.1'\nhip = None\n",
        )
        core = self.directory / "torch/lib/libtorch_cuda.so"
        core.parent.mkdir()
        subprocess.run(
            [
                COMPILER,
                "-shared",
                "-nostdlib",
                "-o",
                core,
                "-Wl,--disable-new-dtags",
                "-Wl,-rpath,$ORIGIN/../../nvidia/cudnn/lib",
                "-Wl,--no-as-needed",
                f"{CUDNN_9}/libcudnn.so.9",
            ],
            check=True,
        )
        self.own = self.directory / "nvidia/cudnn/lib"
        shutil.copytree(CUDNN_9, self.own)

    def report(self, *arguments, **more):
        done = doctor("--python", self.directory, "--json", "--no-run", *arguments, **more)
        return done.json()

    def test_the_copy_that_the_framework_gets_is_reported_and_queried(self):
        facts = self.report()["facts"]
        torch = next(
            framework for framework in facts["frameworks"] if framework["name"] == "pytorch"
        )
        self.assertEqual(
            (torch["version"], torch["build"], torch["cuda"]), ("2.4.1", "cu121", "12.1")
        )
        cudnn = next(
            library for library in torch["libraries"] if library["soname"] == "libcudnn.so.9"
        )
        self.assertEqual((cudnn["path"], cudnn["found_by"]), (f"{self.own}/libcudnn.so.9", "rpath"))
        requested = next(copy for copy in facts["cudnns"] if copy["library"] == cudnn["path"])
        self.assertTrue(requested["rnn_usable"])

    def test_a_foreign_copy_ahead_in_library_path_is_named_with_its_directory(self):
        report = self.report(library_path=CUDNN_8)
        finding = next(
            finding
            for finding in report["findings"]
            if finding["rule"] == "cudnn_shadowed"
        )
        reported = finding["message"] + finding["remedies"][0]["text"]
        for words in ("LD_LIBRARY_PATH", os.path.basename(CUDNN_8), "cuDNN 8", "cuDNN 9"):
            self.assertIn(words, reported)

    def test_a_wheel_whose_files_are_gone_is_named(self):
        wheel = self.directory / "nvidia_cudnn_cu12-9.1.0.70.dist-info"
        put(
            wheel / "METADATA",
            "Metadata-Version: 2.1\nName: nvidia-cudnn-cu12\nVersion: 9.1.0.70\n\n",
        )
        put(
            wheel / "RECORD",
            "nvidia/cudnn/lib/libcudnn.so.9,,\nnvidia/cudnn/lib/libcudnn_adv.so.9,,\n",
        )
        self.assertEqual(self.report("--only", "cudnn_installation_broken")["findings"], [])
        (self.own / "libcudnn_adv.so.9").unlink()
        finding = self.report("--only", "cudnn_installation_broken")["findings"][0]
        self.assertIn("libcudnn_adv.so.9", json.dumps(finding))
        self.assertIn("nvidia-cudnn-cu12==9.1.0.70", " ".join(finding["remedies"][0]["commands"]))

    def test_text_shows_the_framework(self):
        text = doctor("--python", self.directory, "--no-run", "--color", "never").text
        self.assertIn("pytorch 2.4.1 (cu121), built for CUDA 12.1", text)

    def test_a_release_that_is_not_installed(self):
        report = self.report("--for", "tensorflow==2.15")
        requested = next(framework for framework in report["facts"]["frameworks"] if framework["requested"])
        self.assertEqual((requested["name"], requested["version"]), ("tensorflow", "2.15"))

    def test_verify_repeats_what_was_examined(self):
        wheel = self.directory / "nvidia_cudnn_cu12-9.1.0.70.dist-info"
        put(
            wheel / "METADATA",
            "Metadata-Version: 2.1\nName: nvidia-cudnn-cu12\nVersion: 9.1.0.70\n\n",
        )
        put(
            wheel / "RECORD",
            "nvidia/cudnn/lib/libcudnn.so.9,,\nnvidia/cudnn/lib/libcudnn_gone.so.9,,\n",
        )

        def verify(*arguments):
            found = doctor(*arguments, "--json", "--show-private", "--no-run").json()["findings"]
            return next(
                finding for finding in found if finding["rule"] == "cudnn_installation_broken"
            )["remedies"][0]["verify"]

        def rules(command):
            return [
                finding["rule"]
                for finding in doctor(*shlex.split(command)[2:], "--json", "--no-run").json()[
                    "findings"
                ]
            ]

        command = verify("--python", self.directory, "--for", "pytorch==2.4.1")
        self.assertEqual(
            command,
            f"rnncheck doctor --python {self.directory} --for pytorch==2.4.1 --only cudnn_installation_broken",
        )
        self.assertEqual(rules(command), ["cudnn_installation_broken"])
        facts = str(self.directory / "facts file.json")
        doctor("--python", self.directory, "--no-run", "--save-facts", facts, "--show-private")
        put(wheel / "RECORD", "nvidia/cudnn/lib/libcudnn.so.9,,\n")
        self.assertEqual(rules(command), [])
        found = doctor("--facts", facts, "--json", "--show-private").json()["findings"]
        saved = next(finding for finding in found if finding["rule"] == "cudnn_installation_broken")
        self.assertEqual(
            saved["remedies"][0]["verify"],
            f"rnncheck doctor --facts '{facts}' --only cudnn_installation_broken",
        )

    def test_bad_input_is_one_sentence(self):
        for arguments, words in (
            (
                ["--python", "/nonexistent"],
                "no Python interpreter or environment at '/nonexistent'",
            ),
            (["--for", "nonsense"], "--for cannot be 'nonsense'"),
            (["--for", "tensorflow==99"], "'tensorflow==99'"),
        ):
            done = doctor(*arguments)
            self.assertEqual((done.code, done.text, done.err.count("\n")), (2, "", 1), done.err)
            self.assertIn(words, done.err)


if __name__ == "__main__":
    unittest.main()
