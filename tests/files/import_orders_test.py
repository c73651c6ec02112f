#!/usr/bin/env python3
"""Which cuDNN two real frameworks in one process end with, in both orders of import, beside the doctor's prediction.

usage: import_orders_test.py RNNCHECK     exit code 77: RNNCHECK_ENVIRONMENTS names no environment

RNNCHECK_ENVIRONMENTS is a list of virtual environments, separated by colons, made for example with
  pip install torch==2.15.0 tensorflow==2.21.0 'jax[cuda13]' onnxruntime-gpu==1.31.1 ctranslate2==4.8.5 cupy-cuda13x
No GPU is needed: each framework is imported, then does what it does with cuDNN at the first use of a GPU. ONNX Runtime's
library needs libcuda.so.1; a directory with one, such as that of Debian's package libcuda1, belongs into LD_LIBRARY_PATH.
"""

import json
import os
import pathlib
import subprocess
import sys

ENVIRONMENTS = [
    one for one in os.environ.get("RNNCHECK_ENVIRONMENTS", "").split(":") if os.path.isdir(one)
]
if not ENVIRONMENTS:
    print("SKIPPED: RNNCHECK_ENVIRONMENTS names no environment")
    sys.exit(77)

PROGRAM = r"""
import ctypes, glob, importlib, json, os, sys

MODULES = {"pytorch": "torch"}
LIBC = ctypes.CDLL(None)


def beside(module, pattern):
    return sorted(glob.glob(os.path.join(os.path.dirname(module.__file__), pattern)))[0]


def use_pytorch(torch):
    torch.backends.cudnn.version()


def use_tensorflow(tensorflow):
    # The stub opens cuDNN at the first call of any of its functions.
    stubs = ctypes.CDLL(beside(tensorflow, "libtensorflow_framework.so.2"))
    stubs.cudnnGetVersion.restype = ctypes.c_size_t
    stubs.cudnnGetVersion()


def use_jax(jax):
    import jax_plugins
    for name in sorted(os.listdir(jax_plugins.__path__[0])):
        if name.startswith("xla_cuda"):
            plugin = importlib.import_module("jax_plugins." + name)
            plugin._load_nvidia_libraries()
            versions = importlib.import_module("jax_" + name.removeprefix("xla_") + "_plugin._versions")
            versions.cudnn_get_version()


def use_onnxruntime(onnxruntime):
    ctypes.CDLL(beside(onnxruntime, "capi/libonnxruntime_providers_shared.so"), mode=ctypes.RTLD_GLOBAL)
    ctypes.CDLL(beside(onnxruntime, "capi/libonnxruntime_providers_cuda.so"))
    ctypes.CDLL("libcudnn.so.9")  # since 1.28 by this name; before it is mapped already


class LinkMap(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def loaded(name):
    try:
        return ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return None


def file_that_answers():
    library = loaded("libcudnn.so.9") or loaded("libcudnn.so.8")
    entry = ctypes.POINTER(LinkMap)()
    LIBC.dlinfo(ctypes.c_void_p(library._handle), 2, ctypes.byref(entry))  # RTLD_DI_LINKMAP
    return os.path.normpath(entry.contents.name.decode())


names = sys.argv[1:]
modules = [importlib.import_module(MODULES.get(name, name)) for name in names]
answers = []
for name, module in zip(names, modules):
    globals()["use_" + name](module)
    answers.append(file_that_answers())
print("answers:" + json.dumps(answers))
"""


def predicted(program, environment):
    """By the two names."""
    command = [
        program,
        "doctor",
        "--look-only",
        "--json",
        "--show-private",
        "--python",
        environment,
    ]
    facts = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)[
        "facts"
    ]
    return {
        (one["first"], one["second"]): (one.get("first_cudnn"), one.get("second_cudnn"))
        for one in facts["import_orders"]
    }


def real(environment, names):
    python = str(pathlib.Path(environment) / "bin/python")
    run = subprocess.run(
        [python, "-c", PROGRAM, *names],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    for line in run.stdout.splitlines():
        if line.startswith("answers:"):
            return tuple(json.loads(line.removeprefix("answers:")))
    return f"failed: {run.stderr[-300:]}"


compared, wrong = 0, 0
for one in ENVIRONMENTS:
    for order, prediction in predicted(sys.argv[1], one).items():
        if "ctranslate2" in order:  # up to 4.6.2 its cuDNN is its own
            continue
        truth = real(one, order)
        compared += 1
        wrong += truth != prediction
        print(
            "equal" if truth == prediction else "DIFFERENT",
            *order,
            prediction,
            "" if truth == prediction else truth,
            flush=True,
        )
print(f"{compared} orders of import compared, {wrong} predicted otherwise")
sys.exit(wrong != 0 or compared == 0)
