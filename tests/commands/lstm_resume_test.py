#!/usr/bin/env python3
"""A run of `rnncheck lstm` that is killed leaves a whole document, and --resume completes it to what one run gives.

usage: lstm_resume_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY
"""

import json
import os
import pathlib
import pty
import random
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks, with_each_run  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

program, sim, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
check = Checks()
root = work / "root"
# Wrong, rejected and crashing cases, the same in every process; slow enough for files to be written on the way.
SCENARIO = {
    "sim": "gpus=3; gpu1:gru:lstm=update_exchanged; relu:bidirectional:cudnnRNNForward=fail:2000; "
    "gpu2:h48:tanh:cudnnRNNForward=segv; cudnnSetRNNDescriptor_v8=slow:50"
}
MARK = 1234.5


def started(*options, scenario=None, **how):
    return subprocess.Popen(
        [program, "lstm", "--no-shrink", f"--root={root}", *options],
        env={**os.environ, **environment_of(scenario or SCENARIO, root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **how,
    )


def ran(*options, scenario=None):
    process = started(*options, scenario=scenario)
    out, errors = process.communicate()
    return process.returncode, out.decode(), errors.decode()


def cases_of(document):
    return with_each_run(document["facts"])["rnn_runs"]


def result(document, cases=None):
    """What must be the same however often the run was cut; with these cases instead of the document's."""

    def timeless(case):
        return {key: value for key, value in case.items() if key not in ("first_ms", "repeat_ms")}

    findings = [
        (finding["rule"], finding["subject"], finding["severity"])
        for finding in document["findings"]
        if finding["layer"] != "host"
    ]
    return [
        document["verdict"],
        findings,
        document["lstm"],
        document["facts"]["rnn_request"],
        [timeless(case) for case in cases or cases_of(document)],
    ]


def tried(document):
    return [case for case in cases_of(document) if case["end"] != "skipped"]


def mark_one_tried(document):
    for run in document["facts"]["rnn_runs"]:
        if run["end"] != "skipped":
            run["limit"] = MARK
            return


def check_partial(document, whole, where):
    check.that(
        document["verdict"] in ("undetermined", "problems"),
        f"{where}: verdict {document['verdict']}",
    )
    check.that(
        document["lstm"]["complete"] is False,
        f"{where}: a run that was cut says that it is complete",
    )
    check.that(
        len(cases_of(document)) in (0, len(cases_of(whole))),
        f"{where}: {len(cases_of(document))} cases",
    )
    bad = any(case["end"] in ("incorrect", "failed", "rejected") for case in cases_of(document))
    check.that(
        bad == (document["verdict"] == "problems"),
        f"{where}: verdict {document['verdict']} with bad cases: {bad}",
    )
    check.that(
        all(
            "not" in case["result"]["text"]
            for case in cases_of(document)
            if case["end"] == "skipped"
        ),
        f"{where}: a case that was not run does not show why",
    )


def wait_for_cases(process, file, count):
    """Until the file says that so many cases were tried, or the process ends; whether it still runs."""
    while process.poll() is None:
        if file.exists() and len(tried(json.loads(file.read_text()))) >= count:
            return True
        time.sleep(0.005)
    return False


def killed_again_and_again(file, whole, chance):
    """Kills after a random number of cases until a run ends by itself; returns how often, and whether some had cases done."""
    file.unlink(missing_ok=True)
    kills, with_cases, done = 0, False, 0
    while kills < 12:
        process = started(
            *(
                ("--resume", str(file))
                if file.exists()
                else ("--level", "standard", "--save", str(file))
            )
        )
        if not wait_for_cases(process, file, done + chance.choice((0, 1, 1, 10))):
            return kills, with_cases
        process.kill()
        process.communicate()
        kills += 1
        document = json.loads(file.read_text())
        if document["lstm"]["complete"]:  # killed on its way out
            return kills, with_cases
        done = len(tried(document))
        check_partial(document, whole, f"killed after {done} cases")
        if done:
            with_cases = True
            mark_one_tried(document)
            file.write_text(json.dumps(document))
    ran("--resume", str(file))
    return kills, with_cases


def check_kills(whole):
    file, chance = work / "killed.json", random.Random(6)
    cuts = with_cases = 0
    for _ in range(4):
        kills, some = killed_again_and_again(file, whole, chance)
        cuts += kills
        document = json.loads(file.read_text())
        cases = cases_of(document)
        marked = [index for index, case in enumerate(cases) if case.get("limit") == MARK]
        check.that(bool(marked) == some, "a case that an earlier run had done was run again")
        with_cases += some
        for index in marked:
            cases[index] = cases_of(whole)[index]
        check.that(
            result(document, cases) == result(whole),
            f"after {kills} kills the result is another one",
        )
    check.that(
        cuts >= 4 and with_cases >= 2,
        f"only {cuts} kills, {with_cases} runs with cases done: nothing was shown",
    )


def check_deadline(whole):
    file = work / "deadline.json"
    code, out, _ = ran("--level", "standard", "--deadline", "0.3", "--save", str(file))
    document = json.loads(file.read_text())
    check.that(
        code
        == (
            1
            if any(
                case["end"] in ("incorrect", "failed", "rejected") for case in cases_of(document)
            )
            else 3
        )
        and document["lstm"]["complete"] is False,
        f"deadline: exit {code}",
    )
    check.that(
        "deadline passed" in file.read_text() or not cases_of(document),
        "deadline: no case says that the deadline passed",
    )
    check.that(ran("--resume", str(file))[0] == 1, "deadline: the rest was not run")
    check.that(
        result(json.loads(file.read_text())) == result(whole),
        "deadline: the completed result is another one",
    )
    kept = file.read_bytes()
    code, _, errors = ran("--resume", str(file), "--deadline", "0.001")
    check.that(
        code == 2 and "deadline passed" in errors and file.read_bytes() == kept,
        f"deadline before the machine is known: {errors}",
    )
    ran("--level", "standard", "--deadline", "0.001", "--save", str(file))
    check.that(
        ran("--resume", str(file))[0] == 1,
        "deadline before the first case: the run was not begun anew",
    )
    check.that(
        result(json.loads(file.read_text())) == result(whole),
        "deadline before the first case: another result",
    )


def check_refusals(complete):
    def rejected(words, *options, scenario=None):
        code, out, errors = ran(*options, scenario=scenario)
        check.that(code == 2 and words in errors, f"{options}: exit {code}, {errors}")

    rejected("cannot read", "--resume", str(work / "none.json"))
    other = work / "other.json"
    other.write_text('{"kind": "report"}')
    rejected(
        "is not a document of 'rnncheck lstm --save', the only one that --resume continues; a new run is",
        "--resume",
        str(other),
    )
    other.write_text(
        '{"schema": 2, "lstm": {}, "facts": {"schema": 2, "rnn_request": {}, "rnn_runs": [{"case": {"cell": "lstn"}}]}}'
    )
    rejected("rnn_runs[0].case.cell", "--resume", str(other))
    rejected("cannot be used together", "--resume", str(complete), "--level", "quick")
    rejected(
        "start a new run",
        "--resume",
        str(complete),
        scenario={"sim": SCENARIO["sim"] + " cudnn=9.18.0"},
    )
    rejected("cannot write", "--save", str(work / "no" / "directory.json"))


def check_progress():
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [program, "lstm", "--level", "thorough", "--deadline", "300", f"--root={root}"],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", **environment_of({}, root)},
    )
    os.close(terminal)
    seen = b""
    while not (b"of 825" in seen and b"case " in seen):
        try:
            some = os.read(main, 4096)
        except OSError:
            break
        if not some:
            break
        seen += some
    process.terminate()
    process.wait()
    check.that(b"of 825" in seen and b"case " in seen, f"no progress on a terminal: {seen[:200]}")


build_root(SCENARIO, root, sim)
whole_file = work / "whole.json"
code, out, errors = ran("--level", "standard", "--save", str(whole_file))
whole = json.loads(whole_file.read_text())
check.that(
    code == 1 and whole["lstm"]["complete"] is True and len(cases_of(whole)) == 3 * 63,
    f"whole: exit {code}, {whole['sentence']} {errors}",
)
check.that(
    {"ok", "incorrect", "rejected", "failed"} <= {case["end"] for case in cases_of(whole)},
    "whole: a kind of end is missing",
)
check_kills(whole)
check_deadline(whole)
check_refusals(whole_file)
check_progress()
sys.exit(check.close())
