#!/usr/bin/env python3
"""`rnncheck fleet`: planted nodes are named and no others, in every form in which reports arrive; nothing unreadable is left out silently.

usage: fleet_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY
"""

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
check = Checks()
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
report = reports.real_report(program, sim, work / "machine")
nodes = list(reports.fleet(report, 200, 14))
texts = {name: text for name, _, text in nodes}
planted = {kind: sorted(name for name, k, _ in nodes if k == kind) for kind in reports.KINDS}


def names(nodeset):
    found = []
    for before, ranges, plain in re.findall(r"([^,\[\]]+)\[([^\]]*)\]|([^,\[\]]+)", nodeset):
        if plain:
            found.append(plain)
        for part in ranges.split(",") if ranges else []:
            first, _, last = part.partition("-")
            found += [
                before + str(n).zfill(len(first)) for n in range(int(first), int(last or first) + 1)
            ]
    return sorted(found)


def write(directory, chosen):
    directory.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        (directory / f"{name}.json").write_text(texts[name])
    return directory


def merge(*arguments, command="merge", **how):
    done = Run(program, "fleet", command, *arguments, "--json", **how)
    check.that(done.out and isinstance(done.json(), dict), f"{arguments}: no document: {done.err}")
    return done.code, done.json()


everything = write(work / "all", texts)
code, fleet = merge(everything)
differing = {
    field["fact"]: names(value["nodes"])
    for group in fleet["groups"]
    for field in group["differences"]
    for value in field["values"]
    if value["differs"]
}
check.that(
    code == 1
    and fleet["outcome"] == "problems"
    and fleet["read"] == 200
    and len(fleet["groups"]) == 1,
    f"{code}: {fleet['sentence']}",
)
check.that(
    names(fleet["with_problems"]) == planted["problem"],
    f"problems: {fleet['with_problems']}, planted {planted['problem']}",
)
check.that(
    names(fleet["differing"])
    == sorted(sum((planted[kind] for kind in reports.KINDS if kind != "problem"), [])),
    f"odd: {fleet['differing']}, planted {planted}",
)
for kind, fact in (
    ("driver", "driver.kernel_version"),
    ("cudnn", "cudnns[libcudnn.so.9].version"),
    ("slow", "rnn_tests[].time_ms"),
    ("persistence", "nvml_devices[].persistence"),
    ("extra_library", "libraries[libcudnn.so.8]"),
):
    check.that(
        differing.get(fact) == planted[kind],
        f"{kind}: {differing.get(fact)}, planted {planted[kind]}",
    )
bits = [field for field in differing if field.endswith(".digest")]
check.that(len(bits) == 1 and differing[bits[0]] == planted["bits"], f"bits: {bits}")
check.that("GPU 5" in json.dumps(fleet), "the GPU with other bits is not named")

# The same reports in other forms.
lines = work / "all.ndjson"
lines.write_text("\n".join(texts.values()))
indented = work / "indented.json"
indented.write_text("\n".join(json.dumps(json.loads(text), indent=2) for text in texts.values()))
as_before = {key: fleet[key] for key in ("differing", "with_problems", "groups", "sentence")}
for what, done in (
    ("one a line", merge(lines)),
    ("indented", merge(indented)),
    ("standard input", merge("-", given=lines.read_bytes())),
):
    check.that(
        {key: done[1][key] for key in as_before} == as_before, f"{what}: {done[1]['sentence']}"
    )

