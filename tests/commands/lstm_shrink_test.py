#!/usr/bin/env python3
"""A failing case is shrunk and becomes a C++ program that shows the failure, and shows none where there is none.

usage: lstm_shrink_test.py RNNCHECK SIM_DIRECTORY WORK_DIRECTORY COMPILER     77 without the headers of CUDA 13 and cuDNN 9
"""

import json
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "support"))
from doctor import Checks  # noqa: E402
from simulated_machine import build_root, environment_of  # noqa: E402

program, sim, work, compiler = (
    sys.argv[1],
    pathlib.Path(sys.argv[2]),
    pathlib.Path(sys.argv[3]),
    sys.argv[4],
)
check = Checks()
root = work / "root"
MOST_LINES = 179
# Fault, the case it is in, and the smallest one that still shows it.
SHRUNK = [
    (
        "gru:lstm=update_exchanged",
        "--cell gru --hidden 100 --layers 3 --direction bidirectional --batch 17 --length 30",
        "incorrect",
        "--cell gru --dtype fp32 --layers 1 --input 1 --hidden 1 --length 1 --batch 1",
    ),
    (
        "lstm:cudnnRNNBackwardData_v8=dh_not_carried",
        "--training --states --projection 20 --dtype fp64",
        "incorrect",
        "--cell lstm --dtype fp32 --layers 1 --input 1 --hidden 1 --length 1 --batch 1 --training",
    ),
    (
        "h300:cudnnRNNForward=segv",
        "--hidden 300 --layers 2 --dtype fp16",
        "failed",
        "--cell lstm --dtype fp32 --layers 1 --input 1 --hidden 300 --length 1 --batch 1",
    ),
    (
        "bidirectional:fp16:cudnnRNNForward=fail:2000",
        "--direction bidirectional --dtype fp16 --lengths 9,4,4 --layout batch_major",
        "rejected",
        "--cell lstm --dtype fp16 --direction bidirectional --layers 1 --input 1 --hidden 1 --length 1 --batch 1",
    ),
]
# Faults and cases of every form that a program can take; none is shrunk.
WRITTEN = [
    (
        "lstm=gates_swapped",
        "--layers 2 --direction bidirectional --states --projection 24 --training",
    ),
    (
        "lstm=dw_gates_swapped",
        "--cell lstm --training --lengths 7,5,2 --layout sequence_major_packed",
    ),
    (
        "lstm=db_twice",
        "--cell gru --training --states --dtype fp64 --lengths 3,7,5 --layout batch_major --layers 2",
    ),
    ("lstm=dprojection_missing", "--training --projection 12 --math fma --lengths 3,7,5"),
    ("lstm=dx_column_missing", "--cell tanh --training --lengths 3,7,1 --layout batch_major"),
    ("lstm=hy_of_step_before", "--cell relu --dtype fp16 --math tensor_op --bias none"),
    ("lstm=clip_ignored", "--clip 0.05 --states --dtype fp64"),
    ("lstm=skipped_input_dropped", "--input-mode skip --input 64 --layers 2 --bias input"),
    ("lstm=bias_dropped", "--algorithm persist_dynamic --cell gru --dtype bf16"),
    (
        "lstm=nan_lane",
        "--algorithm persist_static --training --states --direction bidirectional --layers 2 --dtype fp16 --lengths 16,16,16",
    ),
]


def environment(fault):
    return {**os.environ, **environment_of({"sim": fault}, root)}


