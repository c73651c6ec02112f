"""Finds out why recurrent networks (LSTM, GRU) fail, run slowly or return incorrect results on an NVIDIA GPU.

    import rnncheck
    rnncheck.doctor()                          # this machine
    rnncheck.diagnose(text)                    # the output of a program that failed
    rnncheck.model("model.keras")              # which layers use cuDNN
    rnncheck.run(["python", "train.py"])       # a command, and why it failed

In a notebook: `%load_ext rnncheck`, then `%rnncheck` in a cell after one that failed.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any, Sequence

from .program import InputError, RnncheckError, UsageError, document_of, program
from .reports import Finding, Layer, Model, Remedy, Report, Run

__all__ = [
    "Finding",
    "InputError",
    "Layer",
    "Model",
    "Remedy",
    "Report",
    "RnncheckError",
    "Run",
    "UsageError",
    "diagnose",
    "doctor",
    "model",
    "program",
    "run",
]


def doctor(*options: str) -> Report:
    """Checks this machine. `options` are those of `rnncheck doctor`, e.g. "--no-run"."""
    return Report(document_of(["doctor", *options]))


def diagnose(text: str, **given: str) -> Report:
    """Finds the cause of a failure in a program's output. `given` is what else is known, e.g. framework="pytorch 2.4"."""
    return Report(
        document_of(
            ["diagnose", "-", *(f"--given={key}={value}" for key, value in given.items())], text
        )
    )


def model(path: str | os.PathLike[str], **given: str) -> Model:
    """Shows which recurrent layers of a model file use cuDNN."""
    return Model(
        document_of(
            ["model", os.fspath(path), *(f"--given={key}={value}" for key, value in given.items())]
        )
    )


def run(command: Sequence[str], *options: str) -> Run:
    """Runs a command and, if it fails, finds out why. `options` are those of `rnncheck run`."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "report.json")
        done = subprocess.run(
            [program(), "run", f"--output=json={path}", *options, "--", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        report = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report = Report(json.load(file))
    return Run(done.returncode, done.stdout.decode(errors="replace"), report)


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext rnncheck`."""
    from .notebook import register

    register(shell)
