#!/usr/bin/env python3
"""`rnncheck doctor --profile FILE`: what each key does, how it shows in the report, and which files are rejected.

usage: profile_test.py RNNCHECK [unittest arguments]
"""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import NO_DRIVER, Run  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
DOCUMENTATION = (pathlib.Path(__file__).parents[2] / "docs/formats.md").read_text()
RULE = "version_not_expected"


def cudnn(version):
    return {
        "library": "/opt/cudnn/libcudnn.so.9",
        "dialects": [],
        "parts_mapped": [],
        **({"version": version} if version else {}),
    }


def machine(**facts):
    return {"schema": 3, "tool": {"version": "0.1.0", "stages": ["look", "ask", "run"]}, **facts}


class Profile(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name, "rnncheck.toml")

    def judged(self, profile, facts, *options):
        self.file.write_bytes(profile if isinstance(profile, bytes) else profile.encode())
        return Run(
            PROGRAM,
            "doctor",
            "--facts",
            "-",
            "--profile",
            self.file,
            "--show-private",
            *options,
            given=json.dumps(facts).encode(),
        )

    def report(self, profile, facts, *options):
        return self.judged(profile, facts, "--json", *options).json()

    def compared(self, expected, facts):
        """Exit code and findings of the rule about expected versions, alone."""
        run = self.judged(f"[expect]\n{expected}\n", facts, "--json", "--only", RULE)
        return run.code, [finding["message"] for finding in run.json()["findings"]]

    def rejected(self, profile, *words, line=1):
        run = self.judged(profile, NO_DRIVER)
        self.assertEqual((run.code, run.out), (2, b""), run.err)
        self.assertEqual(run.err.count("\n"), 1, run.err)
        self.assertLess(len(run.err), 4200)
        self.assertIn(f"rnncheck.toml', line {line}: " if line else "rnncheck.toml", run.err)
        for word in words:
            self.assertIn(word, run.err)

    def test_an_empty_profile_changes_nothing_but_is_named(self):
        report = self.report("", NO_DRIVER, "--only", "driver_missing")
        self.assertEqual(
            (report["verdict"], report["profile"]["file"]), ("problems", str(self.file))
        )
        self.assertNotIn("expected", report["facts"])
        without = Run(
            PROGRAM,
            "doctor",
            "--facts",
            "-",
            "--json",
            "--only",
            "driver_missing",
            given=json.dumps(NO_DRIVER).encode(),
            directory=self.file.parent,
        )
        self.assertNotIn("profile", without.json())  # never read unless named

    def test_require(self):
        only = ("--only", "driver_missing,gpu_throttled")
        self.assertEqual(
            self.judged(
                "",
                machine(
                    driver={"init": {"call": "cuInit", "code": 0, "text": ""}, "device_nodes": []}
                ),
                *only,
            ).code,
            0,
        )
        run = self.judged(
            'require = ["gpu_throttled"]',
            machine(driver={"init": {"call": "cuInit", "code": 0, "text": ""}, "device_nodes": []}),
            *only,
        )
        self.assertEqual(run.code, 3)
        self.assertIn(
            "driver_missing",
            self.judged('require = ["driver_missing"]', NO_DRIVER, "--skip", "driver_missing").err,
        )

    def test_an_ignored_finding_is_shown_with_its_reason_and_does_not_count(self):
        profile = "[ignore]\ndriver_missing = 'these runners have no GPU yet'\n"
        run = self.judged(profile, NO_DRIVER, "--only", "driver_missing")
        self.assertEqual(run.code, 0, run.text)
        self.assertIn("(ignored: these runners have no GPU yet)", " ".join(run.text.split()))
        self.assertIn("Profile: ", run.text)
        report = self.report(profile, NO_DRIVER, "--only", "driver_missing")
        finding = report["findings"][0]
        self.assertEqual(
            (finding["severity"], finding["ignored"]), ("note", "these runners have no GPU yet")
        )
        self.assertEqual(
            report["profile"]["ignore"], {"driver_missing": "these runners have no GPU yet"}
        )
        self.assertEqual((report["counts"]["problem"], report["verdict"]), (1, "healthy"))
        for format in ("junit", "github", "markdown", "html"):
            self.assertIn(
                "these runners have no GPU yet",
                self.judged(
                    profile, NO_DRIVER, "--only", "driver_missing", "--format", format
                ).text,
            )
        self.assertEqual(
            self.judged(
                profile,
                NO_DRIVER,
                "--only",
                "driver_missing,cudnn_not_installed",
                "--ignore",
                "cudnn_not_installed",
            ).code,
            0,
        )
        self.assertEqual(
            self.judged(profile, {"schema": 2}, "--only", "driver_missing").code, 3
        )  # undecided stays undecided

    def test_fail_on(self):
        gpu = {
            "index": 0,
            "memory_total_mib": 24576,
            "memory_free_mib": 100,
            "throttle_reasons": [],
            "processes": [],
        }
        facts = machine(
            driver={"init": {"call": "cuInit", "code": 0, "text": ""}, "device_nodes": []},
            nvml_devices=[gpu],
        )
        codes = [
            self.judged(profile, facts, "--only", "gpu_memory_low", *more).code
            for profile, more in (
                ("", ()),
                ('fail-on = "warning"', ()),
                ('fail-on = "warning"', ("--fail-on", "error")),
                ('fail-on = "never"', ("--fail-on", "warning")),
            )
        ]
        self.assertEqual(codes, [0, 4, 0, 4])

    def test_expected_versions(self):
        found = machine(
            driver={"library_version": "550.54.14", "device_nodes": []},
            cudnns=[cudnn("9.1.0")],
            runtimes=[{"library": "/opt/cuda/libcudart.so.12", "version": "12.4"}],
        )
        for fits in (
            'driver = "550.54.14"',
            'driver = ">=550"',
            'cuda = "12.4"',
            'cuda = ">= 12.4.0"',
            'cudnn = "9.1"',
            'cudnn = ">=8.9.7"',
            'driver = ">=550"\ncuda = "12.4"\ncudnn = "9.1.0"',
        ):
            self.assertEqual(self.compared(fits, found), (0, []), fits)
        for differs, version in (
            ('driver = "550.54"', "550.54.14"),
            ('driver = ">=550.54.15"', "550.54.14"),
            ('cuda = "12"', "12.4"),
            ('cuda = ">=12.5"', "12.4"),
            ('cudnn = "9.0.0"', "9.1.0"),
            ('cudnn = ">=9.10"', "9.1.0"),
        ):
            code, messages = self.compared(differs, found)
            self.assertEqual((code, len(messages)), (1, 1), differs)
            self.assertIn(f"is {version}, but '{self.file}' expects", messages[0])

    def test_expected_gpus(self):
        gpu = {"index": 0, "name": "NVIDIA H200", "memory_total_mib": 143771}
        driver = {"init": {"call": "cuInit", "code": 0, "text": ""}, "device_nodes": []}
        found = machine(driver=driver, cuda_devices=[gpu, {**gpu, "index": 1}])
        for expected, code in (
            ("gpus = 2", 0),
            ("gpus = 8", 1),
            ('gpu = "h200"', 0),
            ('gpu = "H100"', 1),
            ("gpu-memory-mib = 140000", 0),
            ("gpu-memory-mib = 150000", 1),
        ):
            run = self.judged(f"[expect]\n{expected}\n", found, "--only", "gpus_not_expected")
            self.assertEqual(run.code, code, (expected, run.text))
        self.assertEqual(
            self.judged(
                '[expect]\ngpus = 2\nlabels = ["node"]\n',
                found,
                "--only",
                "gpus_not_expected",
                "--label",
                "node=a",
            ).code,
            0,
        )
        without = self.judged('[expect]\nlabels = ["node"]\n', found)
        self.assertEqual(without.code, 2)
        self.assertIn(
            "expects the label 'node' in every report; add --label node=VALUE", without.err
        )
        self.rejected('[expect]\nlabels = "node"', "labels must be a list of keys", line=2)
        unknown = self.judged("[expect]\ngpus = 8\n", machine(), "--only", "gpus_not_expected")
        self.assertEqual(unknown.code, 3)
        self.rejected('[expect]\ngpus = "8"', "a number without quotes", line=2)

    def test_every_installation_is_compared(self):
        two = machine(cudnns=[cudnn("9.1.0"), {**cudnn("8.9.7"), "library": "/old/libcudnn.so.8"}])
        code, messages = self.compared('cudnn = ">=9"', two)
        self.assertEqual((code, len(messages)), (1, 1))
        self.assertIn("/old/libcudnn.so.8", messages[0])

    def test_an_unknown_version_is_undetermined(self):
        for facts in (
            machine(),
            machine(cudnns=[cudnn(None)]),
            machine(cudnns=[cudnn("9.1.0"), {**cudnn(None), "library": "/x"}]),
            {"schema": 3, "tool": {"version": "0.1.0", "stages": ["look"]}},
            {"schema": 3, "tool": {"version": "0.1.0", "stages": ["given"]}},
        ):
            self.assertEqual(self.compared('cudnn = ">=9"', facts), (3, []), facts)
        self.assertEqual(self.judged('[expect]\ncudnn = ">=9"', machine(), "--skip", RULE).code, 2)

    def test_saved_facts_keep_what_was_expected(self):
        saved = self.report(
            '[expect]\ncudnn = ">=9"', machine(cudnns=[cudnn("8.9.7")]), "--only", RULE
        )["facts"]
        self.assertEqual(saved["expected"], {"profile": str(self.file), "cudnn": ">=9"})
        self.assertEqual(
            Run(
                PROGRAM, "doctor", "--facts", "-", "--only", RULE, given=json.dumps(saved).encode()
            ).code,
            1,
        )
        self.assertEqual(self.compared('cudnn = ">=8"', saved), (0, []))

    def test_the_example_of_the_documentation(self):
        example = re.search(r"```toml\n(.*?)```", DOCUMENTATION, re.S)[1]
        profile = self.report(example, NO_DRIVER, "--label", "node=gpu017")["profile"]
        self.assertEqual(
            (profile["require"], profile["fail_on"]), (["rnn_result_wrong"], "warning")
        )
        self.assertEqual(
            set(profile["ignore"]), {"persistence_mode_off", "gpu_not_tested"}
        )
        for text in (
            *profile["ignore"].values(),
            *(profile["expect"][key] for key in ("driver", "cuda", "cudnn")),
        ):
            self.assertIn(f'"{text}"', example)

    def test_ids_of_earlier_versions_are_understood(self):
        profile = self.report(
            'require = ["wrong_cudnn_found_first"]\n[ignore]\n"tf_windows_no_gpu_since_2.11" = "x"',
            NO_DRIVER,
        )["profile"]
        self.assertEqual(profile["require"], ["cudnn_shadowed"])
        self.assertEqual(profile["ignore"], {"tf_no_native_windows_gpu": "x"})

    def test_mistakes_are_reported_with_the_line_and_what_was_meant(self):
        self.rejected("\nrequires = []", "unknown key 'requires'; did you mean 'require'?", line=2)
        self.rejected(
            "zzz.a = 1", "unknown key 'zzz'; the keys are expect, fail-on, ignore and require"
        )
        self.rejected("\n\n[expects]\n", "did you mean 'expect'?", line=3)
        self.rejected('[expect]\ncudn = "9"', "unknown key 'cudn'; did you mean 'cudnn'?", line=2)
        self.rejected(
            'require = [\n"driver_mising"]',
            "require: unknown rule 'driver_mising'; did you mean 'driver_missing'?",
            line=2,
        )
        self.rejected(
            '[ignore]\ndriver_mising = "x"',
            "ignore: unknown rule",
            "did you mean 'driver_missing'?",
            line=2,
        )
        self.rejected(
            '[ignore]\ndriver_missing = ""', "the reason to ignore driver_missing", line=2
        )
        self.rejected(
            "[ignore]\ndriver_missing = true", "the reason to ignore driver_missing", line=2
        )
        self.rejected('ignore = ["driver_missing"]', "ignore must be a table")
        self.rejected("expect = 3", "expect must be a table")
        self.rejected('require = "driver_missing"', "require must be a list")
        self.rejected("require = [1]", "require must be a text")
        self.rejected("fail-on = true", "fail-on must be a text")
        self.rejected(
            'fail-on = "warnings"', "fail-on cannot be 'warnings'", "error, warning and never"
        )
        for version in ("9.x", "==9.1", "<9", ">=", "9.1.0.0.1", "latest"):
            self.rejected(f'[expect]\ncudnn = "{version}"', f"cudnn cannot be '{version}'", line=2)
        self.rejected("[expect]\ncudnn = 9.1", "cudnn must be a text", line=2)
        self.rejected("require = []\nrequire = []", "this is not TOML", line=2)

    def test_hostile_files_are_rejected_in_one_sentence(self):
        self.rejected("require = " + "[" * 10_000, "not TOML")
        self.rejected("require = [" + "{a=[" * 3000, "not TOML")
        self.rejected("a." * 8000 + "a = 1", "unknown key 'a'")
        self.rejected("[" + "a." * 8000 + "a]", "unknown key 'a'")
        self.rejected("a." * 100_000 + "a = 1", "larger than the limit of 16 KiB", line=None)
        self.rejected(b"#" * 10_000_000, "larger than the limit of 16 KiB", line=None)
        self.rejected(b'fail-on = "\xff\xfe"', "not TOML")
        self.rejected(b'fail-on = "error\0"', "not TOML")
        self.rejected(b"\0\0\0", "not TOML")
        self.rejected("fail-on = '\\x1b[31m'".replace("\\x1b", "\x1b"), "not TOML")
        self.rejected('"\\u001b[31m" = 1', "unknown key '\\x1b[31m'")
        self.rejected('"' + "k" * 15_000 + '" = 1', "unknown key")
        for path in ("/nonexistent/rnncheck.toml", self.file.parent):
            run = Run(PROGRAM, "doctor", "--profile", path)
            self.assertEqual((run.code, run.err.count("\n")), (2, 1), run.err)
        document = self.judged("x = 1", NO_DRIVER, "--json").json()
        self.assertEqual(document["error"]["kind"], "input")


if __name__ == "__main__":
    unittest.main()
