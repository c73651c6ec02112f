#!/usr/bin/env python3
"""Whole-program runs on simulated machines: each *.json in this directory is one machine and what the doctor must say of it.

usage: run_scenarios.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY [NAME...]

A scenario starts from a healthy machine and names what differs:
  sim          settings and faults of the simulated libraries (tests/vendor_sim/README.md); {root} is the machine's root
  sims         several of them, each of which must give what is expected
  libraries    {directory: [flavours]}: which simulated libraries stand where; default base and cudnn9 in the system directory
  files        {path: text}: files to add or replace, null removes one
  environment  variables of the process
  options      options of the doctor
  windows      true, or what is expected there in place of what "expect" has: run_on_wine.py runs it, too
  gains_rights true: needs a process that may start set-user-id programs, and is passed over in one that may not
  expect       exit, verdict, sentence (a text in it), findings (the exact list of [rule, severity] or rules), contains ({rule: text in a finding}),
               runs ({gpu: {end: count or "some"}}),
               lstm ([{options of `rnncheck lstm`, exit, verdict, says: a text in its sentence, a finding, a reason or the smallest case; log: the text of
               the file for --from-log, failure: what follows for it, complains: a text of the message when there is no document,
               within_processor_s: how much time of a processor it may take}])
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks, Report  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

program, sim, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
check = Checks()


def check_findings(name, report, expected):
    found = [[finding["rule"], finding["severity"]] for finding in report.document["findings"]]
    if expected and isinstance(expected[0], str):
        found = [rule for rule, _ in found]
    check.that(
        found == expected,
        f"{name}: findings {found}, expected {expected}; messages: "
        f"{[finding['message'] for finding in report.document['findings']]}",
    )


def check_runs(name, report, expected):
    for gpu, ends in expected.items():
        runs = [run for run in report.facts["rnn_runs"] if run["gpu"] == int(gpu)]
        for end, count in ends.items():
            found = sum(run["end"] == end for run in runs)
            right = (
                found > 0
                if count == "some"
                else found == len(runs) > 0
                if count == "all"
                else found == count
            )
            check.that(
                right, f"{name}: GPU {gpu} has {found} of {len(runs)} cases {end}, expected {count}"
            )


def check_lstm(name, root, environment, expected):
    options = list(expected["options"])
    if "log" in expected:
        log = root / "train.log"
        log.write_text(expected["log"])
        options += ["--from-log", str(log)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [program, "lstm", "--json", f"--root={root}", *options],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    what = f"{name}: lstm {' '.join(expected['options'])}"
    check.that(
        seconds < expected.get("within_processor_s", seconds + 1),
        f"{what}: took {seconds:.1f} s of a processor",
    )
    check.that(
        done.returncode == expected["exit"],
        f"{what}: exit code {done.returncode}, expected {expected['exit']}; "
        f"{done.stdout[:800]} {done.stderr[:400]}",
    )
    if "complains" in expected:
        check.that(
            expected["complains"] in done.stderr.decode(),
            f"{what}: {done.stderr[:400]} does not show '{expected['complains']}'",
        )
        return
    try:
        document = json.loads(done.stdout)
    except ValueError:
        check.that(False, f"{what}: no JSON document")
        return
    check.that(
        document.get("verdict") == expected["verdict"],
        f"{what}: verdict {document.get('verdict')}: {document.get('sentence')}",
    )
    extras = document.get("lstm", {})
    replay = extras.get("log_replay", {})
    check.that(
        replay.get("failure") == expected.get("failure"), f"{what}: from the log follows {replay}"
    )
    reported = [
        document.get("sentence", ""),
        *map(str, document.get("findings", [])),
        *replay.get("sentences", []),
        str(extras.get("minimal_case")),
        *(verdict["reason"] for verdict in document.get("verdicts", [])),
    ]
    check.that(
        any(expected.get("says", "") in text for text in reported),
        f"{what}: nothing shows '{expected.get('says')}': {document.get('sentence')} {reported}",
    )


def run(path):
    scenario = json.loads(path.read_text())
    if (
        scenario.get("gains_rights")
        and "NoNewPrivs:\t1" in pathlib.Path("/proc/self/status").read_text()
    ):
        print(f"SKIPPED: {path.stem}: this process may not start set-user-id programs")
        return
    for sim_setting in scenario.get("sims", [scenario.get("sim", "")]):
        name = f"{path.stem} [{sim_setting}]" if "sims" in scenario else path.stem
        run_one(name, {**scenario, "sim": sim_setting}, work / path.stem)


def run_one(name, scenario, root):
    build_root(scenario, root, sim)
    environment = environment_of(scenario, root)
    report = Report(
        program, f"--root={root}", *scenario.get("options", []), environment=environment
    )
    expect = scenario["expect"]
    check.that(
        report.document is not None, f"{name}: no JSON document; stderr: {report.stderr[:500]}"
    )
    if report.document is None or "error" in report.document:
        check.that(False, f"{name}: {report.document}")
        return
    check.that(
        report.code == expect["exit"], f"{name}: exit code {report.code}, expected {expect['exit']}"
    )
    check.that(
        report.verdict == expect["verdict"],
        f"{name}: verdict {report.verdict}, expected {expect['verdict']}; undecided: "
        f"{[v for v in report.document['verdicts'] if v['outcome'] == 'undetermined']}",
    )
    sentence = report.document["sentence"]
    check.that(
        expect.get("sentence", "") in sentence,
        f"{name}: the sentence '{sentence}' does not show '{expect.get('sentence')}'",
    )
    check_findings(name, report, expect["findings"])
    for rule, text in expect.get("contains", {}).items():
        findings = [
            str(finding) for finding in report.document["findings"] if finding["rule"] == rule
        ]
        check.that(
            any(text in finding for finding in findings),
            f"{name}: no finding of {rule} shows '{text}': {findings}",
        )
    check_runs(name, report, expect.get("runs", {}))
    for lstm in expect.get("lstm", []):
        check_lstm(name, root, environment, lstm)
    shutil.rmtree(root, ignore_errors=True)


wanted = set(sys.argv[4:])
for path in sorted(here.glob("*.json")):
    if not wanted or path.stem in wanted:
        run(path)
sys.exit(check.close())
