"""The witness for ONNX: the placement log of ONNX Runtime's CUDA provider on a pretended GPU. Run with onnxruntime-gpu 1.23.2 and 1.31.1,
Python 3.11, gcc.

usage: python place_onnx.py CAPI_DIRECTORY...      after make_onnx.py; each is onnxruntime/capi of an unpacked wheel of onnxruntime-gpu

The provider's libraries (cudart, cuBLAS, cuDNN, …) are replaced by stubs whose functions succeed and do nothing, apart from the few that report one
GPU of compute capability 9.0. The session places its nodes, prints where, and then fails as it creates its kernels, or not: no node is run.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import corpus

LIBRARY = r"lib(?:cublas|cublasLt|cudart|cudnn|cufft|curand|cuda)\.so\.\d+"
OUT = "int f(void** p) { *p = (void*)16; return 0; }"
ALLOCATE = "int f(void** p, size_t n) { *p = malloc(n); return 0; }"
PROPERTIES = (
    'int f(char* p, int d) { memset(p, 0, 1000); strcpy(p, "pretended"); *(size_t*)(p + 288) = 16ull << 30; *(int*)(p + 308) = 32; '
    "*(int*)(p + 320) = 1024; *(int*)(p + 360) = 9; *(int*)(p + 388) = 132; return 0; }"
)
ANSWERS = {
    "cudaGetDeviceCount": "int f(int* p) { *p = 1; return 0; }",
    "cudaGetDevice": "int f(int* p) { *p = 0; return 0; }",
    # Offsets of cudaDeviceProp: totalGlobalMem 288, warpSize 308, maxThreadsPerBlock 320, major 360, minor 364, multiProcessorCount 388.
    "cudaGetDeviceProperties_v2": PROPERTIES,
    "cudaGetDeviceProperties": PROPERTIES,
    "cudaMemGetInfo": "int f(size_t* a, size_t* b) { *a = *b = 16ull << 30; return 0; }",
    "cudaRuntimeGetVersion": "int f(int* p) { *p = 13000; return 0; }",
    "cudaDriverGetVersion": "int f(int* p) { *p = 13000; return 0; }",
    "cudaDeviceGetAttribute": "int f(int* p, int a, int d) { *p = 9; return 0; }",
    "cudaGetErrorString": 'const char* f(int e) { return "none"; }',
    "cudaGetErrorName": 'const char* f(int e) { return "none"; }',
    "cudnnGetVersion": "size_t f(void) { return 91000; }",
    "cudnnGetErrorString": 'const char* f(int e) { return "none"; }',
    "cudnnDropoutGetStatesSize": "int f(void* h, size_t* p) { *p = 64; return 0; }",
    "cudnnGetRNNWeightSpaceSize": "int f(void* h, void* d, size_t* p) { *p = 4096; return 0; }",
    "__cudaRegisterFatBinary": "void* f(void* p) { static void* x; return &x; }",
    **{name: ALLOCATE for name in ("cudaMalloc", "cudaMallocHost", "cudaHostAlloc")},
    **{
        name: OUT
        for name in (
            "cudaStreamCreate",
            "cudaStreamCreateWithFlags",
            "cudaEventCreate",
            "cudaEventCreateWithFlags",
            "cublasCreate_v2",
            "cublasLtCreate",
            "cudnnCreate",
        )
    },
}


def build_stubs(provider, directory):
    text = subprocess.run(
        ["nm", "-D", "--undefined-only", provider], capture_output=True, text=True, check=True
    ).stdout
    symbols = collections.defaultdict(set)
    for name, library in re.findall(rf"([A-Za-z_]\w*)@({LIBRARY})", text):
        symbols[library].add(name)
    symbols["libcuda.so.1"].update(
        re.findall(r" U ((?:cu|cudnn|cufft|curand|cublas|nvrtc)[A-Z]\w*)$", text, re.M)
    )  # these carry no version
    for library in re.findall(
        rf"\[({LIBRARY})\]",
        subprocess.run(
            ["readelf", "-d", provider], capture_output=True, text=True, check=True
        ).stdout,
    ):
        code = "#include <stdlib.h>\n#include <string.h>\n" + "".join(
            re.sub(r"\bf\(", f"{name}(", ANSWERS.get(name, "int f(void) { return 0; }"), count=1)
            + "\n"
            for name in sorted(symbols[library])
        )
        (directory / "stub.c").write_text(code)
        (directory / "stub.map").write_text(f"{library} {{ global: *; }};\n")
        subprocess.run(
            [
                "gcc",
                "-w",
                "-shared",
                "-fPIC",
                "-o",
                directory / library,
                directory / "stub.c",
                f"-Wl,-soname,{library}",
                f"-Wl,--version-script={directory}/stub.map",
            ],
            check=True,
        )


SESSION = """
import sys, onnxruntime as o
s = o.SessionOptions()
s.log_severity_level, s.graph_optimization_level = 0, o.GraphOptimizationLevel.ORT_DISABLE_ALL
print(o.__version__, flush=True)
o.InferenceSession(sys.argv[1], s, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
"""


def placement(path, environment):
    """{node name: provider} of the whole model and its subgraphs, and the whole log."""
    ran = subprocess.run(
        [sys.executable, "-c", SESSION, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    log = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr)
    where, provider = {}, None
    for line in log.splitlines():
        if found := re.search(r"All nodes placed on \[(\w+)\]", line):
            where.setdefault("*", []).append(found[1])
        elif found := re.search(r"Node\(s\) placed on \[(\w+)\]", line):
            provider = found[1]
        elif found := re.search(r"\]   (\w+) \((.*)\)$", line):
            where[found[2]] = provider
    return where, log


def decided(placed):
    """What the placements of all versions come to."""
    if any("fails" in where for where in placed.values()):
        return "no"
    on_cuda = {where == "CUDAExecutionProvider" for where in placed.values()}
    return "depends" if len(on_cuda) == 2 else "yes" if on_cuda.pop() else "no"


rows = [json.loads(line) for line in corpus.TABLE.read_text().splitlines()]
onnx_rows = [row for row in rows if row["format"] == "onnx"]
versions = []
for row in onnx_rows:
    for layer in row["layers"]:
        layer["placed"] = {}
for capi in [pathlib.Path(argument).resolve() for argument in sys.argv[1:]]:
    stubs = pathlib.Path(tempfile.mkdtemp())
    build_stubs(capi / "libonnxruntime_providers_cuda.so", stubs)
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(stubs),
        "PYTHONPATH": str(capi.parent.parent),
    }
    for row in onnx_rows:
        where, log = placement(corpus.MODELS / row["file"], environment)
        version = log.split()[0]
        for layer in row["layers"]:
            placed = (
                where.get(layer["name"])
                or where.get("*", ["no provider, and the session fails"])[0]
            )
            broken = "Batchwise recurrent operations" in log
            layer["placed"][version] = placed + (", and the session fails" if broken else "")
    versions.append(version)
differ = 0
for row in onnx_rows:
    row["witness"] = (
        f"placement log of ONNX Runtime {' and '.join(versions)}, CUDA provider on a pretended GPU"
    )
    for layer in row["layers"]:
        if decided(layer["placed"]) != layer["cudnn"]:
            differ += 1
            print(row["file"], layer)
corpus.TABLE.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
print(f"{len(onnx_rows)} files, {differ} differ")