def lstm(fault, *options):
    done = subprocess.run(
        [program, "lstm", "--json", f"--root={root}", *options],
        env=environment(fault),
        capture_output=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


def ran(binary, fault):
    """With the libraries of the simulated machine, as LD_LIBRARY_PATH has them."""
    done = subprocess.run(
        [binary],
        env={
            **environment(fault),
            "LD_LIBRARY_PATH": ":".join(str(sim / part) for part in ("base", "cudnn9", "cuda13")),
        },
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def lstm_text(fault, *options):
    done = subprocess.run(
        [program, "lstm", f"--root={root}", *options],
        env=environment(fault),
        capture_output=True,
        check=False,
    )
    return done.stdout.decode(), done.stderr.decode()


def headers():
    for directory in (os.environ.get("CUDA_HOME", "") + "/include", "/usr/local/cuda/include"):
        if all(
            pathlib.Path(directory, header).exists()
            for header in ("cuda_runtime.h", "cudnn.h", "cuda_fp16.h", "cuda_bf16.h")
        ):
            return directory
    return None


def check_shrunk():
    for fault, options, end, smallest in SHRUNK:
        code, document, _ = lstm(fault, *options.split())
        found = document["lstm"].get("minimal_case", {})
        check.that(
            code == 1 and found.get("finished") is True,
            f"{fault}: exit {code}, {document.get('sentence')} {found}",
        )
        check.that(
            found.get("case", {}).get("end") == end,
            f"{fault}: the smallest case is {found.get('case', {}).get('end')}",
        )
        check.that(
            found.get("rerun_command", "").endswith("--device 0 " + smallest),
            f"{fault}: {found.get('rerun_command')}",
        )
    check.that("minimal_case" not in lstm("")[1]["lstm"], "a right case is shrunk")
    check.that(
        "minimal_case" not in lstm(SHRUNK[0][0], "--cell", "gru", "--no-shrink")[1]["lstm"],
        "--no-shrink shrinks",
    )
    code, document, _ = lstm("lstm=gates_swapped@61", "--level", "standard")
    found = document["lstm"].get("minimal_case", {})
    check.that(
        code == 1 and found.get("reproduces_alone") is False,
        f"a case that is right alone is reported as the smallest wrong one: {found}",
    )
    source = work / "alone.cpp"
    text, errors = lstm_text(
        "lstm=gates_swapped@61", "--level", "standard", "--emit-repro", str(source)
    )
    check.that(
        "it is correct when run alone" in text
        and "\n  rnncheck lstm --device 0 --level standard\n" in text,
        f"right alone: {text[-400:]}",
    )
    check.that(
        not source.exists() and "was not written" in errors,
        f"a program was written of a case that is right alone: {errors}",
    )
    kept = lstm(
        "persist_static:cudnnRNNForward=hang", "--algorithm", "persist_static", "--deadline", "1"
    )
    check.that(
        kept[0] == 3 and "minimal_case" not in kept[1]["lstm"],
        f"a case that the deadline ended counts as failed: {kept[1].get('sentence')}",
    )
    check.that(
        any(
            "in cudnnRNNForward when the time limit of the check was reached" in finding["message"]
            for finding in kept[1]["findings"]
        ),
        f"a hung case: {kept[1]['findings']}",
    )


def build(source, directory):
    binary = source.with_suffix("")
    done = subprocess.run(
        [
            compiler,
            "-std=c++17",
            "-Wall",
            "-Werror",
            str(source),
            f"-isystem{directory}",
            f"-L{sim / 'cudnn9'}",
            f"-L{sim / 'cuda13'}",
            "-lcudnn",
            "-lcudart",
            "-o",
            str(binary),
        ],
        capture_output=True,
        check=False,
    )
    check.that(
        done.returncode == 0, f"{source.name} does not compile: {done.stderr.decode()[:2000]}"
    )
    return binary


def check_source(source, name):
    text = source.read_text()
    check.that(len(text.splitlines()) <= MOST_LINES, f"{name}: {len(text.splitlines())} lines")
    check.that("@" not in text, f"{name}: a word was not filled in")
    check.that(
        "rnn/" not in text and "g++ -std=c++17" in text.split("#include")[0],
        f"{name}: no build command, or a header of ours",
    )


def check_written(directory):
    for number, (fault, options) in enumerate(WRITTEN):
        source = work / f"repro{number}.cpp"
        source.unlink(missing_ok=True)
        code, document, errors = lstm(
            fault, "--no-shrink", "--emit-repro", str(source), *options.split()
        )
        check.that(
            code == 1 and source.exists(),
            f"{fault} {options}: exit {code}, {document.get('sentence')} {errors}",
        )
        if not source.exists():
            continue
        check_source(source, fault)
        if not directory:
            continue
        binary = build(source, directory)
        code, out = ran(binary, fault)
        check.that(
            code == 1 and out.endswith("WRONG\n") and "WRONG" in out.split("\n")[0],
            f"{fault}: exit {code}, {out}",
        )
        code, out = ran(binary, "")
        check.that(code == 0 and out.endswith("OK\n"), f"{fault}, not planted: exit {code}, {out}")


def check_calls(directory):
    source = work / "rejected.cpp"
    lstm(SHRUNK[3][0], "--emit-repro", str(source), *SHRUNK[3][1].split())
    check_source(source, "rejected")
    if directory:
        code, out = ran(build(source, directory), SHRUNK[3][0])
        check.that(
            code == 2 and "cudnnRNNForward" in out and "CUDNN_STATUS_BAD_PARAM" in out,
            f"rejected: exit {code}, {out}",
        )
    nothing = work / "nothing.cpp"
    _, _, errors = lstm("", "--emit-repro", str(nothing))
    check.that(
        not nothing.exists() and "no case failed" in errors,
        "a program was written of a case that is right",
    )


build_root({}, root, sim)
directory = headers()
check_shrunk()
check_written(directory)
check_calls(directory)
failed = check.close()
if not directory and not failed:
    print("SKIPPED: the headers of CUDA and cuDNN are not here, so no program was compiled")
    sys.exit(77)
sys.exit(failed)
