#!/usr/bin/env python3
"""A fleet of 12 equal machines, of which one is changed: `rnncheck fleet merge` names that one and no other, 200 times.

usage: one_node_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY
"""

import copy
import json
import pathlib
import random
import re
import shutil
import sys

here = pathlib.Path(__file__).parent
sys.path[:0] = [str(here), str(here.parent / "support")]
import reports  # noqa: E402
from doctor import Checks, Run  # noqa: E402

program, sim, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
NODES = [f"gpu{number:03d}" for number in range(1, 13)]
ROUNDS = 200

check = Checks()
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
healthy = reports.real_report(program, sim, work / "two_gpus", gpus=2)
with_one_gpu = reports.real_report(program, sim, work / "one_gpu", gpus=1)


def change_driver(report, chosen):
    report["facts"]["driver"]["kernel_version"] = chosen.choice(
        ["535.183.01", "570.26", "580.95.05"]
    )


def change_cudnn(report, chosen):
    report["facts"]["cudnns"][0]["version"] = chosen.choice(["8.9.7", "9.1.0", "9.10.2"])


def add_library(report, chosen):
    path = chosen.choice(["/usr/lib", "/opt/old/lib64"]) + "/libcudnn.so.8"
    report["facts"]["libraries"].append({"soname": "libcudnn.so.8", "path": path, "kind": "cudnn"})


def change_setting(report, chosen):
    report["facts"]["nvml_devices"][chosen.randrange(2)]["persistence"] = False


def change_system(report, chosen):
    report["facts"]["host"]["os"] = chosen.choice(
        ["Rocky Linux 9.4", "Debian GNU/Linux 13 (trixie)"]
    )


def change_result(report, chosen):
    chosen.choice(report["facts"]["rnn_runs"])["digest"] = "00deadbe00deadbe"


def add_problem(report, chosen):
    report["verdict"] = "problems"
    report["findings"] = [
        {
            "rule": "rnn_result_wrong",
            "title": "Incorrect results",
            "severity": "error",
            "subject": "",
        }
    ]


CHANGES = [
    change_driver,
    change_cudnn,
    add_library,
    change_setting,
    change_system,
    change_result,
    add_problem,
]
KINDS = ["lost_gpu", "missing", "damaged", *CHANGES]


def report_of(name, report):
    report = copy.deepcopy(report)
    report["labels"] = {"node": name}
    return report


def fleet_with(kind, changed, chosen):
    """The text of each node's report; a missing node has none."""
    texts = {}
    for name in NODES:
        report = report_of(name, healthy)
        if name == changed and kind == "missing":
            continue
        if name == changed and kind == "lost_gpu":
            report = report_of(name, with_one_gpu)
        if name == changed and callable(kind):
            kind(report, chosen)
        text = json.dumps(report)
        texts[name] = (
            text[: chosen.randrange(1, len(text) - 1)]
            if name == changed and kind == "damaged"
            else text
        )
    return texts


def names_in(document):
    """Every node that the document names, in an abbreviated set too."""
    named = set()
    lists = [document[key] for key in ("differing", "with_problems", "undetermined", "missing")]
    lists += [
        reports["nodes"]
        for key in ("problems", "warnings", "unreadable")
        for reports in document[key]
    ]
    for nodes in lists:
        named |= set(re.findall(r"gpu\d{3}", nodes))
        check.that("[" not in nodes, f"more than one node is named: {nodes}")
    return named


chosen = random.Random(20261127)
for number in range(ROUNDS):
    kind, changed = KINDS[number % len(KINDS)], chosen.choice(NODES)
    word = kind if isinstance(kind, str) else kind.__name__
    directory = work / "reports"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, text in fleet_with(kind, changed, chosen).items():
        (directory / f"{name}.json").write_text(text)
    done = Run(
        program,
        "fleet",
        "merge",
        directory,
        "--nodes",
        "gpu[001-012]",
        "--fail-on",
        "warning",
        "--json",
    )
    document = done.json()
    check.that(names_in(document) == {changed}, f"{word} on {changed}: {document['sentence']}")
    check.that(done.code in (1, 3, 4), f"{word} on {changed}: exit {done.code}")
    check.that("alike" not in document["sentence"], f"{word} on {changed}: {document['sentence']}")

text = Run(program, "fleet", "merge", directory).out.decode()
shown = re.search(r"^More: (rnncheck fleet show (\S+) (\S+))$", text, re.M)
check.that(
    shown and shown[2] == changed and shown[3].endswith("reports"),
    f"the next command: {text[-200:]}",
)

unknown_node = Run(program, "fleet", "show", "gpu99", directory)
check.that(
    unknown_node.code == 2 and "the reports are of gpu[001-" in unknown_node.err,
    f"unknown node: {unknown_node.err}",
)
unknown_label = Run(program, "fleet", "merge", directory, "--group-by", "rack")
check.that(
    unknown_label.code == 2 and "no report has a label 'rack'" in unknown_label.err,
    f"unknown label: {unknown_label.err}",
)

sys.exit(check.close())
