#!/usr/bin/env python3
"""Behind each name and variable a file system that never responds: a report, or one sentence that names the place.

usage: hanging_fs_test.py RNNCHECK     77 where no file system of our own can be mounted
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from doctor import Checks  # noqa: E402
from hanging_fs import HangingFileSystem  # noqa: E402

PROGRAM = sys.argv[1]
DEADLINE = ["--deadline", "4"]
DOCTOR, LOOK = ["doctor", *DEADLINE], ["doctor", "--look-only", *DEADLINE]
check = Checks()
# Arguments, of which {} is a file behind the mount, or variables; and what is to come: a sentence, or a report that names the place.
NAMED = [
    *(
        [*DOCTOR, option, "{}"]
        for option in ("--log", "--profile", "--model", "--python", "--root", "--matrix")
    ),
    ["doctor", "--facts", "{}"],
    [*LOOK, "--save-facts", "{}"],
    [*LOOK, "--output", "json={}"],
    ["report", *DEADLINE, "{}"],
    ["diagnose", "{}"],
    ["model", "{}"],
    ["model", *DEADLINE, "--run", "{}"],
    ["which", "{}"],
    ["diff", "{}", "{}"],
    ["diff", "{}"],
    ["fleet", "merge", "{}"],
    ["fleet", "diff", "{}", "{}"],
    ["fleet", "merge", "--expect", "{}", __file__],
    ["matrix", "verify", "{}"],
    ["diagnose", "--matrix", "{}", __file__],
    ["lstm", *DEADLINE, "--resume", "{}"],
    ["lstm", *DEADLINE, "--from-log", "{}"],
    ["lstm", *DEADLINE, "--save", "{}"],
    ["lstm", *DEADLINE, "--svg", "{}"],
    ["exec", "--look-only", *DEADLINE, "--", "{}"],
]
REPORT, LOG = "{report}", "{log}"  # files that can be read
COMMANDS = [
    DOCTOR,
    LOOK,
    ["which", "python3"],
    ["exec", "--look-only", *DEADLINE, "--", "true"],
    ["fleet", "merge", REPORT],
    ["diff", REPORT, REPORT],
    ["model", REPORT],
    ["diagnose", LOG],
]
SET = [
    *(
        (variable, command)
        for variable in (
            "HOME",
            "TMPDIR",
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "CUDA_HOME",
            "CUDA_PATH",
            "PATH",
            "PYTHONPATH",
            "PYENV_ROOT",
            "XDG_DATA_HOME",
            "JUPYTER_PATH",
            "CUDA_MPS_PIPE_DIRECTORY",
            "RNNCHECK_PYTHON",
        )
        for command in COMMANDS
    ),
    ("TMPDIR", ["selftest"]),
    ("PATH", ["which", "no_such_program"]),
    ("PATH", ["exec", "--look-only", *DEADLINE, "--", "no_such_program"]),
    ("GITHUB_STEP_SUMMARY", [*LOOK, "--output", "json=/dev/null"]),
]
# What the command has no use for it does not touch; these show which directory they would have used.
NAMES_THE_PLACE = {
    "doctor": (
        "HOME",
        "TMPDIR",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CUDA_HOME",
        "PATH",
        "PYTHONPATH",
        "RNNCHECK_PYTHON",
    ),
    "exec": ("HOME", "TMPDIR", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "PYTHONPATH"),
    "which": ("VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "PATH", "PYTHONPATH"),
    "selftest": ("TMPDIR",),
}


def run(arguments, **variables):
    try:
        done = subprocess.run(
            [PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            env={**os.environ, **variables},
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()
    except subprocess.TimeoutExpired:
        return "hangs", "", ""


def try_argument(words, path):
    code, out, err = run([word.replace("{}", path) for word in words])
    name = " ".join(words)
    check.that(code == 2, f"{name}: exit code {code}")
    check.that(
        path in err and "does not respond" in err,
        f"{name}: the message does not name the place: {err!r}",
    )
    check.that(
        not ("--save-facts" in words or "--output" in words) or "Driver" in out,
        f"{name}: the report is lost",
    )


def try_variable(variable, words, path):
    value = f"{path}:{os.environ['PATH']}" if variable == "PATH" else path
    code, out, err = run([FILES.get(word, word) for word in words], **{variable: value})
    name = f"{variable} for {' '.join(words)}"
    check.that(
        code in (0, 1, 2, 3) or (code == 125 and words[0] == "exec"), f"{name}: exit code {code}"
    )
    check.that(out or err, f"{name}: nothing was printed")
    if variable in NAMES_THE_PLACE.get(words[0], ()):
        shown = (out + err).replace("\n", " ").replace(" ", "")
        named = path.replace(" ", "") in shown or (
            variable == "HOME" and "thefilesystemof" in shown
        )
        check.that(named, f"{name}: the place is not named: {out[-2000:]} {err}")


FILES = {}
with (
    tempfile.TemporaryDirectory(prefix="rnncheck-hanging-") as directory,
    tempfile.TemporaryDirectory() as sound,
):
    FILES[REPORT], FILES[LOG] = sound + "/report.json", sound + "/train.log"
    run([*LOOK, "--output", f"json={FILES[REPORT]}"])
    pathlib.Path(FILES[LOG]).write_text("RuntimeError: cuDNN error: CUDNN_STATUS_INTERNAL_ERROR\n")
    try:
        with (
            HangingFileSystem(directory) as mounted,
            concurrent.futures.ThreadPoolExecutor(10) as threads,
        ):
            path = mounted.directory + "/x"
            tries = [threads.submit(try_argument, words, path) for words in NAMED]
            tries += [
                threads.submit(try_variable, variable, words, path) for variable, words in SET
            ]
            for each in tries:
                each.result()
    except OSError as error:
        print(f"SKIPPED: {error}")
        sys.exit(77)
sys.exit(check.close())
