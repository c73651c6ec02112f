#!/usr/bin/env bash
# What surprises: whether cuDNN takes a batch in which every sequence is empty changed three times within 9.0 to 9.5, once to "bad parameter"
#   while a batch in which one sequence is not empty was accepted.
# Versions: nvidia-cudnn-cu12 9.0.0.312, 9.1.0.70, 9.3.0.75 and 9.5.0.50.
# Behaviour: cudnnSetRNNDataDescriptor with lengths [0, 0] returns 0 in 9.0, 3000 (not supported) in 9.1, 2000 (bad parameter) from 9.2 to
#   9.4, and 0 again from 9.5 on. One length of 0 among others is rejected in 9.1 alone.
# Why it matters: TensorFlow 2.18 to 2.21 accept every cuDNN from 9.3 on, so that the same model with a completely masked batch fails in one
#   installation and runs in another. "Bad parameter" makes people search for a mistake in their shapes.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for version in 9.0.0.312 9.1.0.70 9.3.0.75 9.5.0.50; do
    python3 -m pip download -q --no-deps --no-cache-dir -d "$work" "nvidia-cudnn-cu12==$version"
    unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work/lib"
    rm "$work"/*.whl
    python3 - "$work/lib/libcudnn.so.9" "$version" >> "$work/seen" <<'PY'
import ctypes as c, sys
cudnn = c.CDLL(sys.argv[1])
statuses = []
for lengths in ([4, 0], [0, 0]):
    data = c.c_void_p()
    assert cudnn.cudnnCreateRNNDataDescriptor(c.byref(data)) == 0
    statuses.append(f"{lengths}: {cudnn.cudnnSetRNNDataDescriptor(data, 0, 0, 4, 2, 3, (c.c_int * 2)(*lengths), None)}")
print(sys.argv[2], ", ".join(statuses))
PY
    rm -r "$work/lib"
done
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
9.0.0.312 [4, 0]: 0, [0, 0]: 0
9.1.0.70 [4, 0]: 3000, [0, 0]: 3000
9.3.0.75 [4, 0]: 0, [0, 0]: 2000
9.5.0.50 [4, 0]: 0, [0, 0]: 0
SEEN
