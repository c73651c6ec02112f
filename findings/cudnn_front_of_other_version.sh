#!/usr/bin/env bash
# What surprises: libcudnn.so.9 has no version of its own. A front library of 9.28 over the other libraries of 9.19 says that it is 9.19, a
#   front library of 9.19 over those of 9.28 says 9.28, and every version check that cuDNN has returns success.
# Versions: nvidia-cudnn-cu12 9.28.0.42 and 9.19.0.56.
# Behaviour: cudnnGetVersion, cudnnGetCudartVersion and the checks are those of the libraries behind the front; descriptors of recurrent
#   networks work. Only the files show that two installations were mixed.
# Why it matters: after an upgrade that replaced one file, or with a copied libcudnn.so.9 in front of an older directory, frameworks print a
#   version that is not that of the library that they opened, and bug reports name the wrong one.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for version in 9.28.0.42 9.19.0.56; do
    python3 -m pip download -q --no-deps --no-cache-dir -d "$work" "nvidia-cudnn-cu12==$version"
    unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work/$version"
    rm "$work"/*.whl
done
mkdir "$work/new_front" "$work/old_front"
cp -l "$work"/9.19.0.56/libcudnn_*.so.9 "$work/9.28.0.42/libcudnn.so.9" "$work/new_front"
cp -l "$work"/9.28.0.42/libcudnn_*.so.9 "$work/9.19.0.56/libcudnn.so.9" "$work/old_front"

for directory in 9.28.0.42 9.19.0.56 new_front old_front; do
    python3 - "$work/$directory" >> "$work/seen" <<'PY'
import ctypes as c, os, sys
cudnn = c.CDLL(os.path.join(sys.argv[1], "libcudnn.so.9"))
cudnn.cudnnGetVersion.restype = c.c_size_t
network, dropout = c.c_void_p(), c.c_void_p()
checks = [getattr(cudnn, f"cudnn{part}VersionCheck")() for part in ("Graph", "Ops", "Adv")]
calls = [cudnn.cudnnCreateDropoutDescriptor(c.byref(dropout)), cudnn.cudnnCreateRNNDescriptor(c.byref(network))]
calls.append(cudnn.cudnnSetRNNDescriptor_v8(network, 0, 2, 2, 0, 0, 0, 0, 0, 16, 32, 32, 1, dropout, 0))
print(f"{os.path.basename(sys.argv[1])}: version {cudnn.cudnnGetVersion()}, checks {checks}, LSTM {calls}")
PY
done
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
9.28.0.42: version 92800, checks [0, 0, 0], LSTM [0, 0, 0]
9.19.0.56: version 91900, checks [0, 0, 0], LSTM [0, 0, 0]
new_front: version 91900, checks [0, 0, 0], LSTM [0, 0, 0]
old_front: version 92800, checks [0, 0, 0], LSTM [0, 0, 0]
SEEN
