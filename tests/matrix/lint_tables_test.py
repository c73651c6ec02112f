#!/usr/bin/env python3
"""lint_tables.py reports nothing about the tables and pages of this checkout, and each mistake that a person makes in a copy of them.

usage: lint_tables_test.py PROJECT_DIRECTORY
"""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import lint_tables

root = pathlib.Path(sys.argv.pop(1))
TORCH_24 = '"framework": "pytorch", "first": "2.4", "last": "2.4", "os": "linux", "build": "cu124"'
JAX_080 = '"framework": "jax", "first": "0.8.0", "last": "0.8.3", "os": "linux", "build": "cuda12"'
REQUIRED = '"algorithm": "standard", "first": "9.13.0", "capability_min": "8.0"'
H200_TWICE = '"H200", "capability": "8.9", "source": "cuda_gpus", "provenance": "documented"},\n    {"name": "H200", "capability": "9.0"'
SEEN = '"seen": "2026-1'

# A table; its line that is meant, by a text in it; the text to exchange in it and what for, None: all such lines are taken away; what is reported.
PLANTED = [
    (
        "gpu_products",
        '{"name": "H200"',
        '"H200", "capability": "9.0"',
        H200_TWICE,
        "'H200' has capability 8.9 here and 9.0 in another row",
    ),
    (
        "cudnn_builds",
        '{"cudnn": "9.17.1"',
        '"cuda_major": 12',
        None,
        "9.17.1 for CUDA 12 is missing, but it exists for CUDA 13",
    ),
    ("driver_for_cuda", '{"cuda": "12.3"', "", None, "12.3 is missing after 12.2"),
    ("driver_for_cuda", '"holes"', '"12.7"', '"12.6"', '"holes" declares 12.6, which has a row'),
    ("cuda_of_driver", '{"branch": 530', "", None, "530 is missing after 529"),
    ("cudnn_builds", '{"cudnn": "8.9.5"', '"8.9.5"', '"8.9.6"', "8.9.5 is missing after 8.9.4"),
    (
        "framework_builds",
        '"framework": "pytorch", "first": "2.5',
        '"os": "linux"',
        None,
        "for linux pytorch 2.5 is missing after 2.4",
    ),
    (
        "framework_builds",
        '"framework": "tensorflow", "first": "2.12',
        '"os": "linux"',
        None,
        "for linux tensorflow 2.12 is missing after 2.11.1",
    ),
    (
        "framework_builds",
        '"framework": "jax", "first": "0.4.31',
        '"os": "linux"',
        None,
        "for linux jax 0.4.31 is missing after 0.4.30",
    ),
    (
        "framework_builds",
        '"framework": "pytorch", "first": "2.5", "last": "2.5", "os": "linux"',
        '"cuda": ',
        None,
        "with CUDA, for linux pytorch 2.5 is missing after 2.4",
    ),
    (
        "framework_builds",
        TORCH_24,
        '"cuda": "12.4"',
        '"cuda": "12.1"',
        "column 'build' names CUDA 12.4, the row CUDA 12.1",
    ),
    (
        "framework_builds",
        TORCH_24,
        "whl/cu124",
        "whl/cu121",
        "column 'install' names CUDA 12.1, the row CUDA 12.4",
    ),
    (
        "framework_builds",
        JAX_080,
        "jax[cuda12]",
        "jax[cuda13]",
        "column 'install' names CUDA 13, the row CUDA 12.9",
    ),
    (
        "framework_builds",
        TORCH_24,
        "whl/cu124",
        "whl/cpu",
        "column 'install' is the command of a build without CUDA",
    ),
    (
        "framework_builds",
        TORCH_24,
        "=={version}",
        "==2.3.0",
        "column 'install' pins no version or another one",
    ),
    (
        "framework_builds",
        TORCH_24,
        " --index-url https://download.pytorch.org/whl/cu124",
        "",
        "also installs the build 'cu124'",
    ),
    (
        "framework_builds",
        TORCH_24,
        '"python_last": "3.12"',
        '"python_last": "3.99"',
        "column 'python_last': Python 3.99 did not exist on 2026",
    ),
    (
        "framework_builds",
        TORCH_24,
        '"libraries": ',
        '"without_cudnn": true, "libraries": ',
        "without_cudnn is for builds with CUDA that have no cuDNN",
    ),
    (
        "framework_builds",
        TORCH_24,
        '"libraries": "wheels"',
        '"libraries": "none"',
        "a build without CUDA has libraries 'none'",
    ),
    (
        "framework_cuda",
        '"last": "2.11"',
        '"newest_cuda": "13.0"',
        '"newest_cuda": "12.8"',
        "framework_builds has pytorch 2.9 with CUDA 13.0 as its newest",
    ),
    (
        "rnn_required_support",
        REQUIRED,
        '"9.13.0"',
        '"9.12.0"',
        "required from cuDNN 9.12.0 on, but bf16 begins with 9.13.0",
    ),
    (
        "rnn_required_support",
        REQUIRED,
        '"8.0"',
        '"7.5"',
        "required on capability 7.5, but bf16 begins with 8.0",
    ),
    (
        "rnn_required_support",
        '"source": "cudnn_guide"',
        '"documented"',
        '"inferred"',
        "an inferred row needs a note",
    ),
    (
        "architectures",
        '"provenance": "source_code"},',
        '"source_code"',
        '"unconfirmed"',
        "an unconfirmed row needs a note",
    ),
    (
        "rnn_defects",
        '"first": "8.1.0", "fixed"',
        '"8.1.0"',
        '"8.1.9"',
        "cudnn_builds has no cuDNN 8.1.9",
    ),
    (
        "driver_branches",
        '{"branch": 470',
        '"last_release": "470',
        '"last_release": "460',
        "is not of branch 470",
    ),
    ("cudnn_parts", '"soname": "libcudnn.so.9"', ".so.9", ".so.8", "is no file of cuDNN 9"),
    ("xid", '"columns":', '"columns":', '"bogus": 1, "columns":', "the head has no 'bogus'"),
    ("xid", '{"xid": 79', '{"xid": 79', '{"xid": 78, "xid": 79', "the key 'xid' is duplicated"),
    (
        "xid",
        SEEN,
        SEEN,
        '"seen": "2031-01-01", "was": "2026-1',
        "'seen' is 2031-01-01, a future date",
    ),
    ("xid", '"meaning": "', '"meaning": "', '"meaning": "\\u001b[2J', "a control character"),
    ("xid", '"title": "', '"title": "', '"title": "\\u009b', "a control character"),
    (
        "xid",
        '"remedy": "restart the program"',
        "restart the program",
        "restart the program.",
        "'remedy' is a clause; remove the full stop",
    ),
    (
        "xid",
        '"remedy": "restart the program"',
        "restart the program",
        "update the driver",
        "newer drivers no longer support old GPUs",
    ),
    (
        "status_names",
        '"remedy": "free GPU memory',
        "free GPU memory",
        "update the driver",
        "newer drivers no longer support old GPUs",
    ),
    (
        "xid",
        '"url": "',
        '"url": "',
        '"url": "https://docs.nvidia.com/deeplearning/sdk/cudnn-support-matrix/',
        "an old address that leads to another page",
    ),
    (
        "xid",
        '"url": "',
        '"url": "',
        '"url": "https://docs.nvidia.com/deeplearning/cudnn/latest/support-matrix/',
        "an old address that leads to another page",
    ),
    (
        "log_causes",
        "in bfloat16 only from 9.13 on",
        "from 9.13 on",
        "from 9.11 on",
        "the text names 9.11, which the rows of 'bf16' do not",
    ),
    (
        "rnn_limits",
        '"rule": "at most 65535 steps',
        "65535",
        "65534",
        "the text names 65535, which the rows of 'longest_sequence' do not",
    ),
    (
        "log_causes",
        '"rests_on": "bf16"',
        "bf16",
        "bf61",
        "neither rnn_limits nor rnn_defects has 'bf61'",
    ),
]

