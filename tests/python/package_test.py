#!/usr/bin/env python3
"""The Python package of the wheel: typed objects from the program's JSON, errors as exceptions.

usage: package_test.py RNNCHECK [unittest arguments]
"""

import os
import pathlib
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
PACKAGE = pathlib.Path(__file__).parents[2] / "packaging/python"
os.environ["PATH"] = os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]
sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGE))
import rnncheck  # noqa: E402

FAILURE = "AssertionError: Torch not compiled with CUDA enabled"


class Package(unittest.TestCase):
    def test_doctor(self):
        report = rnncheck.doctor("--look-only")
        self.assertIn(report.verdict, ("healthy", "warnings", "problems", "undetermined"))
        self.assertEqual(report.sentence, report.document["sentence"])
        self.assertEqual(
            [one.rule for one in report.findings],
            [one["rule"] for one in report.document["findings"]],
        )

    def test_diagnose(self):
        report = rnncheck.diagnose(FAILURE)
        self.assertEqual(report.cause.rule, "cpu_only_build")
        self.assertFalse(report)
        self.assertTrue(report.cause.remedies[0].text)

    def test_what_is_given_counts(self):
        self.assertEqual(
            rnncheck.diagnose("", framework="pytorch 2.4").document["facts"]["log"]["user_hints"][
                0
            ]["value"],
            "pytorch 2.4",
        )

    def test_run(self):
        done = rnncheck.run(
            [sys.executable, "-c", f"import sys; print('first'); sys.exit({FAILURE!r})"],
            "--look-only",
        )
        self.assertEqual((done.exit_code, done.output.split("\n")[0]), (1, "first"))
        self.assertIn("cpu_only_build", [one.rule for one in done.report.findings])
        good = rnncheck.run(["echo", "x"])
        self.assertEqual((good.exit_code, good.output, good.report), (0, "x\n", None))

    def test_model(self):
        model = rnncheck.model(next((PACKAGE.parents[1] / "tests/models/files").rglob("*.keras")))
        self.assertTrue(model.layers)
        self.assertTrue(all(layer.uses_cudnn for layer in model.layers))

    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(rnncheck.UsageError, "no-such-option"):
            rnncheck.doctor("--no-such-option")
        with self.assertRaises(rnncheck.InputError):
            rnncheck.model("/nonexistent.keras")

    def test_markup_is_text(self):
        report = rnncheck.diagnose("RuntimeError: <script>alert(1)</script> `x` CUDNN_STATUS_<b>\n")
        for shown in (report._repr_html_(), report._repr_markdown_()):
            self.assertNotIn("<script>", shown)
            self.assertNotIn("<b>\n", shown)

    def test_it_is_small_and_typed(self):
        files = list((PACKAGE / "rnncheck").glob("*.py"))
        self.assertLess(sum(len(file.read_text().splitlines()) for file in files), 500)
        self.assertLess(sum(file.stat().st_size for file in files), 30_000)
        self.assertTrue((PACKAGE / "rnncheck/py.typed").exists())


if __name__ == "__main__":
    unittest.main()
