#!/usr/bin/env bash
# What surprises: libtensorflow_framework.so.2 can be used as cuDNN. It exports 275 functions named cudnn..., 1027 of cuBLAS and 399 of the
#   CUDA runtime, and its run path, 668 entries of which 18 differ, finds the wheel of cuDNN. No line of TensorFlow has to run.
# Versions: tensorflow 2.21.0 with nvidia-cudnn-cu12 9.28.0.42.
# Behaviour: opened with ctypes from an empty Python, cudnnGetVersion of that file returns the wheel's version and cudnnCreateRNNDescriptor
#   works; libcudnn.so.9 is mapped by the call, not before. The run path is 20,297 bytes long and names the same directories up to 55 times.
# Why it matters: a library that finds cudnnCreate by searching the process, as dlsym(RTLD_DEFAULT, ...) does, gets TensorFlow's when it is
#   in the global scope. Whoever looks for "the" cuDNN of a process finds two files that export the same names. Tools that bound the length of
#   a run path call the file damaged.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m pip download -q --no-deps --no-cache-dir -d "$work" --only-binary :all: --python-version 3.12 tensorflow==2.21.0 nvidia-cudnn-cu12==9.28.0.42
unzip -q "$work"/tensorflow-*.whl tensorflow/libtensorflow_framework.so.2 -d "$work/site-packages"
unzip -q "$work"/nvidia_cudnn*.whl 'nvidia/cudnn/lib/*' -x '*engines*' -d "$work/site-packages"
rm "$work"/*.whl
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir pyelftools==0.32

"$work/venv/bin/python" - "$work/site-packages/tensorflow/libtensorflow_framework.so.2" > "$work/seen" 2> "$work/stderr" <<'PY'
import collections, ctypes as c, sys
from elftools.elf.elffile import ELFFile

with open(sys.argv[1], "rb") as file:
    elf = ELFFile(file)
    [path] = [tag.runpath for tag in elf.get_section_by_name(".dynamic").iter_tags() if tag.entry.d_tag == "DT_RUNPATH"]
    exported = [symbol.name for symbol in elf.get_section_by_name(".dynsym").iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"]
times = collections.Counter(path.split(":"))
print(f"run path: {len(path)} bytes, {times.total()} entries, {len(times)} differ, $ORIGIN/../../nvidia/cudnn/lib {times['$ORIGIN/../../nvidia/cudnn/lib']} times")
print("exported:", {prefix: sum(name.startswith(prefix) for name in exported) for prefix in ("cudnn", "cublas", "cuda")})

def mapped():
    with open("/proc/self/maps") as maps:
        return sorted({line.split("/")[-1].strip() for line in maps if "libcudnn" in line})

framework = c.CDLL(sys.argv[1])
framework.cudnnGetVersion.restype = c.c_size_t
print("opened:", mapped())
print("cudnnGetVersion:", framework.cudnnGetVersion(), mapped())
network = c.c_void_p()
print("cudnnCreateRNNDescriptor:", framework.cudnnCreateRNNDescriptor(c.byref(network)))
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
run path: 20297 bytes, 668 entries, 18 differ, $ORIGIN/../../nvidia/cudnn/lib 46 times
exported: {'cudnn': 275, 'cublas': 1027, 'cuda': 399}
opened: []
cudnnGetVersion: 92800 ['libcudnn.so.9', 'libcudnn_graph.so.9']
cudnnCreateRNNDescriptor: 0
SEEN
