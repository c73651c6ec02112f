#!/usr/bin/env python3
"""`%rnncheck` in notebooks with planted faults, executed by nbclient with a real ipykernel: the cause is shown in the cell.

usage: notebook_test.py RNNCHECK
"""

import json
import os
import pathlib
import sys
import tempfile

SYSTEM_PYTHON = "/usr/bin/python3"
try:
    import nbclient
    import nbformat
    import ipykernel  # noqa: F401
except ImportError as error:
    if sys.executable != SYSTEM_PYTHON and os.path.exists(
        SYSTEM_PYTHON
    ):  # for which a distribution has the packages
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    print(
        f"skipped: {error.name} is not installed for {sys.executable} (pip install ipykernel nbclient nbformat)"
    )
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).parents[2]
# One message of each of these causes is raised in a notebook, as the framework would raise it.
CAUSES = [
    "cpu_only_build",
    "no_gpu_visible",
    "driver_too_old",
    "cudnn_part_missing",
    "cudnn_not_installed",
    "gpu_out_of_memory",
    "gpu_arch_not_in_build",
    "cudnn_runtime_older_than_built",
    "driver_missing",
    "cudnn_mixed_sublibraries",
    "device_nodes_unreadable",
    "gpu_hidden_by_setting",
    "shared_memory_small",
    "driver_userland_kernel_mismatch",
    "nvrtc_missing",
    "lengths_on_gpu",
    "state_batch_mismatch",
    "cuda_before_fork",
    "rnn_input_other_dtype",
    "zlib_missing",
    "rnn_in_eval_backward",
    "wrong_python_environment",
    "uvm_device_node_missing",
    "gpu_fell_off_bus",
    "stub_driver_library_in_path",
    "slurm_gpu_request",
    "libdevice_missing",
    "keras_backend_not_supported",
    "legacy_cudnn_layer",
    "sequence_too_long",
]
WANTED = 20


def executed(cells, environment):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", allow_errors=True
    )
    client.execute(env={**os.environ, **environment})
    return notebook


def shown_in(cell):
    return "\n".join(
        str(output.get("data", {}).get(kind, ""))
        for output in cell.outputs
        for kind in ("text/html", "text/markdown", "text/plain")
    )


def main():
    failed = 0

    def check(holds, what):
        nonlocal failed
        failed += not holds
        print("ok    " if holds else "FAILED", what, flush=True)

    messages = {}
    for line in (ROOT / "tests/log/messages.jsonl").read_text().splitlines():
        case = json.loads(line)
        if not case["given"] and len(case["log"]) < 2000:
            messages.setdefault(case["cause"], case["log"])
    causes = (
        [cause for cause in CAUSES if cause in messages]
        + [cause for cause in messages if cause not in CAUSES]
    )[:WANTED]
    with tempfile.TemporaryDirectory() as kernels:
        environment = {
            "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "packaging/python"),
            "IPYTHONDIR": kernels,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        for cause in causes:
            cells = [
                f"def train(): raise RuntimeError({messages[cause]!r})\ntrain()",
                "%load_ext rnncheck",
                "%rnncheck",
            ]
            shown = shown_in(executed(cells, environment).cells[-1])
            check(
                f"<code>{cause}</code>" in shown and "loaded no CUDA or cuDNN library" in shown,
                f"{cause}: {shown[:300] if cause not in shown else ''}",
            )
        healthy = shown_in(
            executed(["1 + 1", "%load_ext rnncheck", "%rnncheck --look-only"], environment).cells[
                -1
            ]
        )
        check("rnncheck:" in healthy, "without an error the machine is checked")
        wrong = executed(["%load_ext rnncheck", "%rnncheck --no-such-option"], environment).cells[
            -1
        ]
        check(
            "no-such-option" in str(wrong.outputs),
            f"an unusable option is one sentence: {str(wrong.outputs)[:300]}",
        )
        with tempfile.TemporaryDirectory() as other:
            pathlib.Path(other, "python").symlink_to("/usr/bin/env")
            elsewhere = executed(
                ["%load_ext rnncheck", "%rnncheck --look-only"],
                {**environment, "PATH": other + ":" + environment["PATH"]},
            ).cells[-1]
        check("kernel is" in shown_in(elsewhere), "a terminal with another Python is named")
    print(f"{len(causes)} notebooks with faults, {failed} failed checks")
    sys.exit(1 if failed or len(causes) < WANTED else 0)


if __name__ == "__main__":
    main()
