#!/usr/bin/env python3
"""The built program as a user or a script meets it: exit codes, what goes to stdout and what to stderr, files, colour.

usage: command_line_test.py RNNCHECK [unittest arguments]
"""

import gzip
import json
import lzma
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import NO_DRIVER, Run  # noqa: E402

PROGRAM = sys.argv.pop(1)
SOURCES = pathlib.Path(__file__).parents[2] / "src"
HEALTHY_DRIVER = {
    "schema": 2,
    "tool": {"version": "0.1.0", "stages": ["look", "ask", "run"]},
    "driver": {"init": {"call": "cuInit", "code": 0, "text": ""}, "device_nodes": []},
}
NOTHING = {"schema": 2}
ONLY = ["--only", "driver_missing"]


def rnncheck(*arguments, environment=None, **more):
    return Run(
        PROGRAM,
        *arguments,
        without=("NO_COLOR",),
        environment={"TERM": "xterm", **(environment or {})},
        **more,
    )


def judged(facts, *arguments, **more):
    return rnncheck(
        "doctor",
        "--facts",
        "-",
        *arguments,
        given=facts if isinstance(facts, bytes) else json.dumps(facts).encode(),
        **more,
    )


def judgement(run):
    """A report without when and how it was made; its commands repeat the file of --facts."""
    document = json.loads(re.sub(r" --facts [^ \"]+", "", run.out.decode()))
    return {
        key: value
        for key, value in document.items()
        if key not in ("run_at", "duration_ms", "options")
    }


def on_terminal(*arguments, facts=NO_DRIVER, environment=None):
    """Standard output of the program when it is a terminal."""
    try:
        main, other = pty.openpty()
    except OSError as error:  # a bare chroot has no /dev/pts
        raise unittest.SkipTest(f"no terminal to be had here: {error}") from error
    rnncheck(
        "doctor",
        "--facts",
        "-",
        *arguments,
        given=json.dumps(facts).encode(),
        environment=environment,
        stdout=other,
    )
    os.close(other)
    text = b""
    try:
        while block := os.read(main, 65536):
            text += block
    except OSError:
        pass
    os.close(main)
    return text


