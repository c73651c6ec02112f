#!/usr/bin/env python3
"""`rnncheck matrix check`: combinations of versions with their right answers, and what the command does with bad input.

usage: matrix_check_test.py RNNCHECK [unittest arguments]
"""

import pathlib
import resource
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Run  # noqa: E402

PROGRAM = sys.argv.pop(1)


def run(*arguments):
    return Run(PROGRAM, "matrix", "check", *arguments)


def checked(*given):
    done = run("--json", *given)
    return done.code, done.json()


def verdict_of(report, rule):
    return next(verdict for verdict in report["verdicts"] if verdict["rule"] == rule)


FAULTS = [  # what is given, the rule that must call it an error, words of its message
    (["cuda=12.4", "driver=470.256.02"], "driver_too_old", "too old for CUDA 12.4"),
    (["cuda=12.8", "driver=470"], "driver_too_old", "too old for CUDA 12.8"),
    (["cuda=13.0", "driver=575.57.08"], "driver_too_old", "too old for CUDA 13.0"),
    (["gpu=sm_61", "cudnn=9.11"], "gpu_too_old", "cuDNN 9.11"),
    (["gpu=sm_120", "pytorch=2.4+cu124"], "gpu_arch_not_in_build", "PyTorch 2.4"),
    (["gpu=RTX 5090", "pytorch=2.4.0+cu124"], "gpu_arch_not_in_build", "PyTorch 2.4.0"),
    (["gpu=sm_35", "cuda=12.0"], "gpu_too_old", "CUDA 12.0"),
    (
        ["tensorflow=2.10", "cudnn=9", "os=linux"],
        "cudnn_newer_than_framework_supports",
        "built for cuDNN 8",
    ),
    (["tensorflow=2.11", "os=Windows 10"], "tf_no_native_windows_gpu", "native Windows"),
    (["dtype=bf16", "cudnn=9.12"], "rnn_dtype_not_supported", "9.13.0"),
    (["dtype=bf16", "gpu=sm_75"], "rnn_dtype_not_supported", "compute capability 7.5"),
    (["dtype=bf16", "gpu=8.6", "gpu=7.5"], "rnn_dtype_not_supported", "compute capability 7.5"),
    (
        ["dtype=bf16", "pytorch=2.4.0+cu124", "gpu=8.0", "os=linux"],
        "rnn_dtype_not_supported",
        "built with cuDNN 9.1.0",
    ),
    (["masked=yes", "cudnn=8.6"], "cudnn_masked_rnn_bug", "documented defect"),
    (["gpu=sm_35", "cuda=12"], "gpu_too_old", "CUDA 12"),
    (["driver=470", "cuda=12.x"], "driver_too_old", "CUDA 12"),
    (["driver=570", "cudnn=9.12+cu13"], "driver_too_old", "cuDNN 9.12 for CUDA 13"),
    (
        ["gpu=RTX 2080", "cuda=9.2", "cudnn=7.3.1", "os=linux"],
        "gpu_arch_not_in_build",
        "cuDNN 7.3.1",
    ),
    (["gpu=RTX 3090", "tensorflow=2.3", "os=linux"], "gpu_arch_not_in_build", "TensorFlow 2.3"),
    (
        ["ctranslate2=4.8.5+cuda", "gpu=9.0", "driver=535.104.05", "os=linux"],
        "gpu_arch_not_in_build",
        "CTranslate2 4.8.5",
    ),
    (["cudnn=9.10.2+cu13"], "cudnn_built_for_other_cuda", "there is no cuDNN 9.10.2 for CUDA 13"),
    (["os=wsl", "driver=526.47", "cuda=12.4"], "driver_too_old", "CUDA 12.4"),
    (
        ["torch=2.9.1+cu128", "tensorflow=2.19.1+and-cuda", "os=linux"],
        "framework_requirements_conflict",
        "pip cannot install",
    ),
    (
        ["image=nvidia/cuda:13.3.1-cudnn-runtime-ubuntu24.04", "driver=550.54.15", "os=linux"],
        "driver_too_old",
        "CUDA 13.3.1",
    ),
    (
        ["image=nvidia/cuda:12.4.1-base-ubuntu22.04", "tensorflow=2.18", "os=linux"],
        "cudnn_not_installed",
        "contains no cuDNN",
    ),
    (["image=tensorflow/tensorflow:2.15.0", "os=linux"], "cpu_only_build", "TensorFlow 2.15.0"),
    (
        ["image=tensorflow/tensorflow:2.15.0-gpu", "gpu=RTX 5090", "os=linux"],
        "gpu_arch_not_in_build",
        "TensorFlow 2.15.0",
    ),
    (["driver=640.10", "gpu=6.1", "os=linux"], "gpu_too_old", "driver 640.10"),
]