# Few nodes, other references, missing and repeated ones.
healthy = [name for name, kind, _ in nodes if not kind]
two = write(work / "two", healthy[:1] + planted["driver"][:1])
code, fleet = merge(two)
check.that(
    code == 0
    and not fleet["differing"]
    and fleet["groups"][0]["differences"][0]["agreement"] == "no_majority",
    f"two nodes: {fleet['sentence']}",
)
other_texts = json.loads(
    texts[planted["driver"][0]]
)  # one value that sorts before that of the other node, one behind it
other_texts["facts"]["host"].update(kernel="0", libc="zzz")
(work / "two" / f"{planted['driver'][0]}.json").write_text(json.dumps(other_texts))
values = [
    [value["nodes"] for value in field["values"]]
    for field in merge(two)[1]["groups"][0]["differences"]
]
check.that(
    len(values) == 3 and all(one == values[0] for one in values),
    f"two nodes in one order, whatever the values: {values}",
)
code, fleet = merge(two, "--expect", two / f"{healthy[0]}.json")
check.that(names(fleet["differing"]) == planted["driver"][:1], f"--expect: {fleet['differing']}")
code, fleet = merge(two, "--expect", two / f"{planted['driver'][0]}.json")
check.that(names(fleet["differing"]) == healthy[:1], f"--expect of the odd one: {fleet['differing']}")
code, fleet = merge(
    write(work / "alike", healthy[:20]), "--nodes", f"{healthy[0]},{healthy[1]},login[1-2]"
)
check.that(
    code == 3
    and fleet["outcome"] == "incomplete"
    and names(fleet["missing"]) == ["login1", "login2"],
    f"missing: {code}, {fleet['missing']}",
)
code, fleet = merge(work / "alike")
check.that(code == 0 and fleet["outcome"] == "alike", f"alike: {code}, {fleet['sentence']}")
later = json.loads(texts[healthy[0]])
later.update(
    run_at="2026-11-24T00:00:00Z",
    verdict="problems",
    findings=[{"rule": "rnn_slow", "severity": "error", "subject": ""}],
)
(work / "alike" / "again.json").write_text(json.dumps(later))
code, fleet = merge(work / "alike")
check.that(
    code == 1 and fleet["repeated"] == 1 and names(fleet["with_problems"]) == [healthy[0]],
    f"the later report counts: {fleet['sentence']}",
)
half = write(work / "kinds", healthy[:10])
for name in healthy[10:14]:
    second = json.loads(texts[name])
    second["facts"]["driver"]["kernel_version"] = "535.183.01"
    (half / f"{name}.json").write_text(json.dumps(second))
code, fleet = merge(half)
check.that(
    not fleet["differing"]
    and names(fleet["groups"][0]["differences"][0]["values"][1]["nodes"]) == healthy[10:14],
    f"a second kind of machine: {fleet['differing']}",
)

# show and diff
code, one = merge(planted["cudnn"][0], everything, command="show")
facts = [field["fact"] for group in one["groups"] for field in group["differences"]]
check.that(facts == ["cudnns[libcudnn.so.9].version"], f"show: {facts}")
check.that(
    code == 0 and one["sentence"] == planted["cudnn"][0] + ": 1 difference from the others",
    f"show: {code} {one['sentence']}",
)
check.that(Run(program, "fleet", "show", "nobody", everything).code == 2, "a node without report")
updated = work / "updated"
for name in healthy[:20]:
    node = json.loads(texts[name])
    node["facts"]["driver"]["kernel_version"] = "560.35.03"
    updated.mkdir(exist_ok=True)
    (updated / f"{name}.json").write_text(json.dumps(node))
(updated / f"{healthy[0]}.json").unlink()
(work / "alike" / "again.json").unlink()
code, diff = merge(work / "alike", updated, command="diff")
check.that(
    code == 1
    and [(c["what"], c["from"], c["to"], c["count"]) for c in diff["changes"]]
    == [("driver kernel version", "550.54.14", "560.35.03", 19)]
    and diff["removed"] == healthy[0]
    and diff["sentence"] == "19 nodes compared: 1 change, 1 only in the first"
    and diff["tool"]["matrix_date"],
    f"diff: {diff['changes'][:3]} {diff['removed']}",
)
worse = json.loads((updated / f"{healthy[1]}.json").read_text())
worse.update(
    verdict="warnings", findings=[{"rule": "rnn_slow", "severity": "warning", "subject": ""}]
)
worse["facts"]["libraries"] = [
    one for one in worse["facts"]["libraries"] if not one["path"].endswith("/libcudnn_adv.so.9")
]
changed = write(work / "changed", [healthy[2]])
(changed / f"{healthy[1]}.json").write_text(json.dumps(worse))
(changed / f"{healthy[2]}.json").write_text((updated / f"{healthy[2]}.json").read_text())
code, diff = merge(updated, changed, command="diff")
check.that(
    [(c["what"], c["from"], c["to"], c["nodes"]) for c in diff["findings"] + diff["changes"]]
    == [
        ("warning rnn_slow", "absent", "present", healthy[1]),
        ("libcudnn_adv.so.9", "present", "absent", healthy[1]),
    ],
    f"diff: {diff['findings']} {diff['changes']}",
)
code, fleet = merge(changed)
check.that(
    code == 0
    and fleet["outcome"] == "warnings"
    and not fleet["undetermined"]
    and fleet["warnings"][0]["what"] == "rnn_slow",
    f"warnings: {code} {fleet['sentence']}",
)
code, diff = merge(updated, updated, command="diff")
check.that(code == 0 and not diff["changes"], f"nothing changed: {diff}")

