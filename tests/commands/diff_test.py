#!/usr/bin/env python3
"""`rnncheck diff` on simulated machines: what a person reads first, what counts, and the exit code.

usage: diff_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY
"""

import copy
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks, Run  # noqa: E402
from simulated_machine import SYSTEM, build_root, environment_of  # noqa: E402

program, sim, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
check = Checks()
root = work / "root"
DRIVER = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Thu Feb 22 01:44:30 UTC 2024\n"


def on(machine, *arguments):
    """A run on the simulated machine, always below the same directory."""
    return Run(program, *arguments, f"--root={root}", environment=environment_of(machine, root))


def saved(name, machine, *options):
    build_root(machine, root, sim)
    path = work / f"{name}.json"
    on(machine, "doctor", "--quiet", f"--save-facts={path}", *options)
    return path


def with_driver(version, sim_settings=""):
    return {
        "sim": f"driver={version} {sim_settings}",
        "files": {
            "/proc/driver/nvidia/version": DRIVER.format(version),
            "/sys/module/nvidia/version": version + "\n",
        },
    }


def compare(a, b, code, first_line, *also):
    done = Run(program, "diff", a, b, environment={"COLUMNS": "100"})
    first = " ".join(done.text.split("\n\n")[0].split())
    name = f"{a.stem} and {b.stem}"
    check.that(
        done.code == code, f"{name}: exit code {done.code}, expected {code}: {done.text} {done.err}"
    )
    check.that(first_line in first, f"{name}: the first line is '{first}', not '{first_line}'")
    for text in also:
        check.that(text in " ".join(done.text.split()), f"{name}: '{text}' is not in {done.text}")
    document = Run(program, "diff", a, b, "--json").json()
    check.that(
        document["sentence"] in first, f"{name}: JSON has the sentence '{document['sentence']}'"
    )
    return document


def changed(path, name, change):
    facts = json.loads(path.read_text())
    change(facts)
    other = work / f"{name}.json"
    other.write_text(json.dumps(facts))
    return other


def as_on_another_day(facts):
    """What no two runs on a machine have in common."""
    for run in facts["probe_runs"]:
        run["elapsed_ms"] *= 3
    for board in facts["nvml_devices"]:
        board.update(
            memory_free_mib=20017,
            throttle_reasons=["sw_power_cap"],
            processes=[{"pid": 4711, "memory_mib": 5}],
        )

    for run in facts["rnn_runs"]:
        run.update(first_ms=run["first_ms"] * 9, repeat_ms=run["repeat_ms"] * 1.5)
    facts["host"]["environment"]["SLURM_JOB_ID"] = "815"


def of_a_colleague(facts):
    """The same in another home directory, in another slot."""
    text = (
        json.dumps(facts)
        .replace("0000:01:00.0", "0000:41:00.0")
        .replace("GPU-UUID-1", "GPU-12345678-1111-2222-3333-444444444444")
    )
    facts.update(json.loads(text))
    for library in facts["libraries"]:
        library["path"] = "/home/somebody" + library["path"]
    facts["cudnns"][0]["library"] = "/home/somebody" + facts["cudnns"][0]["library"]
    facts["runtimes"][0]["library"] = "/home/somebody" + facts["runtimes"][0]["library"]


healthy = saved("healthy", {})
compare(healthy, saved("again", {}), 0, "nothing that matters differs")
same = compare(
    healthy, changed(healthy, "another day", as_on_another_day), 0, "nothing that matters differs"
)
check.that(
    same["differences"] == [] and same["unknown"] == [] and same["outcome"] == "same",
    f"noise counts: {same}",
)
compare(healthy, changed(healthy, "colleague", of_a_colleague), 0, "nothing that matters differs")

lacking = saved("without adv", {"remove": [SYSTEM + "/libcudnn_adv.so.9"]})
document = compare(
    healthy,
    lacking,
    1,
    "only B has the problem: A cuDNN library is missing; libcudnn_adv.so.9 is present in A, absent in B",
)
check.that(
    [finding["rule"] for finding in document["only_in_second"]] == ["cudnn_part_missing"],
    f"findings: {document['only_in_second']}",
)
check.that(
    {
        "layer": "cudnn",
        "what": "libcudnn_adv.so.9",
        "facts": ["libraries[libcudnn_adv.so.9]"],
        "first": "present",
        "second": "absent",
        "significant": True,
    }
    in document["differences"],
    f"differences: {document['differences']}",
)
check.that(
    any(
        unknown["facts"] == ["rnn_runs[0].cases"] and "second" not in unknown
        for unknown in document["unknown"]
    ),
    f"unknown: {document['unknown']}",
)
for name in ("github", "html", "json", "junit", "markdown", "nagios", "prometheus", "text"):
    done = Run(
        program, "diff", healthy, lacking, "--format", name, "--output", f"junit={work}/diff.xml"
    )
    check.that(
        done.code == 1 and ("libcudnn_adv.so.9" in done.text or "cudnn_part_missing" in done.text),
        f"diff as {name}: {done.code} {done.text[:300]}",
    )
    failed = re.findall(r'name="([a-z_]+)" time="0"><failure', (work / "diff.xml").read_text())
    check.that(failed == ["verdict", "cudnn_part_missing", "cudnn"], f"JUnit: {failed}")
done = Run(program, "diff", healthy, lacking, "--format", "csv")
check.that(
    '"difference","cudnn","libcudnn_adv.so.9","present","absent","yes"' in done.text,
    f"diff as CSV: {done.text}",
)
for name, wanted in (
    ("github", "::warning title=cudnn::"),
    ("prometheus", 'rnncheck_finding{rule="cudnn",severity="warning",gpu=""} 1'),
    ("nagios", "warnings=1;"),
    ("markdown", "### Comparison, from A to B"),
    ("html", "<h2>Comparison, from A to B</h2>"),
):
    check.that(
        wanted in Run(program, "diff", healthy, lacking, "--format", name).text,
        f"diff as {name} lacks {wanted}",
    )
