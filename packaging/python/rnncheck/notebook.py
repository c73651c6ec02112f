"""`%rnncheck` in a notebook: why the last cell failed, with the libraries that the kernel itself has loaded."""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
import traceback
from typing import Any

from . import diagnose, doctor
from .program import RnncheckError
from .reports import Report, _code

_GPU_LIBRARY = re.compile(r"/lib(?:cuda|cudart|cudnn|cublas|nvrtc|nccl|nvinfer)[^/]*\.so[^/]*$")


def last_error(shell: Any) -> str:
    """The traceback of the last exception; empty without one."""
    error = getattr(sys, "last_value", None)
    if error is None:
        return ""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def loaded_libraries() -> list[str]:
    """The GPU libraries that this process has mapped."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return sorted(
                {
                    line[line.index("/") :].rstrip("\n")
                    for line in maps
                    if "/" in line and _GPU_LIBRARY.search(line.rstrip("\n"))
                }
            )
    except OSError:
        return []


def with_home_as_tilde(path: str) -> str:
    home = os.path.expanduser("~").rstrip("/")
    return "~" + path[len(home) :] if home and path.startswith(home + "/") else path


def remark_on_interpreter() -> str:
    """Empty if the first Python on PATH is of the same environment as the kernel."""
    found = shutil.which("python") or shutil.which("python3")
    if not found or os.path.dirname(os.path.abspath(found)) == os.path.dirname(
        os.path.abspath(sys.executable)
    ):
        return ""
    if os.path.realpath(found) == os.path.realpath(sys.executable):
        return ""
    return (
        f"This notebook's kernel is {with_home_as_tilde(sys.executable)}, but a terminal starts {with_home_as_tilde(found)}: what pip installs in "
        f"the terminal is not in the notebook. Install with %pip, or with {with_home_as_tilde(sys.executable)} -m pip."
    )


class Explanation:
    """What `%rnncheck` shows."""

    def __init__(self, report: Report, remarks: list[str]) -> None:
        self.report, self.remarks = report, remarks

    def __repr__(self) -> str:
        return "\n".join([repr(self.report), *self.remarks])

    def _repr_markdown_(self) -> str:
        return "\n\n".join(
            [self.report._repr_markdown_(), *(_code(remark) for remark in self.remarks)]
        )

    def _repr_html_(self) -> str:
        return self.report._repr_html_() + "".join(
            f"<p>{html.escape(remark)}</p>" for remark in self.remarks
        )


def explain(shell: Any, line: str = "") -> Explanation:
    """Of the last exception, or of this machine if nothing failed; `line` has options of `rnncheck doctor`."""
    error = last_error(shell)
    remarks = []
    if error:
        report = diagnose(error)
        machine = doctor("--no-run", *line.split())
        remarks.append(f"This machine: {machine.sentence}. After a repair, restart the kernel.")
    else:
        report = doctor(*(line.split() or ["--no-run"]))
    libraries = loaded_libraries()
    remarks.append(
        "This kernel has loaded "
        + (
            ", ".join(map(with_home_as_tilde, libraries))
            if libraries
            else "no CUDA or cuDNN library."
        )
    )
    remarks.append(remark_on_interpreter())
    return Explanation(report, [remark for remark in remarks if remark])


def register(shell: Any) -> None:
    def rnncheck(line: str) -> Explanation | None:
        try:
            return explain(shell, line)
        except RnncheckError as error:
            print(f"rnncheck: {error}", file=sys.stderr)
            return None

    shell.register_magic_function(rnncheck, magic_kind="line", magic_name="rnncheck")