# Damaged, hostile and foreign documents: each is counted, none is fatal.
bad = write(work / "bad", healthy[:5])
cut = texts[healthy[6]]
odd_ones = {
    "cut": cut[: len(cut) // 2],
    "text": "no JSON",
    "empty": "",
    "array": "[1,2]",
    "other": '{"schema": 1, "facts": {}}',
    "old": cut.replace('"facts":{', '"facts":{"x":1,', 1).replace('"schema":4', '"schema":1'),
    "deep": "[" * 100000,
    "nul": '{"facts"\0: 1}',
    "deep_facts": '{"facts": {"schema": 3, "host": ' + '{"a":' * 5000 + "1" + "}" * 5000 + "}}",
}
for name, text in odd_ones.items():
    (bad / f"{name}.json").write_text(text)
code, fleet = merge(bad)
unreadable = sum(part["count"] for part in fleet["unreadable"])
check.that(
    code == 3
    and fleet["read"] + unreadable == 5 + len(odd_ones)
    and unreadable >= len(odd_ones) - 2,
    f"unreadable: {code} {unreadable} {fleet['unreadable']}",
)
text = texts[healthy[6]]
assert text.count('"schema":4') == 2  # of the report, and of its facts
for where, unknown in (
    ("its facts", text.replace('"schema":4', '"schema":5', 1)),
    ("a report", text[::-1].replace('"schema":4'[::-1], '"schema":5'[::-1], 1)[::-1]),
):
    (work / "unknown.json").write_text(unknown)
    found = Run(program, "fleet", "merge", work / "unknown.json", "--json").json()["unreadable"]
    check.that(
        f"{where} of schema 5 cannot be compared by this rnncheck (it compares schema 2 to 4)"
        in str(found),
        f"schema of {where}: {found}",
    )
chosen = random.Random(7)
for round_number in range(150):
    text = bytearray(texts[chosen.choice(healthy)].encode())
    for _ in range(chosen.randrange(1, 30)):
        at = chosen.randrange(len(text))
        text[at : at + chosen.randrange(3)] = chosen.choice(
            [b"", b"{", b"]", b'"', b"\\u0000", b"9e99", b"null", b"-", b"\xff"]
        )
    (work / "mutated.ndjson").write_bytes(b"\n".join([bytes(text)] * 3))
    done = Run(program, "fleet", "merge", work / "mutated.ndjson", "--json")
    check.that(
        done.code in (0, 1, 3) and done.json()["read"] >= 0,
        f"mutated {round_number}: {done.code} {done.err[:200]}",
    )
for arguments in (
    ["merge", work / "nothing"],
    ["merge", work / "machine"],
    ["merge", everything, "--nodes", "gpu[2-1]"],
    ["merge"],
    ["diff", everything],
    ["merge", everything, "--name", "x"],
):
    done = Run(program, "fleet", *arguments)
    check.that(
        done.code == 2 and done.err.count("rnncheck: ") == 1, f"{arguments}: {done.code} {done.err}"
    )
for format_name in ("text", "markdown", "html", "prometheus", "junit", "csv", "github", "nagios"):
    done = Run(program, "fleet", "merge", everything, "--format", format_name)
    check.that(
        done.code == 1 and (b"gpu[" in done.out or format_name in ("nagios", "prometheus")),
        f"{format_name}: {done.code} {done.err}",
    )
    check.that("compatibility data of ," not in done.text, f"{format_name} tells an empty date")
    if format_name in ("text", "markdown", "html"):
        check.that(
            "Recurrent networks return incorrect results" in " ".join(done.text.split()),
            f"{format_name} does not show what the problem is",
        )
    check.that(
        format_name != "csv" or '"","error","rnn_result_wrong","gpu' in done.text,
        f"csv has no problems: {done.text[:300]}",
    )
sys.exit(check.close())