SILENT = [  # what is given, and a rule that may neither accuse nor acquit: it depends on what was not reported
    (["cudnn=9", "cuda=13.0"], "cudnn_built_for_other_cuda"),
    (["cudnn=8", "cuda=12.2"], "cudnn_built_for_other_cuda"),
    (["dtype=bf16", "cudnn=9", "gpu=8.6"], "rnn_dtype_not_supported"),
    (["dtype=bf16", "gpu=8.6"], "rnn_dtype_not_supported"),
    (["tensorflow=2.5", "cudnn=8", "os=linux"], "cudnn_runtime_older_than_built"),
    (["masked=no", "cudnn=8.6"], "cudnn_masked_rnn_bug"),
    (["gpu=Jetson Orin", "driver=540.4", "cuda=12.6"], "driver_too_old"),
    (["cudnn=7.6.5"], "cudnn_bug"),
    (["driver=570.26", "cuda=12.8"], "minor_version_compatibility"),
    (["driver=525.60", "cuda=12.0", "os=linux"], "driver_too_old"),
    (["driver=525.60", "tensorflow=2.18+and-cuda", "os=linux"], "driver_too_old"),
    (["driver=450.80", "cuda=11.4", "os=linux"], "driver_too_old"),
    (["driver=640.10", "cuda=13.9"], "driver_too_old"),
    (["cupy-cuda12x=14.2.0", "gpu=RTX 5080", "os=linux"], "gpu_arch_not_in_build"),
]

WARNINGS = [
    (["cudnn=8.6", "os=linux"], "cudnn_masked_rnn_bug", "documented defect"),
    (
        ["pytorch=2.8+cu128", "cudnn=9.1.0", "os=linux"],
        "cudnn_shadowed",
        "if cuDNN 9.1.0 is found first",
    ),
    (
        ["jax=0.12.0.1+cuda12", "cudnn=9.10.0+cu12", "os=linux"],
        "cudnn_shadowed",
        "if cuDNN 9.10.0",
    ),
    (["cuda=12.7"], "version_not_in_data", "no CUDA toolkit 12.7"),
]

PASSES = [  # what is given, the rule that must pass, words of its reason
    (["gpu=sm_61", "cudnn=9.10"], "gpu_too_old", "have code for"),
    (
        ["jax=0.12.0.1+cuda12", "cudnn=9.10.1+cu12", "os=linux"],
        "cudnn_shadowed",
        "has compatible libraries",
    ),
    (
        ["tensorflow=2.10", "cudnn=8.9.7", "os=linux"],
        "cudnn_newer_than_framework_supports",
        "has compatible libraries",
    ),
    (
        ["tensorflow=2.10", "cudnn=8.9.7", "os=linux"],
        "cudnn_runtime_older_than_built",
        "has compatible libraries",
    ),
    (["dtype=bf16", "cudnn=9.13", "gpu=8.6"], "rnn_dtype_not_supported", "bf16"),
    (["cuda=12.4", "driver=550.54.14"], "driver_too_old", "runs CUDA 12.4"),
    (["cuda=12.4", "driver=640.10.01", "os=linux"], "driver_too_old", "runs CUDA 12.4"),
    (
        ["torch=2.8.0", "driver=640.10.01", "gpu=RTX 4090", "os=linux"],
        "driver_too_old",
        "runs PyTorch 2.8.0",
    ),
    (
        ["cupy-cuda12x=14.2.0", "cuda=12.8", "gpu=RTX 5080", "os=linux"],
        "gpu_arch_not_in_build",
        "have code for",
    ),
    (
        [
            "image=pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime",
            "gpu=8.9",
            "driver=550.54.15",
            "os=linux",
        ],
        "driver_too_old",
        "runs PyTorch 2.4.0",
    ),
    (
        ["torch=2.9.1+cu128", "tensorflow=2.20.0+and-cuda", "os=linux"],
        "framework_requirements_conflict",
        "in one environment",
    ),
]