# A cause, its column, and a value that has this fault.
HARMFUL = [
    (
        "tf_no_native_windows_gpu",
        "command",
        "python -m pip install 'tensorflow<2.11'",
        "'command': cmd.exe does not know single quotes",
    ),
    (
        "tf_no_native_windows_gpu",
        "remedy",
        "Run python -m pip install 'tensorflow<2.11'",
        "'remedy': cmd.exe does not know single quotes",
    ),
    (
        "tf_no_native_windows_gpu",
        "command",
        "python -m pip install tensorflow<2.11",
        "'command': a shell takes < and > for redirections",
    ),
    (
        "wsl_libcuda_not_found",
        "command",
        "export LD_LIBRARY_PATH=/usr/lib/wsl/lib",
        "'command': it replaces a search path",
    ),
    (
        "wsl_libcuda_not_found",
        "command",
        "unset LD_LIBRARY_PATH",
        "'command': it replaces a search path",
    ),
    (
        "gpu_too_old",
        "command",
        "python -m pip install --upgrade torch",
        "'command': --upgrade without a bound",
    ),
    (
        "cudnn_not_installed",
        "command",
        "python -m pip install nvidia-cudnn-cu12",
        "'command' names one CUDA version for every log",
    ),
    ("gpu_too_old", "command", "{plam}", "{plam} is not known"),
    (
        "device_nodes_unreadable",
        "check_command",
        "ls /usr/lib/x86_64-linux-gnu",
        "other distributions and machines have another library directory",
    ),
    ("driver_too_old", "remedy", "Update the driver", "newer drivers no longer support old GPUs"),
    (
        "cudnn_not_installed",
        "remedy",
        "Install it",
        "for programs that do not search Python packages",
    ),
    (
        "zlibwapi_missing",
        "remedy",
        "Do what the command prints",
        "'remedy' speaks of a command, but there is none",
    ),
]