class CommandLine(unittest.TestCase):
    def is_usage_error(self, run, *words):
        self.assertEqual(run.code, 2, run.err)
        self.assertEqual(run.out, b"")
        self.assertEqual(run.err.count("\n"), 1, run.err)
        for word in words:
            self.assertIn(word, run.err)

    def test_version_and_help(self):
        version = rnncheck("--version")
        self.assertEqual(
            (version.code, version.out.splitlines()[0], version.err), (0, b"rnncheck 0.1.0", "")
        )
        self.assertRegex(
            version.out,
            rb"\ncompatibility data of 20[0-9-]{8}, schema 4, commit ([0-9a-f]{12}|unknown)\n$",
        )
        document = rnncheck("--version", "--json").json()
        self.assertEqual((document["tool"]["version"], document["report_schema"]), ("0.1.0", 4))
        text = rnncheck("--help").out.decode()
        for word in ("doctor", "explain", "list", "schema", "Exit codes"):
            self.assertIn(word, text)
        self.assertNotIn("probe ", text)
        options = rnncheck("doctor", "--help").out.decode()
        for option in (
            "--format --json --output --only --skip --require --ignore --profile --fail-on --deadline --look-only --no-run --facts "
            "--save-facts --matrix --root --allow-no-gpu --show-private --color --verbose --quiet"
        ).split():
            self.assertIn(option, options)

    def test_usage_errors_name_the_bad_thing_and_the_nearest_good_one(self):
        self.is_usage_error(rnncheck(), "no command was given", "rnncheck doctor")
        self.is_usage_error(rnncheck("docter"), "'docter'", "did you mean 'doctor'?")
        self.is_usage_error(rnncheck("doctor", "--jsn"), "'--jsn'", "did you mean '--json'?")
        self.is_usage_error(
            rnncheck("--allow-no-gpu", "doctor"),
            "'--allow-no-gpu'",
            "rnncheck doctor --allow-no-gpu",
        )
        self.is_usage_error(rnncheck("doctor", "list"), "takes no argument 'list'")
        self.is_usage_error(
            rnncheck("doctor", "--facts"), "--facts needs a value; --facts FILE: Evaluate saved"
        )
        self.is_usage_error(rnncheck("doctor", "--format"), "--format needs a value", "json")
        self.is_usage_error(rnncheck("doctor", "--facts", ""), "--facts needs a value: give FILE")
        self.is_usage_error(rnncheck("doctor", "--json=false"), "json", "disallowed")
        self.is_usage_error(
            rnncheck("doctor", "--skip", "nonsense"),
            "--skip",
            "unknown rule or probe 'nonsense'",
            "rnncheck list probes",
        )
        self.is_usage_error(
            rnncheck("doctor", "--only", "nope"),
            "--only: unknown rule 'nope'",
            "rnncheck list rules",
        )
        self.is_usage_error(
            rnncheck("doctor", "--only", "driver_missing", "--skip", "driver_missing"),
            "nothing would be checked",
        )
        self.is_usage_error(
            rnncheck(
                "doctor",
                "--skip",
                ",".join(
                    run.split()[0] for run in rnncheck("list", "rules").out.decode().splitlines()
                ),
            ),
            "nothing would be checked",
        )
        for command in ("doctor", "lstm"):
            self.is_usage_error(rnncheck(command, "--deadline", "1e99"), "'1e99'", "up to 31536000")
            self.is_usage_error(rnncheck(command, "--deadline", "inf"), "'inf'")
        self.is_usage_error(rnncheck("doctor", "--save-facts", "-"), "--save-facts writes files")
        self.is_usage_error(rnncheck("explain", "driver_mising"), "did you mean 'driver_missing'?")
        self.is_usage_error(rnncheck("explain"), "ID")
        self.is_usage_error(rnncheck("list"), "needs one of rules")
        self.is_usage_error(rnncheck("-V"), "unknown option '-V'; did you mean '--version'?")
        self.is_usage_error(rnncheck("list", "rule"), "rules, probes, formats, tables and commands")

    def test_what_was_meant_is_named(self):
        for arguments, words in (
            (("doctor", "train.log"), ("'rnncheck diagnose train.log'", "--log train.log")),
            (("doctor", "model.keras"), ("'rnncheck model model.keras'",)),
            (("doctor", "facts.json"), ("'rnncheck doctor --facts facts.json'",)),
            (("doctor", "tensorflow==2.15"), ("--for tensorflow==2.15",)),
            (
                ("doctor", "--ignore", "several_cudnns", "driver_missing"),
                ("--ignore several_cudnns --ignore driver_missing",),
            ),
            (
                ("doctor", "--python", "--require", "-v", "version_not_expected"),
                ("version_not_expected",),
            ),
            (("exec", "python3", "x.py"), ("rnncheck exec -- python3",)),
            (("run", "python3", "x.py"), ("rnncheck run -- python3",)),
            (("train.log",), ("'rnncheck diagnose train.log'",)),
            (("version",), ("'rnncheck --version'",)),
            (("check",), ("'rnncheck doctor'",)),
            (("env",), ("'rnncheck report'",)),
            (("fleet", "mrege"), ("'mrege' of 'rnncheck fleet'", "did you mean 'merge'?")),
            (("fleet", "check", "--help"), ("'check' of 'rnncheck fleet'", "merge, show and diff")),
            (("help", "rules"), ("'rnncheck list rules'",)),
            (("help", "profile"), ("--profile",)),
            (("matrix", "plan", "pytorch=2.4"), ("framework=pytorch", "matrix check pytorch=2.4")),
            (
                ("diagnose", "CUDNN_STATUS_INTERNAL_ERROR"),
                ("rnncheck explain CUDNN_STATUS_INTERNAL_ERROR",),
            ),
            (("diagnose", "cuda out of memory"), ("rnncheck explain 'cuda out of memory'",)),
        ):
            with self.subTest(arguments=arguments):
                self.is_usage_error(rnncheck(*arguments), *words)
        self.assertIn(b"125  ", rnncheck("help", "exit", "codes").out)

    def test_explain_takes_what_a_report_or_a_program_prints(self):
        page = rnncheck("explain", "driver_missing").text
        for words in (
            ["DRIVER_MISSING"],
            ["driver-missing"],
            ["Driver", "missing"],
            ["driver_missin"],
        ):
            with self.subTest(words=words):
                self.assertEqual(rnncheck("explain", *words).text, page)
        self.assertIn("`sudo apt-get install nvidia-driver-580-open`", page)
        several = rnncheck("explain", "driver")
        self.assertEqual(several.code, 0)
        self.assertIn("driver_too_old", several.text)
        self.assertIn("driver_missing  ", several.text)
        status = rnncheck("explain", "cudnn_status_execution_failed").text
        self.assertIn("5000 in cudnn 9", status)
        self.assertIn("gpu_arch_not_in_build", status)
        for words in (["will not use cuDNN kernels"], ["will", "not", "use", "cuDNN", "kernels"]):
            self.assertIn("  layer_without_cudnn  ", rnncheck("explain", *words).text)
        self.is_usage_error(
            rnncheck("explain", "a sentence that no program prints"), "unknown rule or probe"
        )

    def test_ids_of_earlier_versions_are_understood(self):
        self.assertEqual(
            rnncheck("explain", "wrong_cudnn_found_first").text,
            rnncheck("explain", "cudnn_shadowed").text,
        )
        self.assertEqual(
            rnncheck("explain", "hang_witness").text, rnncheck("explain", "hang_diagnostic").text
        )
        for option in ("--only", "--ignore", "--skip", "--require"):
            with self.subTest(option=option):
                old = judged(NO_DRIVER, "--json", option, "system_folders_hidden").json()
                new = judged(NO_DRIVER, "--json", option, "proc_sys_hidden").json()
                for report in (old, new):
                    for member in ("run_at", "duration_ms", "options"):
                        report.pop(member, None)
                self.assertEqual(old, new)

    def test_the_ending_of_an_output_chooses_its_format(self):
        with tempfile.TemporaryDirectory() as place:
            for ending, start in (
                (".json", b"{"),
                (".html", b"<!DOCTYPE html>"),
                (".md", b"#"),
                (".TXT", b"rnncheck"),
                ("", b"rnncheck"),
            ):
                file = pathlib.Path(place, "report" + ending)
                self.assertEqual(judged(NO_DRIVER, "--output", file).code, 1)
                self.assertTrue(
                    file.read_bytes().startswith(start), (ending, file.read_bytes()[:50])
                )
            page = pathlib.Path(place, "page.html")
            judged(NO_DRIVER, "--output", f"json={page}")
            self.assertTrue(page.read_bytes().startswith(b"{"))

    def test_report_for_an_issue_has_machine_framework_and_log(self):
        facts = {
            **NO_DRIVER,
            "frameworks": [
                {
                    "name": "pytorch",
                    "environment": "",
                    "version": "2.4.1",
                    "other_packages": [],
                    "plugins": [],
                    "libraries": [],
                    "asked": False,
                    "directories_before": [],
                    "directories_after": [],
                }
            ],
        }
        with tempfile.TemporaryDirectory() as place:
            pathlib.Path(place, "facts.json").write_text(json.dumps(facts))
            pathlib.Path(place, "train.log").write_text(
                "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED of user=zqwertz\n"
            )
            run = rnncheck("report", "--facts", f"{place}/facts.json", f"{place}/train.log")
        text = run.out.decode()
        self.assertEqual(run.code, 1, run.err)
        self.assertTrue(text.startswith("#"), text[:200])
        self.assertLess(len(text), 60_000)
        for word in ("2.4.1", "EXECUTION", "driver"):
            self.assertIn(word, text)
        self.assertNotIn("zqwertz", text)

    def test_help_of_a_command_and_pages(self):
        self.assertEqual(
            rnncheck("help", "matrix", "plan").out, rnncheck("matrix", "plan", "--help").out
        )
        self.assertEqual(rnncheck("help").out, rnncheck("--help").out)
        self.assertIn(b"125  ", rnncheck("help", "exit-codes").out)
        self.assertIn(b"nagios", rnncheck("help", "exit-codes").out)
        footer = (
            rnncheck("help", environment={"COLUMNS": "70", "LC_ALL": "C.UTF-8"})
            .text.partition("\nExit codes: ")[2]
            .split("\n\n")[0]
            .strip()
        )
        footer = "Exit codes: " + footer
        self.assertEqual(
            footer.splitlines(), textwrap.wrap(" ".join(footer.split()), 70, break_on_hyphens=False)
        )
        for format in json.loads(rnncheck("list", "formats", "--json").out)["items"]:
            self.assertIn(format["name"], rnncheck("help", "formats").out.decode())
        self.is_usage_error(
            rnncheck("help", "docter"), "TOPIC cannot be 'docter'", "exit-codes", "doctor"
        )
        pages = [
            rnncheck("help", page).out.decode() for page in ("environment", "exit-codes", "formats")
        ]
        for read in re.findall(
            r'environment_variable\("([A-Z_]+)"',
            "".join(path.read_text() for path in SOURCES.rglob("*.cpp")),
        ):
            self.assertTrue(
                read in pages[0] or read in ("CUDA_MODULE_LOADING", "WSL_INTEROP"), read
            )

    def test_help_is_folded_to_the_terminal_and_colours_are_forced(self):
        for columns in (40, 60, 100):
            for command in (
                ["--help"],
                ["doctor", "--help"],
                ["lstm", "--help"],
                ["matrix", "check", "--help"],
                ["help", "environment"],
            ):
                text = rnncheck(
                    *command, environment={"COLUMNS": str(columns), "LC_ALL": "C.UTF-8"}
                ).out.decode()
                long = [
                    line
                    for line in text.splitlines()
                    if len(line) > columns
                    and "rnncheck " not in line
                    and " " in line.strip()
                    and "=" not in line
                    and "|" not in line
                ]
                self.assertEqual(long, [], (command, columns))
        self.assertIn(
            b"\x1b[", rnncheck("doctor", "--look-only", environment={"CLICOLOR_FORCE": "1"}).out
        )
        for plain in ({"CLICOLOR_FORCE": "0"}, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, {}):
            self.assertNotIn(b"\x1b[", rnncheck("doctor", "--look-only", environment=plain).out)
        self.assertTrue(
            rnncheck(
                "doctor", "--look-only", "--ascii", environment={"LC_ALL": "C.UTF-8"}
            ).out.isascii()
        )
        self.assertFalse(
            rnncheck("doctor", "--look-only", environment={"LC_ALL": "C.UTF-8"}).out.isascii()
        )

    def test_every_help_has_examples_of_options_that_exist(self):
        commands = [
            item["name"].split()
            for item in json.loads(rnncheck("list", "commands", "--json").out)["items"]
        ]
        for command in commands + [
            ["matrix", name] for name in ("check", "plan", "show", "verify")
        ]:
            text = rnncheck(*command, "--help").out.decode()
            for meaning in re.findall(
                r"^  (?:-\w,)?--\S+(?: \S+)?(?: \.\.\.)?\s+(\S.*)$",
                re.sub(r"\n {20,}", "  ", text),
                re.M,
            ):
                self.assertRegex(meaning, r"^[A-Z]", command)
            examples = [
                line.strip()
                for line in text.partition("\nExamples:\n")[2].partition("\n\n")[0].splitlines()
            ]
            self.assertTrue(examples, command)
            for example in examples:
                own = example.partition(" -- ")[0]
                self.assertIn(f"rnncheck {' '.join(command)}", own)
                for option in re.findall(r"--[a-z-]+", own.partition("rnncheck ")[2]):
                    options = (
                        text
                        if option in text.partition("\nExamples:")[0]
                        else rnncheck(*own.split("rnncheck ")[1].split()[:2], "--help").out.decode()
                    )
                    self.assertRegex(options.partition("\nExamples:")[0], rf"{option}\b", example)

    def test_a_file_name_alone_chooses_the_format_by_its_ending(self):
        with tempfile.TemporaryDirectory() as place:
            for name, begin in (
                ("report.json", b"{"),
                ("report.html", b"<!DOCTYPE html>"),
                ("gate.xml", b"<?xml"),
                ("report.md", b"## rnncheck"),
            ):
                judged(NO_DRIVER, "--output", f"{place}/{name}")
                self.assertTrue(pathlib.Path(place, name).read_bytes().startswith(begin), name)

    def test_the_pages_of_rules_are_folded(self):
        for rule in ("harmless_line", "driver_too_old", "gpu_out_of_memory"):
            for line in rnncheck("explain", rule).out.decode().splitlines():
                self.assertTrue(len(line) <= 100 or "https://" in line, line)

    def test_an_option_means_the_same_in_all_commands(self):
        meanings = {}
        for command in (
            ["doctor"],
            ["diagnose"],
            ["lstm"],
            ["exec"],
            ["which"],
            ["selftest"],
            ["list"],
            ["matrix", "check"],
            ["matrix", "plan"],
            ["matrix", "show"],
        ):
            text = re.sub(r"\n {20,}", "  ", rnncheck(*command, "--help").out.decode())
            for option, meaning in re.findall(
                r"^  (?:-\w,)?(--[a-z-]+)\S*(?: \S+)?(?: \.\.\.)?  +(.*)$", text, re.M
            ):
                if option not in ("--for", "--deadline"):
                    self.assertEqual(
                        meanings.setdefault(option, meaning), meaning, (option, command)
                    )
        self.assertGreater(len(meanings), 40)

    def test_hostile_arguments_are_reported_without_control_characters(self):
        for argument in (
            b"\xff\xfe",
            b"\x1b[31m",
            b"a\nb",
            b"--\xc2\x9b5m",
            b"x" * 100_000,
            b"-",
            b"--",
            b"--=",
            b"%s%n",
        ):
            for arguments in (
                [argument],
                [b"doctor", argument],
                [b"doctor", b"--only", argument],
                [b"explain", argument],
            ):
                run = rnncheck(*arguments, b"--json")
                self.assertEqual(run.code, 2, (arguments, run.err))
                self.assertRegex(run.err, r"\A[^\x00-\x09\x0b-\x1f\x7f-\x9f]*\n\Z")
                self.assertEqual(json.loads(run.out)["error"]["kind"], "usage")

    def test_exit_codes(self):
        self.assertEqual(judged(HEALTHY_DRIVER, *ONLY).code, 0)
        self.assertEqual(judged(NO_DRIVER, *ONLY).code, 1)
        self.assertEqual(judged(NOTHING, *ONLY).code, 3)
        self.assertEqual(judged(NO_DRIVER, *ONLY, "--fail-on", "never").code, 1)
        self.assertEqual(judged(NOTHING, *ONLY, "--fail-on", "never").code, 3)
        self.assertEqual(judged(NO_DRIVER, *ONLY, "--ignore", "driver_missing").code, 0)
        self.assertEqual(judged(NO_DRIVER, *ONLY, "--allow-no-gpu").code, 0)
        self.assertEqual(
            judged(HEALTHY_DRIVER, "--skip", "driver_missing").code, judged(HEALTHY_DRIVER).code
        )

    def test_json_is_on_stdout_whatever_happens(self):
        for run, kind, code in (
            (judged(b"{", "--json"), "input", 2),
            (rnncheck("doctor", "--json", "--facts", "/nonexistent"), "input", 2),
            (rnncheck("doctor", "--format=json", "--onyl", "x"), "usage", 2),
            (rnncheck("frob", "--json"), "usage", 2),
        ):
            document = json.loads(run.out)
            self.assertEqual(
                (document["schema"], document["error"]["kind"], run.code), (1, kind, code)
            )
            self.assertIn(document["error"]["message"], run.err)
        self.assertEqual(json.loads(judged(NO_DRIVER, *ONLY, "--json").out)["verdict"], "problems")

    def test_unusable_facts_are_rejected_with_the_place(self):
        def wrong(text, *words):
            self.is_usage_error(judged(text), *words)

        wrong(b"", "standard input is empty")
        wrong(b'{"schema":1}\n\x00\x00', "byte 14")
        wrong(b'{"schema":1,"facts":{"schema":1}}', "a report of schema 1")
        wrong(b"\x00", "byte 1")
        wrong(b"[" * 10_000_000, "nested deeper")
        wrong(b'{"schema":2,"cuda_devices":[{"index":1e400}]}', "number")
        wrong(b'{"schema":2,"cuda_devices":[{"index":"0"}]}', "cuda_devices[0].index")
        wrong(b'{"schema":2,"cuda_devices":[{"name":"\xff"}]}', "is not JSON")
        wrong(
            b'{"schema":2,"host":{"environment":{"\\u001b[31m":1}}}', "host.environment.\\x1b[31m"
        )
        wrong(b'{"schema":2,"cuda_devices":', "is not JSON")
        wrong(b'{"schema":77}', "schema 77")
        wrong(b" " * (64 * 1024 * 1024 + 1), "larger than the limit of 64 MiB")
        self.is_usage_error(rnncheck("doctor", "--facts", "/"), "cannot read '/'", "directory")

    def test_unknown_fields_are_reported_and_passed_over(self):
        run = judged({**NO_DRIVER, "drivers": {}, "gpu": [1]}, *ONLY, "--json")
        self.assertEqual((run.code, run.err.count("\n")), (1, 1))
        self.assertIn(
            "standard input has fields that this rnncheck does not know and skips: facts.drivers, facts.gpu",
            run.err,
        )
        self.assertEqual(json.loads(run.out)["verdict"], "problems")
        self.assertEqual(judged(NO_DRIVER, *ONLY).err, "")
        self.assertEqual(judged({**NO_DRIVER, "drivers": {}}, *ONLY, "-q").err, "")
        self.assertIn(
            "is not understood", rnncheck("diagnose", "-", "--given=gpu=Foo", given=b"x\n").err
        )
        self.assertEqual(rnncheck("diagnose", "-", "--given=gpu=Foo", "-q", given=b"x\n").err, "")

    def test_a_probe_by_hand_answers_on_standard_output(self):
        run = rnncheck("probe", "host_system")
        self.assertEqual((run.code, json.loads(run.out.splitlines()[-1])), (0, {"done": True}))
        facts = json.dumps({"schema": 2, "libraries": []}).encode()
        self.assertEqual(rnncheck("probe", "host_system", "--facts-from", "0", given=facts).code, 0)
        broken = rnncheck("probe", "host_system", "--facts-from", "0")
        self.assertEqual((broken.code, broken.out), (2, b""))

    def test_a_probe_by_hand_shows_why_it_ends(self):
        for arguments, why in (
            (["no_such_probe"], "there is no probe 'no_such_probe'"),
            ([], "NAME"),
            (["host_system", "--facts-from", "0"], "the facts so far is empty"),
        ):
            run = rnncheck("probe", *arguments)
            self.assertEqual((run.code, run.err.count("\n")), (2, 1), run.err)
            self.assertIn(why, run.err)

    def test_through_the_dynamic_loader_no_library_is_blamed(self):
        loaders = [
            path
            for path in re.findall(rb"/[\w./-]*ld-linux[\w.-]*", pathlib.Path(PROGRAM).read_bytes())
            if os.path.exists(path)
        ]
        if not loaders:
            self.skipTest("the program names no loader that is here")
        run = Run(loaders[0], PROGRAM, "doctor", "--json")
        report = run.json()
        self.assertEqual(run.code, 3, run.err)
        self.assertEqual({probe["end"] for probe in report["facts"]["probe_runs"]}, {"not_started"})
        self.assertIn(
            "started as an argument of the dynamic loader",
            report["facts"]["tool"]["restrictions"][0],
        )
        self.assertEqual(
            [finding for finding in report["findings"] if finding["severity"] == "error"], []
        )
        self.assertIn("dynamic loader", Run(loaders[0], PROGRAM, "selftest").text)

    def test_facts_can_come_from_a_file_a_pipe_and_a_report(self):
        with tempfile.TemporaryDirectory() as directory:
            report = pathlib.Path(directory, "report.json")
            facts = pathlib.Path(directory, "facts.json")
            first = judged(
                NO_DRIVER, *ONLY, "--json", "--output", f"json={report}", "--save-facts", str(facts)
            )
            self.assertEqual(report.read_bytes(), first.out)
            self.assertEqual(
                judgement(rnncheck("doctor", "--facts", str(report), *ONLY, "--json")),
                judgement(first),
            )
            self.assertEqual(
                judgement(rnncheck("doctor", "--facts", str(facts), *ONLY, "--json")),
                judgement(first),
            )
            self.assertEqual(sorted(os.listdir(directory)), ["facts.json", "report.json"])
            os.mkfifo(directory + "/pipe")
            with subprocess.Popen(["cp", str(facts), directory + "/pipe"]):
                self.assertEqual(
                    judgement(rnncheck("doctor", "--facts", directory + "/pipe", *ONLY, "--json")),
                    judgement(first),
                )

    def test_a_report_knows_when_and_how_it_was_made(self):
        run = judged(NO_DRIVER, *ONLY, "--json", "--label", "node=gpu017", "--label", "rack=b=7")
        document = run.json()
        self.assertEqual(run.out.count(b"\n"), 1)  # NDJSON
        self.assertRegex(
            document["run_at"], r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
        )
        self.assertTrue(0 <= document["duration_ms"] < 60_000)
        self.assertEqual(document["command"], "doctor")
        self.assertIn("--json", document["options"])
        self.assertFalse([option for option in document["options"] if "label" in option])
        self.assertEqual(document["labels"], {"node": "gpu017", "rack": "b=7"})
        for label in ("node", "=x", "node=", "no de=x"):
            self.is_usage_error(rnncheck("doctor", "--label", label), "--label cannot be")
        self.is_usage_error(rnncheck("doctor", "--label", "a=1", "--label", "a=2"), "given before")

    def test_outputs_in_several_formats(self):
        with tempfile.TemporaryDirectory() as directory:
            gate, plain, summary = (
                pathlib.Path(directory, name) for name in ("gate.xml", "plain", "summary.md")
            )
            summary.write_text("before\n")
            judged(
                NO_DRIVER,
                *ONLY,
                "--output",
                f"junit={gate}",
                "--output",
                str(plain),
                "--output",
                f"markdown={summary}",
                environment={"GITHUB_STEP_SUMMARY": str(summary)},
            )
            self.assertIn("<testsuite", gate.read_text())
            self.assertTrue(plain.read_text().startswith("rnncheck 0.1.0"))
            self.assertTrue(summary.read_text().startswith("before\n## rnncheck"))

    def test_exit_style_nagios(self):
        run = judged(NO_DRIVER, *ONLY, "--exit-style", "nagios")
        self.assertEqual(run.code, 2)
        self.assertRegex(run.text, r"^RNNCHECK CRITICAL: [^|\n]* \| problems=1;;0;0 [^|\n]*\n$")
        self.assertEqual(judged(HEALTHY_DRIVER, *ONLY, "--exit-style=nagios").code, 0)
        run = judged(NO_DRIVER, *ONLY, "--exit-style=nagios", "--output", "json=/nonexistent/x")
        self.assertEqual((run.code, run.text[:17]), (3, "RNNCHECK UNKNOWN:"))
        self.assertEqual(
            judged(NO_DRIVER, *ONLY, "--exit-style=nagios", "--save-facts", "/nonexistent/x").code,
            3,
        )
        for arguments in (
            ("doctor", "--exit-style", "nagios", "--nonsense"),
            ("doctor", "--exit-style=nagios", "--facts", "/nonexistent"),
        ):
            run = rnncheck(*arguments)
            self.assertEqual((run.code, run.out[:18]), (3, b"RNNCHECK UNKNOWN: "))

    def test_a_file_that_cannot_be_written_is_reported_and_the_report_is_printed(self):
        for option, path in (
            ("--save-facts", "/nonexistent/x"),
            ("--output", "text=/nonexistent/x"),
            ("--save-facts", "/dev/full"),
        ):
            run = judged(NO_DRIVER, *ONLY, "--json", option, path)
            self.assertEqual(run.code, 2)
            self.assertIn("cannot write '" + path.removeprefix("text="), run.err)
            self.assertEqual(json.loads(run.out)["verdict"], "problems")
        run = judged(NO_DRIVER, *ONLY, "--quiet", "--output", "json=/nonexistent/x")
        self.assertEqual(run.code, 2)
        self.assertIn("cannot write '/nonexistent/x'", run.err)
        with open("/dev/full", "wb") as full:
            run = judged(NO_DRIVER, *ONLY, stdout=full)
        self.assertEqual(run.code, 2)
        self.assertIn("could not be written to standard output: No space left", run.err)

    def test_no_output_replaces_an_input_or_another_output(self):
        with tempfile.TemporaryDirectory() as directory:
            log, link, facts = (
                pathlib.Path(directory, name) for name in ("train.log", "link", "facts.json")
            )
            log.write_text("Error: x\n")
            link.symlink_to(log)
            facts.write_text(json.dumps(NO_DRIVER))
            for arguments in (
                ["diagnose", log, f"--output=text={link}"],
                [
                    "doctor",
                    "--facts",
                    facts,
                    f"--save-facts={directory}/../{facts.parent.name}/facts.json",
                ],
                ["fleet", "merge", directory, f"--output=json={facts}"],
                ["diff", facts, facts, f"--output={facts}"],
            ):
                run = rnncheck(*map(str, arguments))
                self.assertEqual(run.code, 2, run.err)
                self.assertRegex(
                    run.err, "^rnncheck: '[^']*' was not written: it is an input of this run"
                )
                self.assertNotEqual(run.out, b"")
            run = rnncheck(
                "doctor",
                "--facts",
                str(facts),
                f"--output=html={directory}/a",
                f"--output=text={directory}/./a",
            )
            self.assertIn("it is another output of this run", run.err)
            self.assertIn("<html", pathlib.Path(directory, "a").read_text())
            self.assertEqual(
                (log.read_text(), json.loads(facts.read_text())), ("Error: x\n", NO_DRIVER)
            )

    def test_a_link_to_a_file_survives_writing(self):
        with tempfile.TemporaryDirectory() as directory:
            target, link = pathlib.Path(directory, "target"), pathlib.Path(directory, "link")
            target.write_text("old" * 100_000)
            link.symlink_to(target)
            judged(NO_DRIVER, *ONLY, "--save-facts", str(link))
            self.assertTrue(link.is_symlink())
            self.assertEqual(json.loads(target.read_text())["schema"], 4)

    def test_a_closed_pipe_is_no_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        run = judged(NO_DRIVER, *ONLY, stdout=writer)
        os.close(writer)
        self.assertEqual((run.code, run.err), (1, ""))

    def test_closed_streams_upset_nothing(self):
        command = f"'{PROGRAM}' doctor --facts /dev/stdin --only driver_missing"
        for closed in (">&-", "2>&-", ">&- 2>&-"):
            done = subprocess.run(
                ["sh", "-c", f"{command} {closed}"],
                input=json.dumps(NO_DRIVER).encode(),
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self.assertEqual(done.returncode, 1, closed)
        self.assertEqual(
            subprocess.run(
                ["sh", "-c", f"'{PROGRAM}' doctor --look-only <&- >&- 2>&-"], check=False
            ).returncode,
            rnncheck("doctor", "--look-only").code,
        )

    def test_colour(self):
        self.assertIn(b"\x1b[", on_terminal(*ONLY))
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}):
            self.assertNotIn(b"\x1b[", on_terminal(*ONLY, environment=environment), environment)
            self.assertIn(
                b"\x1b[",
                on_terminal(*ONLY, "--color", "always", environment=environment),
                environment,
            )
        self.assertIn(b"\x1b[", on_terminal(*ONLY, environment={"NO_COLOR": ""}))
        self.assertNotIn(b"\x1b[", on_terminal(*ONLY, "--color=never"))
        self.assertNotIn(b"\x1b", judged(NO_DRIVER, *ONLY).out)
        self.assertIn(b"\x1b[", judged(NO_DRIVER, *ONLY, "--color", "always").out)
        self.assertNotIn(b"\x1b", judged(NO_DRIVER, *ONLY, "--json", "--color", "always").out)

    def test_what_is_printed_is_private_unless_requested(self):
        facts = {
            **NO_DRIVER,
            "host": {
                "environment": {"LD_LIBRARY_PATH": "/home/anneliese/lib:/srv/people/karlotta"},
                "pci_gpus": [],
            },
        }
        home = {"HOME": "/srv/people/karlotta", "USER": "karlotta"}
        with tempfile.TemporaryDirectory() as directory:
            for show, expected in (([], False), (["--show-private"], True)):
                saved, text = pathlib.Path(directory, "facts"), pathlib.Path(directory, "text")
                run = judged(
                    facts,
                    *ONLY,
                    "--json",
                    "--save-facts",
                    str(saved),
                    "--output",
                    f"json={text}",
                    *show,
                    environment=home,
                )
                for written in (run.out, saved.read_bytes(), text.read_bytes()):
                    self.assertEqual(b"anneliese" in written, expected)
                    self.assertEqual(b"karlotta" in written, expected)
        message = json.loads(rnncheck("doctor", "--json", "--facts", "/home/anneliese/x").out)[
            "error"
        ]["message"]
        self.assertIn("/home/USER1/x", message)

    def test_what_a_person_typed_is_shown_as_it_was_typed(self):
        report = rnncheck(
            "matrix",
            "check",
            "os=Windows 10",
            "cuda=12.4",
            "driver=535",
            environment={"USER": "Windows"},
        ).out
        self.assertIn(b"Windows 10", report)
        self.assertNotIn(b"USER1", report)

    def test_every_report_shows_how_old_its_tables_are(self):
        for arguments in (
            ["doctor", "--look-only"],
            ["diagnose", "-"],
            ["matrix", "check", "cuda=12.4"],
            ["lstm", "--cudnn", "none"],
            ["lstm", "--fit", "batch", "--cudnn", "none"],
        ):
            report = json.loads(
                rnncheck(*arguments, "--json", given=b"CUDNN_STATUS_INTERNAL_ERROR\n").out
            )
            self.assertGreaterEqual(report["tool"]["matrix_age_days"], 0, arguments)

    def test_quiet_and_verbose(self):
        self.assertEqual(judged(NO_DRIVER, *ONLY, "-q").out.count(b"\n"), 1)
        self.assertIn(b"Not evaluated", judged(NO_DRIVER, *ONLY, "-v").out)

    def test_explain_and_list(self):
        self.assertTrue(rnncheck("explain", "driver_missing").out.startswith(b"# driver_missing\n"))
        self.assertTrue(rnncheck("explain", "host_system").out.startswith(b"# host_system\n"))
        for kind in ("rules", "probes", "formats", "tables", "commands"):
            names = [
                item["name"] for item in json.loads(rnncheck("list", kind, "--json").out)["items"]
            ]
            lines = rnncheck("list", kind).out.decode().splitlines()
            self.assertEqual([line.split()[0] for line in lines], names)
            self.assertEqual(names, sorted(names))

    def test_diagnose_takes_what_is_given_beside_the_log(self):
        log = b"RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\n"
        separate = rnncheck(
            "diagnose", "-", "--given", "pytorch=2.1.0+cu121", "--given", "gpu=3090", given=log
        )
        together = rnncheck(
            "diagnose", "-", "--given", "pytorch=2.1.0+cu121", "gpu=3090", given=log
        )
        self.assertEqual((together.code, together.text), (separate.code, separate.text))
        self.is_usage_error(
            rnncheck("diagnose", "gpu=3090"), "needs a log: rnncheck diagnose train.log"
        )

    def test_a_harmless_line_is_no_cause_beside_another(self):
        log = b"WARNING:tensorflow:Layer lstm will not use cuDNN kernels since it doesn't meet the criteria.\n"
        run = rnncheck("diagnose", "-", "--json", given=log)
        rules = [one["rule"] for one in run.json()["findings"]]
        self.assertEqual(rules[0], "layer_without_cudnn")
        self.assertNotIn("harmless_line", rules)
        self.assertIn("Harmless: line 1.", rnncheck("diagnose", "-", given=log).text)

    def test_what_a_person_specifies_beside_a_log(self):
        log = b"CUDNN_STATUS_INTERNAL_ERROR\n"
        loose = (
            "gpu=GTX 1080 Ti, RTX 3090",
            "cuda=11.3 (image)",
            "framework=pytorch in Docker",
            "os=Windows 10",
        )
        run = rnncheck("diagnose", "-", "--json", *(f"--given={item}" for item in loose), given=log)
        self.assertEqual(run.err, "")
        for item, expected in (
            ("gpu=Foo", "compute capability"),
            ("colour=red", "one of the keys"),
            ("os=Plan 9", "linux, windows"),
        ):
            run = rnncheck("diagnose", "-", "--json", f"--given={item}", given=log)
            self.assertIn(f"--given {item} is not understood: ", run.err)
            stated = json.loads(run.out)["facts"]["log"]["user_hints"][0]
            self.assertIn(expected, stated["expected"])
            self.assertNotEqual(run.code, 2)
        self.assertIn(
            b"gpu=Foo (not understood",
            rnncheck("diagnose", "-", "--given", "gpu=Foo", given=log).out,
        )

    def test_saved_facts_keep_their_log(self):
        report = rnncheck("diagnose", "-", "--json", given=b"CUDNN_STATUS_INTERNAL_ERROR\n").out
        again = json.loads(
            rnncheck(
                "doctor",
                "--facts",
                "-",
                "--json",
                given=report.encode() if isinstance(report, str) else report,
            ).out
        )
        self.assertEqual(again["facts"]["log"], json.loads(report)["facts"]["log"])
        self.assertTrue(again["facts"]["log"]["events"])

    def test_a_compressed_log_is_rejected_with_what_to_do(self):
        for packed, unpack in (
            (gzip.compress(b"CUDA out of memory\n"), "gzip -dc"),
            (lzma.compress(b"x"), "xz -dc"),
        ):
            run = rnncheck("diagnose", "-", "--json", given=packed)
            self.assertEqual(run.code, 2)
            self.assertIn("standard input is compressed: unpack it first", run.err)
            self.assertIn(unpack, run.err)
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "my log.gz")
            path.write_bytes(gzip.compress(b"CUDA out of memory\n"))
            message = rnncheck("diagnose", str(path)).err
            command = message[message.index("gzip") :].strip().replace("rnncheck", PROGRAM)
            self.assertIn(
                "memory",
                subprocess.run(
                    ["bash", "-c", command], capture_output=True, text=True, check=False
                ).stdout,
            )

    def test_what_people_call_systems_and_frameworks(self):
        for item in ("os=win11", "framework=tf2.4", "framework=TF 1.15"):
            self.assertEqual(
                rnncheck(
                    "diagnose", "-", f"--given={item}", given=b"CUDNN_STATUS_INTERNAL_ERROR\n"
                ).err,
                "",
                item,
            )

    def test_a_log_beside_a_machine(self):
        with tempfile.TemporaryDirectory() as directory:
            log = pathlib.Path(directory, "train.log")
            log.write_text(
                "RuntimeError: CUDA driver version is insufficient for CUDA runtime version\n",
                encoding="utf-8",
            )
            report = json.loads(judged(NO_DRIVER, "--json", "--log", str(log)).out)
            self.assertIn("driver_too_old", [finding["rule"] for finding in report["findings"]])
            self.assertEqual(report["facts"]["log"]["lines"], 1)
            missing = judged(NO_DRIVER, "--json", "--log", str(log) + "x")
            self.assertEqual(missing.code, 2)
            self.assertIn("cannot read", missing.err)

    def test_examining_a_machine_is_quiet_on_stderr(self):
        run = rnncheck("doctor", "--json", "--look-only")
        self.assertEqual(run.err, "")
        self.assertIn("verdict", json.loads(run.out))


if __name__ == "__main__":
    unittest.main()