class Combinations(unittest.TestCase):
    def names_a_row(self, evidence):
        self.assertTrue(any(item["source"].startswith("http") for item in evidence), evidence)

    def test_what_does_not_go_together(self):
        for given, rule, words in FAULTS:
            with self.subTest(given=given):
                code, report = checked(*given)
                self.assertEqual((code, report["verdict"]), (1, "problems"))
                errors = [
                    finding for finding in report["findings"] if finding["severity"] == "error"
                ]
                self.assertEqual([finding["rule"] for finding in errors], [rule])
                self.assertIn(words, errors[0]["message"])
                self.names_a_row(errors[0]["evidence"])

    def test_the_order_of_gpus_decides_nothing(self):
        for one, other, driver in (
            ("RTX 3090", "RTX 5090", "535"),
            ("RTX 3090", "RTX 4090", "470"),
            ("A100", "H100", "450"),
            ("GTX 1080", "RTX 4090", "470"),
        ):
            found = []
            for gpus in ((one, other), (other, one)):
                code, report = checked(
                    *(f"gpu={gpu}" for gpu in gpus), f"driver={driver}", "os=linux"
                )
                found.append(
                    (
                        code,
                        sorted(
                            (finding["rule"], finding["remedies"][0]["text"])
                            for finding in report["findings"]
                        ),
                    )
                )
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0][0], 1)

    def test_what_does(self):
        for given, rule, words in PASSES:
            with self.subTest(given=given):
                code, report = checked(*given)
                self.assertEqual((code, report["verdict"]), (0, "healthy"), report["findings"])
                verdict = verdict_of(report, rule)
                self.assertEqual(verdict["outcome"], "pass", verdict)
                self.assertIn(words, verdict["reason"])
                self.names_a_row(verdict["evidence"])

    def test_what_depends_on_what_was_not_specified(self):
        for given, rule in SILENT:
            with self.subTest(given=given):
                _, report = checked(*given)
                self.assertIn(
                    verdict_of(report, rule)["outcome"],
                    ("not_applicable", "undetermined"),
                    verdict_of(report, rule),
                )

    def test_a_cudnn_of_another_major_does_not_affect_a_framework(self):
        code, report = checked("pytorch=2.4", "cudnn=8.9.7", "os=linux")
        self.assertEqual((code, report["verdict"]), (0, "healthy"))
        self.assertEqual(
            [(f["rule"], f["severity"]) for f in report["findings"]],
            [("cudnn_shadowed", "note")],
        )
        self.assertIn("file names", report["findings"][0]["message"])
        self.names_a_row(report["findings"][0]["evidence"])

    def test_what_goes_together_with_a_warning(self):
        for given, rule, words in WARNINGS:
            with self.subTest(given=given):
                code, report = checked(*given)
                self.assertEqual((code, report["verdict"]), (0, "warnings"))
                self.assertEqual([finding["rule"] for finding in report["findings"]], [rule])
                self.assertIn(words, report["findings"][0]["message"])
                self.names_a_row(report["findings"][0]["evidence"])

    def test_minor_version_compatibility_is_a_note_with_what_is_limited(self):
        code, report = checked("cuda=12.4", "driver=525.60.13")
        self.assertEqual((code, report["verdict"]), (0, "healthy"))
        self.assertEqual(
            [(f["rule"], f["severity"]) for f in report["findings"]],
            [("minor_version_compatibility", "note")],
        )
        self.assertIn("PTX", report["findings"][0]["message"])
        self.names_a_row(report["findings"][0]["evidence"])

    def test_compatibility_packages_are_for_data_centres_alone(self):
        def packages(*gpu):
            _, report = checked("cuda=12.8", "driver=470.256.02", "os=linux", *gpu)
            finding = next(
                finding for finding in report["findings"] if finding["rule"] == "driver_too_old"
            )
            return [
                remedy["text"]
                for remedy in finding["remedies"]
                if "cuda-compat-12-8" in remedy["text"]
            ]

        self.assertEqual(packages("gpu=RTX 3090"), [])
        self.assertEqual(len(packages("gpu=Tesla V100")), 1)
        self.assertIn("data center", packages()[0])

    def test_a_whole_set_of_the_manual_is_healthy(self):
        code, report = checked(
            "driver=535.104.05",
            "cuda=12.2",
            "cudnn=8.9.7",
            "gpu=8.6",
            "tensorflow=2.15",
            "os=linux",
            "python=3.11",
        )
        self.assertEqual((code, report["verdict"], report["findings"]), (0, "healthy", []))


MACHINE = (
    pathlib.Path(__file__).parents[1] / "machines/h200_healthy/facts.json"
)  # CUDA 13.0 and cuDNN 9.14 for it, nothing else
VERSIONS = [
    "os=linux",
    "driver=580.159.04",
    "gpu=H200",
    "cuda=13.0",
    "cudnn=9.14.0+cu13",
    "python=3.12",
]