class Lint(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        for path in (root / "compat_matrix").glob("*.json"):
            shutil.copy(path, self.directory)

    def issues_with(self, table, text):
        path = self.directory / f"{table}.json"
        before = path.read_text()
        self.assertNotEqual(text, before)
        path.write_text(text)
        issues = lint_tables.issues_of_tables(self.directory, "2026-12-31")
        path.write_text(before)
        return issues

    def test_nothing_is_wrong_with_ours(self):
        self.assertEqual(lint_tables.issues_of_tables(self.directory, "9999"), [])
        self.assertEqual([*lint_tables.issues_of_pages(root / "docs/rules")], [])

    def test_each_planted_mistake_is_named(self):
        for table, place, old, new, what in PLANTED:
            with self.subTest(what):
                lines = (self.directory / f"{table}.json").read_text().splitlines(keepends=True)
                meant = [at for at, line in enumerate(lines) if place in line and old in line]
                for at in meant if new is None else meant[:1]:
                    lines[at] = "" if new is None else lines[at].replace(old, new, 1)
                self.assertIn(what, "\n".join(self.issues_with(table, "".join(lines))))

    def test_two_rows_on_a_line(self):
        text = (self.directory / "xid.json").read_text().replace('},\n    {"xid"', '}, {"xid"', 1)
        self.assertEqual(
            self.issues_with("xid", text),
            [
                "xid: not every row has a line of its own: write one row per line, indented by four blanks"
            ],
        )

    def test_advice_that_would_do_harm(self):
        for cause, column, value, what in HARMFUL:
            with self.subTest(what):
                table = json.loads((self.directory / "log_causes.json").read_text())
                next(row for row in table["rows"] if row["cause"] == cause)[column] = value
                head = json.dumps(
                    {part: value for part, value in table.items() if part != "rows"},
                    ensure_ascii=False,
                )[:-1]
                rows = ",\n".join(
                    "    " + json.dumps(row, ensure_ascii=False) for row in table["rows"]
                )
                found = self.issues_with("log_causes", head + ', "rows": [\n' + rows + "\n]}\n")
                self.assertEqual(len(found), 1, found)
                self.assertIn(what, found[0])

    def test_pages(self):
        (self.directory / "page.md").write_text("Run `export LD_LIBRARY_PATH=/opt/lib`.\n")
        self.assertEqual(len([*lint_tables.issues_of_pages(self.directory)]), 1)


if __name__ == "__main__":
    unittest.main()
