#!/usr/bin/env bash
# What surprises: no tool shows that ONNX Runtime's CUDA provider needs cuDNN, or which. The name libcudnn.so.9 is not in the dynamic section
#   and, since 1.31, in no string of the file: the code writes it as two overlapping numbers of eight bytes, "libcudnn" and "dnn.so.9".
# Versions: onnxruntime-gpu 1.31.1 (libonnxruntime_providers_cuda.so of Linux x86_64). cuBLAS, which is handled in the ordinary way, is shown
#   for comparison.
# Behaviour: the dynamic section and the strings name libcublas.so.13 and no cuDNN; the two immediates are operands of mov instructions
#   (48 b8) that are 18 bytes apart.
# Why it matters: container images that are built from the output of ldd, and scanners that list what a file loads, leave cuDNN out; that it
#   is missing shows only when a session with the CUDA provider starts.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m pip download -q --no-deps --no-cache-dir -d "$work" --only-binary :all: --python-version 3.12 onnxruntime-gpu==1.31.1
unzip -q -j "$work"/*.whl '*/libonnxruntime_providers_cuda.so' -d "$work"

python3 - "$work/libonnxruntime_providers_cuda.so" > "$work/seen" <<'PY'
import pathlib, re, sys
data = pathlib.Path(sys.argv[1]).read_bytes()
for name in (b"libcublas.so", b"libcudnn.so"):
    print(f"text {name.decode()}: {'found' if name in data else 'none'}")
move = rb"\x48\xb8"  # mov rax, imm64
for found in re.finditer(move + b"libcudnn" + rb".{8,24}?" + move + rb"dnn\.so\.9", data, re.S):
    print(f"code: libcudnn, then dnn.so.9 {len(found[0]) - 10} bytes later")
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
text libcublas.so: found
text libcudnn.so: none
code: libcudnn, then dnn.so.9 18 bytes later
SEEN
