#!/usr/bin/env bash
# What surprises: cuDNN 9's front library looks for its other libraries by their full version first, libcudnn_adv.so.9.28.0, then .so.9.28,
#   then .so.9, each along the whole search path. Files with the full name in any other directory win over those beside the front library.
# Versions: nvidia-cudnn-cu12 and nvidia-cudnn-cu13 9.28.0.42.
# Behaviour: wheels name their files .so.9 only; NVIDIA's Debian packages and archives name them .so.9.28.0. With such a directory of the
#   same version in LD_LIBRARY_PATH, the front library of the CUDA 12 wheel loads all others from there, here those for CUDA 13. With the
#   names of the wheels in that directory, it loads its own.
# Why it matters: the run path of the front library ($ORIGIN) is meant to keep a wheel's libraries together. A system cuDNN of the same
#   version takes over everything but the front, which is the file whose path people check.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for package in cu12 cu13; do
    python3 -m pip download -q --no-deps --no-cache-dir -d "$work" "nvidia-cudnn-$package==9.28.0.42"
    unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work/$package"
    rm "$work"/*.whl
done
mkdir "$work/full_names"
for library in "$work"/cu13/libcudnn_*.so.9; do ln "$library" "$work/full_names/$(basename "$library").28.0"; done

for directory in "$work/cu13" "$work/full_names"; do
    LD_LIBRARY_PATH="$directory" python3 - "$work" "$directory" >> "$work/seen" <<'PY'
import ctypes as c, os, sys
work, directory = sys.argv[1:]
cudnn = c.CDLL(os.path.join(work, "cu12", "libcudnn.so.9"))
cudnn.cudnnGetCudartVersion.restype = c.c_size_t
network, dropout = c.c_void_p(), c.c_void_p()
cuda = cudnn.cudnnGetCudartVersion()
calls = [cudnn.cudnnCreateDropoutDescriptor(c.byref(dropout)), cudnn.cudnnCreateRNNDescriptor(c.byref(network))]
print(f"LD_LIBRARY_PATH={os.path.basename(directory)}: CUDA {cuda}, calls {calls}")
with open("/proc/self/maps") as maps:
    for path in sorted({line.split()[-1] for line in maps if "libcudnn" in line}):
        print("   ", os.path.relpath(path, work))
PY
done
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
LD_LIBRARY_PATH=cu13: CUDA 12090, calls [0, 0]
    cu12/libcudnn.so.9
    cu12/libcudnn_adv.so.9
    cu12/libcudnn_graph.so.9
    cu12/libcudnn_ops.so.9
LD_LIBRARY_PATH=full_names: CUDA 13050, calls [0, 0]
    cu12/libcudnn.so.9
    full_names/libcudnn_adv.so.9.28.0
    full_names/libcudnn_graph.so.9.28.0
    full_names/libcudnn_ops.so.9.28.0
SEEN