compare(lacking, healthy, 1, "only A has the problem: A cuDNN library is missing")
older = saved("cudnn 8", {"libraries": {SYSTEM: ["base", "cudnn8"]}})
compare(
    healthy, older, 1, "the findings are the same, but cuDNN version is 9.19.0 in A, 8.9.7 in B"
)
compare(
    older,
    changed(
        lacking,
        "lacking, with a path",
        lambda facts: facts["host"]["environment"].update(LD_LIBRARY_PATH="/opt/lib"),
    ),
    1,
    "only B has the problem: A cuDNN library is missing; cuDNN version is 8.9.7 in A, 9.19.0 in B",
)
compare(
    healthy,
    changed(
        older,
        "older, with a path",
        lambda facts: facts["host"]["environment"].update(LD_LIBRARY_PATH="/opt/lib"),
    ),
    1,
    "but cuDNN version is",
)

OTHER = "/opt/cudnn8/lib"
chosen = saved(
    "another cuDNN by LD_LIBRARY_PATH",
    {
        "libraries": {SYSTEM: ["base"], OTHER: ["cudnn8"]},
        "environment": {"LD_LIBRARY_PATH": f"{OTHER}:{root}{OTHER}:{root}{SYSTEM}"},
    },
)
compare(
    healthy,
    chosen,
    1,
    "the findings are the same, but variable LD_LIBRARY_PATH is ",
    f"{OTHER}:",
    ", so cuDNN version is 9.19.0 in A, 8.9.7 in B",
)

updated = saved("new driver", with_driver("570.86.10", "cuda=12.8"))
compare(
    healthy,
    updated,
    1,
    "the findings are the same, but driver kernel version is 550.54.14 in A, 570.86.10 in B",
    "driver CUDA version: 12.4 -> 12.8",
)
broken = saved(
    "update without reboot", with_driver("535.104.05", "cuInit=fail:803; nvmlInit_v2=fail:18")
)
compare(
    healthy,
    broken,
    1,
    "only B has the problem: The driver's libraries and kernel module are of different versions",
)
compare(healthy, broken, 1, "driver kernel version is 550.54.14 in A, 535.104.05 in B")

compare(
    lacking,
    broken,
    1,
    "B has the problem: The driver's libraries and kernel module are of different versions",
    "A has another: A cuDNN library is missing",
)
unloaded = changed(
    healthy,
    "unloaded",
    lambda facts: facts["driver"].update(module_loaded=False, kernel_version=None),
)
compare(healthy, unloaded, 1, "driver module loaded: true in A, false in B")
first = changed(
    healthy, "first boot", lambda facts: facts["host"].update(boot_id_hash="0123456789abcdef")
)
second = changed(
    healthy, "second boot", lambda facts: facts["host"].update(boot_id_hash="fedcba9876543210")
)
compare(first, second, 0, "nothing that matters differs")
newer = changed(second, "newer kernel", lambda facts: facts["host"].update(kernel="9.9.9"))
places = [one["facts"][0] for one in compare(first, newer, 1, "kernel is")["differences"]]
check.that(
    places[-1] == "host.boot_id_hash" and len(places) > 1, f"what matters comes first: {places}"
)
comparison = work / "comparison.json"
Run(program, "diff", healthy, broken, f"--output=json={comparison}")
done = Run(program, "doctor", "--facts", comparison)
check.that(
    done.code == 2
    and "is the result of 'rnncheck diff' and contains no facts of a machine"
    in " ".join(done.err.split()),
    f"a comparison as facts: {done.err}",
)

cards = saved("four cards", {"sim": "gpus=4"})
compare(
    cards,
    saved("bad card", {"sim": "gpus=4; gpu2:cudnnRNNForward=gates_swapped"}),
    1,
    "only B has the problem: Recurrent networks return incorrect results on GPU 2",
    "no difference in versions or settings explains it",
    "GPU 2 results: 24 ok -> 24 WRONG",
)
compare(
    cards,
    saved("other bits", {"sim": "gpus=4; gpu2:lstm=other_bits"}),
    1,
    "only B has the warning:",
    "GPU 2 numbers: bits",
)
compare(healthy, cards, 1, "GPUs 1, 2 and 3 are absent in A, present in B")

looked = saved("looked only", {}, "--look-only")
document = compare(healthy, looked, 3, "unknown on one side", "unknown in B: GPU 0, ")
check.that(
    document["differences"] == [] and document["outcome"] == "undetermined",
    f"unknown counts as different: {document['differences']}",
)

# One file and this machine.
build_root({}, root, sim)
done = on({}, "diff", healthy)
check.that(
    done.code == 0 and "nothing that matters differs" in done.text and "this machine" in done.text,
    f"this machine: {done.code} {done.text}",
)
done = on({}, "diff", looked)
check.that(
    done.code == 0, f"this machine is examined further than the other was: {done.code} {done.text}"
)
done = on({"sim": "gpus=2"}, "diff", healthy)
check.that(
    done.code == 1 and "GPU 1 is absent in A, present in B" in " ".join(done.text.split()),
    f"another GPU: {done.code} {done.text}",
)

# Unusable input.
for arguments in (
    [work / "nothing.json"],
    [healthy, here / "diff_test.py"],
    [],
    [healthy, healthy, healthy],
):
    check.that(Run(program, "diff", *arguments).code == 2, f"{arguments} are taken")
sys.exit(check.close())