class OneAnswer(unittest.TestCase):
    """The same versions, whichever command is run."""

    def rules(self, report):
        return {finding["rule"] for finding in report["findings"] if finding["severity"] == "error"}

    def test_for_finds_on_a_machine_what_matrix_check_finds_of_its_versions(self):
        for named, fits in (
            ("tensorflow==2.20.0", False),
            ("tensorflow==2.18.0", False),
            ("onnxruntime-gpu==1.22.0", False),
            ("ctranslate2==4.6.0", False),
            ("tensorflow[and-cuda]==2.20.0", True),
            ("torch==2.8.0", True),
            ("jax[cuda13]==0.11.2", True),
        ):
            with self.subTest(named=named):
                key, version = (
                    named.replace("[and-cuda]==", "==+").replace("[cuda13]==", "==!").split("==")
                )
                build = {"+": "+and-cuda", "!": "+cuda13"}.get(version[0], "")
                code, report = checked(f"{key}={version.lstrip('+!')}{build}", *VERSIONS)
                doctor = Run(PROGRAM, "doctor", "--json", "--facts", MACHINE, "--for", named)
                self.assertEqual((code, doctor.code), (0, 0) if fits else (1, 1))
                self.assertLessEqual(self.rules(report), self.rules(doctor.json()))

    def test_diagnose_begins_with_what_matrix_check_calls_an_error(self):
        for log in (
            b"RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n",
            b"CUDNN_STATUS_INTERNAL_ERROR\n",
            b"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n",
        ):
            for given in (
                ["pytorch=2.4", "driver=470", "os=linux"],
                ["pytorch=2.4", "gpu=3.7", "os=linux"],
                ["tensorflow=2.10", "gpu=RTX 5090", "os=linux"],
            ):
                with self.subTest(given=given, log=log):
                    first = checked(*given)[1]["findings"][0]
                    options = [word for item in given for word in ("--given", item)]
                    found = Run(PROGRAM, "diagnose", "-", "--json", *options, given=log).json()[
                        "findings"
                    ][0]
                    self.assertEqual(
                        (found["rule"], found["message"]), (first["rule"], first["message"])
                    )
                    self.assertEqual(found["remedies"][0]["text"], first["remedies"][0]["text"])

    def test_a_log_without_an_error_is_not_contradicted(self):
        found = Run(
            PROGRAM,
            "diagnose",
            "-",
            "--json",
            "--given",
            "pytorch=2.4",
            "--given",
            "driver=470",
            given=b"Epoch 1/2 loss 0.3\n",
        )
        self.assertEqual(
            [
                finding["rule"]
                for finding in found.json()["findings"]
                if finding["severity"] == "error"
            ],
            [],
        )

    def test_an_image_that_is_not_in_the_data_is_undetermined(self):
        for image in (
            "nvcr.io/nvidia/pytorch:26.06-py3",
            "nvidia/cuda:latest",
            "registry.example:5000/team/train:v2",
        ):
            code, report = checked(f"image={image}", "gpu=8.9")
            self.assertEqual((code, report["verdict"]), (3, "undetermined"), image)
            self.assertIn(image, verdict_of(report, "version_not_in_data")["reason"])


class Command(unittest.TestCase):
    def is_usage_error(self, done, *words):
        self.assertEqual((done.code, done.text, done.err.count("\n")), (2, "", 1), done.err)
        for word in words:
            self.assertIn(word, done.err)

    def test_bad_input_names_the_key_the_value_and_what_would_be_right(self):
        self.is_usage_error(run(), "needs versions to check")
        self.is_usage_error(run("drivr=535"), "'drivr'", "did you mean 'driver'?")
        self.is_usage_error(run("cuda=twelve"), "cuda=twelve", "12.4")
        self.is_usage_error(run("driver"), "KEY=VALUE")
        self.is_usage_error(run("cuda=12.4", "cuda=11.8"), "a single value")

    def test_no_build_with_cuda_is_advised_where_there_is_none(self):
        for given, words in (
            (["jax=0.4.30", "os=windows"], "WSL"),
            (["pytorch=2.4", "os=macos"], "does not support macOS"),
            (["tensorflow=2.15+cpu", "os=linux"], "its build for CUDA 12.2"),
        ):
            remedy = checked(*given)[1]["findings"][0]["remedies"][0]
            self.assertIn(words, remedy["text"])

    def test_outside_the_data_and_not_specified(self):
        code, report = checked("cuda=99.0", "driver=535.104.05")
        self.assertEqual((code, report["verdict"]), (3, "undetermined"))
        self.assertIn("newer than the data of", verdict_of(report, "driver_too_old")["reason"])
        code, report = checked("cuda=12.4", "driver=550.54.14")
        self.assertEqual(code, 0)
        self.assertIn("not evaluated", verdict_of(report, "gpu_too_old")["reason"])
        self.assertIn("only the machine", verdict_of(report, "driver_missing")["reason"])

    def test_a_check_is_cheap(self):
        """A release build takes 12 ms; this is for any build on any machine, and finds what became ten times slower."""

        def processor_time():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run("driver=535.104", "cuda=12.2", "cudnn=8.9.4", "tensorflow=2.15", "gpu=RTX 3090")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        self.assertLess(min(processor_time() for _ in range(5)), 0.5)

    def test_text_shows_what_was_given_and_where_passes_come_from(self):
        text = run("cuda=12.4", "driver=525.60.13", "--color", "never").text
        for words in ("Given", "525.60.13", "minor-version compatibility", "https://"):
            self.assertIn(words, text)
        self.assertNotIn("This machine", text)


if __name__ == "__main__":
    unittest.main()
