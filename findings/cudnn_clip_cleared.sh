#!/usr/bin/env bash
# What surprises: the order of two setters decides whether an LSTM clips its cell state. cudnnRNNSetClip_v8 before cudnnSetRNNDescriptor_v8
#   returns success, and the second call clears it without a word; the other order keeps it.
# Versions: nvidia-cudnn-cu12 9.28.0.42.
# Behaviour: cudnnRNNGetClip_v8 returns mode 1 and the bounds after the first call, mode 0 after the second. A descriptor that is set again,
#   for example for another input size, loses its clipping in the same way. A GRU takes the setting too, though it has no cell state.
# Why it matters: a network that was trained with clipping is described without it, and no status shows it.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m pip download -q --no-deps --no-cache-dir -d "$work" nvidia-cudnn-cu12==9.28.0.42
unzip -q -j "$work"/*.whl '*/libcudnn.so.9' '*/libcudnn_graph.so.9' '*/libcudnn_ops.so.9' '*/libcudnn_adv.so.9' -d "$work"

python3 - "$work/libcudnn.so.9" > "$work/seen" <<'PY'
import ctypes as c, sys
cudnn = c.CDLL(sys.argv[1])
dropout = c.c_void_p()
assert cudnn.cudnnCreateDropoutDescriptor(c.byref(dropout)) == 0
names = {2: "lstm", 3: "gru"}

def describe(network, cell, width=16):
    return cudnn.cudnnSetRNNDescriptor_v8(network, 0, cell, 2, 0, 0, 0, 0, 0, width, 32, 32, 1, dropout, 0)

def set_clip(network):
    return cudnn.cudnnRNNSetClip_v8(network, 1, 0, c.c_double(-2.5), c.c_double(2.5))

def clip(network):
    mode, nan, low, high = c.c_int(-1), c.c_int(-1), c.c_double(), c.c_double()
    status = cudnn.cudnnRNNGetClip_v8(network, c.byref(mode), c.byref(nan), c.byref(low), c.byref(high))
    return f"status {status}, mode {mode.value}" + (f", {low.value} to {high.value}" if mode.value else "")

for cell in (2, 3):
    early, late = c.c_void_p(), c.c_void_p()
    for network in (early, late):
        assert cudnn.cudnnCreateRNNDescriptor(c.byref(network)) == 0
    print(names[cell], "clip first:", set_clip(early), "->", clip(early), end="; ")
    print("then the network:", describe(early, cell), "->", clip(early))
    print(names[cell], "network first:", describe(late, cell), "then clip:", set_clip(late), "->", clip(late), end="; ")
    print("set again with input 17:", describe(late, cell, 17), "->", clip(late))
PY
cat "$work/seen"
diff "$work/seen" - <<'SEEN'
lstm clip first: 0 -> status 0, mode 1, -2.5 to 2.5; then the network: 0 -> status 0, mode 0
lstm network first: 0 then clip: 0 -> status 0, mode 1, -2.5 to 2.5; set again with input 17: 0 -> status 0, mode 0
gru clip first: 0 -> status 0, mode 1, -2.5 to 2.5; then the network: 0 -> status 0, mode 0
gru network first: 0 then clip: 0 -> status 0, mode 1, -2.5 to 2.5; set again with input 17: 0 -> status 0, mode 0
SEEN
