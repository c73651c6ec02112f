#!/usr/bin/env python3
"""`rnncheck matrix`: the tables shown and verified, as a user or a script meets them.

usage: matrix_test.py RNNCHECK COMPAT_MATRIX [unittest arguments]
"""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Run  # noqa: E402

PROGRAM, TABLES = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))


def run_matrix(*arguments):
    return Run(PROGRAM, "matrix", *arguments)


class Directory:
    """A copy of the tables that may be spoilt."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name, "tables")
        shutil.copytree(TABLES, self.path)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def replace(self, table, old, new):
        path = self.path / f"{table}.json"
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new, 1))


class Matrix(unittest.TestCase):
    def test_all_tables_are_reported(self):
        tables = run_matrix("show", "--json").json()["tables"]
        self.assertEqual(
            [table["name"] for table in tables], sorted(path.stem for path in TABLES.glob("*.json"))
        )
        for table in tables:
            rows = json.loads((TABLES / f"{table['name']}.json").read_text())["rows"]
            self.assertEqual(table["rows"], len(rows))
            self.assertRegex(table["newest_source"], r"^2\d\d\d-\d\d-\d\d$")
            self.assertIn(table["name"], run_matrix("show").text)

    def test_rows_carry_what_the_table_shows_and_their_source(self):
        for path in TABLES.glob("*.json"):
            table = json.loads(path.read_text())
            shown = run_matrix("show", path.stem, "--json").json()["rows"]
            self.assertEqual(len(shown), len(table["rows"]))
            for row, written in zip(shown, table["rows"]):
                self.assertEqual(row["source"], table["sources"][written["source"]])
                self.assertEqual(row["provenance"], written["provenance"])
                self.assertEqual(row.get("note", ""), written.get("note", ""))
                for column, text in row["values"].items():
                    value = written.get(column, False if text == "no" else "")
                    if column in ("oldest_source", "driver_source") and value:
                        value = table["sources"][value]["url"]
                    self.assertEqual(
                        text,
                        {True: "yes", False: "no"}[value]
                        if isinstance(value, bool)
                        else str(value),
                    )

    def test_a_row_is_found_and_readable(self):
        run = run_matrix("show", "driver_for_cuda", "cuda=12.4")
        self.assertEqual(run.code, 0)
        for word in ("full_driver", "550.54.14", "525.60.13", "https://", ", seen"):
            self.assertIn(word, run.text)
        self.assertNotIn("12.5", run.text.split("\n\n")[1])
        self.assertIn("no row matches", run_matrix("show", "driver_for_cuda", "cuda=12.7").text)

    def test_what_cannot_be_is_one_sentence(self):
        for arguments, word in (
            (["show", "cudnn_build"], "it is one of architectures, "),
            (["show", "cudnn_builds", "x=1"], "no column 'x'"),
            (["show", "cudnn_builds", "cudnn"], "COLUMN=VALUE"),
            (["show", "--matrix", "/nonexistent"], "/nonexistent"),
            (["verify", "/nonexistent"], "/nonexistent"),
            ([], "subcommand"),
        ):
            run = run_matrix(*arguments)
            self.assertEqual((run.code, run.text, run.err.count("\n")), (2, "", 1), arguments)
            self.assertIn(word, run.err)

    def test_the_bundled_tables_are_without_issues(self):
        for arguments in ([], [TABLES], ["--matrix", TABLES]):
            run = run_matrix("verify", *arguments)
            self.assertEqual(run.code, 0, run.text)
            self.assertIn(" 0 issues", run.text)

    def test_planted_faults_are_all_named(self):
        with Directory() as directory:
            directory.replace("driver_for_cuda", '"cuda": "12.3"', '"cuda": "12.x"')
            directory.replace("architectures", '"source": "cuda_jl", ', "")
            directory.replace(
                "cudnn_builds", '"driver_min": "525.60.13"', '"driver_min": "520.60.13"'
            )
            directory.replace("log_signatures", '"(?:DataParallel|', '"(?:*DataParallel|')
            run = run_matrix("verify", directory.path)
            self.assertEqual(run.code, 1)
            for words in (
                ("driver_for_cuda.json, row ", "'12.x' is not a version"),
                ("architectures.json, row 3", "'source': missing"),
                ("cudnn_builds.json, row ", "driver_min 520.60.13 does not run CUDA 12.0"),
                (
                    "log_signatures.json, row ",
                    "'stack_data_parallel'",
                    "no argument for repetition operator",
                ),
            ):
                self.assertTrue(
                    any(all(word in line for word in words) for line in run.text.splitlines()),
                    (words, run.text),
                )
            issues = run_matrix("verify", "--json", directory.path).json()["issues"]
            self.assertEqual(len(issues), len(run.text.splitlines()) - 1)
            self.assertEqual(issues[0]["table"], "architectures")

    def test_text_from_a_directory_cannot_upset_a_terminal(self):
        with Directory() as directory:
            directory.replace(
                "rnn_required_support", '"note": "with', '"note": "\\u001b[2J\\u202ewith'
            )
            directory.replace("rnn_required_support", '"about": "', '"about": "\\u001b]0;x')
            for arguments in (
                ["show"],
                ["show", "rnn_required_support"],
                ["show", "rnn_required_support", "--json"],
            ):
                run = run_matrix(*arguments, "--matrix", directory.path)
                self.assertEqual(run.code, 0, run.err)
                self.assertNotIn("\x1b", run.text)
                self.assertNotIn("\u202e", run.text)
            directory.replace(
                "rnn_required_support", '"source": "torch_164411"', '"source": "\\u001b[2J"'
            )
            run = run_matrix("verify", directory.path)
            self.assertEqual(run.code, 1)
            self.assertNotIn("\x1b", run.text)

    def test_a_plan_names_release_pins_and_command(self):
        run = run_matrix("plan", "gpu=GTX 1080", "driver=470")
        self.assertEqual(run.code, 0, run.err)
        for word in (
            "GeForce GTX 1080 (6.1)",
            "pytorch 2.7 (cu118)",
            "cuDNN 9.1.0",
            "https://download.pytorch.org/whl/cu118",
            "does not run: CUDA 12.5 needs driver 525.60.13",
        ):
            self.assertIn(word, " ".join(run.text.split()))
        plan = run_matrix("plan", "gpu=6.1", "driver=470", "framework=pytorch", "--json").json()[
            "plan"
        ]
        self.assertEqual([framework["framework"] for framework in plan["frameworks"]], ["pytorch"])
        newest = plan["frameworks"][0]["newest"]
        self.assertEqual(
            (newest["fit"], newest["minor_version_only"], newest["cuda"]), ("works", True, "11.8")
        )
        self.assertTrue(all(source.startswith("https://") for source in newest["sources"]))

    def test_plans_without_an_offer(self):
        self.assertEqual(run_matrix("plan", "gpu=Jetson AGX Orin").code, 1)
        self.assertEqual(run_matrix("plan", "gpu=13.0", "driver=580").code, 3)

    def test_what_a_release_needs(self):
        run = run_matrix("plan", "--for", "tensorflow==2.15")
        self.assertEqual(run.code, 0)
        for word in (
            "CUDA 12.2",
            "cuDNN 8.9.4",
            "525.60.13",
            "Python 3.9 to 3.11",
            "no build with CUDA for",
        ):
            self.assertIn(word, run.text)
        self.assertEqual(run_matrix("plan", "--for", "tensorflow==99.0").code, 3)
        self.assertEqual(
            run_matrix("plan", "--for", "tf==2.15", "--json").json()["needs"]["framework"],
            "tensorflow",
        )

    def test_what_a_release_needs_on_one_system(self):
        macos = run_matrix("plan", "--for", "tensorflow==2.15", "os=macos")
        self.assertEqual(macos.code, 1)
        self.assertIn("no build with CUDA for macos", macos.text)
        linux = run_matrix("plan", "--for", "tensorflow==2.15", "os=linux", "python=3.11")
        self.assertEqual((linux.code, "windows" in linux.text), (0, False))
        self.assertEqual(
            run_matrix("plan", "--for", "tensorflow==2.15", "os=linux", "python=3.13").code, 1
        )

    def test_a_driver_newer_than_the_data_runs_what_older_ones_run(self):
        run = run_matrix("plan", "driver=9999")
        self.assertEqual(run.code, 0)
        self.assertIn("newer than the data", run.text)

    def test_a_cudnn_of_which_the_major_alone_is_known(self):
        self.assertIn(
            "CUDA 13.0, cuDNN 9.x",
            run_matrix("plan", "gpu=RTX 3090", "driver=580", "framework=onnxruntime").text,
        )

    def test_what_is_undecided_is_reported(self):
        run = run_matrix("plan", "os=windows", "gpu=RTX 5090", "driver=576.57", "framework=pytorch")
        self.assertEqual(run.code, 0)
        self.assertRegex(
            run.text,
            r"open +2\.8: for which GPUs it has code is not in the data; its cuDNN is not in the data",
        )

    def test_a_package_without_cuda_names_its_framework(self):
        for package, framework in (
            ("flax=0.8.4", "jax=VERSION"),
            ("torchvision==0.19", "pytorch=VERSION"),
        ):
            run = run_matrix("check", package)
            self.assertEqual((run.code, run.text), (2, ""))
            self.assertIn(framework, run.err)

    def test_a_plan_for_nothing_is_one_sentence(self):
        for arguments, word in (
            ([], "gpu=8.6"),
            (["gpu=8.6", "--for", "tensorflow==2.15"], "--for"),
            (["gpu=frob"], "frob"),
            (["driver=new"], "driver=new is not understood"),
            (["colour=red"], "colour=red"),
            (["gpu=8.6", "framework=frob"], "frob"),
            (["gpu=8.6", "gpu=7.5"], "one GPU"),
            (["framework=torch 2.4"], "--for pytorch==2.4"),
            (["cuda=12.4"], "cuda=12.4"),
            (["--for", "tensorflow"], "tensorflow==2.15"),
            (["--for", "tensorflow==2.15", "gpu=8.6"], "gpu= cannot be used with --for"),
            (["gpu=8.6", "os=beos"], "os=beos"),
        ):
            run = run_matrix("plan", *arguments)
            self.assertEqual((run.code, run.text, run.err.count("\n")), (2, "", 1), arguments)
            self.assertIn(word, run.err)

    def test_a_directory_replaces_the_tables(self):
        with Directory() as directory:
            directory.replace("driver_for_cuda", "550.54.14", "550.99.99")
            self.assertIn(
                "550.99.99",
                run_matrix("show", "driver_for_cuda", "cuda=12.4", "--matrix", directory.path).text,
            )
            bundled, other = (
                run_matrix("show", "--json").json()["tool"],
                run_matrix("show", "--json", "--matrix", directory.path).json()["tool"],
            )
            self.assertEqual(bundled["matrix_date"], other["matrix_date"])
            self.assertNotEqual(bundled["matrix_digest"], other["matrix_digest"])


if __name__ == "__main__":
    unittest.main()
