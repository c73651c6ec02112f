#!/usr/bin/env python3
"""How well `rnncheck diagnose` names the confirmed causes of a file of labelled cases.

usage: score_cases.py RNNCHECK CASES.jsonl [--half 0|1] [--wrong] [--matrix DIR]

Each line of the file is one case: {"id", "log", "cause", "needs_env", "framework", "env": {KEY: VALUE}}. Framework and env are
given as the person's own words. `--half` takes only the cases whose id has an even (0) or odd (1) checksum, for cross-validation.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import zlib


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument(
        "--wrong", action="store_true", help="show the cases whose cause is not at index 0"
    )
    parser.add_argument("--matrix")
    return parser.parse_args()


def diagnose(options, case):
    command = [options.program, "diagnose", "-", "--json"]
    given = dict(case.get("env") or {})
    if case.get("framework"):
        given["framework"] = case["framework"]
    for key, value in given.items():
        command += ["--given", f"{key}={value}"]
    if options.matrix:
        command += ["--matrix", options.matrix]
    run = subprocess.run(command, input=case["log"].encode(), capture_output=True, check=False)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"{case['id']}: exit {run.returncode}: {run.stderr.decode()[:500]}")
    return json.loads(run.stdout)["findings"]


def rate(hits, total):
    return f"{hits}/{total} ({100 * hits / total:.1f} %)" if total else "none"


def main():
    options = arguments()
    cases = [json.loads(line) for line in options.cases.read_text().splitlines() if line.strip()]
    if options.half is not None:
        cases = [case for case in cases if zlib.crc32(case["id"].encode()) % 2 == options.half]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda case: diagnose(options, case), cases))
    counts = {kind: [0, 0, 0] for kind in ("log decides", "needs more", "all")}
    certain = certain_wrong = 0
    for case, findings in zip(cases, answers):
        causes = [finding["rule"] for finding in findings]
        first, among = causes[:1] == [case["cause"]], case["cause"] in causes[:3]
        for kind in ("needs more" if case["needs_env"] else "log decides", "all"):
            counts[kind] = [counts[kind][0] + first, counts[kind][1] + among, counts[kind][2] + 1]
        sure = [finding["rule"] for finding in findings if finding["confidence"] == "certain"]
        certain += bool(sure)
        wrong = any(rule != case["cause"] for rule in sure)
        certain_wrong += wrong
        if wrong or (options.wrong and not first):
            shown = ", ".join(
                f"{f['rule']} {f.get('weight', '')} {f['confidence']}" for f in findings[:4]
            )
            print(
                f"{case['id']}: {case['cause']}{'' if case['needs_env'] else ' (log decides)'}; stated: {shown or 'nothing'}"
            )
    for kind, (first, among, total) in counts.items():
        print(f"{kind}: index 0 {rate(first, total)}, first three {rate(among, total)}")
    print(f"certain: {certain}, of these wrong: {certain_wrong}")


main()
