"""Finds and runs the program rnncheck, which the wheel installs beside the interpreter."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, files
from typing import Any, Sequence


class RnncheckError(Exception):
    """rnncheck could not do what was requested; its own sentence is the text."""


class UsageError(RnncheckError):
    """An argument is not what rnncheck expects."""


class InputError(RnncheckError):
    """A file cannot be read, or is none that rnncheck knows."""


def program() -> str:
    """The path of the program: that of the wheel, or the first on PATH."""
    name = "rnncheck.exe" if os.name == "nt" else "rnncheck"
    try:
        found = [
            file
            for file in files("rnncheck") or []
            if file.name == name and file.parts[-2].lower() in ("bin", "scripts")
        ]
    except PackageNotFoundError:
        found = []
    path = str(found[0].locate()) if found else shutil.which(name)
    if not path:
        raise RnncheckError(
            "the program rnncheck is neither installed with this package nor on PATH; install it with pip"
        )
    return path


def document_of(arguments: Sequence[str], given: str = "") -> dict[str, Any]:
    """Runs a command of rnncheck with --json and returns its document. Raises what the document reports instead of a result."""
    done = subprocess.run(
        [program(), *arguments, "--json"],
        input=given.encode(errors="replace"),
        capture_output=True,
        check=False,
    )
    try:
        document = json.loads(done.stdout)
    except ValueError:
        raise RnncheckError(
            done.stderr.decode(errors="replace").strip()
            or f"rnncheck ended with exit code {done.returncode}"
        ) from None
    if "error" in document:
        kinds = {"usage": UsageError, "input": InputError}
        raise kinds.get(document["error"]["kind"], RnncheckError)(document["error"]["message"])
    return document
